// One room as a program sees it: a state that changes, and verbs.

import type { Door } from "./door.js";
import { Venue } from "./venue.js";
import { patched } from "./patched.js";
import type { Shown, Update } from "./wire.js";

export interface RoomState<View, Me> {
  /** `entering` until let in, `away` while the connection is gone, `over` when the room ended for us. */
  readonly stage: "entering" | "inside" | "away" | "over";
  /** Whether the last entrance went on where we were; null before the first. */
  readonly resumed: boolean | null;
  readonly view: View | null;
  readonly me: Me | null;
  readonly expiresAt: number | null;
  /** Why it is over: `kicked`, `deleted`, `expired`, or an error's code. */
  readonly ended: string | null;
}

export class Room<View = unknown, Me = unknown> extends Venue<RoomState<View, Me>> {
  private shown: Shown | null = null;

  constructor(address: string, private readonly door: Door) {
    super(address, { stage: "entering", resumed: null, view: null, me: null, expiresAt: null, ended: null });
  }

  private show(shown: Shown): void {
    this.shown = shown;
    const { view, me, expiresAt } = shown;
    this.change({ view: view as View, me: me as Me, expiresAt });
  }

  async enter(): Promise<void> {
    this.change({ stage: "entering", ended: null });
    try {
      await this.door.enter(this);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "internal";
      if (this.state.stage === "entering") this.change({ stage: "over", ended: code });
      throw error;
    }
  }

  exit(): void {
    this.door.exit(this.address);
  }

  /** Resolves when the change is durable. Sent again after a cut, and done once. */
  async act(verb: string, words: object = {}): Promise<void> {
    await this.door.act(this.address, verb, words);
  }

  /** Told to those who listen now; not kept, not repeated. Says whether it was sent: without a connection nobody hears it. */
  say(data: unknown): boolean {
    return this.door.socket.take({ input: "say", room: this.address, data });
  }

  override told(update: Update): void {
    super.told(update);
    switch (update.kind) {
      case "connecting": return this.change({ stage: "away" });
      case "online": return this.change({ stage: "inside", resumed: update.resumed, ended: null });
      case "ended": return this.change({ stage: "over", ended: update.reason });
      case "push": {
        const { push } = update;
        if (push.push === "view") this.show({ ...push, expiresAt: push.expires_at ?? null });
        if (push.push === "patch" && this.shown) this.show(patched(this.shown, push));
      }
    }
  }
}
