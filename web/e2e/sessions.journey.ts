import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

test("a name is kept while its session lives, and the seat comes along", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
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

const logsIn = async (person: Person, name: string) => {
  await person.button("You and this page").click();
  await person.page.getByLabel("Name", { exact: true }).fill(name);
  await person.button("Log in").click();
};
const atTheTable = (person: Person) =>
  person.page.locator("[data-user]").evaluateAll((seats) => seats.map((seat) => `${seat.getAttribute("data-user")} ${seat.getAttribute("data-vote")}`).sort());

test("a login that is refused costs nothing", async () => {
  const [ana, bo, cy] = [await Person.arrives(house.browser, "Ana"), await Person.arrives(house.browser, "Bo"), await Person.arrives(house.browser, "Cy")];
  await cy.page.goto(house.server.url);
  await logsIn(cy, "Cyrus");
  await cy.page.getByText("Logged in as Cyrus.").waitFor();
  const table = await bo.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.lays("5");
  await bo.sees("Ana", "down");

  await logsIn(ana, "cyrus");
  await ana.page.getByRole("alert").getByText("Somebody is logged in with that name.").waitFor();
  await ana.page.keyboard.press("Escape");
  // Ana came first and holds no host key: she is the host only as long as she keeps her seat.
  await ana.page.locator('[data-card="5"][aria-pressed="true"]').waitFor();
  await ana.button("Timer").waitFor();
  expect(await atTheTable(bo)).toEqual(["Ana down", "Bo none"]);
  for (const person of [ana, bo, cy]) await person.leaves();
});

test("who logs in takes the seat, the card and the host's rights along", async () => {
  const [ana, bo] = [await Person.arrives(house.browser, "Ana"), await Person.arrives(house.browser, "Bo")];
  const table = await bo.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.lays("5");
  await logsIn(ana, "Ana");
  await ana.page.getByText("Logged in as Ana.").waitFor();
  await ana.page.keyboard.press("Escape");
  await expect.poll(() => atTheTable(bo)).toEqual(["Ana down", "Bo none"]);
  await ana.page.locator('[data-card="5"][aria-pressed="true"]').waitFor();
  await ana.button("Timer").waitFor();
  for (const person of [ana, bo]) await person.leaves();
});

test("another tab that is a guest does not undo a login", async () => {
  const dia = await Person.arrives(house.browser, "Dia");
  const table = await dia.opensTable(house.server.url);
  const other = await dia.page.context().newPage();
  await other.goto(table);
  await other.locator('[data-stage="inside"]').waitFor({ state: "attached" });
  await logsIn(dia, "Dia");
  await dia.page.getByText("Logged in as Dia.").waitFor();
  await house.server.stop();
  await other.locator('[data-phase="waiting"], [data-phase="connecting"]').waitFor({ state: "attached" });
  await house.server.start();
  await other.locator('[data-stage="inside"]').waitFor({ state: "attached" });
  await dia.page.reload();
  await dia.button("Sit down as Dia").waitFor();
  await dia.leaves();
});

test("a logout that does not work changes nothing, and says so", async () => {
  const eve = await Person.arrives(house.browser, "Eve");
  const table = await eve.opensTable(house.server.url);
  await eve.sitsDown(table);
  await logsIn(eve, "Eve of Old");
  await eve.page.getByText("Logged in as Eve of Old.").waitFor();
  await eve.sees("Eve of Old", "none");
  await eve.page.route("**/v1/logout", (route) => route.abort());
  await eve.button("Log out").click();
  await eve.page.getByRole("alert").getByText("There is no connection.").waitFor();
  await eve.page.getByText("Logged in as Eve of Old.").waitFor();
  await expect.poll(() => atTheTable(eve)).toEqual(["Eve of Old none"]);
  await eve.leaves();
});

test("two tabs of a first visit are one person", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const table = await ana.opensTable(house.server.url);
  const fay = await Person.arrives(house.browser, "Fay");
  const other = await fay.page.context().newPage();
  // The other tab is given a key of its own before Fay's is kept, and hears of it after.
  let keys = 0;
  let hear = () => {};
  const kept = new Promise<void>((resolve) => (hear = resolve));
  await other.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const onward = socket.connectToServer();
    onward.onMessage((text) => {
      if (String(text).includes("user_key")) keys += 1;
      void kept.then(() => socket.send(text));
    });
  });
  await other.goto(table);
  await expect.poll(() => keys).toBe(1);
  await fay.sitsDown(table);
  hear();
  await fay.lays("5");
  await other.locator('[data-card="5"][aria-pressed="true"]').waitFor();
  for (const page of [fay.page, other]) {
    await page.reload();
    await page.locator('[data-card="5"][aria-pressed="true"]').waitFor();
  }
  for (const person of [ana, fay]) await person.leaves();
});
