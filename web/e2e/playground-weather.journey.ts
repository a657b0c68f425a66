import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Visitor, agree, agreement } from "./visitors.js";

const house = openHouse();

const notes = (visitor: Visitor) => visitor.page.locator("[data-note]").evaluateAll((all) => all.map((note) => (note as HTMLElement).dataset["note"]!).sort());

test("what is changed without a line is merged when it is back", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const bo = await Visitor.arrives(house.browser, "Bo");
  const cleo = await Visitor.arrives(house.browser, "Cleo");
  const all = [ana, bo, cleo];
  const space = await ana.opens(house.server.url);
  await bo.comesTo(space);
  await cleo.comesTo(space);
  await ana.writes("Milk", 250, 180);
  await ana.writes("Bread", 700, 180);
  await bo.note("Bread").waitFor();
  await ana.turnsTo("To-do");
  await ana.adds("one", "two", "three");
  await bo.turnsTo("To-do");
  await agree([bo], (visitor) => visitor.tasks(), ["one", "two", "three"]);
  await bo.turnsTo("Board");

  await bo.cutsTheLine();
  await ana.page.locator('[data-person="Bo"]').waitFor({ state: "detached" });
  await bo.writes("Butter", 250, 500);
  await bo.drags("Milk", 120, 40);
  const moved = await bo.placeOf("Milk");
  await bo.turnsTo("To-do");
  await bo.adds("four");
  const held = await bo.grips("three");
  await held.over("one");
  await held.release();
  expect(await bo.tasks()).toEqual(["three", "one", "two", "four"]);
  expect(Number(await bo.page.locator("[data-pending]").getAttribute("data-pending"))).toBeGreaterThan(2);

  // Meanwhile the others go on.
  await ana.page.getByRole("checkbox", { name: "two" }).check();
  await ana.adds("five");
  await ana.turnsTo("Board");
  await ana.note("Bread").locator(".paper").focus();
  await ana.page.keyboard.press("Delete");
  await ana.writes("Eggs", 700, 500);
  await cleo.note("Eggs").waitFor();

  await bo.mendsTheLine();
  await bo.turnsTo("Board");
  await agree(all, notes, ["Butter", "Eggs", "Milk"]);
  await agree(all, (visitor) => visitor.placeOf("Milk"), moved);
  for (const visitor of all) await visitor.turnsTo("To-do");
  const order = await agreement(all, (visitor) => visitor.tasks());
  expect([...order].sort()).toEqual(["five", "four", "one", "three", "two"]);
  expect(order.slice(0, 3)).toEqual(["three", "one", "two"]);
  expect(await bo.page.getByRole("checkbox", { name: "two" }).isChecked()).toBe(true);
  for (const visitor of all) await visitor.here(["Ana", "Bo", "Cleo"]);
  for (const visitor of all) await visitor.leaves();
});

test("a server restart loses nothing of what waits", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const bo = await Visitor.arrives(house.browser, "Bo");
  await bo.comesTo(await ana.opens(house.server.url));
  await ana.writes("Milk", 250, 180);
  await bo.note("Milk").waitFor();
  await house.server.stop();
  await ana.page.locator('[data-stage="away"]').waitFor();
  await ana.writes("Bread", 700, 180);
  await bo.page.locator('[data-stage="away"]').waitFor();
  await bo.writes("Eggs", 700, 500);
  await house.server.start();
  await agree([ana, bo], notes, ["Bread", "Eggs", "Milk"]);
  for (const visitor of [ana, bo]) await visitor.here(["Ana", "Bo"]);
  for (const visitor of [ana, bo]) await visitor.leaves();
});

