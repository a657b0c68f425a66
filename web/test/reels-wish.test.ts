import { describe, expect, test } from "vitest";
import { DEMO_REELS } from "../src/reels/demo.js";
import { DEMO_ROUNDS, FRIENDS_MAX, FRIENDS_MIN, demoPlan } from "../src/reels/setup/demo.js";
import { ITEMS_MAX, WISH_BYTES_MAX } from "../src/reels/setup/limits.js";
import type { Item, Sender } from "../src/reels/setup/senders.js";
import { type Plan, problemsOf, wishOf } from "../src/reels/setup/wish.js";

const sender = (name: string, reels = 3): Sender => ({ key: `=${name}`, name, active: true, reels, spellings: [{ text: `${name} of the chat`, reels }] });
const item = (id: string, ...by: string[]): Item => ({ reel: `ig:${id}`, url: `https://www.instagram.com/reel/${id}/`, by: by.map((name) => `=${name}`) });
const plan = (more: Partial<Plan> = {}): Plan => ({
  title: " Friday ",
  timer: 30,
  senders: [sender("Zoé", 9), sender("Ana", 2), sender("Bo", 1)],
  extras: ["Guest"],
  rounds: [[item("A", "Bo"), item("B", "Ana", "Zoé")], [{ ...item("C", "Zoé"), url: "https://example.com/c" }, item("D", "Ana"), item("E", "Bo")]],
  ...more,
});
const whys = (more: Partial<Plan>) => problemsOf(plan(more)).map(({ why }) => why);

test("what is sent is this, and nothing else", () => {
  expect(wishOf(plan())).toEqual({
    title: "Friday",
    vote_seconds: 30,
    senders: [
      { sender_id: "s1", name: "Ana", active: true, reels_count: 2 },
      { sender_id: "s2", name: "Bo", active: true, reels_count: 1 },
      { sender_id: "s3", name: "Zoé", active: true, reels_count: 9 },
    ],
    players: [
      { player_id: "p1", sender_id: "s1", active: true, name: "Ana" },
      { player_id: "p2", sender_id: "s2", active: true, name: "Bo" },
      { player_id: "p3", sender_id: "s3", active: true, name: "Zoé" },
      { player_id: "p4", active: true, name: "Guest" },
    ],
    rounds: [
      { round_id: "r1", items: [
        { item_id: "i1", reel: { reel_id: "A", url: "https://www.instagram.com/reel/A/" }, true_sender_ids: ["s2"] },
        { item_id: "i2", reel: { reel_id: "B", url: "https://www.instagram.com/reel/B/" }, true_sender_ids: ["s1", "s3"] },
      ] },
      { round_id: "r2", items: [
        { item_id: "i3", reel: { reel_id: "reel-i3", url: "https://example.com/c" }, true_sender_ids: ["s3"] },
        { item_id: "i4", reel: { reel_id: "D", url: "https://www.instagram.com/reel/D/" }, true_sender_ids: ["s1"] },
        { item_id: "i5", reel: { reel_id: "E", url: "https://www.instagram.com/reel/E/" }, true_sender_ids: ["s2"] },
      ] },
    ],
  });
  expect(problemsOf(plan())).toEqual([]);
  expect(Object.keys(wishOf(plan({ title: " ", timer: null })))).toEqual(["senders", "players", "rounds"]);
});

describe("limits of a game have sentences", () => {
  const crowd = (count: number) => Array.from({ length: count }, (_, at) => sender(`n${at}`));
  const items = (count: number) => Array.from({ length: count }, (_, at) => item(`x${at}`, "Bo"));
  test.each<[string, Partial<Plan>, string[]]>([
    ["nobody", { senders: [], rounds: [] }, ["fewSenders"]],
    ["one sender", { senders: [sender("Ana")], rounds: [] }, ["fewSenders"]],
    ["no rounds", { rounds: [] }, ["noRounds"]],
    ["too many senders", { senders: crowd(101), extras: [] }, ["manySenders", "manyPlayers"]],
    ["too many seats", { senders: crowd(60), extras: crowd(41).map(({ name }) => `extra ${name}`) }, ["manyPlayers"]],
    ["too many rounds", { rounds: Array.from({ length: 101 }, () => [item("A", "Bo")]) }, ["manyRounds"]],
    ["too many reels", { rounds: [items(ITEMS_MAX + 1)] }, ["manyItems"]],
    ["the same name twice", { extras: ["ＡＮＡ"] }, ["sameName"]],
    ["an extra seat twice", { extras: ["Guest", "guest", "GUEST"] }, ["sameName"]],
    ["a seat without a name", { extras: ["\u200b"] }, ["nameEmpty"]],
    ["a long name", { extras: ["x".repeat(41)] }, ["nameLong"]],
    ["a long title", { title: "x".repeat(41) }, ["titleLong"]],
    ["a long address", { rounds: [[{ ...item("A", "Bo"), url: `https://example.com/${"x".repeat(500)}` }]] }, ["urlLong"]],
  ])("%s", (_, more, expected) => expect(whys(more)).toEqual(expected));

  test("the largest game that is allowed is not too large to send", () => {
    const long = (at: number) => `https://example.com/${at}/`.padEnd(500, "x");
    const rounds = [Array.from({ length: ITEMS_MAX }, (_, at) => ({ ...item(`x${at}`, "Bo"), url: long(at) }))];
    expect(whys({ rounds })).toEqual([]);
    expect(new TextEncoder().encode(JSON.stringify(wishOf(plan({ rounds })))).length).toBeLessThan(WISH_BYTES_MAX);
  });
});

describe("the demo", () => {
  const names = ["Ana", "Bo", "Chi", "Dan", "Eve", "Fin", "Gus", "Hana"];
  for (let friends = FRIENDS_MIN; friends <= FRIENDS_MAX; friends++) {
    test(`${friends} friends play two rounds`, () => {
      for (let seed = 0; seed < 100; seed++) {
        const game = demoPlan(names.slice(0, friends), "https://parlor.example", `demo ${seed}`, "Demo");
        expect(problemsOf(game), `seed ${seed}`).toEqual([]);
        expect(game.rounds, `seed ${seed}`).toHaveLength(DEMO_ROUNDS);
        const numbers = game.rounds.flat().map(({ url }) => Number(/^https:\/\/parlor\.example\/reels\/demo\/(\d+)$/.exec(url)![1]));
        expect(new Set(numbers).size).toBe(numbers.length);
        for (const number of numbers) expect(number >= 1 && number <= DEMO_REELS).toBe(true);
        for (const round of game.rounds) expect(round.flatMap(({ by }) => by).sort()).toEqual(game.senders.map(({ key }) => key).sort());
      }
    });
  }
});
