import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

test("two people estimate three stories, with an observer and a timer", async () => {
  const ana = await Person.arrives(house.browser, "Ana", { permissions: ["clipboard-read", "clipboard-write"] });
  const bo = await Person.arrives(house.browser, "Bo");
  const cy = await Person.arrives(house.browser, "Cy");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await cy.sitsDown(table, { observer: true });
  await ana.button("Cy").waitFor();

  // Pasted lines become stories, in order.
  await ana.page.evaluate((text) => navigator.clipboard.writeText(text), "Login\nSearch https://tracker.example/T-2\nExport");
  await ana.page.getByLabel("Add a story").focus();
  await ana.page.keyboard.press("Control+V");
  for (const title of ["Login", "Search", "Export"]) await cy.page.locator(`[data-story="${title}"]`).waitFor();
  expect(await bo.page.locator("[data-story]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-story")))).toEqual(["Login", "Search", "Export"]);

  // Of one mind: the estimate is set by itself. Cards stay face down until then.
  await ana.button("Login").click();
  await bo.page.getByTestId("story").getByText("Login").waitFor();
  await ana.lays("5");
  await bo.sees("Ana", "down");
  expect(await bo.page.content()).not.toContain('data-vote="5"');
  await bo.lays("5");
  await ana.sees("Bo", "down");
  await ana.button("Show the cards").click();
  for (const person of [ana, bo, cy]) {
    await person.sees("Ana", "5");
    await person.page.getByText("All of one mind!").first().waitFor();
  }
  await cy.page.getByTestId("announced").getByText("agreement 100 percent").waitFor({ state: "attached" });
  await bo.page.locator('[data-story="Login"]').getByText("5").waitFor();

  // The timer shows the cards although Bo is stuck.
  await ana.button("Next story").click();
  await bo.page.getByTestId("story").getByText("Search").waitFor();
  await bo.lays("3");
  await ana.page.keyboard.press("t");
  await ana.page.getByLabel("Minutes").fill("0.05");
  await ana.button("Start").click();
  await bo.page.getByRole("timer").waitFor();
  await bo.sees("Bo", "3");
  await ana.sees("Ana", "none");
  await ana.button("Take 3").click();
  await bo.page.getByTestId("estimate").getByText("3").waitFor();

  // Auto reveal, with the keyboard.
  await ana.page.keyboard.press(",");
  await ana.page.getByLabel("Show the cards when everyone has laid one").check();
  await ana.page.keyboard.press("Escape");
  await ana.button("Next story").click();
  await bo.page.getByTestId("story").getByText("Export").waitFor();
  await bo.page.keyboard.press("5");
  await ana.sees("Bo", "down");
  await ana.page.keyboard.press("6");
  await bo.sees("Ana", "13");
  await bo.sees("Bo", "8");
  await cy.page.getByTestId("result").getByText("10.5").first().waitFor();
  await ana.page.getByLabel("Estimate: another card").selectOption("13");
  await ana.page.getByText("Sum 21").waitFor();

  await cy.page.getByRole("tab", { name: "History" }).click();
  await expect.poll(() => cy.page.getByRole("tabpanel").locator("ol > li").count()).toBe(3);

  await ana.page.getByRole("tab", { name: "Stories" }).click();
  const coming = ana.page.waitForEvent("download");
  await ana.button("CSV").click();
  const csv = await readFile(await (await coming).path(), "utf8");
  for (const word of ["Login", "Search", "Export", "13"]) expect(csv).toContain(word);
  for (const person of [ana, bo, cy]) await person.leaves();
});

test("stories are reordered by keyboard and removed with a way back", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  for (const title of ["One", "Two", "Three"]) {
    await ana.page.getByLabel("Add a story").fill(title);
    await ana.page.keyboard.press("Enter");
    await ana.page.locator(`[data-story="${title}"]`).waitFor();
  }
  const order = () => ana.page.locator("[data-story]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-story")).join(" "));

  await ana.button(/^Move “Three”/).focus();
  await ana.page.keyboard.press("ArrowUp");
  await expect.poll(order).toBe("One Three Two");
  await ana.page.keyboard.press("ArrowUp");
  await expect.poll(order).toBe("Three One Two");

  const from = (await ana.button(/^Move “Three”/).boundingBox())!;
  const to = (await ana.page.locator('[data-story="Two"]').boundingBox())!;
  await ana.page.mouse.move(from.x + 8, from.y + 8);
  await ana.page.mouse.down();
  await ana.page.mouse.move(from.x + 8, to.y + to.height - 4, { steps: 5 });
  await ana.page.mouse.up();
  await expect.poll(order).toBe("One Two Three");

  await ana.button("Edit “Two”").click();
  await ana.page.getByLabel("Estimate").selectOption("8");
  await ana.button("Save").click();
  await ana.page.locator('[data-story="Two"]').getByText("8").waitFor();
  await ana.button(/^Move “Two”/).focus();
  await ana.page.keyboard.press("Delete");
  await expect.poll(order).toBe("One Three");
  await ana.button("Undo").click();
  await expect.poll(order).toBe("One Two Three");
  await ana.page.locator('[data-story="Two"]').getByText("8").waitFor();

  await ana.button("Import CSV…").click();
  await ana.page.locator("textarea").fill("Summary,Link\nFour,\nFive,");
  await ana.button("Add them").click();
  await expect.poll(order).toBe("One Two Three Four Five");
  await ana.leaves();
});

