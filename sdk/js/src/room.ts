// One room as a program sees it: a state that changes, and verbs.

import type { Shown, Said, Update } from "./wire.js";

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

/** What a room needs of its client. */
export interface Door {
  enter(room: string): Promise<unknown>;
  exit(room: string): void;
  act(room: string, verb: string, words: object): Promise<unknown>;
  say(room: string, data: unknown): boolean;
}

export class Room<View = unknown, Me = unknown> {
  private current: RoomState<View, Me> = { stage: "entering", resumed: null, view: null, me: null, expiresAt: null, ended: null };
  private readonly listeners = new Set<(state: RoomState<View, Me>) => void>();
  private readonly ears = new Set<(said: Said) => void>();

  constructor(readonly address: string, private readonly door: Door) {}

  get state(): RoomState<View, Me> {
    return this.current;
  }

  /** Lets the listener know now, and after every change, until the returned function is called. */
  subscribe(listener: (state: RoomState<View, Me>) => void): () => void {
    this.listeners.add(listener);
    listener(this.current);
    return () => this.listeners.delete(listener);
  }

  /** What others say while we listen. */
  hear(ear: (said: Said) => void): () => void {
    this.ears.add(ear);
    return () => this.ears.delete(ear);
  }

  async enter(): Promise<void> {
    this.change({ stage: "entering", ended: null });
    try {
      await this.door.enter(this.address);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "internal";
      if (this.current.stage === "entering") this.change({ stage: "over", ended: code });
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
    return this.door.say(this.address, data);
  }

  /** Called by the client. */
  told(update: Update): void {
    switch (update.kind) {
      case "connecting": return this.change({ stage: "away" });
      case "online": return this.change({ stage: "inside", resumed: update.resumed, ended: null });
      case "view": return this.change(shown<View, Me>(update.shown));
      case "closing": return this.change({ expiresAt: update.expiresAt });
      case "ended": return this.change({ stage: "over", ended: update.reason });
      case "now":
        for (const said of update.messages) for (const ear of this.ears) ear(said);
    }
  }

  private change(to: Partial<RoomState<View, Me>>): void {
    this.current = { ...this.current, ...to };
    for (const listener of this.listeners) listener(this.current);
  }
}

function shown<View, Me>({ view, me, expiresAt }: Shown): Partial<RoomState<View, Me>> {
  return { view: view as View, me: me as Me, expiresAt };
}
