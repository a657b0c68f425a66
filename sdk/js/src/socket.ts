// The network, the clock and the dice: everything `connection` must not touch. It carries out effects and turns
// what happens into inputs, one at a time.

import { step } from "./connection.js";
import { type Outside, type Wire, bytes } from "./outside.js";
import type { Frame } from "./space/api.js";
import { Listeners } from "./listeners.js";
import type { Effect, Input, State } from "./state.js";

/** What is not about the wire goes to whoever listens here. */
export type Told = Exclude<Effect, { effect: "open" | "close" | "send" | "ring" }>;

/** A WebSocket's `readyState` when it can be written to. */
const OPEN = 1;

export class Socket {
  readonly watchers = new Listeners<[Frame]>();
  #wire: Wire | null = null;
  readonly #rings = new Set<() => void>();

  constructor(
    private readonly url: string,
    private state: State,
    readonly outside: Outside,
    private readonly told: (effect: Told) => void,
  ) {}

  /** What a page keeps for its next load, so that its numbers go on where they stopped. */
  get nextNumber(): number {
    return this.state.nextNumber;
  }

  /** The position of a room up to which everything has been told. */
  at(room: string): string | null {
    return this.state.seats.get(room)?.place?.at ?? null;
  }

  /** Whether something was sent at once. */
  take(input: Input): boolean {
    const [state, effects] = step(this.state, input, { now: this.outside.now(), dice: this.outside.dice() });
    this.state = state;
    for (const effect of effects) this.#carryOut(effect);
    return this.#wire?.readyState === OPEN && effects.some(({ effect }) => effect === "send");
  }

  /** Calls after some milliseconds, unless what it returns is called before. */
  ring(ms: number, call: () => void): () => void {
    const cancel = this.outside.ring(ms, () => {
      this.#rings.delete(cancel);
      call();
    });
    this.#rings.add(cancel);
    return () => {
      this.#rings.delete(cancel);
      cancel();
    };
  }

  /** Forgets all alarms, so that a program that wants to end is not kept. */
  silence(): void {
    for (const stop of this.#rings) stop();
    this.#rings.clear();
  }

  #carryOut(effect: Effect): void {
    switch (effect.effect) {
      case "open": return this.#open();
      case "close": return this.#close();
      case "send":
        // A socket that is closing says so by itself; what could not be sent is sent again after it.
        if (this.#wire?.readyState !== OPEN) return;
        this.#watch("out", effect.text);
        return this.#wire.send(effect.text);
      case "ring": return void this.ring(effect.ms, () => this.take({ input: "rang", alarm: effect.alarm }));
      default: return this.told(effect);
    }
  }

  #open(): void {
    const wire = this.outside.open(this.url);
    this.#wire = wire;
    // A socket that was replaced may still speak; nobody listens to it any more.
    const ifCurrent = (input: Input) => {
      if (this.#wire === wire) this.take(input);
    };
    wire.onopen = () => ifCurrent({ input: "opened" });
    wire.onmessage = ({ data }) => {
      const text = String(data);
      if (this.#wire === wire) this.#watch("in", text);
      ifCurrent({ input: "heard", text });
    };
    wire.onclose = ({ code }) => ifCurrent({ input: "lost", code });
    // The close that follows says all we need; outside of browsers an error nobody listens to ends the program.
    wire.onerror = () => {};
  }

  #close(): void {
    const wire = this.#wire;
    this.#wire = null;
    wire?.close();
  }

  #watch(way: Frame["way"], text: string): void {
    if (this.watchers.size === 0) return;
    this.watchers.tell({ way, at: this.outside.now(), bytes: bytes(text), text });
  }
}
