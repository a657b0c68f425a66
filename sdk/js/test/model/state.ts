// What a space holds and what operations do to it, as the protocol says it: the plainest form that can be read against
// the document. Orders are deliberately short, so that the server has to space neighbours out anew again and again.

import type { Change, Op } from "../../src/space/words.js";

export interface Cell {
  order: string;
  version: number;
  value: unknown;
}

export type Parts = Map<string, Map<string, Cell>>;

export class Refused extends Error {
  constructor(readonly code: string, readonly retry = false) {
    super(code);
  }
}

export const copyParts = (parts: Parts): Parts => new Map([...parts].map(([name, cells]) => [name, new Map([...cells].map(([key, cell]) => [key, { ...cell }]))]));

const DIGITS = 4;
const ALL = 36 ** DIGITS;
const text = (order: number) => Math.floor(order).toString(36).padStart(DIGITS, "0");
const number = (order: string) => parseInt(order, 36);

/** A list's items in order. */
export const inOrder = (cells: Map<string, Cell>): [string, Cell][] => [...cells].sort(([, one], [, other]) => (one.order < other.order ? -1 : 1));

/** Does one operation, or throws `Refused` (and then the parts must be thrown away). */
export function perform(parts: Parts, { do: verb, with: words }: Op, version: number): Change[] {
  const [kind, deed] = verb.split("_") as [string, string];
  const name = (words as Record<string, unknown>)[kind];
  if (typeof name !== "string" || (kind !== "map" && kind !== "list")) throw new Refused("bad_request");
  const path = `${kind}/${name}`;
  const part = { [kind]: name } as Change;
  const key = kind === "map" ? words.key : words.id;
  const cells = parts.get(path);
  const cell = key === undefined ? undefined : cells?.get(key);
  const named = kind === "map" ? { key: key! } : { id: key! };
  if (words.if_version !== undefined && words.if_version !== (cell?.version ?? 0)) throw new Refused("version_mismatch");
  if (JSON.stringify(words.value)?.includes('"bad"')) throw new Refused("bad_request");
  switch (deed) {
    case "clear": case "delete": {
      if (!cells) return [];
      if (deed === "delete") parts.delete(path);
      else cells.clear();
      return [{ ...part, ...(deed === "delete" ? { deleted: true } : { cleared: true }) } as Change];
    }
    case "remove":
      return cells?.delete(key!) ? [{ ...part, ...named, removed: true }] : [];
    case "insert": {
      if (cell) throw new Refused("exists");
      const made = cells ?? new Map<string, Cell>();
      parts.set(path, made);
      const [order, moved] = place(made, words);
      made.set(key!, { order, version, value: words.value });
      return [...respaced(part, moved), { ...part, ...named, order, value: words.value, version }];
    }
    case "move": {
      if (!cells || !cell) throw new Refused("not_found");
      const others = new Map([...cells].filter(([id]) => id !== key));
      const [order, moved] = place(others, words);
      cell.order = order;
      return [...respaced(part, moved), { ...part, ...named, order }];
    }
    case "set": {
      if (kind === "list" && !cell) throw new Refused("not_found");
      const made = cells ?? new Map<string, Cell>();
      parts.set(path, made);
      made.set(key!, { order: cell?.order ?? "", version, value: words.value });
      return [{ ...part, ...named, value: words.value, version }];
    }
    default: throw new Refused("bad_request");
  }
}

const respaced = (part: Change, moved: [string, Cell][]): Change[] => moved.map(([id, { order }]) => ({ ...part, id, order }));

/** An order for what goes there, and the items whose order had to change for it. */
function place(cells: Map<string, Cell>, words: Op["with"]): [string, [string, Cell][]] {
  const items = inOrder(cells);
  let index = items.length;
  if (words.after === null) index = 0;
  else if (words.after !== undefined) {
    const found = items.findIndex(([id]) => id === words.after);
    if (found < 0 && words.order === undefined) throw new Refused("not_found");
    index = found >= 0 ? found + 1 : items.filter(([, { order }]) => order <= words.order!).length;
  }
  const low = index > 0 ? number(items[index - 1]![1].order) : 0;
  const high = index < items.length ? number(items[index]![1].order) : low + 40;
  const middle = Math.floor((low + high) / 2);
  if (middle > low && middle < ALL) return [text(middle), []];
  const step = ALL / (items.length + 2);
  const moved = items.filter(([, cell], at) => {
    const order = text(step * (at + (at < index ? 1 : 2)));
    const other = cell.order !== order;
    cell.order = order;
    return other;
  });
  return [text(step * (index + 1)), moved];
}
