// What this person likes, kept in this browser: language, light, sound, keys.

import { en, type Words } from "../words/en.js";
import { fr } from "../words/fr.js";
import { ja } from "../words/ja.js";
import { keep, kept } from "./kept.js";

export const languages = { en, ja, fr } satisfies Record<string, Words>;
export type Language = keyof typeof languages;
export type Theme = "system" | "light" | "dark";

function spoken(): Language {
  for (const wanted of navigator.languages) {
    const [language] = wanted.toLowerCase().split("-");
    if (language && language in languages) return language as Language;
  }
  return "en";
}

class Preferences {
  private chosen = $state<Language | null>(null);
  theme = $state<Theme>(kept<Theme>("theme", "system"));
  sound = $state(kept("sound", false));
  shortcuts = $state(kept("shortcuts", true));
  /** The name this guest used last. */
  name = $state(kept("name", ""));

  constructor() {
    const earlier = kept<string | null>("language", null);
    this.chosen = earlier !== null && earlier in languages ? (earlier as Language) : null;
  }

  get language(): Language {
    return this.chosen ?? spoken();
  }

  set language(language: Language) {
    this.chosen = language;
  }

  get words(): Words {
    return languages[this.language];
  }

  /** Called once, inside an effect root: what is chosen is kept and shown on the document. */
  follow(): void {
    $effect(() => {
      document.documentElement.lang = this.language;
      if (this.chosen) keep("language", this.chosen);
    });
    $effect(() => {
      if (this.theme === "system") delete document.documentElement.dataset["theme"];
      else document.documentElement.dataset["theme"] = this.theme;
      keep("theme", this.theme);
    });
    $effect(() => keep("sound", this.sound));
    $effect(() => keep("shortcuts", this.shortcuts));
    $effect(() => keep("name", this.name));
  }
}

export const preferences = new Preferences();

/** The words of the chosen language; reading them in a component keeps it up to date. */
export const words = (): Words => preferences.words;

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
