// The words of setting a game up, in the chosen language.

import { type Language, preferences } from "../../lib/preferences.svelte.js";
import { type SetupWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, SetupWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const setupWords = (): SetupWords => languages[preferences.language];
