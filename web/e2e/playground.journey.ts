import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Visitor, agree, agreement } from "./visitors.js";

const house = openHouse();

/** Three people in one new space. */
async function three(options: BrowserContextOptions = {}): Promise<[Visitor, Visitor, Visitor]> {
  const ana = await Visitor.arrives(house.browser, "Ana", options);
  const bo = await Visitor.arrives(house.browser, "Bo", options);
  const cleo = await Visitor.arrives(house.browser, "Cleo", options);
  const space = await ana.opens(house.server.url);
  await bo.comesTo(space);
  await cleo.comesTo(space);
  for (const visitor of [ana, bo, cleo]) await visitor.here(["Ana", "Bo", "Cleo"]);
  return [ana, bo, cleo];
}

test("everyone sees where the others point, and nobody points for who has left", async () => {
  const [ana, bo, cleo] = await three();
  const to = await ana.onBoard(300, 200);
  await ana.page.mouse.move(to.x - 60, to.y - 40);
  await ana.page.mouse.move(to.x, to.y, { steps: 5 });
  for (const visitor of [bo, cleo]) {
    const cursor = visitor.page.locator('[data-cursor="Ana"]');
    await expect.poll(async () => Math.abs(Number(await cursor.getAttribute("data-x")) - 300)).toBeLessThan(4);
    await expect.poll(async () => Math.abs(Number(await cursor.getAttribute("data-y")) - 200)).toBeLessThan(4);
    // It is drawn there, too, when it has stopped gliding.
    const place = await visitor.onBoard(300, 200);
    await expect.poll(async () => Math.abs((await cursor.boundingBox())!.x - place.x)).toBeLessThan(6);
  }
  expect(await ana.page.locator('[data-cursor="Ana"]').count()).toBe(0);

  await ana.page.getByLabel("Your name").fill("Anabel");
  await bo.page.locator('[data-person="Anabel"]').waitFor();
  await ana.page.mouse.move(to.x, to.y);
  await bo.page.locator('[data-cursor="Anabel"]').waitFor();
  await ana.leaves();
  for (const visitor of [bo, cleo]) {
    await visitor.page.locator('[data-person="Anabel"]').waitFor({ state: "detached" });
    await visitor.page.locator("[data-cursor]").waitFor({ state: "detached" });
    await visitor.leaves();
  }
});

test("notes are written, dragged, painted and taken away in front of everyone", async () => {
  const [ana, bo, cleo] = await three();
  const all = [ana, bo, cleo];
  await ana.writes("Milk", 300, 200);
  await bo.note("Milk").waitFor();
  const [x, y] = await bo.placeOf("Milk");
  await bo.drags("Milk", 180, 90);
  await bo.saved();
  const moved = await bo.placeOf("Milk");
  expect(moved[0]).toBeGreaterThan(x + 100);
  expect(moved[1]).toBeGreaterThan(y + 50);
  await agree(all, (visitor) => visitor.placeOf("Milk"), moved);

  await cleo.note("Milk").hover();
  await cleo.note("Milk").getByRole("button", { name: "Another colour" }).click();
  await ana.page.locator('.rose[data-note="Milk"], .mint[data-note="Milk"]').waitFor();
  await cleo.note("Milk").dblclick({ position: { x: 40, y: 30 } });
  await cleo.page.getByLabel("Text of the note").fill("Oat milk");
  // What is typed is seen before it is finished.
  await ana.note("Oat milk").waitFor();
  await cleo.page.keyboard.press("Escape");
  await ana.note("Oat milk").hover();
  await ana.note("Oat milk").getByRole("button", { name: "Remove" }).click();
  for (const visitor of all) await visitor.page.locator("[data-note]").waitFor({ state: "detached" });
  for (const visitor of all) await visitor.leaves();
});

test("two reorder the list at once: the same order everywhere, and nothing is lost", async () => {
  const [ana, bo, cleo] = await three();
  const all = [ana, bo, cleo];
  for (const visitor of all) await visitor.turnsTo("To-do");
  await ana.adds("one", "two", "three", "four", "five", "six");
  await agree(all, (visitor) => visitor.tasks(), ["one", "two", "three", "four", "five", "six"]);

  const [one, six] = await Promise.all([ana.grips("one"), bo.grips("six")]);
  await Promise.all([one.over("four"), six.over("three")]);
  await Promise.all([one.release(), six.release()]);
  for (const visitor of all) await visitor.saved();
  // "six" was put between "two" and "three", "one" after "four": both is so, whoever was first.
  await agree(all, (visitor) => visitor.tasks(), ["two", "six", "three", "four", "one", "five"]);

  // Both take the same row at once: one of the two places wins, for everyone.
  const grips = await Promise.all([ana.grips("three"), bo.grips("three")]);
  await Promise.all([grips[0].over("two"), grips[1].over("five")]);
  await Promise.all(grips.map(({ release }) => release()));
  for (const visitor of all) await visitor.saved();
  const order = await agreement(all, (visitor) => visitor.tasks());
  expect([...order].sort()).toEqual(["five", "four", "one", "six", "three", "two"]);
  expect([0, 5]).toContain(order.indexOf("three"));
  for (const visitor of all) await visitor.leaves();
});

