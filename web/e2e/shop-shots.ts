// Pictures of the shop's back office, with numbers of a busy day.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { Person, launch } from "./people.js";
import { picture } from "./pictures.js";
import { KEY, type Office, office } from "./shop-office.js";

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } satisfies BrowserContextOptions;
const DESK = { viewport: { width: 1280, height: 900 } };

let browser: Browser;
let shop: Office;
beforeAll(async () => [browser, shop] = await Promise.all([launch(), office()]));
afterAll(() => Promise.all([browser.close(), shop.close()]));

for (const [name, options] of Object.entries({
  "shop-light": { ...DESK, colorScheme: "light" },
  "shop-dark": { ...DESK, colorScheme: "dark", locale: "fr-FR" },
  "shop-phone-light": { ...PHONE, colorScheme: "light" },
  "shop-phone-dark-ja": { ...PHONE, colorScheme: "dark", locale: "ja-JP" },
} satisfies Record<string, BrowserContextOptions>)) {
  test(`pictures of the shop: ${name}`, async () => {
    const ana = await Person.arrives(browser, "Ana", options);
    await ana.page.goto(`${shop.url}/shop`);
    if (name === "shop-light") await picture(ana.page, "shop-door-light");
    await ana.page.locator("input[name=key]").fill(KEY);
    await ana.page.keyboard.press("Enter");
    await ana.page.locator('[data-shop="open"]').waitFor();
    // A few looks, so that there is a line to see.
    for (let looks = 0; looks < 6; looks++) await ana.page.waitForResponse(/\/v1\/shop\/stats/);
    await picture(ana.page, name);
    await ana.page.locator("input[name=url]").fill("/product/7?utm_source=mail");
    await ana.page.keyboard.press("Enter");
    await ana.page.getByTestId("because").waitFor();
    await ana.page.getByTestId("because").evaluate((answer) => answer.scrollIntoView({ block: "center" }));
    await picture(ana.page, `${name}-why`);
    await ana.leaves();
  });
}

