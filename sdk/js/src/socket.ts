// The network, the clock and the dice: everything `connection` must not touch. It carries out effects and turns
// what happens into inputs, one at a time.

import { step } from "./connection.js";
import type { Effect, Input, State } from "./state.js";

/** What is not about the wire goes to whoever listens here. */
export type Told = Exclude<Effect, { effect: "open" | "close" | "send" | "ring" }>;

export class Socket {
  private wire: WebSocket | null = null;

  constructor(
    private readonly url: string,
    private state: State,
    private readonly told: (effect: Told) => void,
  ) {}

  /** What a page keeps for its next load, so that its numbers go on where they stopped. */
  get nextNumber(): number {
    return this.state.nextNumber;
  }

  /** Whether something was sent at once. */
  take(input: Input): boolean {
    const [state, effects] = step(this.state, input, { now: Date.now(), dice: Math.random() });
    this.state = state;
    for (const effect of effects) this.carryOut(effect);
    return this.wire?.readyState === WebSocket.OPEN && effects.some(({ effect }) => effect === "send");
  }

  private carryOut(effect: Effect): void {
    switch (effect.effect) {
      case "open": return this.open();
      case "close": return this.close();
      case "send":
        // A socket that is closing says so by itself; what could not be sent is sent again after it.
        if (this.wire?.readyState === WebSocket.OPEN) this.wire.send(effect.text);
        return;
      case "ring":
        setTimeout(() => this.take({ input: "rang", alarm: effect.alarm }), effect.ms);
        return;
      default: return this.told(effect);
    }
  }

  private open(): void {
    const wire = new WebSocket(this.url);
    this.wire = wire;
    // A socket that was replaced may still speak; nobody listens to it any more.
    const ifCurrent = (input: Input) => {
      if (this.wire === wire) this.take(input);
    };
    wire.onopen = () => ifCurrent({ input: "opened" });
    wire.onmessage = ({ data }) => ifCurrent({ input: "heard", text: String(data) });
    wire.onclose = ({ code }) => ifCurrent({ input: "lost", code });
  }

  private close(): void {
    const wire = this.wire;
    this.wire = null;
    wire?.close();
  }
}
