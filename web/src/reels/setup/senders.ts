// Who sent what: spellings become persons, by themselves where names differ only by signs, and by hand otherwise. What was
// done by hand is a value of its own, so that it can be undone and survives another import.

import type { Share } from "./found.js";
import { betterUrl, sameReel } from "./links.js";
import { inOrder, likeness, nameOf } from "./names.js";
import type { Chat } from "./pool.js";

export interface Edits {
  /** Spellings that were put with a person by hand. */
  readonly persons: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
  readonly off: ReadonlySet<string>;
}

export const NO_EDITS: Edits = { persons: new Map(), names: new Map(), off: new Set() };

export interface Spelling {
  readonly text: string;
  readonly reels: number;
}

export interface Sender {
  readonly key: string;
  readonly name: string;
  readonly active: boolean;
  /** Different reels. */
  readonly reels: number;
  /** The most used first. */
  readonly spellings: readonly Spelling[];
}

/** A reel and everybody who sent it. */
export interface Item {
  /** What makes it the same reel. */
  readonly reel: string;
  readonly url: string;
  readonly by: readonly string[];
}

const played = (chats: readonly Chat[]): Share[] => chats.filter(({ on }) => on).flatMap(({ shares }) => shares);

export const personOf = (spelling: string, { persons }: Edits): string => persons.get(spelling) ?? `=${likeness(spelling)}`;

/** Who sent most comes first. */
export function sendersOf(chats: readonly Chat[], edits: Edits): Sender[] {
  const persons = new Map<string, Map<string, Set<string>>>();
  for (const { url, by } of played(chats)) {
    const key = personOf(by, edits);
    const spellings = persons.get(key) ?? new Map<string, Set<string>>();
    persons.set(key, spellings);
    spellings.set(by, (spellings.get(by) ?? new Set()).add(sameReel(url)));
  }
  return [...persons]
    .map(([key, found]): Sender => {
      const spellings = [...found].map(([text, reels]) => ({ text, reels: reels.size })).sort((one, other) => other.reels - one.reels || inOrder(one.text, other.text));
      const reels = new Set([...found.values()].flatMap((reels) => [...reels])).size;
      return { key, name: edits.names.get(key) ?? nameOf(spellings[0]!.text), active: !edits.off.has(key), reels, spellings };
    })
    .sort((one, other) => other.reels - one.reels || inOrder(one.key, other.key));
}

/** What can be played: every reel that somebody active sent, each once. */
export function itemsOf(chats: readonly Chat[], senders: readonly Sender[], edits: Edits): Item[] {
  const active = new Set(senders.filter((sender) => sender.active).map(({ key }) => key));
  const items = new Map<string, { url: string; by: Set<string> }>();
  for (const { url, by } of played(chats)) {
    const key = personOf(by, edits);
    if (!active.has(key)) continue;
    const reel = sameReel(url);
    const item = items.get(reel);
    if (!item) items.set(reel, { url, by: new Set([key]) });
    else {
      item.url = betterUrl(item.url, url);
      item.by.add(key);
    }
  }
  return [...items].map(([reel, { url, by }]) => ({ reel, url, by: [...by].sort(inOrder) })).sort((one, other) => inOrder(one.reel, other.reel));
}

/** People of the played chats who sent nothing: they may want to guess. */
export function silentIn(chats: readonly Chat[]): string[] {
  const shares = new Set(played(chats).map(({ by }) => likeness(by)));
  const silent = new Map<string, string>();
  for (const name of chats.filter(({ on }) => on).flatMap(({ people }) => people)) {
    const like = likeness(name);
    if (!shares.has(like) && !silent.has(like)) silent.set(like, nameOf(name));
  }
  return [...silent.values()].filter(Boolean).sort(inOrder);
}

// ——— by hand

/** All of these are one person, the first. */
export function merged(edits: Edits, [into, ...others]: readonly Sender[]): Edits {
  if (!into) return edits;
  const persons = new Map(edits.persons);
  for (const { spellings } of others) for (const { text } of spellings) persons.set(text, into.key);
  return { ...edits, persons };
}

/** This spelling is somebody else: whoever it was before it was put here by hand, or else a person of its own. */
export function split(edits: Edits, spelling: string): Edits {
  const persons = new Map(edits.persons);
  const found = personOf(spelling, NO_EDITS);
  if (personOf(spelling, edits) === found) persons.set(spelling, `"${spelling}`);
  else persons.delete(spelling);
  return { ...edits, persons };
}

/** An empty name gives the found one back. */
export function renamed(edits: Edits, key: string, text: string): Edits {
  const names = new Map(edits.names);
  const name = nameOf(text);
  if (name) names.set(key, name);
  else names.delete(key);
  return { ...edits, names };
}

export function switched(edits: Edits, keys: readonly string[], active: boolean): Edits {
  const off = new Set(edits.off);
  for (const key of keys) if (active) off.delete(key);
  else off.add(key);
  return { ...edits, off };
}
