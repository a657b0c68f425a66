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

const made = { room: "reels/ABCD2345", room_id: "ABCD2345", host_key: "hk_secret" };
const refused = (status: number, retry: boolean) => new Response(JSON.stringify({ error: { code: "other", message: "no", retry } }), { status });
const good = () => new Response(JSON.stringify(made), { status: 201 });
const another = { ...wish, title: "Another" };

/** The keys under which these wishes are asked for, one after the other, when the server answers like this. */
async function keys(answers: readonly (() => Response)[], wishes: readonly object[]): Promise<string[]> {
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(headers["idempotency-key"]!);
    return answers[sent.length - 1]!();
  });
  const parlor = connect({ server: "http://house", WebSocket: NoWire as never });
  const games = reels(parlor);
  for (const wish of wishes) await games.create(structuredClone(wish) as never).catch(() => {});
  parlor.stop();
  for (const key of sent) expect(key).toMatch(/^[0-9a-f]{48}$/);
  return sent.map((key) => String.fromCharCode(97 + [...new Set(sent)].indexOf(key)));
}

const lost = (): never => {
  throw new TypeError("the line is cut");
};
const gateway = () => new Response("<h1>Gateway timeout</h1>", { status: 504 });
const cut = () => new Response('{"room":"reels/AB', { status: 201 });

test.each([
  ["asked again after a lost answer it is the same game", [lost, cut, () => refused(503, true), gateway, good], [wish, wish, wish, wish, wish], "aaaaa"],
  ["a game that was made is not made again: the next one is another", [good, good], [wish, wish], "ab"],
  ["a clear no ends it", [() => refused(400, false), good], [wish, wish], "ab"],
  ["another wish is another game", [lost, lost, good], [wish, another, another], "abb"],
])("%s", async (_, answers, wishes, expected) => {
  expect((await keys(answers, wishes)).join("")).toBe(expected);
});

test("a game has one room, however often it is asked for", () => {
  const parlor = connect({ server: "http://house", WebSocket: NoWire as never });
  const games = reels(parlor);
  expect(games.room("ABCD2345")).toBe(games.room("ABCD2345"));
  parlor.stop();
});
