import type { Table } from "parlor-sdk";
import { expect, test } from "vitest";
import { changes } from "../src/lib/changes.js";

const table = (users: string, more: Partial<Table> = {}): Table => ({
  room_id: "a", name: null, valid_sizes: "1 2", admin_user_id: "", is_revealed: false, sealed: false, round: 1,
  timer_ends: null, timer_reveals: true, auto_reveal: false, reveal_by: "host", life_minutes: 60,
  users: users.split(" ").filter(Boolean).map((word) => ({
    user_id: word.replace("*", ""), user_name: word.replace("*", ""), has_vote: word.endsWith("*"), observer: false, guest: true, here: true,
  })),
  story_id: null, stories: [], history: [], ...more,
});

const seen = (before: Table, after: Table) => changes(before, after).map((change) => ("name" in change ? `${change.name} ${change.change}` : change.change));

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
  expect(seen(table("", { stories }), table("", { stories, story_id: "s" }))).toEqual(["story"]);
});

test("a timer is over when it ends by itself", () => {
  expect(seen(table("ana", { timer_ends: 5 }), table("ana"))).toEqual(["timer_over"]);
  expect(seen(table("ana", { timer_ends: 5 }), table("ana", { is_revealed: true }))).toEqual(["shown"]);
});
