import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
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

test("a name is kept while its session lives, and the seat comes along", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const bo = await Person.arrives(browser, "Bo");
  const table = await ana.opensTable(server.url);
  await ana.sitsDown(table);
  await ana.button("You and this page").click();
  await ana.page.getByLabel("Name", { exact: true }).fill("Ana of the North");
  await ana.button("Log in").click();
  await ana.page.getByText("Logged in as Ana of the North.").waitFor();
  await ana.page.keyboard.press("Escape");
  await ana.sees("Ana of the North", "none");

  // A refresh keeps the session; somebody else may not take the name.
  await ana.page.reload();
  await ana.sees("Ana of the North", "none");
  await bo.page.goto(table);
  await bo.page.locator("#hand form .input").fill("ana OF the north");
  await bo.button("Sit down").click();
  await bo.page.getByText("Somebody is logged in with that name.").waitFor();

  await ana.button("You and this page").click();
  await ana.button("Log out").click();
  await ana.page.getByText("You are a guest.").waitFor();
  await ana.sees("Ana of the North", "none");
  for (const person of [ana, bo]) await person.leaves();
});
