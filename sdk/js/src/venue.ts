// What rooms of every kind have in common: a state that changes, and what is said to those who are here.

import { Listeners } from "./listeners.js";
import type { Said, Update } from "./wire.js";

export class Venue<State extends { readonly stage: "entering" | "inside" | "away" | "over" }> {
  readonly #listeners = new Listeners<[State]>();
  readonly #ears = new Listeners<[Said]>();

  constructor(readonly address: string, public state: State) {}

  /** Lets the listener know now, and after every change, until the returned function is called. */
  subscribe(listener: (state: State) => void): () => void {
    return this.#listeners.add(listener, this.state);
  }

  /** What others say while we listen. */
  hear(ear: (said: Said) => void): () => void {
    return this.#ears.add(ear);
  }

  /** Called by the client. */
  told(update: Update): void {
    if (update.kind === "now") for (const said of update.messages) this.#ears.tell(said);
    if (update.kind === "closing") this.change({ expiresAt: update.expiresAt } as unknown as Partial<State>);
  }

  protected change(to: Partial<State>): void {
    this.state = { ...this.state, ...to };
    this.#listeners.tell(this.state);
  }
}
