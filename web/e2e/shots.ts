// Pictures for the documents: the same game in light and dark, on a phone and a wide screen, in three languages.

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { test } from "vitest";
import { Person } from "./people.js";
import { picture as take } from "./pictures.js";
import { openHouse } from "./house.js";

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 840 } };
const WIDE = { viewport: { width: 1600, height: 1000 } };
const STORIES = ["Sign in with a passkey https://tracker.example/P-12", "Export invoices as PDF", "Search across projects", "Quiet hours for notifications"];

const house = openHouse();

/** The mouse points at nothing. */
async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await take(page, name);
}

test("pictures", async () => {
  for (const [name, options] of Object.entries({
    "landing-light": { ...DESK, colorScheme: "light" },
    "landing-dark": { ...DESK, colorScheme: "dark" },
    "landing-wide-ja": { ...WIDE, locale: "ja-JP", colorScheme: "light" },
    "landing-phone-fr": { ...PHONE, locale: "fr-FR", colorScheme: "dark" },
  } satisfies Record<string, BrowserContextOptions>)) {
    const visitor = await Person.arrives(house.browser, "", options);
    await visitor.page.goto(house.server.url);
    await visitor.page.locator("main form button").first().waitFor();
    await picture(visitor.page, name);
    await visitor.leaves();
  }

  const ana = await Person.arrives(house.browser, "Ana", DESK);
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  const others: Person[] = [];
  for (const name of ["Bo", "Chiara", "Dmitri", "健太", "Émile"]) {
    const person = await Person.arrives(house.browser, name, DESK);
    await person.sitsDown(table, { observer: name === "Émile" });
    others.push(person);
  }
  const [bo, chiara, dmitri, kenta] = others as [Person, Person, Person, Person];
  await ana.page.keyboard.press(",");
  await ana.page.getByLabel("Name of the table").fill("Sprint 42");
  await ana.button("Save").click();
  await ana.page.getByRole("heading", { level: 1, name: "Sprint 42" }).waitFor({ state: "attached" });
  await ana.page.keyboard.press("Escape");
  for (const story of STORIES) {
    await ana.page.getByLabel("Add a story").fill(story);
    await ana.page.keyboard.press("Enter");
    await ana.page.locator(`[data-story="${story.replace(/ https.*/, "")}"]`).waitFor();
  }

  // A first story of one mind, so that there is a history.
  await ana.button("Search across projects").click();
  await dmitri.page.getByTestId("story").waitFor();
  for (const person of [ana, bo, chiara, dmitri, kenta]) await person.lays("8");
  await ana.page.getByText("Everyone has laid a card").waitFor();
  await ana.button("Show the cards").click();
  await ana.page.getByTestId("estimate").waitFor();
  await picture(ana.page, "agreed-light");
  await ana.button("Sign in with a passkey").click();
  await bo.page.getByTestId("story").getByText("passkey").waitFor();

  await ana.lays("5");
  await bo.lays("5");
  await chiara.lays("8");
  await ana.sees("Chiara", "down");
  await picture(ana.page, "table-light");
  await ana.page.keyboard.press("i");
  await picture(ana.page, "invite-light");
  await ana.page.keyboard.press("Escape");
  await dmitri.lays("5");
  await kenta.lays("3");
  await ana.page.getByText("Everyone has laid a card").waitFor();
  await ana.button("Show the cards").click();
  await ana.page.getByTestId("result").waitFor();
  await picture(ana.page, "result-light");

  // The same people at the same moment, in other windows.
  const windows = {
    "result-dark": [ana, { ...DESK, colorScheme: "dark" }],
    "result-wide": [ana, { ...WIDE, colorScheme: "light" }],
    "result-wide-dark": [ana, { ...WIDE, colorScheme: "dark" }],
    "result-phone-light": [bo, { ...PHONE, colorScheme: "light" }],
    "result-phone-dark-ja": [bo, { ...PHONE, colorScheme: "dark", locale: "ja-JP" }],
    "result-fr": [ana, { ...DESK, colorScheme: "light", locale: "fr-FR" }],
    "result-ja": [ana, { ...DESK, colorScheme: "dark", locale: "ja-JP" }],
  } satisfies Record<string, [Person, BrowserContextOptions]>;
  for (const [name, [person, options]] of Object.entries(windows)) {
    const twin = await Person.arrives(house.browser, person.name, { ...options, storageState: await person.page.context().storageState() });
    await twin.page.goto(table);
    await twin.page.getByTestId("result").waitFor();
    await picture(twin.page, name);
    await twin.leaves();
  }

  await ana.button("Next story").click();
  await bo.page.getByTestId("story").getByText("invoices").waitFor();
  await bo.lays("3");
  await chiara.lays("13");
  const phone = await Person.arrives(house.browser, "Bo", { ...PHONE, colorScheme: "light", storageState: await bo.page.context().storageState() });
  await phone.page.goto(table);
  await phone.page.locator('[data-card="3"][aria-pressed="true"]').waitFor();
  await phone.sees("Chiara", "down");
  await picture(phone.page, "table-phone-light");
  await phone.button(/^Stories/).click();
  await phone.page.getByRole("tab").first().waitFor();
  await picture(phone.page, "stories-phone-light");
  await phone.leaves();
  for (const person of [ana, ...others]) await person.leaves();
});
