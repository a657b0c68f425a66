// Who is told. A listener that throws harms nobody else: what it threw surfaces by itself.

import type { Stop } from "./space/api.js";

export class Listeners<Words extends unknown[]> {
  readonly #all = new Set<(...words: Words) => void>();

  /** Told from now on; `now`, if there is something to say already, at once. */
  add(listener: (...words: Words) => void, ...now: Words | []): Stop {
    // A function of our own, so that one listener may be added twice and stopped once.
    const mine = (...words: Words) => listener(...words);
    this.#all.add(mine);
    if (now.length) listener(...(now as Words));
    return () => this.#all.delete(mine);
  }

  get size(): number {
    return this.#all.size;
  }

  tell(...words: Words): void {
    for (const listener of [...this.#all]) {
      // Whom an earlier listener stopped is not told any more.
      if (!this.#all.has(listener)) continue;
      try {
        listener(...words);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
