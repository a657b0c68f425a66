// Which game a code meant when this browser was last there. A code can be used again after its game was closed, and the
// new game knows nobody of the old one. A game lives for a fixed time, so the moment of its end names it.

export interface Visit {
  readonly code: string;
  /** When that game ends, in milliseconds since the epoch. */
  readonly ends: number;
  /** Who we were there. */
  readonly name: string | null;
}

const VISITS_MAX = 20;

/** The visit to an earlier game under the code of this one, in which we had a seat. */
export function earlierGame(visits: readonly Visit[], code: string, ends: number): Visit | null {
  const visit = visits.find((visit) => visit.code === code);
  return visit && visit.ends !== ends && visit.name !== null ? visit : null;
}

export function visited(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  const [last] = visits;
  if (last && last.code === visit.code && last.ends === visit.ends && last.name === visit.name) return visits;
  return [visit, ...visits.filter(({ code }) => code !== visit.code)].slice(0, VISITS_MAX);
}

export const forgotten = (visits: readonly Visit[], code: string): readonly Visit[] => visits.filter((visit) => visit.code !== code);
