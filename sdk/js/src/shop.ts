// A shop's page: who visits, what they looked at, what is popular, and the cart, live in all their tabs. An entry of its own, which
// needs nothing of the rest. Nothing is asked of the server before the page wants something.

import { backoff } from "./backoff.js";
import { ParlorError } from "./error.js";
import { Asks } from "./shop/asks.js";
import { Cart } from "./shop/cart.js";
import { Live } from "./shop/live.js";
import type { CartWords, Change, Popular, Visit } from "./shop/words.js";
import { type World, browser } from "./shop/world.js";
import { Listeners } from "./listeners.js";
import type { Stop } from "./space/api.js";

export { ParlorError } from "./error.js";
export type { Code } from "./error.js";
export type { Cart, CartState } from "./shop/cart.js";
export type * from "./shop/words.js";

export interface ShopOptions {
  /** The server, `https://host`, where it is not the page's own. It must allow this page's origin. */
  readonly server?: string;
}

export interface ShopState {
  /** Null before there is one, and after it ended. */
  readonly visit: Visit | null;
  /** Whether changes of other tabs are heard now. */
  readonly live: boolean;
}

/** Looks for a visit that ended, over about two seconds. */
const LOOKS_MAX = 6;

interface Seen {
  readonly visit: Visit;
  readonly cart: CartWords;
  readonly viewed: readonly string[];
}

export class Shop {
  readonly cart: Cart;
  readonly #asks: Asks;
  readonly #live: Live;
  readonly #listeners = new Listeners<[ShopState]>();
  readonly #hurried: Stop;
  #state: ShopState = { visit: null, live: false };
  #begun: Promise<Visit> | null = null;
  /** A visit was begun, and no answer has shown yet that the browser keeps its cookie. */
  #unproved = false;
  #ended = false;

  /** @internal */
  constructor(options: ShopOptions, world: World) {
    this.#asks = new Asks(world, options.server);
    this.cart = new Cart(world, {
      change: ({ verb, item, quantity, id }, still) => this.#asVisitor(() => this.#asks.ask<CartWords>(`cart/${verb}`, { item, quantity, id }), still),
      read: () => this.#asVisitor(() => this.#asks.ask<CartWords>("cart"), () => !this.#ended),
      watched: (watched) => this.#live.want(watched),
    });
    this.#live = new Live(this.#asks, {
      ready: (anew) => this.#ready(anew),
      cart: (cart, first) => {
        this.#unproved = false;
        this.cart.heard(cart, first);
      },
      live: (live) => this.#tell({ ...this.#state, live }),
    });
    this.#hurried = world.turned(() => this.cart.hurry());
  }

  get state(): ShopState {
    return this.#state;
  }

  subscribe(listener: (state: ShopState) => void): Stop {
    return this.#listeners.add(listener, this.#state);
  }

  /** The visit of this browser, begun if there is none. */
  begin(): Promise<Visit> {
    const begun = (this.#begun ??= this.#asks.world.alone(async () => (await this.#search()) ?? this.#new()));
    begun.then(() => void this.#live.open(), () => this.#again(begun));
    return begun;
  }

  /** The visitor is here, and looks at this item if one is given. Pages that come through the edge need not say so. */
  async touch(item?: string): Promise<void> {
    await this.#asVisitor(() => this.#asks.ask("visit/touch", item === undefined ? {} : { item }));
  }

  /** What this visitor looked at, newest first. */
  async viewed(): Promise<readonly string[]> {
    return (await this.#asVisitor(() => this.#asks.ask<{ items: string[] }>("visit/viewed"))).items;
  }

  /** What everybody looks at, most looked at first. */
  async popular(n = 20): Promise<readonly Popular[]> {
    return (await this.#asks.ask<{ items: Popular[] }>(`popular?n=${n}`)).items;
  }

  /** Ends the visit; the next thing that the visitor does begins another. */
  async logout(): Promise<void> {
    await this.#asks.ask("visit/logout", {}).catch((error: ParlorError) => {
      // Whose visit had ended already is logged out.
      if (error.code !== "unauthenticated") throw error;
    });
    this.#gone();
  }

  /** Asks and hears nothing any more. */
  stop(): void {
    this.#live.stop();
    this.cart.stop();
    this.#hurried();
  }

  /** The browser's visit. One that has just ended is looked for a little longer: when another tab logs in, the old one is over before
      the new cookie has come, and a visit begun in between would take its place. */
  async #search(): Promise<Visit | null> {
    const { world } = this.#asks;
    for (let looks = 1; ; looks++) {
      const visit = await this.#look();
      if (visit || this.#state.visit === null || looks === LOOKS_MAX) return visit;
      await new Promise<void>((resolve) => void world.ring(backoff(looks - 1, world.dice()), resolve));
    }
  }

  async #look(): Promise<Visit | null> {
    try {
      const { visit, cart } = await this.#asks.ask<Seen>("visit");
      this.#unproved = false;
      this.#met(visit);
      this.cart.heard(cart, true);
      return visit;
    } catch (error) {
      if ((error as ParlorError).code !== "unauthenticated") throw error;
      // Or every question would begin one more.
      if (this.#unproved) throw new ParlorError("unauthenticated", "this browser does not keep the visit's cookie");
      return null;
    }
  }

  async #new(): Promise<Visit> {
    const { visit } = await this.#asks.ask<{ visit: Visit }>("visits", {});
    this.#unproved = true;
    this.#met(visit);
    return visit;
  }

  /** For the stream: the visit as it is, begun for a page that has just come, but not for one whose visit has ended. */
  async #ready(anew: boolean): Promise<boolean> {
    if (!anew || (!this.#begun && !this.#ended)) return this.begin().then(() => true);
    const visit = await this.#search();
    if (visit) this.#begun = Promise.resolve(visit);
    else this.#gone();
    return visit !== null;
  }

  /** Does it, once more in a new visit if the old one has ended. */
  async #asVisitor<T>(ask: () => Promise<T>, still = () => true): Promise<T> {
    await this.begin();
    const begun = this.#begun;
    try {
      return await this.#proved(ask);
    } catch (error) {
      if ((error as ParlorError).code !== "unauthenticated" || !still()) throw error;
    }
    this.#again(begun);
    await this.begin();
    return this.#proved(ask);
  }

  async #proved<T>(ask: () => Promise<T>): Promise<T> {
    const answer = await ask();
    this.#unproved = false;
    return answer;
  }

  #again(begun: Promise<Visit> | null): void {
    if (this.#begun === begun) this.#begun = null;
  }

  #met(visit: Visit): void {
    this.#ended = false;
    this.#tell({ ...this.#state, visit });
    this.cart.owned(`${visit.since} ${visit.user ?? ""}`);
  }

  #gone(): void {
    this.#begun = null;
    this.#unproved = false;
    this.#ended = true;
    this.#tell({ ...this.#state, visit: null });
    this.cart.forget();
  }

  #tell(state: ShopState): void {
    this.#state = state;
    this.#listeners.tell(state);
  }
}

/** The shop of this page. */
export function shop(options: ShopOptions = {}): Shop {
  return new Shop(options, browser());
}
