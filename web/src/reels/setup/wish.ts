// What is sent, and nothing else: names of those who play, addresses, answers. And why it cannot be sent yet.

import type { NewPlayer, ReelsWish } from "parlor-sdk/reels";
import { ITEMS_MAX, NAME_CHARS_MAX, PLAYERS_MAX, ROUNDS_MAX, SENDERS_MAX, SENDERS_MIN, TITLE_CHARS_MAX, URL_BYTES_MAX, WISH_BYTES_MAX } from "./limits.js";
import { reelId } from "./links.js";
import { folded, inOrder, nameOf } from "./names.js";
import type { Round } from "./rounds.js";
import type { Sender } from "./senders.js";

export const TIMERS = [null, 15, 30, 60] as const;
export type Timer = (typeof TIMERS)[number];

export interface Plan {
  readonly title: string;
  readonly timer: Timer;
  /** The active ones. */
  readonly senders: readonly Sender[];
  /** Names of people who guess and sent nothing. */
  readonly extras: readonly string[];
  readonly rounds: readonly Round[];
}

/** Why a game cannot be made of this; the page has a sentence for each. */
export type Problem =
  | { readonly why: "fewSenders" | "noRounds" | "titleLong" | "tooLarge" | "urlLong" }
  | { readonly why: "manySenders" | "manyPlayers" | "manyRounds" | "manyItems"; readonly count: number; readonly max: number }
  | { readonly why: "sameName" | "nameEmpty" | "nameLong"; readonly name: string };

const letters = (text: string) => [...text].length;
const bytes = (text: string) => new TextEncoder().encode(text).length;

export function wishOf({ title, timer, senders, extras, rounds }: Plan): ReelsWish {
  // By name: the order should say nothing about who sent how much.
  const people = [...senders].sort((one, other) => inOrder(folded(one.name), folded(other.name)) || inOrder(one.key, other.key));
  const ids = new Map(people.map(({ key }, at) => [key, `s${at + 1}`]));
  const seats: NewPlayer[] = [
    ...people.map(({ name }, at) => ({ player_id: `p${at + 1}`, sender_id: `s${at + 1}`, active: true, name })),
    ...extras.map((name, at) => ({ player_id: `p${people.length + at + 1}`, active: true, name: nameOf(name) })),
  ];
  let items = 0;
  return {
    ...(nameOf(title, TITLE_CHARS_MAX) ? { title: nameOf(title, TITLE_CHARS_MAX) } : {}),
    ...(timer === null ? {} : { vote_seconds: timer }),
    senders: people.map(({ name, reels }, at) => ({ sender_id: `s${at + 1}`, name, active: true, reels_count: reels })),
    players: seats,
    rounds: rounds.map((round, at) => ({
      round_id: `r${at + 1}`,
      items: round.map(({ url, by }) => {
        const item_id = `i${++items}`;
        return { item_id, reel: { reel_id: reelId(url) ?? `reel-${item_id}`, url }, true_sender_ids: by.map((key) => ids.get(key)!) };
      }),
    })),
  };
}

/** In the order in which one would set them right. */
export function problemsOf(plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const { senders, rounds, extras } = plan;
  const tooMany = (why: "manySenders" | "manyPlayers" | "manyRounds" | "manyItems", count: number, max: number) => {
    if (count > max) problems.push({ why, count, max });
  };
  if (senders.length < SENDERS_MIN) problems.push({ why: "fewSenders" });
  tooMany("manySenders", senders.length, SENDERS_MAX);
  tooMany("manyPlayers", senders.length + extras.length, PLAYERS_MAX);
  problems.push(...namesIn([...senders.map(({ name }) => name), ...extras]));
  if (letters(plan.title.trim()) > TITLE_CHARS_MAX) problems.push({ why: "titleLong" });
  if (rounds.length === 0 && senders.length >= SENDERS_MIN) problems.push({ why: "noRounds" });
  tooMany("manyRounds", rounds.length, ROUNDS_MAX);
  tooMany("manyItems", rounds.flat().length, ITEMS_MAX);
  if (rounds.flat().some(({ url }) => bytes(url) > URL_BYTES_MAX)) problems.push({ why: "urlLong" });
  if (problems.length === 0 && bytes(JSON.stringify(wishOf(plan))) > WISH_BYTES_MAX) problems.push({ why: "tooLarge" });
  return problems;
}

function namesIn(names: readonly string[]): Problem[] {
  const seen = new Set<string>();
  const twice = new Map<string, Problem>();
  const odd: Problem[] = [];
  for (const name of names) {
    const like = folded(name);
    if (!nameOf(name)) odd.push({ why: "nameEmpty", name });
    else if (letters(name) > NAME_CHARS_MAX) odd.push({ why: "nameLong", name });
    else if (seen.has(like)) twice.set(like, { why: "sameName", name });
    seen.add(like);
  }
  return [...odd, ...twice.values()];
}
