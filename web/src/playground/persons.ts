// How people look everywhere in the playground: a colour and initials.

export const COLOURS = 8;

/** The colour somebody would take if all were free; whoever comes back takes the same again. */
export function likedColour(userId: string): number {
  let sum = 0;
  for (const letter of userId) sum = (sum * 31 + letter.codePointAt(0)!) >>> 0;
  return sum % COLOURS;
}

/** The liked one, or the next that nobody has; when all are taken, the liked one all the same. */
export function freeColour(liked: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < COLOURS; step++) if (!taken.has((liked + step) % COLOURS)) return (liked + step) % COLOURS;
  return liked;
}

/** The first letters of the first two words; whole characters, as people count them. */
export function initials(name: string): string {
  const letters = (word: string) => [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment);
  const words = name.trim().split(/\s+/).filter(Boolean);
  const [first = [], second] = words.slice(0, 2).map(letters);
  return (second ? [first[0], second[0]] : first.slice(0, 2)).join("").toLocaleUpperCase();
}
