// What people are called. The server takes names in composed form, with single spaces and nothing that hides, and no two
// that differ only by case and the like; crates/rules/src/names.rs is the measure.

import { NAME_CHARS_MAX } from "./limits.js";

/** Control, format and filler characters; the joiner and the variation selectors stay, emoji need them. */
const HIDING = /[\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu;
const UNSEEN = /[\s\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

export const hides = (text: string): boolean => text.search(HIDING) >= 0;

/** One line, composed, with single spaces and nothing hidden; empty when there is nothing to see. */
export function tidy(text: string): string {
  // Half a surrogate pair is no character: it could be neither sent nor shown.
  const line = text.replace(/\p{Cs}/gu, "").replace(/\s+/g, " ").replace(HIDING, "").normalize("NFC").replace(/ +/g, " ").trim();
  return line.replace(UNSEEN, "") === "" ? "" : line;
}

/** A name that the server takes: a longer one is cut between letters, never within one. */
export function nameOf(text: string, charsMax = NAME_CHARS_MAX): string {
  const name = tidy(text);
  if ([...name].length <= charsMax) return name;
  let short = "";
  let chars = 0;
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    chars += [...segment].length;
    if (chars > charsMax) break;
    short += segment;
  }
  return short.trim();
}

/** What all spellings of one name have in common for the server, which takes no two of them. */
export function folded(name: string): string {
  const lower = (text: string) => text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
  const seen = name.replace(UNSEEN, (unit) => (/\s/.test(unit) ? " " : ""));
  return lower(lower(seen.normalize("NFD")).normalize("NFKD")).normalize("NFKC").replace(/\s+/g, " ").trim();
}

/** What all spellings of one person have in common: a handle is often the name with other signs between. */
export function likeness(name: string): string {
  const known = likenesses.get(name);
  if (known !== undefined) return known;
  const whole = folded(tidy(name));
  const like = whole.replace(/[@_\-.\s]/g, "") || whole;
  // A chat has tens of thousands of messages from a dozen people.
  if (likenesses.size >= LIKENESSES_MAX) likenesses.clear();
  likenesses.set(name, like);
  return like;
}

const LIKENESSES_MAX = 10_000;
const likenesses = new Map<string, string>();

/** A fixed order on every machine, whatever its language. */
export const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
