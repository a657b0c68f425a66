// The shop's helper in a real browser: its cookies, streams, locks and storage are not the model's.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, launch } from "./people.js";
import { type Counter, counter } from "./shop-counter.js";

let browser: Browser;
let shop: Counter;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser?.close());
beforeEach(async () => void (shop = await counter()));
afterEach(() => shop.close());

const counts = (page: Page, count: number) => page.getByTestId("cart-count").filter({ hasText: new RegExp(`^${count}$`) }).waitFor();
const adds = (page: Page) => page.locator("form[data-testid=add-to-cart] button").click();
/** The page has heard of its cart. */
const settled = (page: Page) => page.locator("parlor-cart-count[empty]").waitFor();

async function opens(page: Page, path: string): Promise<Page> {
  await page.goto(shop.url + path);
  return page;
}

test("tabs that open at once share one visit and show each other's changes", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const context = ana.page.context();
  const tabs = await Promise.all([ana.page, context.newPage(), context.newPage()].map(async (page) => opens(await page, "/product/7")));
  await Promise.all(tabs.map(settled));
  expect(shop.asked.filter((what) => what === "visits")).toHaveLength(1);
  await adds(tabs[0]!);
  for (const tab of tabs) await counts(tab, 1);
  await Promise.all(tabs.map(adds));
  for (const tab of tabs) await counts(tab, 4);
  await ana.leaves();
});

for (const fate of ["lost question", "lost answer"] as const) {
  test(`a change counts once after a ${fate}`, async () => {
    const ana = await Person.arrives(browser, "Ana");
    await opens(ana.page, "/product/7");
    await settled(ana.page);
    const before = shop.asked.length;
    shop.fates = [fate, fate];
    await adds(ana.page);
    await counts(ana.page, 1);
    await expect.poll(() => shop.asked.slice(before).filter((what) => what === "cart/add").length).toBe(3);
    await opens(ana.page, "/cart");
    await ana.page.locator('[data-cart-item="7"]').getByText("1").waitFor();
    await ana.leaves();
  });
}

test("whoever follows a link before the answer comes loses nothing", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana.page, "/product/7");
  await settled(ana.page);
  // The first is held by the server, the second waits behind it; both are there on the next page, once.
  shop.fates = ["held"];
  await adds(ana.page);
  await adds(ana.page);
  await counts(ana.page, 2);
  await ana.page.getByRole("link", { name: "Cart" }).click();
  await ana.page.waitForURL(/\/cart$/);
  await ana.page.locator('[data-cart-item="7"]').getByText("2").waitFor();
  shop.release();
  await ana.page.reload();
  await ana.page.locator('[data-cart-item="7"]').getByText("2").waitFor();
  expect([...shop.visits.values()].map(({ cart }) => [...cart.lines])).toEqual([[["7", 2]]]);
  await ana.leaves();
});

test("a stream that breaks comes back, and a login is noticed by the tabs that are open", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const tab = await ana.page.context().newPage();
  await opens(ana.page, "/product/7");
  await settled(ana.page);
  await opens(tab, "/product/7");
  await settled(tab);
  shop.cut();
  await adds(tab);
  await counts(ana.page, 1);
  const login = await ana.page.context().newPage();
  await opens(login, "/login?user=ana");
  await counts(login, 1);
  await adds(tab);
  for (const page of [ana.page, tab, login]) await counts(page, 2);
  expect([...shop.visits.values()].map(({ user }) => user)).toEqual(["ana"]);
  await ana.leaves();
});

test("a page in the background holds no connection, and knows the cart when it is looked at again", async () => {
  const ana = await Person.arrives(browser, "Ana");
  await opens(ana.page, "/product/7");
  await settled(ana.page);
  await expect.poll(() => shop.streams()).toBe(1);
  const turn = (state: string) => ana.page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  await turn("hidden");
  await expect.poll(() => shop.streams()).toBe(0);
  const other = await ana.page.context().newPage();
  await opens(other, "/product/7");
  await settled(other);
  await adds(other);
  await counts(other, 1);
  await turn("visible");
  await counts(ana.page, 1);
  // Back and forth in the browser's history: the page is shown as it was left, and follows the cart again.
  await opens(ana.page, "/cart");
  await adds(other);
  await ana.page.goBack();
  await counts(ana.page, 2);
  await ana.leaves();
});

test("a dozen tabs do not use up the connections of the browser", async () => {
  const ana = await Person.arrives(browser, "Ana");
  const context = ana.page.context();
  // Opened behind, as with the middle button: nobody looks at them.
  await context.addInitScript(() => {
    if (new URLSearchParams(location.search).has("behind")) Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  });
  for (let tabs = 0; tabs < 12; tabs++) await opens(await context.newPage(), "/product/7?behind");
  await opens(ana.page, "/product/7");
  await settled(ana.page);
  await adds(ana.page);
  await counts(ana.page, 1);
  expect(shop.streams()).toBe(1);
  await ana.leaves();
});
