// What a program sees of a space: maps, lists, presences, and who is here. Words only; the files beside it do it.
//
// Everything reads at once from memory: what the server has said, with our own changes that it has not answered yet
// on top. Every change returns a promise that settles with the server's answer; nobody has to wait for it, and one
// that is refused takes its change back from what is shown. What a listener is given is never changed afterwards.

import type { ParlorError } from "../error.js";
import type { Said } from "../wire.js";

/** Ends what it was given for; calling it twice is fine. */
export type Stop = () => void;

/** Who may do what in a space. Each right implies those before it. */
export type Right = "read" | "presence" | "write" | "admin";
export type Admission = "none" | "read" | "write";

/** What a new space should be like; all of it may be left out. */
export interface SpaceWish {
  readonly name?: string;
  /** What people with only a user key may do; `none` unless said. */
  readonly guests?: Admission;
  /** What people who are logged in may do; `write` unless said. */
  readonly members?: Admission;
  /** How long it lives after it was last used; for ever unless said. */
  readonly life_minutes?: number;
}

export interface SpaceSettings {
  readonly name: string | null;
  readonly guests: Admission;
  readonly members: Admission;
  readonly life_minutes: number | null;
}

export interface EnterOptions {
  /** The key that was given to whoever made the space; the keyring is asked when it is left out. */
  readonly hostKey?: string;
}

/** From a token's `info`, or `{name}` of a session, or nothing. */
export type Info = { readonly name?: string; readonly [more: string]: unknown } | null;

export interface Person {
  readonly userId: string;
  readonly info: Info;
}

/** Somebody's value in a presence. */
export interface Present<T> extends Person {
  readonly value: T;
}

export interface SpaceState {
  /** `entering` until we have all of it, `away` while the connection is gone, `over` when it ended for us. */
  readonly stage: "entering" | "inside" | "away" | "over";
  /** How many of our changes the server has not answered yet. */
  readonly pending: number;
  /** Whether the server has all of our changes. */
  readonly saved: boolean;
  /** Why it is over: `deleted`, `expired`, `kicked`, `closed` when we left, or an error's code. */
  readonly ended: string | null;
  /** Its settings; null before we were let in. */
  readonly space: SpaceSettings | null;
  /** When it ends, in the server's milliseconds, if that is known. */
  readonly expiresAt: number | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export interface Space {
  /** `space/<id>` */
  readonly address: string;
  readonly state: SpaceState;
  /** Who we are here; null before we were let in. */
  readonly me: { readonly userId: string; readonly rights: readonly Right[] } | null;
  /** Everybody who is connected now, we among them. The same array until it changes. */
  readonly who: readonly Person[];
  /** The position up to which we know everything, `<epoch>-<commit>`. */
  readonly at: string | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;

  /** Goes in; resolves when everything is there, rejects with the server's code. Being in already is fine. */
  enter(options?: EnterOptions): Promise<this>;
  /** Goes out. Changes that the server has not answered reject with `closed`. */
  leave(): void;

  /** The map of that name; it comes into being with its first entry. */
  map<T = unknown>(name: string): SharedMap<T>;
  /** The list of that name; it comes into being with its first item. */
  list<T = unknown>(name: string): SharedList<T>;
  presence<T = unknown>(name: string): Presence<T>;

  /** Tells the listener now, and after every change of stage, pending changes, settings, people or undo. */
  subscribe(listener: (state: SpaceState) => void): Stop;
  /** Tells of every change of ours that the server refused, also when nobody waits for its promise. */
  refused(listener: (error: ParlorError) => void): Stop;

  /**
   * Changes that are made inside of `work` (which must not wait for anything) are done all or not at all, and are one
   * step to undo. At most 64 of them and 48 KiB. When `work` throws, nothing has happened.
   */
  batch(work: () => void): Promise<void>;

  /** To everyone else who is here now; not kept. Says whether it was sent: without a connection nobody hears it. */
  broadcast(data: unknown): boolean;
  hear(ear: (said: Said) => void): Stop;

  /**
   * Takes our last change of a map or list back, by a new change: what had been set gets its old value again, also when
   * somebody else has set it since; what had been removed returns to its old place. Does nothing when there is nothing
   * to undo. What others did is never undone.
   */
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** Changes from here until the returned function is called are one step to undo, for instance while something is dragged. */
  oneStep(): Stop;

  /** Changes the settings (admin). A name that is null takes it away. */
  update(settings: Partial<Pick<SpaceSettings, "name" | "guests" | "members">>): Promise<void>;
  /** Ends the space for everyone, with everything in it (admin). */
  delete(): Promise<void>;
}

/** When it is to happen only if nobody changed the thing meanwhile; 0 means only if it is not there. */
export interface Condition {
  readonly ifVersion?: number;
}

export interface SharedMap<T> {
  readonly name: string;
  readonly size: number;
  get(key: string): T | undefined;
  has(key: string): boolean;
  /** In no particular order. */
  keys(): IterableIterator<string>;
  entries(): IterableIterator<[string, T]>;
  /** All of it; the same object until something changes. */
  toJSON(): Readonly<Record<string, T>>;
  /** The number of the commit that last set it, as far as the server has told; 0 when it is not there. */
  version(key: string): number;

