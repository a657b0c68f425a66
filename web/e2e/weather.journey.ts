import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

test("a refresh in the middle of a round keeps seat, card and host", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
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
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.lays("5");
  await bo.sees("Ana", "down");

  await house.server.stop();
  await bo.page.locator('[data-phase="waiting"], [data-phase="connecting"]').waitFor({ state: "attached" });
  // Laid while nobody listens: it waits, and is sent once the server is back.
  await bo.card("3").click();
  await bo.page.getByText("Your change is sent as soon as there is a connection.").waitFor();
  await house.server.start();

  await bo.page.getByTestId("back").waitFor();
  await ana.page.getByTestId("back").waitFor();
  await ana.sees("Bo", "down");
  await ana.button("Show the cards").click();
  await bo.sees("Ana", "5");
  await bo.sees("Bo", "3");
  for (const person of [ana, bo]) await person.leaves();
});

test("a network that is gone, and one that has gone silent, are both noticed and mended", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  let gone = false;
  let silent = false;
  let cut = async () => {};
  await bo.page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    if (gone) return void socket.close();
    const server = socket.connectToServer();
    let deaf = false;
    socket.onMessage((text) => void (deaf || server.send(text)));
    server.onMessage((text) => void (deaf || socket.send(text)));
    cut = async () => {
      if (silent) deaf = true;
      else await Promise.all([socket.close(), server.close()]);
    };
  });
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);

  gone = true;
  await cut();
  await bo.page.locator('[data-phase="waiting"], [data-phase="connecting"]').waitFor({ state: "attached" });
  await bo.card("8").click();
  await ana.lays("5");
  gone = false;
  await ana.sees("Bo", "down");
  await bo.sees("Ana", "down");

  await bo.page.getByTestId("back").waitFor({ state: "detached" });

  // Nothing says that the line is dead; the machine waking up makes the page ask.
  silent = true;
  await cut();
  silent = false;
  await bo.card("13").click();
  await bo.page.evaluate(() => dispatchEvent(new Event("online")));
  await bo.page.getByTestId("back").waitFor();
  await bo.page.locator('[data-phase="online"]').waitFor({ state: "attached" });
  await bo.page.locator('[data-waiting="0"]').waitFor({ state: "attached" });
  await ana.button("Show the cards").click();
  await ana.sees("Bo", "13");
  for (const person of [ana, bo]) await person.leaves();
});

test("who closes the page is away, and keeps the seat", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
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
  const ana = await Person.arrives(house.browser, "Ana");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await ana.lays("2");
  const twin = await Person.arrives(house.browser, "Ana", { storageState: await ana.page.context().storageState() });
  await twin.page.goto(table);
  await twin.page.locator('[data-card="2"][aria-pressed="true"]').waitFor();
  await twin.lays("3");
  await ana.page.locator('[data-card="3"][aria-pressed="true"]').waitFor();
  expect(await ana.page.locator("[data-user]").count()).toBe(1);
  for (const person of [ana, twin]) await person.leaves();
});

test("a nudge that could not be sent is not claimed", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.page.locator('[data-user="Bo"]').click();
  await house.server.stop();
  await ana.page.locator('[data-phase="waiting"], [data-phase="connecting"]').waitFor({ state: "attached" });
  await ana.button("Nudge").click();
  await ana.page.getByText("There is no connection.").waitFor();
  expect(await ana.page.getByText("Bo was nudged.").count()).toBe(0);
  await house.server.start();
  for (const person of [ana, bo]) await person.leaves();
});
