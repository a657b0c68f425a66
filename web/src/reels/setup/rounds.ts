// Rounds from a seed. In a round everybody who plays a part as a sender is the answer exactly once; at most one reel of a
// round was sent by several people; no reel comes twice. The same reels and the same seed give the same rounds.

import { type Dice, dice } from "./dice.js";
import { ITEMS_MAX, ROUNDS_MAX } from "./limits.js";
import type { Item } from "./senders.js";

export type Round = readonly Item[];

/** How many rounds there can be, and what stands in the way of one more. */
export interface Reach {
  readonly rounds: number;
  readonly because: { readonly senders: readonly string[] } | { readonly limit: "rounds" | "items" };
}

interface Stock {
  readonly senders: readonly string[];
  readonly singles: ReadonlyMap<string, readonly Item[]>;
  /** Sent by several, and not by all: then there would be nothing to guess. */
  readonly shared: readonly Item[];
}

function stockOf(items: readonly Item[], senders: readonly string[]): Stock {
  const singles = new Map<string, Item[]>(senders.map((sender) => [sender, []]));
  for (const item of items) if (item.by.length === 1) singles.get(item.by[0]!)?.push(item);
  return { senders, singles, shared: items.filter(({ by }) => by.length > 1 && by.length < senders.length) };
}

/** Shared reels that stand in for those who have too few of their own, one a round; or who is still short of some. */
function standIns({ senders, singles, shared }: Stock, rounds: number): { chosen: Item[] } | { short: string[] } {
  const needs = new Map(senders.map((sender) => [sender, rounds - singles.get(sender)!.length]).filter((need): need is [string, number] => (need[1] as number) > 0));
  const short = [...needs].filter(([sender, need]) => shared.filter(({ by }) => by.includes(sender)).length < need).map(([sender]) => sender);
  if (short.length) return { short };
  const helps = (item: Item) => item.by.filter((sender) => (needs.get(sender) ?? 0) > 0).length;
  let left = shared.filter((item) => helps(item) > 0);
  const chosen: Item[] = [];
  while ([...needs.values()].some((need) => need > 0)) {
    const best = left.reduce<Item | null>((best, item) => (helps(item) > (best ? helps(best) : 0) ? item : best), null);
    if (!best || chosen.length === rounds) return { short: [...needs].filter(([, need]) => need > 0).map(([sender]) => sender) };
    chosen.push(best);
    left = left.filter((item) => item !== best);
    for (const sender of best.by) if (needs.has(sender)) needs.set(sender, needs.get(sender)! - 1);
  }
  return { chosen };
}

export function reachOf(items: readonly Item[], senders: readonly string[]): Reach {
  const stock = stockOf(items, senders);
  if (senders.length === 0) return { rounds: 0, because: { senders: [] } };
  const most = Math.min(ROUNDS_MAX, Math.floor(ITEMS_MAX / senders.length));
  let because: Reach["because"] = { limit: most === ROUNDS_MAX ? "rounds" : "items" };
  for (let rounds = most; rounds > 0; rounds--) {
    const found = standIns(stock, rounds);
    if ("chosen" in found) return { rounds, because };
    because = { senders: found.short };
  }
  return { rounds: 0, because };
}

export function roundsOf(items: readonly Item[], senders: readonly string[], wanted: number, seed: string): Round[] {
  const count = Math.min(wanted, reachOf(items, senders).rounds);
  if (count <= 0) return [];
  const chance = dice(seed);
  const { singles, shared } = stockOf(items, senders);
  const mixed = chance.shuffled(shared);
  // Which stand-ins there are depends on the order in which they are looked at; the order of the reach is sure to work.
  const found = [mixed, shared].map((shared) => standIns({ senders, singles, shared }, count)).find((found) => "chosen" in found);
  const needed = found && "chosen" in found ? found.chosen : [];
  const extra = mixed.filter((item) => !needed.includes(item)).slice(0, count - needed.length);
  const shareds = spread([...needed, ...extra], count, chance);
  const piles = new Map([...singles].map(([sender, own]) => [sender, chance.shuffled(own)]));
  return shareds.map((item) => {
    const alone = senders.filter((sender) => !item?.by.includes(sender)).map((sender) => piles.get(sender)!.pop()!);
    return chance.shuffled(item ? [item, ...alone] : alone);
  });
}

/** At most one a round, in rounds by chance. */
function spread(shared: readonly Item[], rounds: number, chance: Dice): (Item | null)[] {
  return chance.shuffled(Array.from({ length: rounds }, (_, at) => shared[at] ?? null));
}
