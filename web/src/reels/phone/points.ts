// What the last reel brought. The server says totals; phones see the new one only when the reel has ended, so the
// difference is the surprise. What was there before is kept, for a page that is loaded again in between.

import type { Screen } from "parlor-sdk/reels";

/** The score that a seat had while a reel was played. */
export interface Before {
  readonly round_id: string;
  readonly item_id: string;
  readonly player_id: string;
  readonly score: number;
}

export interface Gain {
  readonly item_id: string;
  readonly points: number;
}

export const scoreOf = (view: Screen, player_id: string | null): number | null =>
  view.players_visible.find((seat) => seat.player_id === player_id)?.score_total ?? null;

/** What to remember after this view. Only who votes on a reel can win something with it. */
export function remembered(before: Before | null, view: Screen, me: { player_id: string | null; expected: boolean; selections: readonly string[] | null }): Before | null {
  const item = view.broadcasts.NEW_ITEM;
  const score = scoreOf(view, me.player_id);
  if (me.player_id === null || score === null) return null;
  const here = before?.player_id === me.player_id ? before : null;
  if (!item || (view.status !== "vote" && view.status !== "reveal_wait")) return here;
  if (here && here.round_id === item.round_id && here.item_id === item.item_id) return here;
  if (!me.expected && me.selections === null) return null;
  return { round_id: item.round_id, item_id: item.item_id, player_id: me.player_id, score };
}

/** What the reel that ended last brought; null while one is played, and for whoever had no part in it. */
export function gain(before: Before | null, view: Screen, player_id: string | null): Gain | null {
  if (before === null || before.player_id !== player_id || view.status === "vote" || view.status === "reveal_wait") return null;
  const score = scoreOf(view, player_id);
  return score === null ? null : { item_id: before.item_id, points: score - before.score };
}

export interface Place {
  readonly rank: number;
  readonly of: number;
}

/** Who has the same number of points has the same rank. */
export function placeOf(scores: readonly { player_id: string; score_total: number }[], player_id: string | null): Place | null {
  const own = scores.find((seat) => seat.player_id === player_id);
  return own ? { rank: 1 + scores.filter((seat) => seat.score_total > own.score_total).length, of: scores.length } : null;
}
