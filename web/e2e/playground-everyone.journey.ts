import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Visitor, agree } from "./visitors.js";

const house = openHouse();

const windows = {
  "light": { colorScheme: "light" },
  "dark": { colorScheme: "dark" },
  "a light phone": { colorScheme: "light", viewport: { width: 360, height: 740 } },
  "a dark phone": { colorScheme: "dark", viewport: { width: 360, height: 740 } },
} as const;

for (const [name, options] of Object.entries(windows)) {
  test(`nothing serious stands in anybody's way, and nothing is wider than the window, ${name}`, async () => {
    const ana = await Visitor.arrives(house.browser, "Ana", options);
    const bo = await Visitor.arrives(house.browser, "Bo", options);
    const narrow = "viewport" in options;
    const fits = async (where: string) => {
      await ana.person.everyoneCanUseIt(where);
      const { page, window } = await ana.page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: innerWidth }));
      expect(page, where).toBeLessThanOrEqual(window);
    };
    await bo.comesTo(await ana.opens(house.server.url));
    await fits("an empty board");
    await ana.writes("Milk", 150, 120);
    await bo.note("Milk").waitFor();
    const at = await bo.onBoard(300, 200);
    await bo.page.mouse.move(at.x, at.y);
    await ana.page.locator('[data-cursor="Bo"]').waitFor();
    await ana.note("Milk").hover();
    await fits("a board");
    await ana.note("Milk").dblclick({ position: { x: 30, y: 20 } });
    await fits("a note that is written");
    await ana.page.keyboard.press("Escape");
    await ana.turnsTo("To-do");
    await fits("an empty list");
    await ana.adds("one", "two");
    await ana.page.getByRole("checkbox", { name: "two" }).check();
    await fits("a list");
    await ana.turnsTo("Coin game");
    await ana.page.getByTestId("coin").waitFor();
    await bo.turnsTo("Coin game");
    await ana.page.locator('[data-player="Bo"]').waitFor();
    await fits("the game");
    if (narrow) {
      await ana.turnsTo("What passes");
      await ana.page.getByTestId("at").waitFor();
      await fits("what passes");
    }
    await ana.page.locator("summary").last().click();
    await fits("how it is made");
    await ana.cutsTheLine();
    await fits("a line that is cut");
    await ana.mendsTheLine();
    await ana.person.button("Invite").click();
    await ana.page.getByRole("dialog").waitFor();
    await fits("the invitation");
    for (const visitor of [ana, bo]) await visitor.leaves();
  });
}

test("board, list and game go without a mouse", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  const bo = await Visitor.arrives(house.browser, "Bo");
  await bo.comesTo(await ana.opens(house.server.url));
  const { keyboard } = ana.page;
  await ana.person.button("Add a note").focus();
  await keyboard.press("Enter");
  await ana.page.getByLabel("Text of the note").waitFor();
  await keyboard.type("Milk");
  await keyboard.press("Escape");
  await ana.page.locator(".paper:focus").waitFor();
  await ana.saved();
  const [x, y] = await ana.placeOf("Milk");
  for (let step = 0; step < 5; step++) await keyboard.press("ArrowRight");
  await keyboard.press("Shift+ArrowDown");
  await agree([ana, bo], (visitor) => visitor.placeOf("Milk"), [x + 60, y + 60]);
  await keyboard.press("Enter");
  await keyboard.type(" and bread");
  await keyboard.press("Escape");
  await bo.note("Milk and bread").waitFor();
  await ana.page.locator(".paper:focus").waitFor();
  await keyboard.press("Delete");
  await bo.page.locator("[data-note]").waitFor({ state: "detached" });

  await ana.page.getByRole("tab", { name: "Board" }).focus();
  await keyboard.press("ArrowRight");
  await ana.page.getByLabel("What is to be done?").focus();
  await ana.adds("one", "two", "three");
  await ana.page.locator('[data-todo="three"] .grip').focus();
  await keyboard.press("Alt+ArrowUp");
  await keyboard.press("Alt+ArrowUp");
  await bo.turnsTo("To-do");
  await agree([ana, bo], (visitor) => visitor.tasks(), ["three", "one", "two"]);
  await ana.page.locator('[data-todo="three"] .grip:focus').waitFor();
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await agree([ana, bo], (visitor) => visitor.page.getByRole("checkbox", { name: "three" }).isChecked(), true);
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await keyboard.type("zero");
  await keyboard.press("Enter");
  await agree([ana, bo], (visitor) => visitor.tasks(), ["zero", "one", "two"]);

  await bo.turnsTo("Coin game");
  await ana.page.getByRole("tab", { name: "To-do" }).focus();
  await keyboard.press("ArrowRight");
  await ana.page.locator("[role=tab]:focus", { hasText: "Coin game" }).waitFor();
  await keyboard.press("Tab");
  for (const [key, edge] of [["ArrowRight", 876], ["a", 24]] as const) {
    await keyboard.down(key);
    await bo.page.locator(`[data-player="Ana"][data-x="${edge}"]`).waitFor();
    await keyboard.up(key);
  }
  for (const visitor of [ana, bo]) await visitor.leaves();
});

