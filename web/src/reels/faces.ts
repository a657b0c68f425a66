// How somebody without a picture is drawn: one or two letters on a colour of their own.

/** As many as there are `--face-…` colours in Face.svelte. */
export const COLOURS = 12;

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The first sign of the first and of the last word; what people see as one sign stays one. */
export function initials(name: string): string {
  const words = name.trim().split(/[\s_.·・-]+/u).filter(Boolean);
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return [first, last].map((word) => (word ? [...letters.segment(word)][0]!.segment : "")).join("").toLocaleUpperCase();
}

/** Seats are numbered, so neighbours get different colours; any other id gets one that is always the same. */
export function colourOf(id: string): number {
  const number = /(\d+)$/.exec(id)?.[1];
  if (number !== undefined) return Number(number.slice(-6)) % COLOURS;
  let sum = 7;
  for (const sign of id) sum = (sum * 31 + sign.codePointAt(0)!) >>> 0;
  return sum % COLOURS;
}
