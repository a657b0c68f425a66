// A model of the shop's server with a browser in front of it: cookies, tabs, streams, and a line that can be cut before or after the
// server has done what it was asked. Time passes only when the test says so.

import { setImmediate } from "node:timers";
import { Shop } from "../../src/shop.js";
import type { CartWords } from "../../src/shop/words.js";
import type { Stream, World } from "../../src/shop/world.js";

interface Account {
  readonly since: number;
  user: string | null;
  lines: Map<string, number>;
  version: number;
  readonly done: Set<string>;
  readonly viewed: string[];
  readonly streams: Set<FakeStream>;
}

/** What the line does with the next question. */
export type Fate = "ok" | "lost question" | "lost answer" | "half an answer" | { status: number; code?: string; retry?: boolean };

class FakeStream implements Stream {
  onerror: ((event: any) => void) | null = null;
  open = true;
  readonly #listeners = new Map<string, ((event: any) => void)[]>();

  addEventListener(name: string, listener: (event: any) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  say(name: string, data?: object): void {
    if (this.open) for (const listener of this.#listeners.get(name) ?? []) listener({ data: JSON.stringify(data ?? {}) });
  }

  close(): void {
    this.open = false;
  }
}

export class House {
  now = 1_000_000;
  readonly asked: string[] = [];
  fates: Fate[] = [];
  /** Whether carts carry a version, and events of them wait until the test lets them out. */
  versions = true;
  held: (() => void)[] | null = null;
  cookies = true;
  streamsRefused = false;
  token: string | null = null;
  readonly visits = new Map<string, Account>();
  readonly streams: FakeStream[] = [];
  #alarms: { at: number; call: () => void }[] = [];
  #names = 0;
  #lock: Promise<unknown> = Promise.resolve();

  tab(store = new Map<string, string>()): Tab {
    return new Tab(this, store);
  }

  visit(): Account {
    return this.visits.get(this.token!)!;
  }

  quantities(): Record<string, number> {
    return Object.fromEntries(this.visit().lines);
  }

  /** The origin logs the visitor in: the token is another one afterwards; the cart goes along, and which changes it has seen. */
  login(user: string): void {
    this.loginUnderWay(user)();
  }

  /** The same, while the new cookie is still on its way to the browser; what it returns brings it. */
  loginUnderWay(user: string): () => void {
    const account = this.visit();
    const token = `t${++this.#names}`;
    this.visits.set(token, { ...account, user, since: this.now, streams: new Set() });
    this.#end(this.token!);
    return () => (this.token = token);
  }

  end(): void {
    this.#end(this.token!);
    this.token = null;
  }

  #end(token: string): void {
    const streams = this.visits.get(token)!.streams;
    this.visits.delete(token);
    for (const stream of streams) stream.say("ended");
  }

  /** Everything that can happen without time passing. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 3; rounds++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    await this.settle();
    for (;;) {
      const next = this.#alarms.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
      this.now = Math.max(this.now, next.at);
      next.call();
      await this.settle();
    }
    this.now = until;
  }

  ring(ms: number, call: () => void): () => void {
    const alarm = { at: this.now + ms, call };
    this.#alarms.push(alarm);
    return () => (this.#alarms = this.#alarms.filter((other) => other !== alarm));
  }

  name(): string {
    return `n${++this.#names}`;
  }

  alone<T>(call: () => Promise<T>): Promise<T> {
    const turn = this.#lock.then(call);
    this.#lock = turn.catch(() => {});
    return turn;
  }

  events(): FakeStream {
    const stream = new FakeStream();
    this.streams.push(stream);
    const account = this.token === null || this.streamsRefused ? undefined : this.visits.get(this.token);
    queueMicrotask(() => {
      if (!account) return stream.onerror?.({});
      account.streams.add(stream);
      stream.say("cart", this.cart(account));
    });
    return stream;
  }

  /** Every stream breaks. */
  cut(): void {
    for (const stream of this.streams.splice(0)) {
      for (const { streams } of this.visits.values()) streams.delete(stream);
      if (stream.open) stream.onerror?.({});
    }
  }

  async fetch(url: string, init: RequestInit): Promise<Response> {
    const path = url.replace(/^.*\/v1\/shop\//, "");
    const body = init.body === undefined ? null : (JSON.parse(String(init.body)) as Record<string, any>);
    this.asked.push(`${path}${body?.["id"] ? ` ${body["id"]}` : ""}`);
    const fate = this.fates.shift() ?? "ok";
    await Promise.resolve();
    if (fate === "lost question") throw new TypeError("network");
    if (typeof fate === "object") {
      const { status, code, retry = false } = fate;
      return new Response(code === undefined ? "<html>" : JSON.stringify({ error: { code, message: code, retry } }), { status });
    }
    const [status, answer] = this.#answer(path, body);
    if (fate === "lost answer") throw new TypeError("network");
    const text = JSON.stringify(answer);
    return new Response(fate === "half an answer" ? text.slice(0, -1) : text, { status });
  }

  cart({ lines, version }: Account): CartWords {
    const sorted = [...lines].map(([item, quantity]) => ({ item, quantity })).sort((one, other) => (one.item < other.item ? -1 : 1));
    return { lines: sorted, items: sorted.length, count: sorted.reduce((sum, { quantity }) => sum + quantity, 0), expires_at: null, ...(this.versions && { version }) };
  }

  #answer(path: string, body: Record<string, any> | null): [number, object] {
    if (path.startsWith("popular")) return [200, { items: [{ item: "7", views: 23 }] }];
    if (path === "visits") {
      const token = `t${++this.#names}`;
      const account: Account = { since: this.now, user: null, lines: new Map(), version: 0, done: new Set(), viewed: [], streams: new Set() };
      this.visits.set(token, account);
      if (this.cookies) this.token = token;
      return [201, { token, visit: this.#seen(account) }];
    }
    const account = this.token === null ? undefined : this.visits.get(this.token);
    if (!account) return [401, { error: { code: "unauthenticated", message: "there is no such visit", retry: false } }];
    switch (path) {
      case "visit": return [200, { visit: this.#seen(account), cart: this.cart(account), viewed: account.viewed }];
      case "visit/touch":
        if (body!["item"] !== undefined) account.viewed.unshift(body!["item"]);
        return [200, {}];
      case "visit/viewed": return [200, { items: account.viewed }];
      case "visit/logout":
        this.end();
        return [200, {}];
      case "cart": return [200, this.cart(account)];
    }
    this.#change(account, path.replace("cart/", ""), body!);
    return [200, this.cart(account)];
  }

  #change(account: Account, verb: string, { item, quantity, id }: Record<string, any>): void {
    if (account.done.has(id)) return;
    account.done.add(id);
    const { lines } = account;
    const after = verb === "remove" ? 0 : verb === "set" ? quantity : (lines.get(item) ?? 0) + (quantity ?? 0);
    if (verb === "clear") lines.clear();
    else if (after > 0) lines.set(item, Math.min(after, 9_999));
    else lines.delete(item);
    account.version++;
    const cart = this.cart(account);
    const say = () => account.streams.forEach((stream) => stream.say("cart", cart));
    if (this.held) this.held.push(say);
    else say();
  }

  #seen({ since, user }: Account): object {
    return { user, since, last_used: this.now, idle_until: this.now, ends: this.now };
  }
}

/** A page in one tab. */
export class Tab {
  shown = true;
  readonly shop: Shop;
  readonly counts: number[] = [];
  readonly #turned = new Set<() => void>();

  constructor(private readonly house: House, store: Map<string, string>) {
    const world: World = {
      fetch: (url, init) => house.fetch(url, init),
      events: () => house.events(),
      now: () => house.now,
      dice: () => 0.5,
      ring: (ms, call) => house.ring(ms, call),
      name: () => house.name(),
      store: { getItem: (name) => store.get(name) ?? null, setItem: (name, value) => void store.set(name, value), removeItem: (name) => void store.delete(name) },
      visible: () => this.shown,
      turned: (call) => {
        this.#turned.add(call);
        return () => this.#turned.delete(call);
      },
      alone: (call) => house.alone(call),
    };
    this.shop = new Shop({}, world);
  }

  /** Somebody looks at the cart: what they see is written down. */
  watch(): this {
    this.shop.cart.subscribe(({ count, known }) => {
      if ((known || count > 0) && this.counts.at(-1) !== count) this.counts.push(count);
    });
    return this;
  }

  turn(shown: boolean): void {
    this.shown = shown;
    for (const call of this.#turned) call();
  }

  lines(): Record<string, number> {
    return Object.fromEntries(this.shop.cart.lines.map(({ item, quantity }) => [item, quantity]));
  }
}
