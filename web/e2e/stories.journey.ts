import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

const long = (count: number, from = 1) => Array.from({ length: count }, (_, at) => `Story ${at + from} ${"é".repeat(150)}`);
const stories = (person: Person) => person.page.locator("[data-story]").count();

async function pastes(person: Person, text: string) {
  await person.page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await person.page.getByLabel("Add a story").focus();
  await person.page.keyboard.press("Control+V");
}

test("a list larger than one message comes in parts, and one that does not fit is not begun", async () => {
  const ana = await Person.arrives(house.browser, "Ana", { permissions: ["clipboard-read", "clipboard-write"] });
  await ana.sitsDown(await ana.opensTable(house.server.url));
  await pastes(ana, long(190).map((title, at) => `${title} https://tracker.example/${"x".repeat(300)}/${at}`).join("\n"));
  await expect.poll(() => stories(ana), { timeout: 20_000 }).toBe(190);
  // What comes after it is not blocked.
  await ana.lays("5");

  await pastes(ana, long(11, 191).join("\n"));
  await ana.page.getByText("That is 11 stories, and the list has room for 10.").waitFor();
  expect(await stories(ana)).toBe(190);
  await ana.leaves();
});

test("a message too large for the server is refused once, and what follows is sent", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  // A server of smaller mind than the page thinks: what it takes in one message is not told anywhere.
  let refusals = 0;
  await ana.page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const onward = socket.connectToServer();
    socket.onMessage((text) => {
      if (!String(text).includes("Too much")) return onward.send(text);
      refusals += 1;
      void socket.close({ code: 1009 });
    });
  });
  await ana.sitsDown(await ana.opensTable(house.server.url));
  await ana.page.getByLabel("Add a story").fill("Too much");
  await ana.page.keyboard.press("Enter");
  await ana.page.getByText("That is too large.").waitFor();
  await ana.page.getByLabel("Add a story").fill("Just right");
  await ana.page.keyboard.press("Enter");
  await ana.page.locator('[data-story="Just right"]').waitFor();
  expect(refusals).toBe(1);
  await ana.leaves();
});

test("an import that stops half way goes on where it stopped", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  let imports = 0;
  await ana.page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const onward = socket.connectToServer();
    socket.onMessage((text) => {
      const asked = JSON.parse(String(text)) as { id: number; do: string };
      if (asked.do !== "import_stories" || ++imports !== 2) return onward.send(text);
      socket.send(JSON.stringify({ id: asked.id, error: { code: "unavailable", message: "", retry: false } }));
    });
  });
  await ana.sitsDown(await ana.opensTable(house.server.url));
  await ana.button("Import CSV…").click();
  await ana.page.locator("textarea").fill(`title,link\n${long(195).map((title) => `${title},https://tracker.example/${"x".repeat(400)}`).join("\n")}`);
  await ana.button("Add them").click();
  await ana.page.getByText("The server is busy.").waitFor();
  const done = await stories(ana);
  expect(done).toBeGreaterThan(0);
  expect(await ana.page.locator("textarea").inputValue()).not.toContain(`Story ${done} `);
  await ana.button("Add them").click();
  await expect.poll(() => stories(ana), { timeout: 20_000 }).toBe(195);

  await ana.button("Import CSV…").click();
  await ana.page.locator("textarea").fill(long(6).join("\n"));
  await ana.button("Add them").click();
  await ana.page.getByText("That is 6 stories, and the list has room for 5.").waitFor();
  expect(await stories(ana)).toBe(195);
  await ana.leaves();
});

test("an address that cannot be one leads to no table, and not to an empty page", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await ana.page.goto(`${house.server.url}/poker/%zz`);
  await ana.page.locator('[data-why="room_not_found"]').waitFor();
  await ana.leaves();
});
