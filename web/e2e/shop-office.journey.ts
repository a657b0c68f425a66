// The shop's back office: one key, numbers that move, and the things that an operator does.

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { en } from "../src/shop/words/en.js";
import { fr } from "../src/shop/words/fr.js";
import { ja } from "../src/shop/words/ja.js";
import { Person, launch } from "./people.js";
import { KEY, type Office, office } from "./shop-office.js";

let browser: Browser;
let shop: Office;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser?.close());
beforeEach(async () => void (shop = await office()));
afterEach(() => shop.close());

async function opens(person: Person, key = KEY): Promise<void> {
  await person.page.goto(`${shop.url}/shop`);
  await person.page.locator("input[name=key]").fill(key);
  await person.page.keyboard.press("Enter");
}

const inside = (person: Person) => person.page.locator('[data-shop="open"]').waitFor();
const asked = (method: string, path: RegExp) => shop.asked.filter((one) => one.method === method && path.test(one.path));

test("the key opens the page, stays in the tab, and nothing else is ever told it", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const addresses: string[] = [];
  ana.page.on("request", (request) => addresses.push(request.url()));
  await opens(ana, "wrong");
  await ana.page.getByText(en.refused.bad_key).waitFor();
  await ana.page.locator("input[name=key]").fill("schlüssel");
  await ana.page.keyboard.press("Enter");
  await ana.page.getByText(en.refused.bad_key).waitFor();
  await ana.page.locator("input[name=key]").fill(KEY);
  await ana.button(en.door.open).click();
  await inside(ana);
  await ana.page.reload();
  await inside(ana);
  expect(addresses.join("\n")).not.toContain(KEY);
  expect(await ana.page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(KEY);
  // Another tab has to be opened by itself.
  const other = await ana.page.context().newPage();
  await other.goto(`${shop.url}/shop`);
  await other.locator('[data-shop="locked"]').waitFor();
  await ana.button(en.door.close).click();
  await ana.page.locator('[data-shop="locked"]').waitFor();
  expect(await ana.page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(KEY);
  await ana.page.reload();
  await ana.page.locator('[data-shop="locked"]').waitFor();
  await ana.leaves();
});

test("the numbers move while somebody looks, and rest while nobody does", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await ana.page.clock.install();
  await opens(ana);
  await inside(ana);
  const hits = ana.page.getByTestId("hits");
  const before = await hits.textContent();
  await ana.page.waitForResponse(/\/v1\/shop\/stats/);
  await ana.page.waitForFunction((before) => document.querySelector("[data-testid=hits]")?.textContent !== before, before);
  await ana.page.locator("path.line:not([d=''])").waitFor({ state: "attached" });
  await ana.page.getByTestId("bytes").getByText("91.3 MB of 134.2 MB").waitFor();
  expect(await ana.page.locator("[data-popular]").count()).toBe(8);
  await ana.page.locator('[data-cart="9f2ac01b77e3d4a1"]').getByText("ana").waitFor();
  await ana.page.locator('[data-cart="11b2ac01b77e3d4a"]').getByText(en.carts.guest).waitFor();

  const looks = () => asked("GET", /\/stats$/).length;
  const turn = (state: string) => ana.page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  await turn("hidden");
  // What was on its way has arrived when this has.
  const flush = () => ana.page.evaluate(async () => void (await fetch("/v1/shop/why")));
  await flush();
  const asleep = looks();
  await ana.page.clock.fastForward(60_000);
  await flush();
  expect(looks()).toBe(asleep);
  await turn("visible");
  await ana.page.waitForFunction((before) => document.querySelector("[data-testid=hits]")?.textContent !== before, await hits.textContent());
  await ana.leaves();
});

test("a server that falls silent is said to be, and the last numbers stay", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana);
  await inside(ana);
  shop.trouble = { status: 503, code: "unavailable" };
  await ana.page.getByText(en.trouble("The server is busy. Try again.")).waitFor();
  await ana.page.getByTestId("hits").waitFor();
  shop.trouble = null;
  await ana.page.getByText(en.trouble("The server is busy. Try again.")).waitFor({ state: "detached" });
  // One that has no shop after all, or another key by now, is asked no more.
  shop.trouble = { status: 404, code: "unsupported" };
  await ana.page.getByText(en.refused.unsupported).waitFor();
  await ana.page.locator('[data-shop="locked"]').waitFor();
  await ana.leaves();
});

