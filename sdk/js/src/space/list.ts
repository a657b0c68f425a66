// A list: items with ids in an order that is the same everywhere.
//
// The rows are sorted by order. To take in what the server says, our own operations are first taken off the rows that
// they touch, and then played again on what is there now, as the server will do it. Nothing else is looked at.

import type { Condition, Inserted, Item, SharedList, Where } from "./api.js";
import { below, between, known } from "./order.js";
import { Part, type Turn, json, take, wipes } from "./part.js";
import { same } from "./same.js";
import type { Op } from "./words.js";

interface Row<T> {
  readonly order: string;
  item: Item<T>;
}

export class ListPart<T> extends Part<T> implements SharedList<T> {
  #rows: Row<T>[] = [];
  #byId = new Map<string, Row<T>>();
  /** Items as they were before a turn: what says the same afterwards stays the same object. */
  readonly #earlier = new Map<string, Item<T>>();
  #whole: readonly Item<T>[] | null = null;

  get length(): number {
    return this.#rows.length;
  }

  items(): readonly Item<T>[] {
    return (this.#whole ??= this.#rows.map(({ item }) => item));
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.item.value;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  at(index: number): Item<T> | undefined {
    return this.#rows.at(index)?.item;
  }

  indexOf(id: string): number {
    const row = this.#byId.get(id);
    if (!row) return -1;
    let index = below(this.#rows, row.order);
    // While neighbours are spaced out anew, two of them may have the same order for a moment.
    while (this.#rows[index] !== row) index += 1;
    return index;
  }

  push(value: T): Inserted {
    return this.#insert({}, value);
  }

  insertAt(index: number, value: T): Inserted {
    return this.#insert(index < this.length ? this.#behind(index - 1) : {}, value);
  }

  insertAfter(id: string | null, value: T): Inserted {
    return this.#insert({ after: id }, value);
  }

  set(id: string, value: T, condition?: Condition): Promise<void> {
    return this.act("list_set", { id, value: json(value) }, condition, this.has(id));
  }

  move(id: string, where: Where): Promise<void> {
    const from = this.indexOf(id);
    const { length } = this;
    const to = "after" in where ? where : where.at < length - 1 ? this.#behind(where.at > from ? where.at : where.at - 1) : {};
    if ("after" in to && to.after === id) return Promise.resolve();
    return this.act("list_move", { id, ...to }, {}, from >= 0 && this.#stands(to));
  }

  remove(id: string): Promise<void> {
    return this.act("list_remove", { id });
  }

  clear(): Promise<void> {
    return this.act("list_clear", {});
  }

  delete(): Promise<void> {
    return this.act("list_delete", {});
  }

  update({ base, changes = [], gone, added = [] }: Turn): void {
    const rebase = base || gone || changes.length > 0;
    const ops = [...(rebase ? this.pending : []), ...added];
    const all = !!base || changes.some(wipes) || ops.some((op) => op.with.id === undefined);
    const before = new Map<string, readonly [Item<T> | undefined, number]>();
    if (!all) for (const { id } of [...changes, ...ops.map((op) => op.with)]) if (id !== undefined) before.set(id, this.#spot(id));
    if (rebase) {
      if (base) this.base = base;
      if (!all) for (const op of this.pending) this.#put(op.with.id!);
      for (const change of changes) {
        take(this.base, change);
        if (!all && change.id !== undefined) this.#put(change.id);
      }
      if (all) this.#rebuild();
      if (gone) this.pending = this.pending.filter((op) => !gone.has(op));
      for (const op of this.pending) this.play(op);
    }
    for (const op of added) {
      this.pending.push(op);
      this.play(op);
    }
    this.#earlier.clear();
    if (all) this.news = this.#whole = null;
    for (const [id, [item, index]] of before) {
      const [now, where] = this.#spot(id);
      if (item === now && index === where) continue;
      this.news?.add(id);
      this.#whole = null;
    }
  }

  can({ do: verb, with: { id = "" } }: Op): boolean {
    return verb === "list_insert" ? !this.has(id) : verb === "list_remove" || this.has(id);
  }

  inverse({ do: verb, with: { id } }: Op): Op[] {
    if (verb === "list_insert") return [this.op("list_remove", { id })];
    const back = ({ item }: Row<T>, index: number) => this.op("list_insert", { ...item, ...this.#behind(index - 1) });
    if (id === undefined) return this.#rows.map(back);
    const row = this.#byId.get(id);
    if (!row) return [];
    if (verb === "list_set") return [this.op("list_set", { ...row.item })];
    const index = this.indexOf(id);
    return [verb === "list_move" ? this.op("list_move", { id, ...this.#behind(index - 1) }) : back(row, index)];
  }

  #insert(where: { after?: string | null }, value: T): Inserted {
    const id = this.maker.name();
    return { id, done: this.act("list_insert", { id, value: json(value), ...where }, {}, this.#stands(where)) };
  }

  /** Whether the neighbour is there. */
  #stands({ after }: { after?: string | null }): boolean {
    return !after || this.has(after);
  }

  /** After the row of that index, and where that one is, in case it goes. */
  #behind(index: number): { after: string | null; order?: string } {
    const row = this.#rows[index];
    if (!row) return { after: null };
    const order = known(row.order);
    return { after: row.item.id, ...(order && { order }) };
  }

  #spot(id: string): readonly [Item<T> | undefined, number] {
    return [this.#byId.get(id)?.item, this.indexOf(id)];
  }

  /** As the server has it. */
  #put(id: string): void {
    const entry = this.base.get(id);
    this.#show(id, entry?.order, entry?.value as T);
  }

  #show(id: string, order: string | undefined, value?: T): void {
    const row = this.#byId.get(id);
    if (row && !this.#earlier.has(id)) this.#earlier.set(id, row.item);
    if (row && row.order === order) {
      row.item = this.#item(id, value as T);
      return;
    }
    if (row) {
      this.#rows.splice(this.indexOf(id), 1);
      this.#byId.delete(id);
    }
    if (order === undefined) return;
    const fresh = { order, item: this.#item(id, value as T) };
    this.#rows.splice(below(this.#rows, order), 0, fresh);
    this.#byId.set(id, fresh);
  }

  #item(id: string, value: T): Item<T> {
    const item = this.#earlier.get(id);
    return item && same(item.value, value) ? item : { id, value };
  }

  #rebuild(): void {
    for (const { item } of this.#rows) this.#earlier.set(item.id, item);
    this.#byId = new Map([...this.base].map(([id, { order, value }]) => [id, { order, item: this.#item(id, value as T) }]));
    this.#rows = [...this.#byId.values()].sort((one, other) => (one.order < other.order ? -1 : 1));
  }

  private play(op: Op): void {
    const { id, value } = op.with;
    const row = this.#byId.get(id ?? "");
    switch (op.do) {
      case "list_insert":
        if (!row) this.#place(op, value as T);
        return;
      case "list_move":
        if (row) this.#place(op, row.item.value);
        return;
      case "list_set":
        if (row) this.#show(id!, row.order, value as T);
        return;
      case "list_remove": return this.#show(id!, undefined);
      default:
        this.#rows = [];
        this.#byId.clear();
    }
  }

  #place({ with: words }: Op, value: T): void {
    const { after } = words;
    const id = words.id!;
    const anchor = this.#byId.get(after ?? "");
    // The newest place of the neighbour that the server knows is the best word for where we meant.
    const order = this.base.get(after ?? "")?.order ?? words.order ?? (anchor && known(anchor.order));
    if (after && order) words.order = order;
    if (after && !anchor && !order) return;
    this.#show(id, undefined);
    let index = this.#rows.length;
    if (after === null) index = 0;
    else if (after !== undefined) {
      const place = anchor?.order ?? order!;
      index = below(this.#rows, place);
      if (this.#rows[index]?.order === place) index += 1;
    }
    this.#show(id, between(this.#rows[index - 1]?.order, this.#rows[index]?.order), value);
  }
}
