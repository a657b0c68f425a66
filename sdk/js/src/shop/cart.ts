// The visitor's cart. A change shows at once, goes out in its turn and is sent again, with the same id, until it is answered: so nothing
// counts twice and nothing overtakes. What waits is also kept in the tab's storage, for visitors who are faster than the line.

import { backoff } from "../backoff.js";
import { ParlorError } from "../error.js";
import { Listeners } from "../listeners.js";
import type { Stop } from "../space/api.js";
import { NOTHING, changed } from "./lines.js";
import type { CartVerb, CartWords, Change, Line } from "./words.js";
import type { World } from "./world.js";

export const WAITING_MAX = 100;
/** Tries of one change, over about a minute. */
export const TRIES_MAX = 12;
/** The server remembers the ids of changes for longer than this. */
export const KEPT_MS_MAX = 120_000;
const KEPT = "parlor.shop.changes";

export interface CartState extends CartWords {
  /** Whether the server has answered every change. */
  readonly saved: boolean;
  /** False before the server has said anything. */
  readonly known: boolean;
}

/** What the cart needs of its shop. */
export interface Till {
  /** `still`: whether the change is still to be made. */
  change(change: Change, still: () => boolean): Promise<CartWords>;
  read(): Promise<CartWords>;
  /** Somebody began or stopped to watch. */
  watched(watched: boolean): void;
}

type Settled = (error: ParlorError | null) => void;

export class Cart {
  #base: CartWords = NOTHING;
  #known = false;
  #waiting: Change[] = [];
  readonly #settled = new Map<string, Settled>();
  #working = false;
  /** What the stream said while a change was under way: it may or may not have it in it. */
  #held: CartWords | null = null;
  #doubtful = false;
  #stopped = false;
  #owner = "";
  #wake: Stop = () => {};
  #state: CartState = { ...NOTHING, saved: true, known: false };
  readonly #listeners = new Listeners<[CartState]>();
  readonly #refusals = new Listeners<[ParlorError, Change]>();

  /** @internal */
  constructor(private readonly world: World, private readonly till: Till) {}

  get state(): CartState {
    return this.#state;
  }

  get lines(): readonly Line[] {
    return this.#state.lines;
  }

  get count(): number {
    return this.#state.count;
  }

  quantity(item: string): number {
    return this.#state.lines.find((line) => line.item === item)?.quantity ?? 0;
  }

