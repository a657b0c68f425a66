import { describe, expect, test } from "vitest";
import { dice, newSeed } from "../src/reels/setup/dice.js";
import { ITEMS_MAX, ROUNDS_MAX } from "../src/reels/setup/limits.js";
import { reachOf, roundsOf } from "../src/reels/setup/rounds.js";
import type { Item } from "../src/reels/setup/senders.js";

const reel = (name: string, ...by: string[]): Item => ({ reel: name, url: `https://www.instagram.com/reel/${name}/`, by });
const many = (count: number, name: string, ...by: string[]) => Array.from({ length: count }, (_, at) => reel(`${name}${at}`, ...by));

/** A chat by chance: some senders, some of them with very few reels, some reels of several people. */
function chat(seed: string): { items: Item[]; senders: string[]; wanted: number } {
  const chance = dice(`chat ${seed}`);
  const senders = Array.from({ length: 2 + chance.roll(11) }, (_, at) => `s${at}`);
  const items = senders.flatMap((sender) => many(chance.roll(9), `${sender}-`, sender));
  const shared = Array.from({ length: chance.roll(20) }, (_, at) => reel(`shared${at}`, ...chance.shuffled(senders).slice(0, 2 + chance.roll(senders.length - 1)).sort()));
  return { items: [...items, ...shared], senders, wanted: 1 + chance.roll(9) };
}

describe("rounds of 200 seeds", () => {
  for (let seed = 1; seed <= 200; seed++) {
    test(`seed ${seed}`, () => {
      const { items, senders, wanted } = chat(String(seed));
      const { rounds: most, because } = reachOf(items, senders);
      const rounds = roundsOf(items, senders, wanted, String(seed));
      expect(rounds).toEqual(roundsOf(items, senders, wanted, String(seed)));
      expect(rounds).toHaveLength(Math.min(wanted, most));
      for (const round of rounds) {
        expect(round.flatMap(({ by }) => by).sort()).toEqual([...senders].sort());
        expect(round.filter(({ by }) => by.length > 1).length).toBeLessThanOrEqual(1);
      }
      const played = rounds.flat().map(({ reel }) => reel);
      expect(new Set(played).size).toBe(played.length);
      expect(roundsOf(items, senders, most, String(seed))).toHaveLength(most);
      // What stands in the way is somebody who is there, or a limit.
      if ("senders" in because) {
        expect(because.senders.length).toBeGreaterThan(0);
        for (const sender of because.senders) expect(senders).toContain(sender);
      }
    });
  }
});

test("another seed gives other rounds", () => {
  const items = [...many(30, "a", "ana"), ...many(30, "b", "bo")];
  const found = new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(roundsOf(items, ["ana", "bo"], 5, String(seed)))));
  expect(found.size).toBe(50);
  expect(newSeed()).toMatch(/^[A-HJ-NP-Z2-9]{6}$/);
});

test("whoever sent the fewest says how many rounds there are", () => {
  const items = [...many(9, "a", "ana"), ...many(3, "b", "bo"), ...many(5, "c", "chi")];
  expect(reachOf(items, ["ana", "bo", "chi"])).toEqual({ rounds: 3, because: { senders: ["bo"] } });
});

test("a reel of several people stands in for those who have too few of their own", () => {
  const items = [...many(9, "a", "ana"), ...many(1, "b", "bo"), ...many(9, "c", "chi"), ...many(2, "x", "bo", "chi")];
  expect(reachOf(items, ["ana", "bo", "chi"])).toEqual({ rounds: 3, because: { senders: ["bo"] } });
  expect(roundsOf(items, ["ana", "bo", "chi"], 3, "s").filter((round) => round.some(({ by }) => by.length === 2))).toHaveLength(2);
});

test("only one such reel fits into a round, so two people without any of their own cannot both be helped", () => {
  const items = [...many(9, "a", "ana"), ...many(1, "x", "bo", "ana"), ...many(1, "y", "chi", "ana")];
  const reach = reachOf(items, ["ana", "bo", "chi"]);
  expect(reach.rounds).toBe(0);
  expect("senders" in reach.because && reach.because.senders.length).toBeGreaterThan(0);
});

test("a reel that everybody sent asks nothing, and is not played", () => {
  const items = [...many(2, "a", "ana"), ...many(2, "b", "bo"), ...many(5, "x", "ana", "bo")];
  const rounds = roundsOf(items, ["ana", "bo"], 9, "s");
  expect(rounds).toHaveLength(2);
  expect(rounds.flat().every(({ by }) => by.length === 1)).toBe(true);
});

test("there are never more rounds or reels than a game takes", () => {
  const two = ["ana", "bo"];
  expect(reachOf(two.flatMap((name) => many(300, name, name)), two)).toEqual({ rounds: ROUNDS_MAX, because: { limit: "rounds" } });
  const crowd = Array.from({ length: 60 }, (_, at) => `s${at}`);
  const items = crowd.flatMap((name) => many(40, `${name}-`, name));
  expect(reachOf(items, crowd)).toEqual({ rounds: Math.floor(ITEMS_MAX / 60), because: { limit: "items" } });
  expect(roundsOf(items, crowd, 99, "s").flat().length).toBeLessThanOrEqual(ITEMS_MAX);
});

test("nobody and nothing make no round", () => {
  expect(roundsOf([], [], 3, "s")).toEqual([]);
  expect(roundsOf(many(3, "a", "ana"), ["ana", "bo"], 3, "s")).toEqual([]);
  expect(reachOf([], []).rounds).toBe(0);
});
