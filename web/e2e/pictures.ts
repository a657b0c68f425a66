// Pictures for the documents, taken when nothing moves any more and every letter has its shape.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

// JPEG keeps the repository small; PICTURES=folder takes PNG files there instead, to look at closely.
const ELSEWHERE = process.env["PICTURES"];
const FOLDER = ELSEWHERE ? `${ELSEWHERE}/` : fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.evaluate(() => document.fonts.ready);
  const form = ELSEWHERE ? { path: `${FOLDER}${name}.png` } : { path: `${FOLDER}${name}.jpg`, type: "jpeg" as const, quality: 84 };
  await page.screenshot({ ...form, animations: "disabled" });
}