test("a finger drags notes and rows, and catches the coin", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const bo = await Visitor.arrives(house.browser, "Bo");
  await bo.comesTo(await ana.opens(house.server.url));
  await bo.writes("Milk", 200, 150);
  await ana.note("Milk").waitFor();
  const devtools = await ana.page.context().newCDPSession(ana.page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  const { x, y, width } = (await ana.note("Milk").boundingBox())!;
  const before = await bo.placeOf("Milk");
  await touch("touchStart", x + width / 2, y + 30);
  for (let step = 1; step <= 10; step++) await touch("touchMove", x + width / 2 + step * 5, y + 30 + step * 8);
  await touch("touchEnd");
  await ana.page.locator(".held").waitFor({ state: "detached" });
  await ana.saved();
  const moved = await ana.placeOf("Milk");
  expect(moved[1]).toBeGreaterThan(before[1] + 60);
  await agree([ana, bo], (visitor) => visitor.placeOf("Milk"), moved);

  // Two taps on an empty place leave a note there.
  const empty = await ana.onBoard(120, 560);
  await ana.page.touchscreen.tap(empty.x, empty.y);
  await ana.page.touchscreen.tap(empty.x, empty.y);
  await ana.page.getByLabel("Text of the note").fill("Tea");
  await bo.note("Tea").waitFor();

  await ana.turnsTo("To-do");
  await ana.adds("one", "two", "three");
  const three = await ana.middleOf(ana.page.locator('[data-todo="three"] .grip'));
  const one = await ana.middleOf(ana.page.locator('[data-todo="one"] .grip'));
  await touch("touchStart", three.x, three.y);
  for (let step = 1; step <= 6; step++) await touch("touchMove", three.x, three.y + ((one.y - three.y) * step) / 6);
  await touch("touchEnd");
  await bo.turnsTo("To-do");
  await agree([ana, bo], (visitor) => visitor.tasks(), ["three", "one", "two"]);

  await ana.turnsTo("Coin game");
  const coin = await ana.middleOf(ana.page.getByTestId("coin"));
  await touch("touchStart", coin.x, coin.y);
  await ana.page.locator('[data-score-of="Ana"][data-score="10"]').waitFor();
  await touch("touchEnd");
  for (const visitor of [ana, bo]) await visitor.leaves();
});

test("a playground that is not there says so", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  await ana.page.goto(`${house.server.url}/space/00000000-0000-4000-8000-000000000000`);
  await ana.page.getByRole("heading", { name: "There is no such playground" }).waitFor();
  await ana.person.everyoneCanUseIt("no playground");
  await ana.person.button("To the start").click();
  await ana.person.button("Open a playground").waitFor();
  await ana.leaves();
});

test("who may only look sees everything and can change nothing", async () => {
  const made = async (guests: string) => {
    const answer = await fetch(`${house.server.url}/v1/rooms`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ kind: "space", guests }) });
    return (await answer.json()) as { room: string; host_key: string };
  };
  const { room, host_key } = await made("read");
  const ana = await Visitor.arrives(house.browser, "Ana");
  await ana.page.goto(`${house.server.url}/${room}`);
  await ana.page.getByText("You may look here, and change nothing.").waitFor();
  await fetch(`${house.server.url}/v1/rooms/${room}/map_set`, {
    method: "POST",
    headers: { "content-type": "application/json", "parlor-host-key": host_key },
    body: JSON.stringify({ map: "board", key: "n1", value: { x: 50, y: 50, text: "Milk", colour: "mint", by: "Bo" } }),
  });
  await ana.note("Milk").waitFor();
  expect(await ana.person.button("Add a note").isDisabled()).toBe(true);
  await ana.drags("Milk", 100, 50);
  await ana.note("Milk").locator(".paper").press("Delete");
  expect(await ana.placeOf("Milk")).toEqual([50, 50]);
  await ana.person.everyoneCanUseIt("only looking");

  const closed = await made("none");
  await ana.page.goto(`${house.server.url}/${closed.room}`);
  await ana.page.getByRole("heading", { name: "You cannot come in" }).waitFor();
  await ana.leaves();
});

test("the panel shows what passes, and no secrets", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana");
  await ana.opens(house.server.url);
  await ana.writes("Milk", 200, 150);
  const frames = ana.page.getByRole("list", { name: "Frames, the newest first" });
  await frames.getByText("map_set").first().waitFor();
  await ana.person.button("Pause").click();
  await ana.cutsTheLine();
  await ana.person.button("Go on").click();
  await ana.mendsTheLine();
  await frames.getByText("hello").first().waitFor();
  await frames.getByText("enter").first().waitFor();
  const text = await frames.evaluate((list) => list.textContent ?? "");
  const secrets = await ana.page.evaluate(() => [localStorage.getItem("parlor.user_key")!, ...(JSON.parse(localStorage.getItem("parlor.host_keys") ?? "[]") as string[][]).flat()].map((key) => key.replaceAll('"', "")).filter((key) => !key.startsWith("space/")));
  expect(secrets.length).toBeGreaterThan(1);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toContain("•••");
  expect(await ana.page.getByTestId("at").textContent()).toMatch(/^\d+-\d+$/);
  await ana.leaves();
});

for (const [locale, open, title] of [["fr-FR", "Ouvrir un bac à sable", "Tableau"], ["ja-JP", "プレイグラウンドを開く", "ボード"]] as const) {
  test(`the playground speaks ${locale}`, async () => {
    const ana = await Visitor.arrives(house.browser, "Ana", { locale, viewport: { width: 360, height: 740 } });
    await ana.page.goto(house.server.url);
    await ana.person.button(open).click();
    await ana.page.getByRole("tab", { name: title }).waitFor();
    await ana.person.everyoneCanUseIt(locale);
    expect(await ana.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await ana.leaves();
  });
}
