// What a refusal means for a vote that was on its way.

import type { ParlorError } from "parlor-sdk";
import type { Verdict } from "./ballot.js";

/** The reel of the vote is closed, or the game has gone on to another. */
const LATE = new Set(["late", "not_in_vote", "conflict", "not_in_phase"]);
/** The page itself says that the game is over. */
const GONE = new Set(["closed", "deleted", "expired", "room_not_found"]);

export function verdictOf({ code, reason, retry }: Pick<ParlorError, "code" | "reason" | "retry">): Verdict {
  if (retry) return { verdict: "again" };
  if (GONE.has(code)) return { verdict: "gone" };
  const why = reason ?? code;
  return LATE.has(why) ? { verdict: "late" } : { verdict: "refused", reason: why };
}
