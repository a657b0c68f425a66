import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

const windows = {
  "light": { colorScheme: "light" },
  "dark": { colorScheme: "dark" },
  "a light phone": { colorScheme: "light", viewport: { width: 390, height: 844 } },
  "a dark phone": { colorScheme: "dark", viewport: { width: 390, height: 844 } },
} as const;

for (const [name, options] of Object.entries(windows)) {
  test(`nothing serious stands in anybody's way, ${name}`, async () => {
    const ana = await Person.arrives(house.browser, "Ana", options);
    const bo = await Person.arrives(house.browser, "Bo", options);
    await ana.page.goto(house.server.url);
    await ana.button("Open a table").waitFor();
    await ana.page.locator("summary").click();
    await ana.page.locator("fieldset label").first().waitFor();
    await ana.everyoneCanUseIt("landing");
    const table = await ana.opensTable(house.server.url);
    await ana.page.locator("#hand form").waitFor();
    await ana.everyoneCanUseIt("an empty table");
    await ana.sitsDown(table);
    await bo.sitsDown(table);
    const narrow = "viewport" in options;
    if (narrow) await ana.button(/^Stories/).click();
    await ana.page.getByLabel("Add a story").fill("Login https://tracker.example/1");
    await ana.page.keyboard.press("Enter");
    await ana.page.locator('[data-story="Login"]').waitFor();
    await ana.everyoneCanUseIt("stories");
    await ana.button("Login").click();
    await bo.page.getByTestId("story").waitFor();
    if (narrow) await ana.page.getByRole("dialog").waitFor({ state: "detached" });
    await ana.lays("5");
    await bo.sees("Ana", "down");
    await bo.everyoneCanUseIt("a round");
    await bo.lays("8");
    await ana.button("Show the cards").click();
    await bo.sees("Ana", "5");
    await ana.page.getByTestId("result").waitFor();
    await ana.everyoneCanUseIt("a result");
    for (const [key, title] of [[",", "Table settings"], ["i", "Invite"], ["t", "Timer"], ["?", "Keyboard"]] as const) {
      await ana.page.keyboard.press(key);
      await ana.page.getByRole("heading", { name: title }).waitFor();
      await ana.everyoneCanUseIt(title);
      await ana.page.keyboard.press("Escape");
      await ana.page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await ana.page.locator('[data-user="Bo"]').click();
    await ana.page.getByRole("dialog").waitFor();
    await ana.everyoneCanUseIt("a person");
    await ana.button("Send away").click();
    await bo.page.locator('[data-why="kicked"]').waitFor();
    await bo.everyoneCanUseIt("sent away");
    await bo.button("You and this page").click();
    await bo.page.getByRole("dialog").waitFor();
    await bo.everyoneCanUseIt("preferences");
    for (const person of [ana, bo]) await person.leaves();
  });
}

test("the whole game goes without a mouse", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const { keyboard } = ana.page;
  await ana.page.goto(house.server.url);
  await ana.button("Open a table").waitFor();
  await ana.button("Open a table").focus();
  await keyboard.press("Enter");
  // The name is asked for where the focus already is; then the first card has it.
  await ana.page.locator("#hand form .input:focus").waitFor();
  await keyboard.type("Ana");
  await keyboard.press("Enter");
  await ana.page.locator("[data-card]:focus").waitFor();
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  await ana.page.locator('[data-card="3"][aria-pressed="true"]').waitFor();
  await keyboard.press("x");
  await ana.sees("Ana", "none");
  await keyboard.press("1");
  await ana.page.locator('[data-card="1"][aria-pressed="true"]').waitFor();
  await keyboard.press("4");
  await ana.page.locator('[data-card="5"][aria-pressed="true"]').waitFor();
  await ana.sees("Ana", "down");
  await keyboard.press("s");
  await ana.sees("Ana", "5");
  await keyboard.press("r");
  await ana.page.getByText("Round 2", { exact: true }).waitFor();
  await ana.leaves();
});

test("single keys can be switched off", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await ana.button("You and this page").click();
  await ana.page.getByLabel("Single-key shortcuts").uncheck();
  await ana.page.keyboard.press("Escape");
  await ana.page.getByRole("dialog").waitFor({ state: "detached" });
  await ana.page.keyboard.press("?");
  expect(await ana.page.getByRole("dialog").count()).toBe(0);
  await ana.leaves();
});
