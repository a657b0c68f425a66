// A table as a program sees it: views and patches become its state.

import { expect, test } from "vitest";
import { Client } from "../src/client.js";
import type { Outside, Wire } from "../src/outside.js";
import { poker } from "../src/poker.js";

function table() {
  const sent: { id: number; do: string; with?: unknown }[] = [];
  const wire: Wire = { readyState: 1, onopen: null, onmessage: null, onclose: null, onerror: null, send: (text) => void sent.push(JSON.parse(text)), close() {} };
  const outside: Outside = { open: () => wire, now: () => 0, dice: () => 1, ring: () => () => {}, soon: queueMicrotask, name: () => "n" };
  const client = new Client({ server: "http://stage" }, outside).start();
  const room = poker(client).room("a");
  const hears = (frame: object) => wire.onmessage?.({ data: JSON.stringify({ room: "poker/a", ...frame }) });
  const answer = (verb: string, ok: object) => hears({ id: sent.findLast((request) => request.do === verb)!.id, ok });
  return { client, room, sent, wire, hears, answer };
}

test("a view is the state, and a patch changes what it names", async () => {
  const { room, wire, hears, answer, sent } = table();
  const states: unknown[] = [];
  room.subscribe(({ stage, view, me }) => states.push([stage, view, me]));
  const entering = room.enter();
  wire.onopen?.({});
  answer("hello", { protocol: 1, user_key: "uk" });
  answer("enter", { at: "1-1", mark: "aa", resumed: false });
  hears({ push: "view", at: "1-2", mark: "bb", expires_at: 9, view: { round: 1, users: [{ user_id: "a" }, { user_id: "b" }] }, me: { vote: "5" } });
  await entering;
  expect(room.state).toMatchObject({ stage: "inside", resumed: false, expiresAt: 9, view: { round: 1 }, me: { vote: "5" } });
  hears({ push: "patch", base: "1-2", at: "1-3", mark: "cc", users: [{ user_id: "c" }], gone: ["b"] });
  expect(room.state.view).toEqual({ round: 1, users: [{ user_id: "a" }, { user_id: "c" }] });
  expect(room.say({ nudge: "a" })).toBe(true);
  expect(sent.at(-1)).toMatchObject({ do: "say", with: { nudge: "a" } });
  hears({ push: "closing", expires_at: 5 });
  hears({ push: "ended", reason: "kicked" });
  expect(room.state).toMatchObject({ stage: "over", ended: "kicked", expiresAt: 5 });
  expect(states[0]).toEqual(["entering", null, null]);
});

test("a table that does not let us in says why, and a new key is kept", async () => {
  const { client, room, wire, hears, answer, sent } = table();
  const entering = room.enter();
  wire.onopen?.({});
  answer("hello", { protocol: 1, user_key: "uk" });
  expect(client.keys.userKey()).toBe("uk");
  hears({ id: sent.findLast((request) => request.do === "enter")!.id, error: { code: "room_not_found", message: "", retry: false } });
  await expect(entering).rejects.toMatchObject({ code: "room_not_found" });
  expect(room.state).toMatchObject({ stage: "over", ended: "room_not_found" });
});
