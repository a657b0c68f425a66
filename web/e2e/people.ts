// People with browsers. Each has a window of their own and says what they do in the words of the page.

import axe from "axe-core";
import { type Browser, type BrowserContextOptions, type Locator, type Page, chromium } from "playwright-core";
import { expect } from "vitest";

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });

export class Person {
  private constructor(readonly name: string, readonly page: Page, private readonly complaints: string[]) {}

  static async arrives(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // A server that restarts is missed by the browser too; the page itself must have nothing to complain about.
      if (message.type() === "error" && !/WebSocket|Failed to load resource/.test(message.text())) complaints.push(message.text());
    });
    return new Person(name, page, complaints);
  }

  /** No error and nothing that the content security policy refused. */
  hasNoComplaints(): void {
    expect(this.complaints, this.name).toEqual([]);
  }

  async leaves(): Promise<void> {
    this.hasNoComplaints();
    await this.page.context().close();
  }

  async opensTable(url: string): Promise<string> {
    await this.page.goto(url);
    await this.page.getByRole("button", { name: "Open a table" }).click();
    await this.page.waitForURL(/\/poker\//);
    return this.page.url();
  }

  async sitsDown(url: string, { observer = false } = {}): Promise<void> {
    if (this.page.url() !== url) await this.page.goto(url);
    await this.page.locator("#hand form .input").fill(this.name);
    if (observer) await this.page.locator("#hand form input[type=checkbox]").check();
    await this.page.locator("#hand form button").click();
    await this.page.locator("#hand form").waitFor({ state: "detached" });
  }

  async lays(card: string): Promise<void> {
    const button = this.card(card);
    await button.click();
    await this.page.locator(`[data-card="${card}"][aria-pressed="true"]`).waitFor();
  }

  async sees(name: string, vote: string): Promise<void> {
    await this.page.locator(`[data-user="${name}"][data-vote="${vote}"]`).waitFor();
  }

  card(card: string): Locator {
    return this.page.locator(`[data-card="${card}"]`);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** Nothing serious for people who see, hear or move differently. */
  async everyoneCanUseIt(where: string): Promise<void> {
    await this.page.evaluate(axe.source);
    const found = await this.page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    const serious = found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
    expect(serious, where).toEqual([]);
  }
}
