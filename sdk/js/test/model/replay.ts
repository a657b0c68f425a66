// What a client must show: what the server has told it, and its own unanswered operations done on top, as naively as possible.

import { expect } from "vitest";
import type { Item, Space } from "../../src/space/api.js";
import type { Entries } from "../../src/space/part.js";
import type { Op } from "../../src/space/words.js";

interface Inside {
  readonly parts: Map<string, { readonly base: Entries }>;
  readonly done: { ops: Op[] }[];
  readonly flight: { ops: Op[] }[] | null;
  readonly queue: { ops: Op[] }[];
}

/** Throws when the client shows something else. */
export function showsItsOwn(space: Space): void {
  const { parts, done, flight, queue } = space as unknown as Inside;
  const pending = [...done, ...(flight ?? []), ...queue].flatMap(({ ops }) => ops);
  for (const [path, { base }] of parts) {
    const [kind, name] = path.split("/") as ["map" | "list", string];
    const mine = pending.filter((op) => op.with[kind] === name);
    if (kind === "map") {
      const shown = JSON.stringify([...space.map(name).entries()].sort());
      const due = JSON.stringify([...map(base, mine)].sort());
      if (shown !== due) expect.fail(`map ${name} shows ${shown} instead of ${due}`);
    } else {
      const due = list(base, mine);
      const shown = JSON.stringify(space.list(name).items());
      if (due && shown !== JSON.stringify(due)) expect.fail(`list ${name} shows ${shown} instead of ${JSON.stringify(due)}`);
    }
  }
}

function map(base: Entries, ops: readonly Op[]): Map<string, unknown> {
  const values = new Map([...base].map(([key, { value }]) => [key, value]));
  for (const { do: verb, with: { key, value } } of ops) {
    if (verb === "map_set") values.set(key!, value);
    else if (verb === "map_remove") values.delete(key!);
    else values.clear();
  }
  return values;
}

/** Null when a neighbour is gone: then the place is a matter of orders, and only the server's word counts. */
function list(base: Entries, ops: readonly Op[]): Item<unknown>[] | null {
  const items = [...base].sort(([, one], [, other]) => (one.order < other.order ? -1 : 1)).map(([id, { value }]) => ({ id, value }));
  const find = (id: string | null | undefined) => items.findIndex((item) => item.id === id);
  for (const { do: verb, with: { id, value, after } } of ops) {
    const here = find(id);
    if (verb === "list_insert" && here >= 0) continue;
    if ((verb === "list_move" || verb === "list_set") && here < 0) continue;
    switch (verb) {
      case "list_insert": case "list_move": {
        if (after && find(after) < 0) return null;
        const item = here < 0 ? { id: id!, value } : items.splice(here, 1)[0]!;
        items.splice(after === undefined ? items.length : find(after) + 1, 0, item);
        break;
      }
      case "list_set":
        items[here] = { id: id!, value };
        break;
      case "list_remove":
        if (here >= 0) items.splice(here, 1);
        break;
      default: items.length = 0;
    }
  }
  return items;
}
