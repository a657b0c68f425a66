// The words of the shop's page in the chosen language.

import { ParlorError } from "parlor-sdk";
import { explain } from "../lib/notices.svelte.js";
import { type Language, preferences } from "../lib/preferences.svelte.js";
import { type ShopWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, ShopWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const shopWords = (): ShopWords => languages[preferences.language];

/** Why the server refused, as a sentence. */
export function refusal(trouble: unknown): string {
  const code = trouble instanceof ParlorError ? trouble.code : typeof trouble === "string" ? trouble : "other";
  const { refused } = shopWords();
  return code in refused ? refused[code as keyof typeof refused] : explain(code);
}
