// Who is ahead.

export interface Entry {
  readonly player_id: string;
  readonly score: number;
}

export type Placed<E extends Entry> = E & { readonly rank: number };

/** Best first; equals share a rank and keep the order in which they came, so that nobody moves without a reason. */
export function standings<E extends Entry>(entries: readonly E[]): Placed<E>[] {
  const sorted = [...entries].sort((one, other) => other.score - one.score);
  let rank = 0;
  return sorted.map((entry, at) => {
    if (at === 0 || entry.score !== sorted[at - 1]!.score) rank = at + 1;
    return { ...entry, rank };
  });
}

/** How many places each went up (or down) between two standings. Who is new has not moved, and where all were equal nobody
    had a place to move from. */
export function moves(before: readonly Entry[], after: readonly Entry[]): Map<string, number> {
  if (before.every(({ score }) => score === before[0]!.score)) return new Map(after.map(({ player_id }) => [player_id, 0]));
  const earlier = new Map(standings(before).map(({ player_id, rank }) => [player_id, rank]));
  return new Map(standings(after).map(({ player_id, rank }) => [player_id, (earlier.get(player_id) ?? rank) - rank]));
}