test("a tab that slept has no gaps and no ghosts when it wakes", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const bo = await Visitor.arrives(house.browser, "Bo");
  const cleo = await Visitor.arrives(house.browser, "Cleo");
  const space = await ana.opens(house.server.url);
  await bo.comesTo(space);
  await cleo.comesTo(space);
  await ana.writes("Milk", 250, 180);
  const at = await bo.onBoard(600, 400);
  await bo.page.mouse.move(at.x, at.y);
  await cleo.note("Milk").waitFor();
  await cleo.page.locator('[data-cursor="Bo"]').waitFor();

  const devtools = await cleo.page.context().newCDPSession(cleo.page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await ana.writes("Bread", 700, 180);
  await ana.drags("Milk", 90, 60);
  await ana.saved();
  const moved = await ana.placeOf("Milk");
  await ana.turnsTo("To-do");
  await ana.adds("one", "two");
  await bo.leaves();
  await ana.page.locator('[data-person="Bo"]').waitFor({ state: "detached" });
  await devtools.send("Page.setWebLifecycleState", { state: "active" });

  await agree([cleo], notes, ["Bread", "Milk"]);
  await agree([cleo], (visitor) => visitor.placeOf("Milk"), moved);
  await cleo.page.locator('[data-person="Bo"]').waitFor({ state: "detached" });
  await cleo.page.locator('[data-cursor="Bo"]').waitFor({ state: "detached" });
  await cleo.turnsTo("To-do");
  await agree([ana, cleo], (visitor) => visitor.tasks(), ["one", "two"]);
  await cleo.adds("three");
  await agree([ana, cleo], (visitor) => visitor.tasks(), ["one", "two", "three"]);
  for (const visitor of [ana, cleo]) await visitor.leaves();
});

test("a line that died while the machine slept is noticed on waking, and everything is made good", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const cleo = await Visitor.arrives(house.browser, "Cleo");
  let fallAsleep = async () => {};
  await cleo.page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const server = socket.connectToServer();
    let asleep = false;
    socket.onMessage((text) => void (asleep || server.send(text)));
    server.onMessage((text) => void (asleep || socket.send(text)));
    // The server sees the line go; the page that sleeps does not.
    server.onClose(() => void (asleep || socket.close()));
    fallAsleep = async () => {
      asleep = true;
      await server.close();
    };
  });
  await cleo.comesTo(await ana.opens(house.server.url));
  await ana.here(["Ana", "Cleo"]);
  await fallAsleep();
  await ana.page.locator('[data-person="Cleo"]').waitFor({ state: "detached" });
  await ana.writes("Milk", 250, 180);
  // Written into a line that is dead: it must not be lost, nor done twice.
  await cleo.writes("Bread", 700, 180);
  await cleo.page.evaluate(() => dispatchEvent(new Event("online")));
  await agree([ana, cleo], notes, ["Bread", "Milk"]);
  for (const visitor of [ana, cleo]) {
    await visitor.here(["Ana", "Cleo"]);
    expect(await visitor.page.locator("[data-person]").count()).toBe(2);
  }
  for (const visitor of [ana, cleo]) await visitor.leaves();
});

test("two tabs of one person are one face, and closing one of them is no farewell", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const bo = await Visitor.arrives(house.browser, "Bo");
  const space = await ana.opens(house.server.url);
  await bo.comesTo(space);
  const second = await ana.page.context().newPage();
  await second.goto(space);
  await second.locator('[data-person="Ana"]').waitFor();
  await second.locator('[data-person="Bo"]').waitFor();
  for (const page of [ana.page, second, bo.page]) expect(await page.locator("[data-person]").count()).toBe(2);
  await ana.writes("Milk", 250, 180);
  await second.locator('[data-note="Milk"]').waitFor();

  await second.close();
  // What happens afterwards is seen after what was to be seen before it.
  await ana.writes("Bread", 700, 180);
  await bo.note("Bread").waitFor();
  expect(await bo.page.locator('[data-person="Ana"]').count()).toBe(1);
  const at = await ana.onBoard(400, 400);
  await ana.page.mouse.move(at.x, at.y);
  await bo.page.locator('[data-cursor="Ana"]').waitFor();
  await ana.leaves();
  await bo.page.locator('[data-person="Ana"]').waitFor({ state: "detached" });
  await bo.leaves();
});

test("a reload goes on where it was, under the same name", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  await ana.opens(house.server.url);
  await ana.writes("Milk", 250, 180);
  await ana.saved();
  await ana.page.reload();
  await ana.note("Milk").waitFor();
  await ana.here(["Ana"]);
  await ana.writes("Bread", 700, 180);
  await ana.saved();
  await ana.page.reload();
  await agree([ana], notes, ["Bread", "Milk"]);
  await ana.leaves();
});
