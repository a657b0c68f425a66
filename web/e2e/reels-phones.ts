// Phones in a game, and a Master without a screen: what a phone does is said in the words of its page, what the big screen
// would do goes over REST.

import type { Browser, BrowserContextOptions, Locator, WebSocketRoute } from "playwright-core";
import { expect } from "vitest";
import { Person } from "./people.js";

/** The smallest phone that has to work. */
export const SMALL_PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true } satisfies BrowserContextOptions;

interface Item {
  readonly item_id: string;
  readonly true_sender_ids: readonly string[];
}

export class Master {
  private constructor(readonly url: string, readonly code: string, readonly key: string) {}

  /** A game of one round with a seat for each of these people; each reel is by who is named there. */
  static async opens(url: string, names: readonly string[], reels: readonly (readonly string[])[], more: object = {}): Promise<Master> {
    const id = (name: string) => `s${names.indexOf(name) + 1}`;
    const items: Item[] = reels.map((by, at) => ({ item_id: `i${at + 1}`, reel: { reel_id: `R${at + 1}`, url: `https://www.instagram.com/reel/R${at + 1}/` }, true_sender_ids: by.map(id) }));
    const made = await asked(fetch(`${url}/v1/rooms`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "reels", title: "Friday", senders: names.map((name) => ({ sender_id: id(name), name, active: true, reels_count: 1 })), rounds: [{ round_id: "r1", items }], ...more }),
    }));
    return new Master(url, String(made["code"]), String(made["host_key"]));
  }

  get page(): string {
    return `${this.url}/reels/${this.code}`;
  }

  async does(verb: string, words: object = {}): Promise<void> {
    await asked(fetch(`${this.url}/v1/rooms/reels/${this.code}/${verb}`, { method: "POST", headers: this.headers, body: JSON.stringify(words) }));
  }

  /** What the big screen would show. */
  async sees(): Promise<{ status: string; phase: string; broadcasts: Record<string, any>; players_all: { player_id: string; user_id: string | null; name: string }[] }> {
    return (await asked(fetch(`${this.url}/v1/rooms/reels/${this.code}`, { headers: this.headers })))["view"] as never;
  }

  opensReel(item = 1): Promise<void> {
    return this.does("REEL_OPENED", { round_id: "r1", item_id: `i${item}` });
  }

  closesVote(item = 1): Promise<void> {
    return this.does("FORCE_CLOSE_VOTE", { round_id: "r1", item_id: `i${item}`, seconds: 0 });
  }

  endsItem(item = 1): Promise<void> {
    return this.does("END_ITEM", { round_id: "r1", item_id: `i${item}` });
  }

  private get headers() {
    return { "content-type": "application/json", "parlor-host-key": this.key };
  }
}

async function asked(answer: Promise<Response>): Promise<Record<string, unknown>> {
  const got = await answer;
  const text = await got.text();
  if (!got.ok) throw new Error(`${got.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

export class Phone {
  private route: WebSocketRoute | null = null;
  private gone = false;
  private held: string[] | null = null;
  private deliver: (text: string) => void = () => {};

  private constructor(readonly person: Person) {}

  static async arrives(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Phone> {
    const phone = new Phone(await Person.arrives(browser, name, { ...SMALL_PHONE, ...options }));
    // A line that the journey can cut and hold back.
    await phone.page.routeWebSocket(/\/v1\/ws$/, (socket) => {
      if (phone.gone) return void socket.close();
      phone.route = socket;
      const server = socket.connectToServer();
      phone.deliver = (text) => socket.send(phone.changed(text));
      socket.onMessage((text) => server.send(text));
      server.onMessage((text) => void (phone.held ? phone.held.push(String(text)) : phone.deliver(String(text))));
    });
    return phone;
  }

  /** From the next page on this phone holds the key of the game. */
  async isHostOf(master: Master): Promise<void> {
    await this.page.addInitScript(([room, key]) => localStorage.setItem("parlor.host_keys", JSON.stringify([[room, key]])), [`reels/${master.code}`, master.key]);
  }

  /** What the server says, as this phone hears it. */
  changed: (text: string) => string = (text) => text;

  get page() {
    return this.person.page;
  }

  async comesTo(master: Master): Promise<void> {
    await this.page.goto(master.page);
    await this.page.locator('[data-shown]:not([data-shown="entering"])').waitFor();
  }

  /** Takes the seat of their own name. */
  async takesSeat(master: Master): Promise<void> {
    await this.comesTo(master);
    await this.seat(this.person.name).click();
    await this.page.locator('[data-shown]:not([data-shown="seats"]):not([data-shown="entering"])').waitFor();
  }

  /** A free seat: it can be pressed. */
  seat(name: string): Locator {
    return this.person.button(`I am ${name}`);
  }

  async sees(shown: string): Promise<void> {
    await this.page.locator(`[data-shown="${shown}"]`).waitFor();
  }

  sender(name: string): Locator {
    return this.page.locator("[data-sender]", { hasText: new RegExp(`${name}\\b`) });
  }

  async says(name: string): Promise<void> {
    await this.sender(name).click();
  }

  /** The server has said that it has this vote. */
  async sent(...names: string[]): Promise<void> {
    await this.page.locator('[data-sending="sent"]').waitFor();
    for (const name of names) await expect.poll(() => this.sender(name).getAttribute("aria-pressed")).toBe("true");
    expect(await this.page.locator('[data-sender][aria-pressed="true"]').count()).toBe(names.length);
  }

  async losesTheLine(): Promise<void> {
    this.gone = true;
    await this.route?.close();
    await this.page.locator('[data-stage="away"]').waitFor();
  }

  async findsTheLine(): Promise<void> {
    this.gone = false;
    await this.page.evaluate(() => dispatchEvent(new Event("online")));
    await this.page.locator('[data-phase="online"]').waitFor();
  }

  /** What the server says from now on is heard later. */
  hearsLater(): () => void {
    this.held = [];
    return () => {
      const held = this.held ?? [];
      this.held = null;
      for (const text of held) this.deliver(text);
    };
  }

  async fits(): Promise<void> {
    expect(await this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), "nothing is wider than the phone").toBeLessThanOrEqual(0);
  }

  leaves(): Promise<void> {
    return this.person.leaves();
  }
}

/** A game that has begun, with a phone for everybody. */
export async function begins(browser: Browser, master: Master, names: readonly string[], options: BrowserContextOptions = {}): Promise<Phone[]> {
  const phones = await Promise.all(names.map((name) => Phone.arrives(browser, name, options)));
  for (const phone of phones) await phone.takesSeat(master);
  await master.does("START_GAME");
  for (const phone of phones) await phone.sees("idle");
  return phones;
}
