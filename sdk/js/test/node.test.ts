// The kit as a program in Node uses it: with the package `ws`, without a browser, a page or a keyring.

import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Client, type Frame, connect } from "../src/index.js";
import { type Served, serve } from "./model/serve.js";

let served: Served;
const clients: Client[] = [];

beforeEach(async () => void (served = await serve()));
afterEach(async () => {
  for (const client of clients.splice(0)) client.stop();
  await served.close();
});

function join(options = {}): Client {
  const client = connect({ server: served.url, WebSocket, ...options });
  clients.push(client);
  return client;
}

test("a server and a WebSocket are all it needs", async () => {
  const [ana, bo] = await Promise.all([join().enter("space/s"), join().enter("space/s")]);
  await ana.map("board").set("note", { text: "hello" });
  const { id, done } = ana.list("todo").push("milk");
  await done;
  await new Promise<void>((resolve) => bo.list("todo").subscribe((list) => list.has(id) && resolve()));
  expect(bo.map("board").get("note")).toEqual({ text: "hello" });
});

test("a line that breaks is taken up again, and what was changed meanwhile arrives", async () => {
  const ana = await join().enter("space/s");
  served.cut();
  await new Promise<void>((resolve) => ana.subscribe(({ stage }) => stage === "away" && resolve()));
  await ana.map("m").set("while", "away");
  expect(served.server.parts.get("map/m")?.get("while")?.value).toBe("away");
  expect(ana.state).toMatchObject({ stage: "inside", saved: true });
});

test("frames and latency can be looked at", async () => {
  const client = join();
  const frames: Frame[] = [];
  client.frames((frame) => frames.push(frame));
  const space = await client.enter("space/s");
  await space.map("m").set("a", "ä");
  expect(frames.filter(({ way }) => way === "out").map(({ text }) => (JSON.parse(text) as { do: string }).do)).toEqual(["hello", "ping", "enter", "map_set"]);
  expect(frames.find(({ text }) => text.includes("map_set"))).toMatchObject({ bytes: expect.any(Number) as number });
  const [set] = frames.filter(({ text }) => text.includes("map_set"));
  expect(set!.bytes).toBe(set!.text.length + 1);
  expect(client.latency).toBeGreaterThanOrEqual(0);
});

test("the app's token is what the server is shown", async () => {
  const said: string[] = [];
  const client = join({ auth: () => Promise.resolve("a.b.c") });
  client.frames(({ way, text }) => way === "out" && said.push(text));
  await client.enter("space/s");
  expect(JSON.parse(said[0]!)).toMatchObject({ do: "hello", with: { token: "a.b.c" } });
});
