import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, launch } from "./people.js";
import { type Server, startServer } from "./server.js";

let server: Server;
let browser: Browser;

beforeAll(async () => {
  server = await startServer();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await server?.end();
});

test("a refresh in the middle of a round keeps seat, card and host", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const bo = await Person.arrives(browser, "Bo");
  const table = await ana.opensTable(server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.lays("8");
  await bo.sees("Ana", "down");

  await ana.page.reload();
  await ana.page.locator('[data-card="8"][aria-pressed="true"]').waitFor();
  await ana.sees("Ana", "down");
  expect(await bo.page.locator('[data-user="Ana"]').count()).toBe(1);

  // The tab goes on numbering where it stopped: the next command is done, not taken for an old one.
  await ana.lays("13");
  await ana.button("Show the cards").click();
  await bo.sees("Ana", "13");
  for (const person of [ana, bo]) await person.leaves();
});

test("a server restart in the middle of a round loses nothing", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const bo = await Person.arrives(browser, "Bo");
  const table = await ana.opensTable(server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.lays("5");
  await bo.sees("Ana", "down");

  await server.stop();
  await bo.page.locator('[data-phase="waiting"], [data-phase="connecting"]').waitFor({ state: "attached" });
  // Laid while nobody listens: it waits, and is sent once the server is back.
  await bo.card("3").click();
  await bo.page.getByText("Your change is sent as soon as there is a connection.").waitFor();
  await server.start();

  await bo.page.getByTestId("back").waitFor();
  await ana.page.getByTestId("back").waitFor();
  await ana.sees("Bo", "down");
  await ana.button("Show the cards").click();
  await bo.sees("Ana", "5");
  await bo.sees("Bo", "3");
  for (const person of [ana, bo]) await person.leaves();
});

test("a lost network is noticed and mended", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const bo = await Person.arrives(browser, "Bo");
  const table = await ana.opensTable(server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.page.getByRole("button", { name: /^Bo\b(?!.*away)/ }).waitFor();

  await bo.page.goto("about:blank");
  await ana.page.getByRole("button", { name: /^Bo\b.*away/ }).waitFor();
  await bo.page.goBack();
  await ana.page.getByRole("button", { name: /^Bo\b(?!.*away)/ }).waitFor();
  for (const person of [ana, bo]) await person.leaves();
});

test("a second device with the same key is the same person", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const table = await ana.opensTable(server.url);
  await ana.sitsDown(table);
  await ana.lays("2");
  const twin = await Person.arrives(browser, "Ana", { storageState: await ana.page.context().storageState() });
  await twin.page.goto(table);
  await twin.page.locator('[data-card="2"][aria-pressed="true"]').waitFor();
  await twin.lays("3");
  await ana.page.locator('[data-card="3"][aria-pressed="true"]').waitFor();
  expect(await ana.page.locator("[data-user]").count()).toBe(1);
  for (const person of [ana, twin]) await person.leaves();
});