test("a server without an edge or a database shows what it has", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const { visits, popular, carts: { total: _, ...carts } } = shop.stats;
  shop.stats = { visits, popular, carts };
  await opens(ana);
  await inside(ana);
  await ana.page.getByText(en.carts.some("811", null)).waitFor();
  await ana.page.getByTestId("visits").waitFor();
  for (const id of ["rate", "pages", "why", "purge", "rows"]) expect(await ana.page.locator(`#${id}`).count(), id).toBe(0);
  await ana.everyoneCanUseIt("an office without pages and rows");
  await ana.leaves();
});

test("rows come in pages, failing ones are marked, and one can be read now", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana);
  await inside(ana);
  const row = (id: string) => ana.page.locator(`[data-row="${id}"]`);
  await row("3").getByText(en.rows.failed(3)).waitFor();
  await row("5").getByText(en.rows.never).waitFor();
  await row("1").getByText("Teapot No. 1 <b>").waitFor();
  const rows = ana.page.locator("section", { has: ana.page.locator("#rows") });
  await rows.getByRole("button", { name: en.rows.more, exact: true }).click();
  await row("26").waitFor();
  expect(await row("1").count()).toBe(0);
  await rows.getByText(en.rows.page(2)).waitFor();
  await rows.getByRole("button", { name: en.rows.more, exact: true }).click();
  await row("60").waitFor();
  expect(await rows.getByRole("button", { name: en.rows.more, exact: true }).isDisabled()).toBe(true);
  for (const id of ["26", "1"]) {
    await rows.getByRole("button", { name: en.rows.back, exact: true }).click();
    await row(id).waitFor();
  }
  await ana.button(en.rows.refreshRow("3")).click();
  await row("3").getByText(en.rows.failed(3)).waitFor({ state: "detached" });
  expect(asked("POST", /rows\/3\/refresh$/)).toHaveLength(1);
  await ana.leaves();
});

test("why is answered in parts that can be read", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana);
  await inside(ana);
  await ana.page.getByLabel(en.why.url).fill("/product/7?utm_source=mail&x=ü");
  await ana.page.getByLabel(en.why.cookie).fill("parlor_visit=abc");
  await ana.button(en.why.ask).click();
  const answer = ana.page.locator('[data-decision="hit"]');
  await answer.getByText(en.why.explained.hit).waitFor();
  expect(await ana.page.getByTestId("because").textContent()).toBe(shop.why.because);
  for (const text of [en.why.rules.popular, "12 sec", "4.8 min", "/product/7", "accept-encoding: gzip", "product-7", "row 7 price", "10.2 kB", shop.why.hash]) await answer.getByText(text, { exact: true }).first().waitFor();
  expect(await answer.locator("code", { hasText: "teapots" }).count()).toBe(2);
  const [question] = asked("GET", /\/why\?/);
  expect(new URL(question!.path, "http://x").searchParams.get("url")).toBe("/product/7?utm_source=mail&x=ü");
  expect(question!.headers["parlor-why-cookie"]).toBe("parlor_visit=abc");

  shop.why = { ...shop.why, decision: "pass", because: "The origin's answer sets a cookie.", rule: "none", age_s: null, fresh_for_s: null, rank: null, groups: [], surrogate_keys: [], rows: [], slots: [], stored_bytes: null };
  await ana.button(en.why.ask).click();
  const pass = ana.page.locator('[data-decision="pass"]');
  await pass.getByText(en.why.explained.pass).waitFor();
  expect(await pass.getByText(en.why.age, { exact: true }).count()).toBe(0);
  await ana.page.getByLabel(en.why.cookie).fill("naïve=☕");
  await ana.button(en.why.ask).click();
  await ana.page.getByText(en.refused.bad_request).waitFor();
  await ana.leaves();
});

