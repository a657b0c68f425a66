// The cart's changes as they happen, from whichever tab or server they come. Only a page that is looked at listens: a browser
// opens few connections to one server, and a dozen tabs in the background must not use them up. Whoever looks again is told the cart at once.

import { backoff } from "../backoff.js";
import type { Stop } from "../space/api.js";
import type { Asks } from "./asks.js";
import type { CartWords } from "./words.js";
import type { Stream } from "./world.js";

export interface Hears {
  /** Makes sure that there is a visit; false: there is none, and none is to be begun. */
  ready(anew: boolean): Promise<boolean>;
  /** `first`: the first word of a new stream, which may be about another cart than before. */
  cart(cart: CartWords, first: boolean): void;
  live(live: boolean): void;
}

export class Live {
  #wanted = false;
  #stream: Stream | null = null;
  #opening = false;
  #attempt = 0;
  #waiting: Stop | null = null;
  readonly #stop: Stop;

  constructor(private readonly asks: Asks, private readonly hears: Hears) {
    this.#stop = asks.world.turned(() => this.#turned());
  }

  want(wanted: boolean): void {
    this.#wanted = wanted;
    if (wanted) void this.open();
    else this.#close();
  }

  /** Opens the stream if somebody wants it and it is not there. `anew`: the visit must be looked at again first. */
  async open(anew = false): Promise<void> {
    if (!this.#wanted || this.#stream || this.#opening || !this.asks.world.visible()) return;
    this.#hush();
    this.#opening = true;
    const ready = await this.hears.ready(anew).catch(() => null);
    this.#opening = false;
    if (ready === null) return this.#later(anew);
    if (ready && this.#wanted && !this.#stream && this.asks.world.visible()) this.#listen();
  }

  stop(): void {
    this.want(false);
    this.#stop();
  }

  #listen(): void {
    const stream = this.asks.events("cart/events");
    this.#stream = stream;
    let first = true;
    // What a stream says that is no longer ours is not heard.
    const mine = (call: (event: { data: string }) => void) => (event: { data: string }) => void (this.#stream === stream && call(event));
    stream.addEventListener("cart", mine(({ data }) => {
      this.#attempt = 0;
      this.hears.cart(JSON.parse(data) as CartWords, first);
      if (first) this.hears.live(true);
      first = false;
    }));
    stream.addEventListener("ended", mine(() => {
      this.#close();
      void this.open(true);
    }));
    // We wait for ourselves, because a browser stops for good at some errors, and returns in step with all others after the rest.
    stream.onerror = mine(() => {
      this.#close();
      this.#later(first);
    });
  }

  #turned(): void {
    if (!this.asks.world.visible()) return this.#close();
    this.#attempt = 0;
    void this.open(true);
  }

  #later(anew: boolean): void {
    if (!this.#wanted) return;
    this.#hush();
    this.#waiting = this.asks.world.ring(backoff(this.#attempt++, this.asks.world.dice()), () => void this.open(anew));
  }

  #hush(): void {
    this.#waiting?.();
    this.#waiting = null;
  }

  #close(): void {
    this.#hush();
    if (!this.#stream) return;
    this.#stream.close();
    this.#stream = null;
    this.hears.live(false);
  }
}
