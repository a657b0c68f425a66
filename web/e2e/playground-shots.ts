// Pictures of three people at work in a playground, in light and dark, wide and on a phone.

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { test } from "vitest";
import { Visitor } from "./visitors.js";
import { picture } from "./pictures.js";
import { openHouse } from "./house.js";

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 800 } };

const house = openHouse();

test("pictures of the playground", async () => {
  const ana = await Visitor.arrives(house.browser, "Ana", DESK);
  const bo = await Visitor.arrives(house.browser, "Bo Lindqvist", DESK);
  const cleo = await Visitor.arrives(house.browser, "健太", DESK);
  const space = await ana.opens(house.server.url);
  await bo.comesTo(space);
  await cleo.comesTo(space);
  await ana.writes("What should the landing page say first?", 170, 60);
  await bo.writes("No accounts. Say it twice.", 420, 110);
  await cleo.writes("写真はいらない、カードだけで十分", 690, 70);
  await ana.writes("Try it on a train: tunnels!", 960, 130);
  await bo.writes("Undo must never take back somebody else’s note", 250, 330);
  await cleo.writes("Ship on Thursday?", 820, 380);
  for (const [visitor, x, y] of [[bo, 560, 300], [cleo, 860, 260]] as const) {
    const at = await visitor.onBoard(x, y);
    await visitor.page.mouse.move(at.x - 20, at.y - 10);
    await visitor.page.mouse.move(at.x, at.y);
  }
  await ana.page.locator("[data-cursor]").nth(1).waitFor();
  await ana.page.mouse.move(700, 20);
  await picture(ana.page, "playground-board-light");

  const windows = {
    "playground-board-dark": { ...DESK, colorScheme: "dark" },
    "playground-board-phone-light": { ...PHONE, colorScheme: "light" },
    "playground-board-phone-dark-ja": { ...PHONE, colorScheme: "dark", locale: "ja-JP" },
  } satisfies Record<string, BrowserContextOptions>;
  for (const [name, options] of Object.entries(windows)) {
    const twin = await Visitor.arrives(house.browser, "Ana", { ...options, storageState: await ana.page.context().storageState() });
    await twin.page.goto(space);
    await twin.page.locator("[data-note]").nth(5).waitFor();
    await twin.page.locator("[data-person]").nth(2).waitFor();
    await picture(twin.page, name);
    await twin.leaves();
  }

  for (const visitor of [ana, bo, cleo]) await visitor.turnsTo("To-do");
  await ana.adds("Ask for the lake photographs", "Book the room with the big table", "Write to the printers");
  await bo.adds("Find out who has the key", "Bring the good coffee");
  await cleo.page.getByRole("checkbox", { name: "Bring the good coffee" }).check();
  const held = await ana.grips("Write to the printers");
  await held.over("Ask for the lake photographs");
  await picture(ana.page, "playground-todo-light");
  await held.release();
  for (const visitor of [ana, bo, cleo]) await visitor.turnsTo("Coin game");
  await ana.page.locator("[data-player]").nth(2).waitFor();
  const coin = await bo.middleOf(bo.page.getByTestId("coin"));
  await bo.page.mouse.move(coin.x, coin.y);
  await bo.page.mouse.down();
  await ana.page.locator('[data-score="10"]').waitFor();
  await bo.page.mouse.up();
  await picture(ana.page, "playground-coin-light");
  await ana.cutsTheLine();
  await ana.turnsTo("Board");
  await ana.writes("Written in a tunnel", 560, 500);
  await picture(ana.page, "playground-cut-light");
  await ana.mendsTheLine();

  const phone = await Visitor.arrives(house.browser, "Ana", { ...PHONE, colorScheme: "dark", storageState: await ana.page.context().storageState() });
  await phone.page.goto(space);
  for (const [part, name] of [["To-do", "todo"], ["Coin game", "coin"], ["What passes", "wire"]] as const) {
    await phone.turnsTo(part);
    await phone.page.locator(name === "todo" ? "[data-todo]" : name === "coin" ? '[data-testid="coin"]' : "summary").first().waitFor();
    await picture(phone.page, `playground-${name}-phone-dark`);
  }
  const dark = await Visitor.arrives(house.browser, "Ana", { ...DESK, colorScheme: "dark", storageState: await ana.page.context().storageState() });
  await dark.page.goto(space);
  for (const [part, name] of [["To-do", "todo"], ["Coin game", "coin"]] as const) {
    await dark.turnsTo(part);
    await dark.page.locator(name === "todo" ? "[data-todo]" : '[data-testid="coin"]').first().waitFor();
    await picture(dark.page, `playground-${name}-dark`);
  }
  const visitor = await Visitor.arrives(house.browser, "", { ...DESK, viewport: { width: 1280, height: 1300 } });
  await visitor.page.goto(house.server.url);
  await visitor.person.button("Open a playground").waitFor();
  await picture(visitor.page, "playground-landing");
  for (const one of [ana, bo, cleo, phone, dark, visitor]) await one.leaves();
});
