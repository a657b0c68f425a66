// What a connection knows, what can happen to it, and what it can want done. Words only; `connection` moves.

import type { Failure, Place, Update, Words } from "./wire.js";

/** Names who waits for an answer; `client` knows how to reach them. */
export type Token = number;

export type Alarm =
  | { readonly alarm: "reopen" }
  | { readonly alarm: "opening"; readonly opening: number }
  | { readonly alarm: "retry"; readonly room: string }
  | { readonly alarm: "beat"; readonly beat: number };

export type Input =
  | { readonly input: "start" }
  | { readonly input: "stop" }
  | { readonly input: "opened" }
  /** The code is the WebSocket's, when the socket closed by itself. */
  | { readonly input: "lost"; readonly code?: number }
  | { readonly input: "heard"; readonly text: string }
  | { readonly input: "rang"; readonly alarm: Alarm }
  /** The machine woke up, the network came back, or somebody pressed "try now". */
  | { readonly input: "woke" }
  /** From now on we are somebody else: with a session, or without one, or the guest of another key. */
  | { readonly input: "identify"; readonly session: Session; readonly userKey?: string }
  /** One question, one answer; not repeated after a cut. */
  | { readonly input: "ask"; readonly token: Token; readonly verb: string; readonly room?: string; readonly with?: unknown }
  | { readonly input: "enter"; readonly token: Token; readonly room: string; readonly hostKey?: string | undefined }
  | { readonly input: "exit"; readonly room: string }
  | { readonly input: "act"; readonly token: Token; readonly room: string; readonly verb: string; readonly with: unknown }
  /** Said without an answer; `say` itself, unless another verb is named. */
  | { readonly input: "say"; readonly room: string; readonly data: unknown; readonly verb?: string }
  /** The app's token, or that there is none to be had now. */
  | { readonly input: "token"; readonly token: string | null };

export type Effect =
  | { readonly effect: "open" }
  | { readonly effect: "close" }
  | { readonly effect: "send"; readonly text: string }
  | { readonly effect: "ring"; readonly ms: number; readonly alarm: Alarm }
  | { readonly effect: "answer"; readonly token: Token; readonly ok?: Words; readonly error?: Failure }
  | { readonly effect: "tell"; readonly room: string; readonly update: Update }
  | { readonly effect: "status"; readonly status: Status }
  /** A guest's key was made: it is said only once. */
  | { readonly effect: "keep"; readonly userKey: string }
  /** The app is to be asked for a token. */
  | { readonly effect: "authorize" }
  /** The session we showed is no more. */
  | { readonly effect: "signed_out" }
  /** The server's clock minus ours, and how long the question took there and back, in milliseconds. */
  | { readonly effect: "clock"; readonly offset: number; readonly latency: number };

export type Status =
  | { readonly phase: "idle" }
  | { readonly phase: "connecting" }
  | { readonly phase: "waiting"; readonly until: number }
  | { readonly phase: "online"; readonly userName?: string | undefined; readonly expiresAt?: number | undefined }
  /** The server does not want us as we are, and trying again will not help. */
  | { readonly phase: "refused"; readonly error: Failure };

/**
 * How we prove who we are: not at all, by the browser's cookie, by a token, or by one that the app gives when it is asked.
 * `fresh` is a token that no server has accepted yet.
 */
export type Session =
  | { readonly by: "nothing" }
  | { readonly by: "cookie" }
  | { readonly by: "token"; readonly token: string }
  | { readonly by: "app"; readonly token: string | null; readonly fresh: boolean };

/** Chance and time, from outside. */
export interface Moment {
  readonly now: number;
  readonly dice: number;
}

export type Asked =
  | { readonly for: "hello" }
  | { readonly for: "enter"; readonly room: string }
  | { readonly for: "act"; readonly room: string; readonly n: number }
  | { readonly for: "ask"; readonly token: Token }
  | { readonly for: "clock"; readonly sentAt: number }
  | { readonly for: "nobody" };

export interface Pending {
  readonly token: Token;
  readonly n: number;
  readonly verb: string;
  readonly with: unknown;
  sent: boolean;
  /** How often the connection was lost while this was under way. */
  cuts: number;
}

export interface Question {
  readonly token: Token;
  readonly verb: string;
  readonly room?: string | undefined;
  readonly with?: unknown;
}

/** One room as the connection knows it. */
export interface Seat {
  hostKey: string | undefined;
  /** Who waits to be let in for the first time. */
  entering: Token | null;
  stage: "outside" | "knocking" | "inside" | "over";
  place: Place | null;
  /** Whether all of it is still to be shown. What we had before stays what we have until the end of that. */
  building: boolean;
  /** Where what comes next begins: `place`, or within a snapshot where that has got to, or null before it begins. */
  near: Place | null;
  tries: number;
  resting: boolean;
  acts: Pending[];
}

export interface State {
  userKey: string | undefined;
  session: Session;
  readonly client: string;
  /** Whether patches are asked for; an older server refuses the word, then we do without. */
  patches: boolean;
  phase: "idle" | "down" | "opening" | "greeting" | "online";
  failures: number;
  /** Set by the server's bye: come back somewhere within this time. */
  spreadOver: number | null;
  /** Counts attempts, so that an alarm knows whether it is about this one. */
  opening: number;
  beat: number;
  heardSinceBeat: boolean;
  lastId: number;
  nextNumber: number;
  asked: Map<number, Asked>;
  questions: Question[];
  seats: Map<string, Seat>;
}

export interface Beginning {
  readonly client: string;
  readonly userKey?: string | undefined;
  readonly session?: Session;
  readonly nextNumber?: number;
  readonly patches?: boolean;
}

export function begin({ client, userKey, session = { by: "nothing" }, nextNumber = 1, patches = true }: Beginning): State {
  return {
    userKey, session, client, patches, phase: "idle", failures: 0, spreadOver: null, opening: 0, beat: 0, heardSinceBeat: false,
    lastId: 0, nextNumber, asked: new Map(), questions: [], seats: new Map(),
  };
}

/** A state that may be changed without changing the one it came from. */
export function copy(state: State): State {
  const seats = [...state.seats].map(([room, seat]): [string, Seat] =>
    [room, { ...seat, acts: seat.acts.map((act) => ({ ...act })) }]);
  return { ...state, asked: new Map(state.asked), questions: [...state.questions], seats: new Map(seats) };
}
