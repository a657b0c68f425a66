// The cart as the visitor sees it: what the server last said, and on top of it their own changes that it has not answered yet. Pure.

import type { CartWords, Change, Line } from "./words.js";

/** How many of one item a cart may hold; the server makes this of more. */
export const QUANTITY_MAX = 9_999;

export const NOTHING: CartWords = { lines: [], items: 0, count: 0, expires_at: null };

export function changed(cart: CartWords, changes: readonly Change[]): CartWords {
  if (changes.length === 0) return cart;
  const quantities = new Map(cart.lines.map(({ item, quantity }) => [item, quantity]));
  for (const change of changes) {
    if (change.verb === "clear") {
      quantities.clear();
      continue;
    }
    const item = change.item!;
    const before = quantities.get(item) ?? 0;
    const after = change.verb === "remove" ? 0 : change.verb === "set" ? change.quantity! : before + change.quantity!;
    if (after > 0) quantities.set(item, Math.min(after, QUANTITY_MAX));
    else quantities.delete(item);
  }
  const lines: Line[] = [...quantities].map(([item, quantity]) => ({ item, quantity }));
  lines.sort((one, other) => (one.item < other.item ? -1 : 1));
  return { ...cart, lines, items: lines.length, count: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}
