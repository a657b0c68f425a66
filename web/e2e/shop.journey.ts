// Through the demo shop: browse, fill a cart in two tabs, log in, see a price change on a page that is cached; and what the back office
// knows of it.

import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { en } from "../src/shop/words/en.js";
import { Person } from "./people.js";
import { openStreet } from "./shop-street.js";

const street = openStreet();

/** A person in the shop; what they see, by the names that the demo's pages promise. */
class Shopper {
  private constructor(readonly person: Person, readonly page: Page) {}

  static async arrives(name: string, options: BrowserContextOptions = {}): Promise<Shopper> {
    const person = await Person.arrives(street.browser, name, options);
    return new Shopper(person, person.page);
  }

  /** The same browser, one tab more. */
  async opensTab(path: string): Promise<Shopper> {
    const tab = await this.opensEmptyTab();
    await tab.goes(path);
    return tab;
  }

  async opensEmptyTab(): Promise<Shopper> {
    const page = await this.page.context().newPage();
    page.setDefaultTimeout(20_000);
    return new Shopper(this.person, page);
  }

  async goes(path: string): Promise<void> {
    expect((await this.page.goto(street.shop + path))?.status(), path).toBe(200);
  }

  async puts(): Promise<void> {
    await this.page.locator("form[data-testid=add-to-cart] button").first().click();
  }

  async counts(count: number): Promise<void> {
    await this.page.getByTestId("cart-count").filter({ hasText: new RegExp(`^\\s*${count}\\s*$`) }).first().waitFor();
  }

  async has(item: string, quantity: number): Promise<void> {
    await shows(this.page.locator(`[data-cart-item="${item}"]`).getByTestId("quantity"), String(quantity));
  }

  async logsIn(user: string, merge: string): Promise<void> {
    await this.goes("/login");
    await this.page.locator("input[name=name]").fill(user);
    await this.page.locator(`input[name=merge][value=${merge}]`).check();
    await Promise.all([this.page.waitForURL((url) => url.pathname !== "/login"), this.page.locator("form:has(input[name=name]) button").first().click()]);
  }

  price(): Promise<string> {
    return this.page.getByTestId("price").innerText();
  }

  /** Looks at the page until it shows another price than before. */
  async seesAnotherPriceThan(before: string, path: string): Promise<string> {
    await expect.poll(async () => {
      await this.goes(path);
      return this.price();
    }, { timeout: 30_000, interval: 200 }).not.toBe(before);
    return this.price();
  }
}

/** How the edge came by a page, asked by somebody without a browser's own cache and its wish for something newer. */
async function cameFrom(path: string): Promise<string> {
  const answer = await fetch(street.shop + path);
  await answer.text();
  return answer.headers.get("cache-status") ?? "";
}

/** Text, or what stands in a field. */
async function shows(what: Locator, text: string): Promise<void> {
  await what.first().waitFor();
  await expect.poll(() => what.first().evaluate((element) => (element instanceof HTMLInputElement ? element.value : element.textContent)!.trim()), { timeout: 20_000 }).toBe(text);
}

async function firstProduct(shopper: Shopper): Promise<{ path: string; item: string }> {
  await shopper.goes("/");
  const path = await shopper.page.locator('a[href^="/product/"]').first().getAttribute("href");
  return { path: path!, item: path!.split("/").pop()! };
}

test("a product's page comes from memory for everybody, and each sees their own cart on it", async () => {
  const [ana, bo] = [await Shopper.arrives("Ana"), await Shopper.arrives("Bo")];
  const { path } = await firstProduct(ana);
  await ana.page.locator(`a[href="${path}"]`).first().click();
  await ana.page.getByTestId("price").waitFor();
  await ana.page.getByTestId("stock").waitFor();
  await ana.puts();
  await ana.counts(1);
  await bo.goes(path);
  await bo.counts(0);
  // It is kept once it is known to be looked at, which takes a moment.
  await expect.poll(async () => (await bo.goes(path), cameFrom(path)), { timeout: 20_000 }).toMatch(/;\s*hit/);
  await ana.goes(path);
  await ana.counts(1);
  expect(await cameFrom(path)).toMatch(/;\s*hit/);
  await Promise.all([ana.person.leaves(), bo.person.leaves()]);
});

test("a cart is the same in two tabs, while both are looked at", async () => {
  const ana = await Shopper.arrives("Ana");
  const { path, item } = await firstProduct(ana);
  await ana.goes(path);
  const cart = await ana.opensTab("/cart");
  await ana.puts();
  await ana.counts(1);
  await cart.counts(1);
  await cart.has(item, 1);
  const third = await ana.opensTab(path);
  await third.counts(1);
  // Both at once, and both count.
  await Promise.all([ana.puts(), third.puts()]);
  for (const tab of [ana, cart, third]) await tab.counts(3);
  await cart.has(item, 3);
  await ana.person.leaves();
});

test("a cart that changes while its page is still on its way is shown as it became", async () => {
  const ana = await Shopper.arrives("Ana");
  const { path, item } = await firstProduct(ana);
  await ana.goes(path);
  await ana.puts();
  await ana.counts(1);
  const cart = await ana.opensEmptyTab();
  let arrives = () => {};
  const late = new Promise<void>((resolve) => (arrives = resolve));
  await cart.page.route("**/parlor-shop.js", async (route) => (await late, await route.continue()), { times: 1 });
  await cart.page.goto(`${street.shop}/cart`, { waitUntil: "commit" });
  await cart.has(item, 1);
  await ana.puts();
  await ana.counts(2);
  arrives();
  await cart.has(item, 2);
  await ana.person.leaves();
});