test("what is changed while somebody else drags does not tear the row from the hand", async () => {
  // With everything that glides, as most people see it.
  const [ana, bo, cleo] = await three({ reducedMotion: "no-preference" });
  const all = [ana, bo, cleo];
  for (const visitor of all) await visitor.turnsTo("To-do");
  await ana.adds("one", "two", "three", "four");
  await agree(all, (visitor) => visitor.tasks(), ["one", "two", "three", "four"]);
  const held = await ana.grips("four");
  await held.over("two");
  const before = await ana.middleOf(ana.page.locator(".held"));
  await bo.adds("five");
  await bo.page.getByRole("button", { name: "Remove “three”" }).click();
  await cleo.page.getByRole("checkbox", { name: "one" }).check();
  await ana.page.locator('.done[data-todo="one"]').waitFor();
  await agree(all, async (visitor) => (await visitor.tasks()).sort(), ["five", "four", "one", "two"]);
  const after = await ana.middleOf(ana.page.locator(".held"));
  expect(Math.abs(after.y - before.y)).toBeLessThan(2);
  await held.release();
  await agree(all, (visitor) => visitor.tasks(), ["one", "four", "two", "five"]);
  for (const visitor of all) await visitor.leaves();
});

test("rows that make way glide there and never turn back", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana", { reducedMotion: "no-preference" });
  const bo = await Visitor.arrives(house.browser, "Bo", { reducedMotion: "no-preference" });
  await bo.comesTo(await ana.opens(house.server.url));
  for (const visitor of [ana, bo]) await visitor.turnsTo("To-do");
  await ana.adds("one", "two", "three", "four");
  await agree([ana, bo], (visitor) => visitor.tasks(), ["one", "two", "three", "four"]);
  for (const visitor of [ana, bo]) await visitor.watchesRows();
  const held = await ana.grips("one");
  for (const other of ["two", "three", "four"]) await held.over(other);
  await held.release();
  await agree([ana, bo], (visitor) => visitor.tasks(), ["two", "three", "four", "one"]);
  for (const visitor of [ana, bo]) {
    for (const text of ["two", "three", "four"]) {
      const ways = await visitor.wayOf(text);
      const turns = ways.filter((top, at) => at > 0 && top > ways[at - 1]! + 1);
      expect(turns, `${text} for ${visitor.name}: ${ways}`).toEqual([]);
    }
    await visitor.leaves();
  }
});

test("undo and redo take back one's own steps and nobody else's", async () => {
  const [ana, bo, cleo] = await three();
  const all = [ana, bo, cleo];
  await ana.writes("Milk", 300, 200);
  await bo.writes("Bread", 700, 300);
  await ana.note("Bread").waitFor();
  await ana.saved();
  const start = await ana.placeOf("Milk");
  await ana.drags("Milk", 150, 60);
  await ana.saved();
  const end = await ana.placeOf("Milk");
  expect(end).not.toEqual(start);
  await agree(all, (visitor) => visitor.placeOf("Milk"), end);
  // A whole drag is one step.
  await ana.page.keyboard.press("Control+z");
  await agree(all, (visitor) => visitor.placeOf("Milk"), start);
  await ana.page.keyboard.press("Control+Shift+z");
  await agree(all, (visitor) => visitor.placeOf("Milk"), end);

  await ana.note("Milk").locator(".paper").focus();
  await ana.page.keyboard.press("Delete");
  await bo.note("Milk").waitFor({ state: "detached" });
  await ana.person.button("Undo").click();
  await agree(all, (visitor) => visitor.placeOf("Milk"), end);
  expect(await cleo.note("Bread").count()).toBe(1);
  for (const visitor of all) await visitor.leaves();
});

test("two reach for the coin, and one of them catches it", async () => {
  const [ana, bo, cleo] = await three();
  for (const visitor of [ana, bo, cleo]) {
    await visitor.turnsTo("Coin game");
    await visitor.page.getByTestId("coin").waitFor();
  }
  const field = (visitor: Visitor) => visitor.page.getByRole("application");
  const place = (visitor: Visitor) => visitor.page.getByTestId("coin").evaluate((coin: HTMLElement) => [coin.dataset["x"], coin.dataset["y"]]);
  await agreement([ana, bo, cleo], place);
  // Neither knows of the other's catch until the server has spoken.
  for (const visitor of [ana, bo]) await visitor.cutsTheLine();
  for (const visitor of [ana, bo]) {
    const at = await visitor.middleOf(visitor.page.getByTestId("coin"));
    await visitor.page.mouse.move(at.x, at.y);
    await visitor.page.mouse.down();
    await visitor.page.locator('[data-reaching="true"]').waitFor();
    await visitor.page.mouse.up();
  }
  await Promise.all([ana.mendsTheLine(), bo.mendsTheLine()]);
  const scores = (visitor: Visitor) => visitor.page.locator("[data-score-of]").evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset["score"])).sort((a, b) => a - b));
  await agree([ana, bo, cleo], scores, [0, 0, 10]);
  await agree([ana, bo, cleo], (visitor) => field(visitor).getAttribute("data-caught"), "1");
  await agreement([ana, bo, cleo], place);
  for (const visitor of [ana, bo, cleo]) await visitor.leaves();
});
