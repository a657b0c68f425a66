import type { Table } from "parlor-sdk";
import { expect, test } from "vitest";
import { changes } from "../src/lib/changes.js";
import { sentences } from "../src/lib/said.js";
import { en } from "../src/words/en.js";

const table = (users: string, more: Partial<Table> = {}): Table => ({
  room_id: "a", name: null, valid_sizes: "1 2", admin_user_id: "", is_revealed: false, sealed: false, round: 1,
  timer_ends: null, timer_reveals: true, auto_reveal: false, reveal_by: "host", life_minutes: 60,
  users: users.split(" ").filter(Boolean).map((word) => ({
    user_id: word.replace("*", ""), user_name: word.replace("*", ""), has_vote: word.endsWith("*"), observer: false, guest: true, here: true,
  })),
  story_id: null, stories: [], history: [], ...more,
});

const seen = (before: Table, after: Table, now = 0) => changes(before, after, now).map((change) => ("name" in change ? `${change.name} ${change.change}` : change.change));

test("people come, lay cards, take them back and go", () => {
  expect(seen(table("ana bo"), table("ana* cy"))).toEqual(["ana voted", "cy joined", "bo left"]);
  expect(seen(table("ana*"), table("ana"))).toEqual(["ana took_back"]);
});

test("a cleared table takes nobody's card back", () => {
  expect(seen(table("ana* bo*", { is_revealed: true }), table("ana bo", { round: 2 }))).toEqual(["cleared"]);
  expect(seen(table("ana* bo", { round: 1 }), table("ana* bo", { round: 2 }))).toEqual(["cleared", "ana voted"]);
});

test("cards are shown once, and a story is named when it is picked", () => {
  const stories = [{ story_id: "s", title: "Login" }];
  expect(seen(table("ana*"), table("ana*", { is_revealed: true }))).toEqual(["shown"]);
  expect(seen(table("ana*", { is_revealed: true }), table("ana*", { is_revealed: true }))).toEqual([]);
  expect(seen(table("", { stories }), table("", { stories, story_id: "s", round: 2 }))).toEqual(["cleared", "story"]);
});

test("a timer is over when it ends by itself", () => {
  expect(seen(table("ana", { timer_ends: 50_000 }), table("ana"), 50_010)).toEqual(["timer_over"]);
  expect(seen(table("ana", { timer_ends: 50_000 }), table("ana", { is_revealed: true }), 50_010)).toEqual(["shown"]);
});

test("a timer that the host stops is not over", () => {
  expect(seen(table("ana", { timer_ends: 50_000 }), table("ana"), 30_000)).toEqual([]);
});

test("our guess of the server's clock may be a little behind", () => {
  expect(seen(table("ana", { timer_ends: 50_000 }), table("ana"), 49_800)).toEqual(["timer_over"]);
});

test("all that a view changed is said in one go, and nobody is told what they did themselves", () => {
  const stories = [{ story_id: "s", title: "Login" }];
  const said = (before: Table, after: Table, me: string | null = null) => sentences(changes(before, after, 0), after, me, en);
  expect(said(table("ana* bo"), table("ana bo cy", { stories, story_id: "s", round: 2 }))).toBe("Round 2. The table is clear. Now: Login. cy sat down.");
  expect(said(table("ana bo"), table("ana* bo*"), "ana")).toBe("bo has laid a card. 2 of 2.");
  expect(said(table("ana bo"), table("ana* bo"), "ana")).toBe("");
  const result = { votes: 2, average: 5, median: 5, mode: ["5"], agreement: 100, unanimous: true, distribution: [{ card: "5", count: 2 }] };
  expect(said(table("ana* bo*"), table("ana* bo*", { is_revealed: true, result }))).toBe("The cards are open. All of one mind! Average 5, median 5, agreement 100 percent.");
});