  /** The value is copied as JSON. */
  set(key: string, value: T, condition?: Condition): Promise<void>;
  remove(key: string, condition?: Condition): Promise<void>;
  /** Removes all entries. */
  clear(): Promise<void>;
  /** Removes the map itself too. */
  delete(): Promise<void>;

  /** Tells now and after every change; `changed` has the keys, and is null when it may be any. */
  subscribe(listener: (map: SharedMap<T>, changed: ReadonlySet<string> | null) => void): Stop;
  /** Tells the value of one key now and whenever it changes. */
  subscribe(key: string, listener: (value: T | undefined) => void): Stop;
  /** Tells what the selector gives, now and whenever that changes; `equals` is `Object.is` unless said. */
  select<S>(selector: (map: SharedMap<T>) => S, listener: (selected: S) => void, equals?: (one: S, other: S) => boolean): Stop;
}

export interface Item<T> {
  readonly id: string;
  readonly value: T;
}

/** A new item: its id is known at once, `done` settles with the server's answer. */
export interface Inserted {
  readonly id: string;
  readonly done: Promise<void>;
}

/** Where an item goes: the index that it has afterwards, or after which other; null is the very beginning. */
export type Where = { readonly at: number } | { readonly after: string | null };

export interface SharedList<T> {
  readonly name: string;
  readonly length: number;
  /** All of it in order; the same array until something changes, and the same item objects as long as they are the same. */
  items(): readonly Item<T>[];
  get(id: string): T | undefined;
  has(id: string): boolean;
  /** Counted from 0, or from the end when below 0. */
  at(index: number): Item<T> | undefined;
  /** -1 when it is not there. */
  indexOf(id: string): number;
  version(id: string): number;

  /** Values are copied as JSON. */
  push(value: T): Inserted;
  insertAt(index: number, value: T): Inserted;
  insertAfter(id: string | null, value: T): Inserted;
  set(id: string, value: T, condition?: Condition): Promise<void>;
  move(id: string, where: Where): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes all items. */
  clear(): Promise<void>;
  /** Removes the list itself too. */
  delete(): Promise<void>;

  /** Tells now and after every change; `changed` has the ids, and is null when it may be any. */
  subscribe(listener: (list: SharedList<T>, changed: ReadonlySet<string> | null) => void): Stop;
  /** Tells the value of one item now and whenever it changes. */
  subscribe(id: string, listener: (value: T | undefined) => void): Stop;
  select<S>(selector: (list: SharedList<T>) => S, listener: (selected: S) => void, equals?: (one: S, other: S) => boolean): Stop;
}

/** Left, top, right and bottom of what is seen. */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number];

export interface Presence<T> {
  readonly name: string;
  /** What we set; undefined before that and after `remove`. */
  readonly mine: T | undefined;
  /** Everybody else who has a value. The same array until it changes. */
  others(): readonly Present<T>[];
  /** The same, and we ourselves if we have a value, here or in another tab. */
  all(): readonly Present<T>[];

  /**
   * Sets our value, whole. Sent at most every 40 ms, the newest value always; renewed while we are connected, and said
   * again when we come back. `seconds` is how long it outlives the last word from us if no close of the connection is
   * noticed, 1 to 3600.
   */
  set(value: T, options?: { readonly seconds?: number }): void;
  remove(): void;
  /** Only values whose numbers `x` and `y` lie in the box are worth sending to us; null: everything again. */
  view(box: Box | null): void;
  /** Tells now and after every change. */
  subscribe(listener: (presence: Presence<T>) => void): Stop;
}

/** One frame as it passed, for panels that show the wire. */
export interface Frame {
  readonly way: "in" | "out";
  /** Our clock's milliseconds. */
  readonly at: number;
  /** Size on the wire before compression, in UTF-8. */
  readonly bytes: number;
  readonly text: string;
}