test("a guest who logs in finds both carts as one, once, in every tab", async () => {
  const user = `ana-${Date.now().toString(36)}`;
  const home = await Shopper.arrives("Ana at home");
  const { path, item } = await firstProduct(home);
  await home.logsIn(user, "sum");
  await home.goes(path);
  await home.puts();
  await home.counts(1);

  const away = await Shopper.arrives("Ana elsewhere");
  await away.goes(path);
  await away.puts();
  await away.counts(1);
  await away.puts();
  await away.counts(2);
  const tab = await away.opensTab("/cart");
  await tab.has(item, 2);
  await away.logsIn(user, "sum");
  await away.counts(3);
  // The tab that was open meanwhile has the shopper's cart without being loaded again.
  await tab.has(item, 3);
  await home.counts(3);
  await away.goes("/cart");
  await away.has(item, 3);
  // Coming back to the login page with the browser's buttons merges nothing again.
  await away.page.reload();
  await away.has(item, 3);
  await Promise.all([home.person.leaves(), away.person.leaves()]);
});

test("a price that changes in the database appears on the cached page, told or not", async () => {
  const [ana, keeper] = [await Shopper.arrives("Ana"), await Shopper.arrives("the shopkeeper")];
  const { path, item } = await firstProduct(ana);
  await ana.goes(path);
  await ana.goes(path);
  const before = await ana.price();
  await keeper.goes("/admin");
  const form = keeper.page.locator(`form[data-product="${item}"]`);
  const changes = async (button: string) => {
    const field = form.locator("input[name=price]");
    const dearer = (Number.parseFloat(await field.inputValue()) + 1.5).toFixed(2);
    await field.fill(dearer);
    // The page may load again or not; the answer has come in both cases.
    await Promise.all([keeper.page.waitForResponse((answer) => answer.request().method() === "POST"), form.getByRole("button", { name: button, exact: true }).click()]);
    return dearer;
  };
  const told = await changes("Save and tell Parlor");
  const after = await ana.seesAnotherPriceThan(before, path);
  expect(after.replace(",", ".")).toContain(told.replace(/\.?0+$/, ""));
  await keeper.goes("/admin");
  // Only the database knows: the schedule finds it.
  await changes("Save");
  await ana.seesAnotherPriceThan(after, path);
  await Promise.all([ana.person.leaves(), keeper.person.leaves()]);
});

test("the back office shows the hits, the live cart and the row, and says why", async () => {
  const ana = await Shopper.arrives("Ana");
  const { path, item } = await firstProduct(ana);
  for (let looks = 0; looks < 3; looks++) await ana.goes(path);
  // More than anybody else here has, so that it is clear whose cart it is.
  for (let count = 1; count <= 7; count++) {
    await ana.puts();
    await ana.counts(count);
  }

  const keeper = await Person.arrives(street.browser, "the shopkeeper");
  await keeper.page.goto(`${street.parlor}/shop`);
  await keeper.page.locator("input[name=key]").fill(street.adminKey);
  await keeper.page.keyboard.press("Enter");
  await keeper.page.locator('[data-shop="open"]').waitFor();
  await expect.poll(async () => Number((await keeper.page.getByTestId("hits").textContent())!.replace(/\D/g, ""))).toBeGreaterThan(0);
  await keeper.page.locator(`[data-popular="${item}"]`).waitFor();
  const live = keeper.page.locator('[data-cart][data-count="7"]');
  await live.getByText(en.carts.guest).waitFor();
  const cart = await live.getAttribute("data-cart");
  await ana.puts();
  await keeper.page.locator(`[data-cart="${cart}"][data-count="8"]`).waitFor();
  await keeper.page.locator(`[data-row="${item}"]`).waitFor();

  await keeper.page.getByLabel(en.why.url).fill(street.shop + path);
  await keeper.button(en.why.ask).click();
  await keeper.page.locator('[data-decision="hit"], [data-decision="stale"]').first().waitFor();
  expect((await keeper.page.getByTestId("because").textContent())!.trim()).not.toBe("");
  await keeper.page.getByLabel(en.why.url).fill(`${street.shop}/cart`);
  await keeper.button(en.why.ask).click();
  await keeper.page.locator('[data-decision="pass"], [data-decision="miss"]').first().waitFor();

  await keeper.page.locator("input[name=purge]").fill(street.shop + path);
  await keeper.page.getByLabel(en.purge.hard).check();
  await keeper.button(en.purge.go).click();
  await keeper.page.getByRole("dialog").getByRole("button", { name: en.purge.confirm, exact: true }).click();
  // One, or one for each encoding that somebody asked for.
  expect(await keeper.page.getByTestId("purged").textContent()).toMatch(/[1-9]/);
  expect(await cameFrom(path)).not.toMatch(/;\s*hit/);
  await keeper.everyoneCanUseIt("the back office");
  await Promise.all([ana.person.leaves(), keeper.leaves()]);
});

describe("everyone", () => {
  const windows = {
    light: { colorScheme: "light" },
    "a dark phone": { colorScheme: "dark", viewport: { width: 360, height: 740 } },
  } satisfies Record<string, BrowserContextOptions>;
  for (const [name, options] of Object.entries(windows)) {
    test(`nothing serious stands in anybody's way in the shop, ${name}`, async () => {
      const ana = await Shopper.arrives("Ana", options);
      const { path } = await firstProduct(ana);
      await ana.goes(path);
      await ana.puts();
      await ana.counts(1);
      for (const place of ["/", path, "/cart", "/login", "/admin"]) {
        await ana.goes(place);
        await ana.person.everyoneCanUseIt(place);
        expect(await ana.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), place).toBe(true);
      }
      await ana.person.leaves();
    });
  }
});
