// What was found in one file, before it is put together with the rest: who shared which address, and what was left out.

import { EXAMPLES_MAX } from "./limits.js";

/** Why a message or a row gave nothing. */
export type Reason = "noLink" | "otherSite" | "notReel" | "badAddress" | "noSender" | "duplicate" | "tooMany";
/** Why a whole file gave nothing. */
export type Trouble = "unreadable" | "notExport" | "html" | "noMessages" | "tooLarge" | "tooManyFiles" | "encrypted" | "bomb" | "badZip";

export interface Share {
  readonly url: string;
  /** The sender as written there. */
  readonly by: string;
}

export interface Rejected {
  readonly count: number;
  /** Addresses, never messages. */
  readonly examples: readonly string[];
}

/** Where shares come from: a conversation, or a list that somebody made. */
export interface Origin {
  readonly key: string;
  readonly title: string;
  /** A file of a chat, a part of a larger export, or a list. */
  readonly from: "chat" | "export" | "list";
}

export interface Found {
  readonly file: string;
  readonly origin: Origin | null;
  readonly trouble: Trouble | null;
  readonly people: readonly string[];
  readonly shares: readonly Share[];
  readonly rejected: Partial<Record<Reason, Rejected>>;
}

export const nothing = (file: string, trouble: Trouble): Found => ({ file, origin: null, trouble, people: [], shares: [], rejected: {} });

export function reject(rejected: Partial<Record<Reason, Rejected>>, reason: Reason, example?: string): void {
  const { count, examples } = rejected[reason] ?? { count: 0, examples: [] };
  const more = example && examples.length < EXAMPLES_MAX && !examples.includes(short(example)) ? [...examples, short(example)] : examples;
  rejected[reason] = { count: count + 1, examples: more };
}

const EXAMPLE_CHARS_MAX = 120;

function short(text: string): string {
  const letters = [...text.trim().slice(0, EXAMPLE_CHARS_MAX * 4)];
  return letters.length > EXAMPLE_CHARS_MAX ? `${letters.slice(0, EXAMPLE_CHARS_MAX).join("")}…` : letters.join("");
}
