// The words of the phone's page in the chosen language.

import { type Language, preferences } from "../../lib/preferences.svelte.js";
import { type PhoneWords, en } from "./words/en.js";
import { fr } from "./words/fr.js";
import { ja } from "./words/ja.js";

const languages: Record<Language, PhoneWords> = { en, ja, fr };

/** Reading them in a component keeps it up to date. */
export const phone = (): PhoneWords => languages[preferences.language];
