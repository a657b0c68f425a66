// People in a playground, and what they do there in the words of the page.

import type { Browser, BrowserContextOptions, Locator } from "playwright-core";
import { expect } from "vitest";
import { Person } from "./people.js";

export class Visitor {
  private constructor(readonly person: Person) {}

  static async arrives(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    return new Visitor(await Person.arrives(browser, name, options));
  }

  get page() {
    return this.person.page;
  }

  get name() {
    return this.person.name;
  }

  /** From the landing page into a new space; says where it is. */
  async opens(url: string): Promise<string> {
    await this.page.goto(url);
    await this.person.button("Open a playground").click();
    await this.page.waitForURL(/\/space\//);
    await this.calledByName();
    return this.page.url();
  }

  async comesTo(space: string): Promise<void> {
    await this.page.goto(space);
    await this.calledByName();
  }

  private async calledByName(): Promise<void> {
    await this.page.getByLabel("Your name").fill(this.name);
    await this.here([this.name]);
  }

  /** All of these people have a face here. */
  async here(names: readonly string[]): Promise<void> {
    for (const name of names) await this.page.locator(`[data-person="${name}"]`).waitFor();
  }

  async turnsTo(part: "Board" | "To-do" | "Coin game" | "What passes"): Promise<void> {
    await this.page.getByRole("tab", { name: part, exact: true }).click();
  }

  // ——— the board

  note(text: string): Locator {
    return this.page.locator(`[data-note="${text}"]`);
  }

  async writes(text: string, x: number, y: number): Promise<void> {
    const at = await this.onBoard(x, y);
    await this.page.mouse.dblclick(at.x, at.y);
    await this.page.getByLabel("Text of the note").fill(text);
    await this.page.keyboard.press("Escape");
    await this.note(text).waitFor();
  }

  /** Where a place of the board is in this window. */
  async onBoard(x: number, y: number): Promise<{ x: number; y: number }> {
    return this.page.getByRole("group", { name: "Shared board" }).evaluate((board, place) => {
      const { left, top, width, height } = board.getBoundingClientRect();
      return { x: left + (place.x / 1200) * width, y: top + (place.y / 720) * height };
    }, { x, y });
  }

  async middleOf(thing: Locator): Promise<{ x: number; y: number }> {
    const { x, y, width, height } = (await thing.boundingBox())!;
    return { x: x + width / 2, y: y + height / 2 };
  }

  async drags(text: string, byX: number, byY: number): Promise<void> {
    const { x, y, width, height } = (await this.note(text).boundingBox())!;
    const from = { x: x + width / 2, y: y + height / 3 };
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    for (let step = 1; step <= 8; step++) await this.page.mouse.move(from.x + (byX * step) / 8, from.y + (byY * step) / 8);
    await this.page.mouse.up();
  }

  async placeOf(text: string): Promise<[number, number]> {
    const [x, y] = await Promise.all([this.note(text).getAttribute("data-x"), this.note(text).getAttribute("data-y")]);
    return [Number(x), Number(y)];
  }

  // ——— the list

  async adds(...texts: string[]): Promise<void> {
    for (const text of texts) {
      await this.page.getByLabel("What is to be done?").fill(text);
      await this.page.keyboard.press("Enter");
      await this.page.locator(`[data-todo="${text}"]`).waitFor();
    }
  }

  tasks(): Promise<string[]> {
    return this.page.locator("[data-todo]").evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["todo"]!));
  }

  /** Takes one row by its grip; `release` lets go over the middle of another. */
  async grips(text: string): Promise<{ over: (other: string) => Promise<void>; release: () => Promise<void> }> {
    const grip = (await this.page.locator(`[data-todo="${text}"] .grip`).boundingBox())!;
    const x = grip.x + grip.width / 2;
    await this.page.mouse.move(x, grip.y + grip.height / 2);
    await this.page.mouse.down();
    return {
      over: async (other) => {
        const row = (await this.page.locator(`[data-todo="${other}"]`).boundingBox())!;
        await this.page.mouse.move(x, row.y + row.height / 2, { steps: 6 });
      },
      release: () => this.page.mouse.up(),
    };
  }

  /** From now on, where each row is seen is written down for every picture that the browser draws. */
  async watchesRows(): Promise<void> {
    await this.page.evaluate(() => {
      const ways: Record<string, number[]> = {};
      Object.assign(globalThis, { ways });
      requestAnimationFrame(function look() {
        for (const row of document.querySelectorAll<HTMLElement>("[data-todo]")) (ways[row.dataset["todo"]!] ??= []).push(Math.round(row.getBoundingClientRect().top));
        requestAnimationFrame(look);
      });
    });
  }

  wayOf(text: string): Promise<number[]> {
    return this.page.evaluate((text) => (globalThis as unknown as { ways: Record<string, number[]> }).ways[text]!, text);
  }

  // ——— the line

  async cutsTheLine(): Promise<void> {
    await this.person.button("Cut the line").click();
    await this.page.locator('[data-stage="away"]').waitFor();
  }

  async mendsTheLine(): Promise<void> {
    await this.person.button("Mend the line").first().click();
    await this.page.locator('[data-stage="inside"]').waitFor();
    await this.saved();
  }

  /** The server has everything. */
  async saved(): Promise<void> {
    await this.page.locator('[data-pending="0"]').waitFor();
  }

  leaves(): Promise<void> {
    return this.person.leaves();
  }
}

const PATIENCE = { timeout: 20_000 };

/** Waits until all of them give the expected answer. */
export async function agree<T>(visitors: readonly Visitor[], ask: (visitor: Visitor) => Promise<T>, expected: T): Promise<void> {
  await expect.poll(() => Promise.all(visitors.map(ask)), PATIENCE).toEqual(visitors.map(() => expected));
}

/** Waits until all of them give the same answer, whatever it is, and says it. */
export async function agreement<T>(visitors: readonly Visitor[], ask: (visitor: Visitor) => Promise<T>): Promise<T> {
  let answers: T[] = [];
  await expect.poll(async () => {
    answers = await Promise.all(visitors.map(ask));
    return answers;
  }, PATIENCE).toSatisfy((given: T[]) => given.every((answer) => JSON.stringify(answer) === JSON.stringify(given[0])));
  return answers[0]!;
}
