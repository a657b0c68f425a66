// A game for those who have no export at hand: invented friends, and little scenes that the big screen draws itself.

import { DEMO_REELS } from "../demo.js";
import { dice } from "./dice.js";
import { roundsOf } from "./rounds.js";
import type { Item, Sender } from "./senders.js";
import type { Plan } from "./wish.js";

export const DEMO_ROUNDS = 2;
export const FRIENDS_MIN = 2;
export const FRIENDS_MAX = 8;
/** Reels that two of the friends sent; the rest is dealt out, so that eight friends have enough for two rounds. */
const SHARED = 4;

export function demoPlan(names: readonly string[], origin: string, seed: string, title: string): Plan {
  const chance = dice(seed);
  const keys = names.map((_, at) => `friend ${at + 1}`);
  const items = chance.shuffled(Array.from({ length: DEMO_REELS }, (_, at) => `${origin}/reels/demo/${at + 1}`)).map((url, at): Item => {
    const by = at < SHARED ? chance.shuffled(keys).slice(0, 2).sort() : [keys[at % keys.length]!];
    return { reel: url, url, by };
  });
  const senders = keys.map((key, at): Sender => ({ key, name: names[at]!, active: true, reels: items.filter(({ by }) => by.includes(key)).length, spellings: [] }));
  return { title, timer: null, senders, extras: [], rounds: roundsOf(items, keys, DEMO_ROUNDS, seed) };
}
