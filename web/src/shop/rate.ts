// How often a page was there already, over the last minutes: the server counts from its start, so what happened between two looks is
// the difference of their counts.

import type { Pages } from "./answers.js";

export const LOOKS_MAX = 150;

export interface Look {
  readonly at: number;
  readonly hits: number;
  readonly asked: number;
}

/** Passes are not counted: what may not be kept cannot be there. */
export const hitsOf = ({ hits, stale_hits }: Pages): number => hits + stale_hits;
export const askedOf = (pages: Pages): number => hitsOf(pages) + pages.misses;

export function looked(looks: readonly Look[], at: number, pages: Pages): readonly Look[] {
  const look = { at, hits: hitsOf(pages), asked: askedOf(pages) };
  const last = looks.at(-1);
  // A server that started anew counts from nothing: the times before it are gone.
  const kept = last && (look.asked < last.asked || look.hits < last.hits) ? [] : looks;
  return [...kept, look].slice(-LOOKS_MAX);
}

export interface Point {
  readonly at: number;
  /** From 0 to 1; null: nobody asked for anything. */
  readonly rate: number | null;
}

export function rates(looks: readonly Look[]): Point[] {
  return looks.slice(1).map(({ at, hits, asked }, before) => {
    const since = looks[before]!;
    return { at, rate: asked > since.asked ? (hits - since.hits) / (asked - since.asked) : null };
  });
}

/** Over all the looks together; before there were two of them, since the server's start. */
export function overall(looks: readonly Look[]): number | null {
  const last = looks.at(-1);
  if (!last) return null;
  const first = looks.length > 1 ? looks[0]! : { hits: 0, asked: 0 };
  const [hits, asked] = last.asked > first.asked ? [last.hits - first.hits, last.asked - first.asked] : [last.hits, last.asked];
  return asked > 0 ? hits / asked : null;
}
