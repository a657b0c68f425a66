import { expect, test } from "vitest";
import { en } from "../src/words/en.js";
import { fr } from "../src/words/fr.js";
import { ja } from "../src/words/ja.js";
import { openHouse } from "./house.js";
import { Person } from "./people.js";

const house = openHouse();

for (const [words, locale, card] of [[ja, "ja-JP", "2.5"], [fr, "fr-FR", "2,5"]] as const) {
  test(`a whole round in ${words.language}`, async () => {
    const ana = await Person.arrives(house.browser, "Ana", { locale });
    const bo = await Person.arrives(house.browser, "Bo", { locale });
    await ana.page.goto(house.server.url);
    expect(await ana.page.locator("html").getAttribute("lang")).toBe(words.locale);
    await ana.page.getByText(words.landing.lead).waitFor();
    await ana.button(words.landing.start).click();
    await ana.page.waitForURL(/\/poker\//);
    await ana.sitsDown(ana.page.url());
    await bo.sitsDown(ana.page.url());
    await ana.lays("2");
    await bo.lays("3");
    await ana.page.getByText(words.table.allVoted).waitFor();
    await ana.button(words.table.show).click();
    await bo.page.getByTestId("result").getByText(card).first().waitFor();
    await bo.page.getByTestId("result").getByText(words.result.agreement).waitFor();
    await ana.button(words.table.next).click();
    await bo.page.getByText(words.table.round(2), { exact: true }).waitFor();
    for (const person of [ana, bo]) await person.leaves();
  });
}

test("the language is switched in place and remembered", async () => {
  const ana = await Person.arrives(house.browser, "Ana", { locale: "de-DE" });
  await ana.page.goto(house.server.url);
  await ana.button(en.ui.preferences).click();
  await ana.page.getByText("Français").click();
  await ana.page.getByRole("heading", { name: fr.preferences.title }).waitFor();
  expect(await ana.page.locator("html").getAttribute("lang")).toBe("fr");
  await ana.page.reload();
  await ana.page.getByText(fr.landing.lead).waitFor();
  await ana.leaves();
});
