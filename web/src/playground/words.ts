// The words of the playground in the chosen language.

import { type Language, preferences } from "../lib/preferences.svelte.js";
import { type PlayWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, PlayWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const play = (): PlayWords => languages[preferences.language];