test("kicked people are told, may come back, and stay away when banned", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.sees("Bo", "none");

  await ana.page.locator('[data-user="Bo"]').click();
  await ana.button("Send away").click();
  await bo.page.locator('[data-why="kicked"]').waitFor();
  await ana.page.locator('[data-user="Bo"]').waitFor({ state: "detached" });

  await bo.button("Come back in").click();
  await bo.sitsDown(table);
  await ana.page.locator('[data-user="Bo"]').click();
  await ana.button("Send away for good…").click();
  await ana.button("Send away for good").click();
  await bo.page.locator('[data-why="kicked"]').waitFor();
  await bo.button("Come back in").click();
  // The door may be shut already, or only the seat be refused; Bo sits nowhere.
  await expect.poll(async () => (await bo.page.getByTestId("ended").count()) + (await bo.page.locator("#hand form").count())).toBe(1);
  if (await bo.page.locator("#hand form").count()) {
    await bo.page.locator("#hand form .input").fill("Bo");
    await bo.button("Sit down").click();
    await bo.page.getByRole("status").locator("p").first().waitFor();
  }
  expect(await ana.page.locator('[data-user="Bo"]').count()).toBe(0);
  for (const person of [ana, bo]) await person.leaves();
});

test("the host hands over, chooses other cards, and lets everyone show them", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.button("Table settings").click();
  await ana.page.getByRole("combobox", { name: "Cards", exact: true }).selectOption("tshirt");
  await ana.button("Save").click();
  await bo.card("XL").waitFor();
  await ana.page.getByLabel("Cards: Separated by spaces, up to 40 cards").fill("small  medium large");
  await ana.button("Save").click();
  await bo.card("medium").waitFor();
  expect(await bo.page.getByRole("button", { name: "Show the cards" }).count()).toBe(0);
  await ana.page.getByLabel("Everyone", { exact: true }).check();
  await ana.page.keyboard.press("Escape");
  await bo.lays("medium");
  await bo.button("Show the cards").click();
  await ana.sees("Bo", "medium");
  await bo.button("Next round").click();
  await ana.sees("Bo", "none");

  await ana.page.locator('[data-user="Bo"]').click();
  await ana.button("Make them the host").click();
  await bo.button("Timer").waitFor();

  // Whoever only watches lays no card, and may change their mind.
  await bo.page.locator('[data-user="Bo"]').click();
  await bo.button("Only watch").click();
  await ana.page.getByRole("heading", { name: "Watching" }).waitFor();
  await bo.button("Play along").waitFor();
  expect(await bo.page.locator("[data-card]").count()).toBe(0);
  await bo.button("Play along").click();
  await bo.card("large").waitFor();
  for (const person of [ana, bo]) await person.leaves();
});

test("a nudge reaches the one it is for", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.page.locator('[data-user="Bo"]').click();
  await ana.button("Nudge").click();
  await bo.page.getByText("Ana waits for your card.").waitFor();
  for (const person of [ana, bo]) await person.leaves();
});

test("a deleted table says so to everyone", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const bo = await Person.arrives(house.browser, "Bo");
  const table = await ana.opensTable(house.server.url);
  await ana.sitsDown(table);
  await bo.sitsDown(table);
  await ana.page.keyboard.press("Escape");
  await ana.button("Table settings").click();
  await ana.button("Delete this table").click();
  await ana.button("Delete it for everyone").click();
  await ana.page.locator('[data-why="deleted"]').waitFor();
  await bo.page.locator('[data-why="deleted"]').waitFor();
  await bo.button("Open another table").click();
  await bo.page.locator("#hand form").waitFor();
  for (const person of [ana, bo]) await person.leaves();
});