test("nothing is purged without being asked twice, and the number is said", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana);
  await inside(ana);
  const dialog = ana.page.getByRole("dialog");
  const value = ana.page.locator("input[name=purge]");
  await value.fill("/product/7");
  await ana.button(en.purge.go).click();
  await dialog.getByText("/product/7").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(asked("POST", /purge/)).toEqual([]);
  const cases = [
    ["url", "/product/7", true, { url: "/product/7", soft: true }, 1],
    ["group", "catalogue", false, { group: "catalogue" }, 14],
    ["surrogate_key", "teapots", true, { surrogate_key: "teapots", soft: true }, 14],
    ["row", "7", true, { row: "7", soft: true }, 14],
    ["all", "", false, { all: true }, 8747],
  ] as const;
  for (const [aim, text, soft, body, purged] of cases) {
    await ana.page.locator("select[name=aim]").selectOption(aim);
    if (text) await value.fill(text);
    await ana.page.getByLabel(soft ? en.purge.soft : en.purge.hard).check();
    await ana.button(en.purge.go).click();
    await dialog.getByText(soft ? en.purge.softText : en.purge.hardText).waitFor();
    await dialog.getByRole("button", { name: en.purge.confirm, exact: true }).click();
    await ana.page.getByTestId("purged").getByText(en.purge.done(purged)).waitFor();
    expect(asked("POST", /purge/).at(-1)!.body).toEqual(body);
  }
  await ana.leaves();
});

test("a user's visits are found and ended, one or all", async () => {
  const ana = await Person.arrives(browser, "Ana");
  shop.visits["bo/../x"] = [];
  await opens(ana);
  await inside(ana);
  const user = ana.page.locator("input[name=user]");
  await user.fill("bo/../x");
  await ana.button(en.visits.search).click();
  await ana.page.getByText(en.visits.none("bo/../x")).waitFor();
  await user.fill("ana");
  await ana.button(en.visits.search).click();
  await ana.button(en.visits.endOne("00aac01b77e3d4a1")).click();
  await ana.page.getByRole("dialog").getByRole("button", { name: en.visits.end, exact: true }).click();
  await ana.page.getByText(en.visits.ended(1)).waitFor();
  await ana.page.locator('[data-visit="00aac01b77e3d4a1"]').waitFor({ state: "detached" });
  expect(await ana.page.locator("[data-visit]").count()).toBe(1);
  await ana.button(en.visits.endAll).click();
  await ana.page.getByRole("dialog").getByRole("button", { name: en.visits.endAll, exact: true }).click();
  await ana.page.getByText(en.visits.none("ana")).waitFor();
  expect(asked("DELETE", /./).map(({ path }) => path)).toEqual(["/v1/shop/users/ana/visits/00aac01b77e3d4a1", "/v1/shop/users/ana/visits"]);
  await ana.leaves();
});

describe("everyone", () => {
  const windows = {
    light: { locale: "en-GB", colorScheme: "light", words: en },
    dark: { locale: "fr-FR", colorScheme: "dark", words: fr },
    "a light phone": { locale: "ja-JP", colorScheme: "light", viewport: { width: 320, height: 640 }, words: ja },
    "a dark phone": { locale: "fr-FR", colorScheme: "dark", viewport: { width: 360, height: 740 }, words: fr },
  } as const;
  for (const [name, { words, ...options }] of Object.entries(windows)) {
    test(`nothing serious stands in anybody's way, ${name}`, async () => {
      const ana = await Person.arrives(browser, "Ana", options);
      const narrow = () => ana.page.evaluate(() => {
        const wide = [...document.querySelectorAll("main *")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".unseen"));
        return wide.map((element) => element.outerHTML.slice(0, 120));
      });
      await opens(ana, "wrong");
      await ana.page.getByText(words.refused.bad_key).waitFor();
      await ana.everyoneCanUseIt("a locked office");
      expect(await narrow()).toEqual([]);
      await ana.page.locator("input[name=key]").fill(KEY);
      await ana.page.keyboard.press("Enter");
      await inside(ana);
      await ana.page.locator("input[name=url]").fill("/product/7");
      await ana.button(words.why.ask).click();
      await ana.page.getByText(words.why.explained.hit).waitFor();
      await ana.page.locator("input[name=user]").fill("ana");
      await ana.button(words.visits.search).click();
      await ana.page.locator("[data-visit]").first().waitFor();
      await ana.everyoneCanUseIt("an open office");
      expect(await narrow()).toEqual([]);
      await ana.page.locator("input[name=purge]").fill("/product/7");
      await ana.button(words.purge.go).click();
      await ana.page.getByRole("dialog").waitFor();
      await ana.everyoneCanUseIt("a purge that is asked for");
      await ana.page.keyboard.press("Escape");
      shop.trouble = { status: 503, code: "unavailable" };
      await ana.page.locator(".trouble").waitFor();
      await ana.everyoneCanUseIt("an office without news");
      await ana.leaves();
    });
  }
});
