import { afterEach, expect, test, vi } from "vitest";
import { connect } from "../src/index.js";
import { reels } from "../src/reels.js";

afterEach(() => vi.unstubAllGlobals());

class NoWire {
  send(): void {}
  close(): void {}
  addEventListener(): void {}
}

const wish = {
  senders: [{ sender_id: "s1", name: "Camille", active: true, reels_count: 1 }],
  rounds: [{ round_id: "r1", items: [{ item_id: "i1", reel: { reel_id: "X", url: "https://example.org/X" }, true_sender_ids: ["s1"] }] }],
};

function answering(status: number, body: object): { readonly asked: [string, RequestInit][] } {
  const asked: [string, RequestInit][] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push([url, init]);
    return new Response(JSON.stringify(body), { status });
  });
  return { asked };
}

test("a game is made without the socket, and its key goes to the keyring", async () => {
  const { asked } = answering(201, { room: "reels/ABCD2345", room_id: "ABCD2345", host_key: "hk_secret" });
  const parlor = connect({ server: "http://house", WebSocket: NoWire as never });
  expect(await reels(parlor).create(wish)).toEqual({ room: "reels/ABCD2345", room_id: "ABCD2345" });
  expect(parlor.keys.hostKey("reels/ABCD2345")).toBe("hk_secret");
  expect(asked.map(([url, init]) => [url, JSON.parse(String(init.body))])).toEqual([["http://house/v1/rooms", { kind: "reels", ...wish }]]);
  parlor.stop();
});

test("a refusal keeps the game's own word for it", async () => {
  answering(409, { error: { code: "exists", message: "taken", retry: false, reason: "taken_now" } });
  const parlor = connect({ server: "http://house", WebSocket: NoWire as never });
  await expect(reels(parlor).create(wish)).rejects.toMatchObject({ code: "exists", reason: "taken_now", retry: false });
  parlor.stop();
});

test("a game has one room, however often it is asked for", () => {
  const parlor = connect({ server: "http://house", WebSocket: NoWire as never });
  const games = reels(parlor);
  expect(games.room("ABCD2345")).toBe(games.room("ABCD2345"));
  parlor.stop();
});
