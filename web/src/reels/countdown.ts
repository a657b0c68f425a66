// Times as the pages show them.

/** Whole seconds until then, as a countdown says them: 1 until the very end, 0 after it. Null when nothing ends. */
export function secondsLeft(until: number | null | undefined, now: number): number | null {
  return until === null || until === undefined ? null : Math.max(0, Math.ceil((until - now) / 1000));
}

/** A game's last minutes are announced; before that nobody needs to know. */
export const CLOSING_MS = 10 * 60_000;

/** Minutes left when the end is near, else null. */
export function minutesLeft(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null || expiresAt - now > CLOSING_MS) return null;
  return Math.max(1, Math.ceil((expiresAt - now) / 60_000));
}
