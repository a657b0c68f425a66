// Everything that a space holds, while it comes in pieces. Changes come between the pieces and are taken in where they stand.

import { type Entries, named, take } from "./part.js";
import type { Change, SnapshotPush } from "./words.js";

export class Snapshot {
  readonly parts = new Map<string, Entries>();

  take({ maps = {}, lists = {} }: SnapshotPush): void {
    for (const [name, map] of Object.entries(maps)) {
      const entries = this.#part(`map/${name}`);
      for (const [key, [version, value]] of Object.entries(map)) entries.set(key, { version, value, order: "" });
    }
    for (const [name, list] of Object.entries(lists)) {
      const entries = this.#part(`list/${name}`);
      for (const [id, order, version, value] of list) entries.set(id, { version, value, order });
    }
  }

  change(change: Change): void {
    take(this.#part(named(change)), change);
  }

  #part(name: string): Entries {
    const entries = this.parts.get(name) ?? new Map();
    this.parts.set(name, entries);
    return entries;
  }
}