  /** Tells the cart now and after every change, also of other tabs. A Svelte store, too. */
  subscribe(listener: (cart: CartState) => void): Stop {
    const stop = this.#listeners.add(listener, this.#state);
    if (this.#listeners.size === 1) this.till.watched(true);
    return () => {
      stop();
      if (this.#listeners.size === 0) this.till.watched(false);
    };
  }

  /** Told of changes that were refused and are taken back. */
  refused(listener: (error: ParlorError, change: Change) => void): Stop {
    return this.#refusals.add(listener);
  }

  /** Resolves when it is durable; need not be waited for. */
  add(item: string, quantity = 1): Promise<void> {
    return this.#change("add", item, quantity);
  }

  set(item: string, quantity: number): Promise<void> {
    return this.#change("set", item, quantity);
  }

  remove(item: string): Promise<void> {
    return this.#change("remove", item);
  }

  clear(): Promise<void> {
    return this.#change("clear");
  }

  /** @internal What the server says of itself. `fresh`: nothing said before counts any more. */
  heard(cart: CartWords, fresh = false): void {
    if (this.#working) {
      if (!this.#held || fresh || !older(cart, this.#held)) this.#held = cart;
      this.#doubtful ||= fresh || cart.version === undefined;
      return;
    }
    if (!fresh && older(cart, this.#base)) return;
    this.#base = cart;
    this.#known = true;
    this.#tell();
  }

  /** @internal The visit is this one now; changes that were made in it on an earlier page go out again. */
  owned(owner: string): void {
    if (owner === this.#owner) return;
    const first = this.#owner === "";
    this.#owner = owner;
    if (first) this.#waiting = [...this.#kept(owner), ...this.#waiting];
    this.#keep();
    this.#tell();
    void this.#work();
  }

  /** @internal There is no visit any more. */
  forget(): void {
    this.#base = NOTHING;
    this.#known = true;
    this.#held = null;
    this.#doubtful = false;
    this.#drop(new ParlorError("closed", "the visit has ended"));
    this.#owner = "";
    this.#tell();
  }

  /** @internal Does not wait any longer before it tries again. */
  hurry(): void {
    this.#wake();
  }

  /** @internal What waits stays in the tab's storage, for the next page. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  #change(verb: CartVerb, item?: string, quantity?: number): Promise<void> {
    if (quantity !== undefined && !Number.isSafeInteger(quantity)) return Promise.reject(new ParlorError("bad_request", "a quantity is a whole number"));
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(new ParlorError("too_many", "too many changes are waiting"));
    const change: Change = { verb, ...(item !== undefined && { item: String(item) }), ...(quantity !== undefined && { quantity }), id: this.world.name(), at: this.world.now() };
    this.#waiting.push(change);
    const done = new Promise<void>((resolve, reject) => this.#settled.set(change.id, (error) => (error ? reject(error) : resolve())));
    // Who does not wait for it hears of a refusal by `refused`.
    done.catch(() => {});
    this.#keep();
    this.#tell();
    // A cart that is read again lets it go first; a change that is tried again does not.
    if (this.#waiting.length === 1) this.#wake();
    void this.#work();
    return done;
  }

  /** One thing after the other, until nothing waits and nothing is in doubt. */
  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    let failed = 0;
    while (!this.#stopped && (this.#waiting.length > 0 || this.#held || this.#doubtful)) {
      const change = this.#waiting[0];
      if (change) await this.#send(change);
      else if (this.#doubtful) {
        this.#doubtful = false;
        this.#held = null;
        const owner = this.#owner;
        try {
          const cart = await this.till.read();
          if (owner === this.#owner) this.#take(cart);
          failed = 0;
        } catch (error) {
          // The stream may be whole all the while, and would not say it again.
          if (!(error instanceof ParlorError && error.retry) || owner !== this.#owner) continue;
          this.#doubtful = true;
          await this.#pause(backoff(failed++, this.world.dice()));
        }
      } else {
        const cart = this.#held!;
        this.#held = null;
        if (!older(cart, this.#base)) this.#take(cart);
      }
    }
    this.#working = false;
    this.#tell();
  }

  async #send(change: Change): Promise<void> {
    const still = () => this.#waiting[0] === change && !this.#stopped;
    for (let tried = 1; ; tried++) {
      try {
        const cart = await this.till.change(change, still);
        // Forgotten meanwhile: the answer is about a cart that is no longer ours.
        if (!still()) return;
        this.#waiting.shift();
        this.#keep();
        this.#take(cart);
        return this.#settle(change, null);
      } catch (error) {
        if (!still()) return;
        const why = error instanceof ParlorError ? error : new ParlorError("internal", String(error));
        if (why.retry && tried < TRIES_MAX) {
          await this.#pause(backoff(tried - 1, this.world.dice()));
          if (!still()) return;
          continue;
        }
        this.#doubtful = true;
        // Nothing after it is to be done without it, when it is not even known whether it happened.
        if (why.retry) return this.#drop(new ParlorError("interrupted", why.message, true));
        this.#waiting.shift();
        this.#keep();
        this.#tell();
        return this.#settle(change, why);
      }
    }
  }

  #take(cart: CartWords): void {
    this.#base = cart;
    this.#known = true;
    this.#tell();
  }

  #settle(change: Change, error: ParlorError | null): void {
    const settled = this.#settled.get(change.id);
    this.#settled.delete(change.id);
    settled?.(error);
    if (error) this.#refusals.tell(error, change);
  }

  #drop(error: ParlorError): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    this.#keep();
    this.#tell();
    for (const change of dropped) this.#settle(change, error);
    this.#wake();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.world.ring(ms, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
  }

  /** What was made before the visit was known has not been sent either; what an earlier page left stays until then. */
  #keep(): void {
    if (this.#owner === "") return;
    try {
      if (this.#waiting.length === 0) this.world.store?.removeItem(KEPT);
      else this.world.store?.setItem(KEPT, JSON.stringify({ owner: this.#owner, changes: this.#waiting }));
    } catch {
      // Then they wait in this page only.
    }
  }

  #kept(owner: string): Change[] {
    try {
      const kept = JSON.parse(this.world.store?.getItem(KEPT) ?? "null") as { owner: string; changes: Change[] } | null;
      const ours = new Set(this.#waiting.map(({ id }) => id));
      return kept?.owner === owner ? kept.changes.filter(({ id, at }) => !ours.has(id) && this.world.now() - at < KEPT_MS_MAX) : [];
    } catch {
      return [];
    }
  }

  #tell(): void {
    const state = { ...changed(this.#base, this.#waiting), saved: this.#waiting.length === 0, known: this.#known };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#listeners.tell(state);
  }
}

function older(cart: CartWords, other: CartWords): boolean {
  return cart.version !== undefined && other.version !== undefined && cart.version < other.version;
}
