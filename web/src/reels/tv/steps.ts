// The reveal in six steps: votes appear over the players, the true senders grow, they move to the slots, right votes turn
// green and wrong ones red, scores count up, and everything is cleared for the next reel.

import type { Guess, VoteResults } from "parlor-sdk/reels";

export const STEPS = ["votes", "grow", "slots", "judge", "scores", "clear"] as const;
export type Step = (typeof STEPS)[number];

/** The votes come one by one, but a room of fifty does not wait for a minute. */
const VOTES_MS = { each: 260, least: 1600, most: 5200 };
const LASTS_MS: Record<Exclude<Step, "votes" | "clear">, number> = { grow: 1900, slots: 1900, judge: 2400, scores: 2600 };

/** How long a step stays when nobody presses a key; the last stays until somebody does. */
export function lasts(step: Step, voters: number): number | null {
  if (step === "clear") return null;
  return step === "votes" ? Math.min(VOTES_MS.most, Math.max(VOTES_MS.least, voters * VOTES_MS.each + 900)) : LASTS_MS[step];
}

/** When a player's vote appears, counted from the beginning of the first step. */
export function voteDelay(at: number, voters: number): number {
  return Math.round((at * (lasts("votes", voters)! - 900)) / Math.max(1, voters));
}

export function after(step: Step): Step | null {
  return STEPS[STEPS.indexOf(step) + 1] ?? null;
}

/** Whether the reveal is at that step or past it. */
export function reached(now: Step | null, step: Step): boolean {
  return now !== null && STEPS.indexOf(now) >= STEPS.indexOf(step);
}

export type Verdict = "right" | "wrong" | null;

/** What a vote for that sender was worth; null while it is not judged. */
export function verdict(guess: Guess, sender_id: string, now: Step | null): Verdict {
  if (!reached(now, "judge")) return null;
  return guess.correct.includes(sender_id) ? "right" : "wrong";
}

/** Scores as the screen shows them: what they were until they count up. */
export function scoreAt(guess: Guess, now: Step | null): number {
  return reached(now, "scores") ? guess.score_total : guess.score_total - guess.points_gained;
}

/** Which reveal this is: a reload begins it anew, the next reel has another. */
export const nameOf = ({ round_id, item_id }: VoteResults): string => `${round_id}/${item_id}`;
