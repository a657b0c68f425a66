// The words of the big screen in the chosen language.

import { type Language, preferences } from "../../lib/preferences.svelte.js";
import { type TvWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, TvWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const tvWords = (): TvWords => languages[preferences.language];
