// The big screen of a game, and what its Master does there in the words of the page.

import type { Browser, BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import { Person } from "./people.js";
import { Phone } from "./reels-phones.js";

/** The smallest big screen: nothing may scroll on it. */
export const TELEVISION = { viewport: { width: 1280, height: 720 } } satisfies BrowserContextOptions;

const PATIENCE = { timeout: 20_000 };
const STEPS = ["votes", "grow", "slots", "judge", "scores", "clear"];

export class BigScreen {
  private constructor(readonly person: Person, private url: string) {}

  static async arrives(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<BigScreen> {
    const person = await Person.arrives(browser, "the Master", { ...TELEVISION, ...options });
    // Steps go on by themselves: what was shown is written down by the page, not by who happens to look.
    await person.page.addInitScript(() => {
      const steps: string[] = [];
      Object.assign(globalThis, { steps });
      new MutationObserver(() => {
        const step = document.querySelector<HTMLElement>("[data-step]")?.dataset["step"];
        if (step && step !== steps.at(-1)) steps.push(step);
      }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-step"] });
    });
    return new BigScreen(person, url);
  }

  get page() {
    return this.person.page;
  }

  /** From the landing page to the lobby of a demo game. */
  async setsUpDemo(friends: number): Promise<void> {
    await this.page.goto(this.url);
    await this.page.getByRole("link", { name: "Set up a game" }).click();
    await this.page.getByLabel("Friends at the table").selectOption(String(friends));
    await this.person.button("Play the demo").click();
    await this.sees("lobby");
  }

  /** A game that was made without a page, with the key that only this browser has. */
  async opens(wish: object): Promise<string> {
    const answer = await fetch(`${this.url}/v1/rooms`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ kind: "reels", ...wish }) });
    const { room, code, host_key } = await answer.json() as { room: string; code: string; host_key: string };
    await this.page.goto(this.url);
    await this.page.evaluate(([room, key]) => localStorage.setItem("parlor.host_keys", JSON.stringify([[room, key]])), [room, host_key] as const);
    await this.page.goto(`${this.url}/reels/${code}/tv`);
    await this.sees("lobby");
    return code;
  }

  async sees(moment: "lobby" | "idle" | "vote" | "reveal_wait" | "round_recap" | "over" | "ended"): Promise<void> {
    await this.page.locator(`[data-moment="${moment}"]`).waitFor();
  }

  /** The steps of reveals since the page was loaded. */
  steps(): Promise<string[]> {
    return this.page.evaluate(() => [...(globalThis as unknown as { steps: string[] }).steps]);
  }

  /** Presses the key for the next step, unless the last one is reached; says whether it is. */
  stepsOn(): Promise<boolean> {
    return this.page.evaluate(() => {
      const last = document.querySelector<HTMLElement>(".tv")!.dataset["step"] === "clear";
      if (!last) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
      return last;
    });
  }

  async code(): Promise<string> {
    return (await this.page.getByTestId("short").textContent())!.split("/").pop()!;
  }

  /** The players in the game. */
  names(): Promise<string[]> {
    return this.page.locator("[data-seat]").evaluateAll((seats) => seats.map((seat) => (seat as HTMLElement).dataset["seat"]!));
  }

  /** A phone comes by the short address that the screen shows, and takes the seat of its name. */
  async letsIn(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Phone> {
    const phone = await Phone.arrives(browser, name, options);
    await phone.page.goto(`${this.url}/r/${await this.code()}`);
    await phone.person.button(`I am ${name}`).click();
    await phone.sees("lobby");
    await this.page.locator(`[data-seat="${name}"][data-state="here"]`).waitFor();
    return phone;
  }

  /** How many sent the reel that is shown. */
  slots(): Promise<number> {
    return this.page.locator("[data-slot]").count();
  }

  /** The six steps to their end; says who it was. */
  async stepsThrough(): Promise<string[]> {
    await this.sees("reveal_wait");
    await expect.poll(() => this.stepsOn(), PATIENCE).toBe(true);
    expect((await this.steps()).slice(-STEPS.length)).toEqual(STEPS);
    return this.page.locator("[data-slot]").evaluateAll((slots) => slots.map((slot) => (slot as HTMLElement).dataset["slot"]!));
  }

  /** Names and points, as the ranking shows them. */
  async scores(): Promise<Record<string, number>> {
    return Object.fromEntries(await this.page.locator("[data-name][data-score]").evaluateAll((rows) => rows.map((row) => [(row as HTMLElement).dataset["name"]!, Number((row as HTMLElement).dataset["score"])])));
  }

  /** What moves has arrived, and what changes colour has changed it; a few lights never stop. */
  private async settles(): Promise<void> {
    await this.page.evaluate(async () => {
      const moving = () => document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity);
      // One change can begin the next one: a colour reaches the innermost part last.
      for (let still = 0; still < 3; still++) {
        const now = moving();
        if (now.length > 0) still = 0;
        await Promise.allSettled(now.map(({ finished }) => finished));
        await new Promise(requestAnimationFrame);
      }
    });
  }

  /** All of it is on the screen, on larger ones too: nothing scrolls, and no part of the stage lies outside. */
  async fits(where: string): Promise<void> {
    for (const viewport of [{ width: 1920, height: 1080 }, { width: 1366, height: 768 }, TELEVISION.viewport]) {
      await this.page.setViewportSize(viewport);
      await this.fitsHere(`${where}, ${viewport.width} by ${viewport.height}`);
    }
  }

  private async fitsHere(where: string): Promise<void> {
    await this.settles();
    const over = await this.page.evaluate(() => {
      const tv = document.querySelector(".tv")!;
      const outside = [...document.querySelectorAll(".stage *")].filter((part) => {
        if (part.closest('.unseen, [data-testid="reel"], [data-testid="countdown"], dialog')) return false;
        const box = part.getBoundingClientRect();
        return box.width > 0 && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1);
      });
      return { page: document.documentElement.scrollHeight - innerHeight, stage: tv.scrollHeight - tv.clientHeight, wide: tv.scrollWidth - tv.clientWidth, outside: outside.map(({ className, textContent }) => `${className} ${textContent}`) };
    });
    expect(over, where).toEqual({ page: 0, stage: 0, wide: 0, outside: [] });
  }

  /** Nothing scrolls and nothing stands in anybody's way, in the dark as in the light. */
  async isGood(where: string): Promise<void> {
    await this.fits(where);
    for (const colorScheme of ["dark", "light"] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.settles();
      await this.person.everyoneCanUseIt(`${where}, ${colorScheme}`);
    }
  }

  leaves(): Promise<void> {
    return this.person.leaves();
  }
}
