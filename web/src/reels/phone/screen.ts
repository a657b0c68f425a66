// Which picture the phone shows, from what the server says and nothing else.

import type { ReelsMe, Screen } from "parlor-sdk/reels";

export type Shown =
  /** Seats to choose from. */
  | "seats"
  | "lobby"
  | "idle"
  | "vote"
  /** A vote is open and we have no part in it: we came after it began. */
  | "next"
  | "reveal"
  | "recap"
  | "over";

export function shownFor(view: Screen, me: ReelsMe): Shown {
  if (view.phase === "over") return "over";
  if (me.player_id === null) return "seats";
  if (view.phase === "lobby") return "lobby";
  switch (view.status) {
    case "vote": return me.expected ? "vote" : "next";
    case "reveal_wait": return "reveal";
    case "round_recap": return "recap";
    default: return "idle";
  }
}
