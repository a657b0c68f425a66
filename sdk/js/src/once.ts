// A room that is asked for again is made once. The key that says so belongs to the wish, and stays with it until an answer has come.

import { ParlorError } from "./error.js";

/** 192 random bits: the room's host key is made from it, so nobody may guess it. */
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Once {
  /** The last wish that has no answer yet. Whoever wishes for something else has given it up. */
  #open: { readonly wish: string; readonly key: string } | null = null;

  /** Asks under the key of this wish: the one it had, if it was asked for before and it is not known what came of it. */
  async ask<T>(wish: object, ask: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const text = JSON.stringify(wish);
    const open = this.#open?.wish === text ? this.#open : { wish: text, key: newKey() };
    this.#open = open;
    const answered = () => {
      if (this.#open === open) this.#open = null;
    };
    try {
      const answer = await ask({ "idempotency-key": open.key });
      answered();
      return answer;
    } catch (error) {
      // A clear no is an answer. Anything else, as what a proxy says that lost its server, may have been made all the same.
      if (error instanceof ParlorError && !error.retry && error.code !== "internal") answered();
      throw error;
    }
  }
}
