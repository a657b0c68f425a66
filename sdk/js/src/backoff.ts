// How long to wait before trying again: doubling, bounded, and never in step with others.

export const FIRST_MS = 100;
export const LONGEST_MS = 10_000;

/** Between half of the step and the whole of it; `dice`, from 0 up to 1, chooses. */
export function backoff(attempt: number, dice: number): number {
  const step = Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
  return Math.round(step / 2 + (step / 2) * dice);
}

/** Somewhere from nothing to `most`. */
export function spread(most: number, dice: number): number {
  return Math.round(most * dice);
}
