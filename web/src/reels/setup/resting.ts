// A setup at rest in this tab: a reload, or another game with the same chat, needs no second import. It goes when the tab
// does; a friend's computer keeps nothing.

import type { Reason, Rejected, Share } from "./found.js";
import { anyLink } from "./links.js";
import type { Chat, FileReport } from "./pool.js";
import type { Edits } from "./senders.js";
import { TIMERS, type Timer } from "./wish.js";

export interface Resting {
  readonly chats: readonly Chat[];
  readonly reports: readonly FileReport[];
  readonly edits: Edits;
  readonly seed: string;
  readonly wanted: number;
  readonly title: string;
  readonly timer: Timer;
  readonly extras: readonly string[];
  /** Reels of games that were made here before. */
  readonly played: readonly string[];
  readonly skipPlayed: boolean;
}

const VERSION = 1;
/** Reports are for reading, and nobody reads more of them. */
const REPORTS_MAX = 200;

/** Each address and each name is written once; a share is a pair of numbers. */
export function written(setup: Resting): string {
  const [urls, names] = [new Table(), new Table()];
  const chats = setup.chats.map(({ shares, people, ...chat }) => ({ ...chat, people: people.map((name) => names.at(name)), shares: shares.flatMap(({ url, by }) => [urls.at(url), names.at(by)]) }));
  const { persons, names: called, off } = setup.edits;
  const edits = { persons: [...persons], names: [...called], off: [...off] };
  return JSON.stringify({ ...setup, version: VERSION, chats, reports: setup.reports.slice(-REPORTS_MAX), edits, urls: urls.list, names: names.list });
}

/** Null when it is not what was written here. */
export function readBack(text: string | null): Resting | null {
  if (text === null) return null;
  try {
    const found = JSON.parse(text) as ReturnType<typeof JSON.parse>;
    if (found.version !== VERSION) return null;
    const [urls, names] = [texts(found.urls), texts(found.names)];
    const chats = (found.chats as (Omit<Chat, "shares" | "people"> & { people: number[]; shares: number[] })[]).map((chat): Chat => {
      const shares: Share[] = [];
      for (let at = 0; at + 1 < chat.shares.length; at += 2) {
        const [url, by] = [urls[chat.shares[at]!], names[chat.shares[at + 1]!]];
        if (url !== undefined && by !== undefined && "url" in anyLink(url)) shares.push({ url, by });
      }
      return { key: String(chat.key), title: String(chat.title), from: chat.from, on: chat.on === true, people: chat.people.map((at) => names[at]).filter((name) => name !== undefined), shares };
    });
    const edits: Edits = { persons: new Map(found.edits.persons), names: new Map(found.edits.names), off: new Set(found.edits.off) };
    return {
      chats,
      edits,
      reports: (found.reports as FileReport[]).map(({ file, chat, accepted, trouble, rejected }) => ({ file, chat, accepted, trouble, rejected: rejected as Partial<Record<Reason, Rejected>> })),
      seed: String(found.seed),
      wanted: Number.isInteger(found.wanted) && found.wanted > 0 ? found.wanted : 1,
      title: String(found.title),
      timer: TIMERS.includes(found.timer) ? found.timer : null,
      extras: texts(found.extras),
      played: texts(found.played),
      skipPlayed: found.skipPlayed === true,
    };
  } catch {
    return null;
  }
}

const texts = (list: unknown[]): string[] => list.map(String);

class Table {
  readonly list: string[] = [];
  private readonly places = new Map<string, number>();

  at(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.places.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}
