// Whether a game can begin, and what it waits for.

import type { MasterSeat } from "parlor-sdk/reels";

export type NotYet = { readonly why: "few"; readonly have: number } | { readonly why: "free"; readonly names: readonly string[] };

export const PLAYERS_MIN = 2;

/** Null when everybody is there. */
export function notYet(seats: readonly MasterSeat[]): NotYet | null {
  const active = seats.filter((seat) => seat.active);
  if (active.length < PLAYERS_MIN) return { why: "few", have: active.length };
  const free = active.filter(({ status }) => status === "free").map(({ name }) => name);
  return free.length > 0 ? { why: "free", names: free } : null;
}

/** The seats to leave out so that those who came can begin; empty when that would leave too few. */
export function absent(seats: readonly MasterSeat[]): readonly MasterSeat[] {
  const active = seats.filter((seat) => seat.active);
  const free = active.filter(({ status }) => status === "free");
  return active.length - free.length >= PLAYERS_MIN ? free : [];
}

/** A few names, and how many more: a sentence has no room for fifty. */
export function fewOf(names: readonly string[], most = 4): { names: readonly string[]; more: number } {
  // "And one more" is no shorter than the name.
  if (names.length <= most + 1) return { names, more: 0 };
  return { names: names.slice(0, most), more: names.length - most };
}
