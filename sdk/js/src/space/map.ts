// A map: key to value, the last writer in the room's order wins.

import type { Condition, SharedMap } from "./api.js";
import { Part, type Turn, json, take, wipes } from "./part.js";
import { same } from "./same.js";
import type { Op } from "./words.js";

export class MapPart<T> extends Part<T> implements SharedMap<T> {
  readonly #shown = new Map<string, T>();
  /** Our last operation on each key, and whether one before them all wipes what the server has. */
  readonly #over = new Map<string, Op>();
  #wiped = false;
  #whole: Readonly<Record<string, T>> | null = null;

  get size(): number {
    return this.#shown.size;
  }

  get(key: string): T | undefined {
    return this.#shown.get(key);
  }

  has(key: string): boolean {
    return this.#shown.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#shown.keys();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#shown.entries();
  }

  toJSON(): Readonly<Record<string, T>> {
    return (this.#whole ??= Object.fromEntries(this.#shown));
  }

  set(key: string, value: T, condition?: Condition): Promise<void> {
    return this.act("map_set", { key, value: json(value) }, condition);
  }

  remove(key: string, condition?: Condition): Promise<void> {
    return this.act("map_remove", { key }, condition);
  }

  clear(): Promise<void> {
    return this.act("map_clear", {});
  }

  delete(): Promise<void> {
    return this.act("map_delete", {});
  }

  update({ base, changes = [], gone, added = [] }: Turn): void {
    const keys = new Set<string>();
    let all = !!base || changes.some(wipes);
    const touch = ({ with: { key } }: Op) => {
      if (key === undefined) all = true;
      else keys.add(key);
    };
    if (base) this.base = base;
    for (const change of changes) {
      take(this.base, change);
      if (change.key !== undefined) keys.add(change.key);
    }
    if (gone) {
      for (const op of this.pending) if (gone.has(op)) touch(op);
      this.pending = this.pending.filter((op) => !gone.has(op));
      this.#over.clear();
      this.#wiped = false;
      for (const op of this.pending) this.#play(op);
    }
    for (const op of added) {
      this.pending.push(op);
      this.#play(op);
      touch(op);
    }
    if (all) for (const some of [this.#shown, this.base, this.#over]) for (const key of some.keys()) keys.add(key);
    for (const key of keys) this.#show(key);
  }

  can(): boolean {
    return true;
  }

  inverse({ do: verb, with: { key } }: Op): Op[] {
    const back = (key: string): Op => {
      const value = this.#shown.get(key);
      return value === undefined ? this.op("map_remove", { key }) : this.op("map_set", { key, value });
    };
    if (key === undefined) return [...this.#shown.keys()].map(back);
    return verb === "map_set" || this.#shown.has(key) ? [back(key)] : [];
  }

  #play(op: Op): void {
    if (op.with.key !== undefined) this.#over.set(op.with.key, op);
    else {
      this.#over.clear();
      this.#wiped = true;
    }
  }

  #show(key: string): void {
    const op = this.#over.get(key);
    const value = (op ? op.with.value : this.#wiped ? undefined : this.base.get(key)?.value) as T | undefined;
    const old = this.#shown.get(key);
    // What says the same stays the same object.
    if (value === undefined ? old === undefined : old !== undefined && same(old, value)) return;
    if (value === undefined) this.#shown.delete(key);
    else this.#shown.set(key, value);
    this.news?.add(key);
    this.#whole = null;
  }
}
