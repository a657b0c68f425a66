// What a map and a list have in common: what the server has said, our operations that it has not answered, and who
// listens. What is shown is the first with the second played on top.

import type { Condition, Stop } from "./api.js";
import { Listeners } from "../listeners.js";
import type { Change, Op } from "./words.js";

export interface Entry {
  readonly version: number;
  readonly value: unknown;
  /** Lists only. */
  readonly order: string;
}

export type Entries = Map<string, Entry>;

/** Something that happened, in this order. */
export interface Turn {
  /** The server said everything anew. */
  readonly base?: Entries;
  readonly changes?: readonly Change[];
  /** Operations that are settled, or are taken back. */
  readonly gone?: ReadonlySet<Op>;
  readonly added?: readonly Op[];
}

/** What a part needs of its space. */
export interface Maker {
  make(op: Op): Promise<void>;
  refuse(code: string, message: string): Promise<never>;
  name(): string;
}

/** How a part is called among all parts. */
export const named = ({ map, list }: Change): string => (map === undefined ? `list/${list}` : `map/${map}`);

export const wipes = ({ cleared, deleted }: Change): boolean => !!(cleared || deleted);

/** Takes a change in. What it says of something unknown is told again, and newer, by a later piece of the snapshot. */
export function take(entries: Entries, change: Change): void {
  const { key, id, value, order, version, removed } = change;
  const name = key ?? id;
  if (wipes(change)) entries.clear();
  if (name === undefined) return;
  const old = entries.get(name);
  if (removed) entries.delete(name);
  else if (old || (value !== undefined && (key ?? order) !== undefined)) {
    entries.set(name, {
      version: version ?? old?.version ?? 0,
      value: value === undefined ? old?.value : value,
      order: order ?? old?.order ?? "",
    });
  }
}

export abstract class Part<T> {
  protected base: Entries = new Map();
  protected pending: Op[] = [];
  /** What changed since the listeners were told; null means anything. */
  protected news: Set<string> | null = new Set();
  readonly #wholes = new Listeners<[this, ReadonlySet<string> | null]>();
  readonly #singles = new Map<string, Listeners<[T | undefined]>>();

  constructor(readonly name: string, protected readonly maker: Maker) {}

  abstract get(key: string): T | undefined;
  abstract update(turn: Turn): void;
  /** What would make the operation undone, said before it is played. */
  abstract inverse(op: Op): Op[];
  /** Whether the operation still makes sense. */
  abstract can(op: Op): boolean;

  version(key: string): number {
    return this.base.get(key)?.version ?? 0;
  }

  subscribe(of: string | ((whole: this, changed: ReadonlySet<string> | null) => void), listener?: (value: T | undefined) => void): Stop {
    if (typeof of === "function") return this.#wholes.add(of, this, null);
    const single = this.#singles.get(of) ?? new Listeners();
    this.#singles.set(of, single);
    let last = this.get(of);
    const stop = single.add((value) => {
      if (value !== last) listener?.((last = value));
    });
    listener?.(last);
    return () => {
      stop();
      if (!single.size && this.#singles.get(of) === single) this.#singles.delete(of);
    };
  }

  select<S>(selector: (whole: this) => S, listener: (selected: S) => void, equals: (one: S, other: S) => boolean = Object.is): Stop {
    let last: { value: S } | undefined;
    return this.#wholes.add(() => {
      const value = selector(this);
      if (!last || !equals(last.value, value)) listener((last = { value }).value);
    }, this, null);
  }

  tell(): void {
    const { news } = this;
    if (news?.size === 0) return;
    this.news = new Set();
    this.#wholes.tell(this, news);
    for (const key of news ?? this.#singles.keys()) this.#singles.get(key)?.tell(this.get(key));
  }

  protected op(verb: string, more: object, { ifVersion }: Condition = {}): Op {
    const [kind] = verb.split("_") as [string];
    return { do: verb, with: { [kind]: this.name, ...more, ...(ifVersion !== undefined && { if_version: ifVersion }) } };
  }

  /** `found`: whether what it is about is there. */
  protected act(verb: string, more: object, condition?: Condition, found = true): Promise<void> {
    return found ? this.maker.make(this.op(verb, more, condition)) : this.maker.refuse("not_found", "there is no such item");
  }
}

/** A copy as the server will have it, which knows no `undefined`. */
export function json<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? "null") as T;
}
