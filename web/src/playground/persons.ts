// How a person looks everywhere in the playground: a colour that follows from who they are, and initials.

export const COLOURS = 8;

/** The same person has the same colour in every window, without anybody handing colours out. */
export function colourOf(userId: string): string {
  let sum = 0;
  for (const letter of userId) sum = (sum * 31 + letter.codePointAt(0)!) >>> 0;
  return `var(--person-${sum % COLOURS})`;
}

/** The first letters of the first two words; whole characters, as people count them. */
export function initials(name: string): string {
  const letters = (word: string) => [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment);
  const words = name.trim().split(/\s+/).filter(Boolean);
  const [first = [], second] = words.slice(0, 2).map(letters);
  return (second ? [first[0], second[0]] : first.slice(0, 2)).join("").toLocaleUpperCase();
}
