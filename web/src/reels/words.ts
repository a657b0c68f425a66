// The words that the pages of the party game share, in the chosen language, and why something was refused, as a sentence.

import { ParlorError } from "parlor-sdk";
import { explain } from "../lib/notices.svelte.js";
import { type Language, preferences } from "../lib/preferences.svelte.js";
import { type ReelsWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, ReelsWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const reelsWords = (): ReelsWords => languages[preferences.language];

/** The game's own word for it comes first, then the code that all rooms share. */
export function refusal(error: unknown): string {
  if (!(error instanceof ParlorError)) return explain("other");
  const { refused } = reelsWords();
  const known = [error.reason, error.code].find((word): word is keyof typeof refused => word !== undefined && word in refused);
  return known === undefined ? explain(error.code) : refused[known];
}
