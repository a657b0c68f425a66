// The kit and the real server, hand in hand.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Space, SpaceState } from "../src/index.js";
import { Dice } from "../test/model/dice.js";
import { type Guest, type House, house } from "./house.js";

let served: House;
beforeAll(async () => void (served = await house()), 60_000);
afterAll(() => served.close());

const until = (space: Space, is: (state: SpaceState) => boolean) => new Promise<void>((resolve) => {
  const stop = space.subscribe((state) => {
    if (!is(state)) return;
    queueMicrotask(() => stop());
    resolve();
  });
});
const saved = (space: Space) => until(space, ({ stage, saved }) => stage === "inside" && saved);

async function open(count: number): Promise<{ guests: Guest[]; spaces: Space[]; room: string }> {
  const guests = Array.from({ length: count }, () => served.join());
  const { room } = await guests[0]!.client.createSpace({ name: "Board", guests: "write" });
  return { guests, spaces: await Promise.all(guests.map(({ client }) => client.enter(room))), room };
}

/** All that a client shows. */
const seen = (space: Space) => JSON.stringify([
  [...space.map("m").entries()].sort(([one], [other]) => (one < other ? -1 : 1)),
  space.list("l").items(),
]);

test("what one does the other sees", async () => {
  const { spaces: [ana, bo] } = await open(2) as { spaces: [Space, Space] } & Awaited<ReturnType<typeof open>>;
  expect(ana.state.space).toMatchObject({ name: "Board", guests: "write" });
  expect(ana.me?.rights).toContain("admin");
  await ana.map("m").set("a", { text: "hello" });
  const { id, done } = ana.list("l").push("milk");
  await done;
  await new Promise<void>((resolve) => bo.list("l").subscribe((list) => list.has(id) && resolve()));
  expect(bo.map("m").get("a")).toEqual({ text: "hello" });
  const heard = new Promise((resolve) => ana.hear(({ from, data }) => resolve([from, data])));
  bo.broadcast({ wave: 1 });
  expect(await heard).toEqual([bo.me?.userId, { wave: 1 }]);
  const cursor = new Promise((resolve) => ana.presence("p").subscribe((presence) => presence.others().length > 0 && resolve(presence.others())));
  bo.presence("p").set({ x: 1, y: 2 });
  expect(await cursor).toMatchObject([{ userId: bo.me?.userId, value: { x: 1, y: 2 } }]);
  expect(new Set(ana.who.map(({ userId }) => userId))).toEqual(new Set([ana.me?.userId, bo.me?.userId]));
  await expect(bo.delete()).rejects.toMatchObject({ code: "forbidden" });
  await expect(bo.map("m").set("a", 1, { ifVersion: 1 })).rejects.toMatchObject({ code: "version_mismatch" });
  await bo.batch(() => {
    void bo.map("m").remove("a");
    void bo.list("l").move(id, { at: 0 });
  });
  await bo.undo();
  expect(bo.map("m").get("a")).toEqual({ text: "hello" });
  await ana.update({ name: "Other" });
  await until(bo, ({ space }) => space?.name === "Other");
  await ana.delete();
  await until(bo, ({ stage }) => stage === "over");
  expect(bo.state.ended).toBe("deleted");
});

test("a space that is not there says so", async () => {
  const { client } = served.join();
  await expect(client.enter("space/00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ code: "room_not_found" });
});

for (const seed of [1, 2, 3]) {
  test(`everybody ends with the same through cuts and a restart (seed ${seed})`, async () => {
    const dice = new Dice(seed);
    const { guests, spaces, room } = await open(4);
    for (let round = 0; round < 60; round++) {
      const who = dice.below(spaces.length);
      const space = spaces[who]!;
      for (let deed = dice.below(8); deed >= 0; deed--) changes(dice, space, `${round}-${deed}`);
      if (dice.often(0.2)) guests[who]!.cut();
      if (dice.often(0.1)) void space.undo().catch(() => {});
      if (round === 30) await served.restart();
      await new Promise((resolve) => setTimeout(resolve, dice.below(15)));
    }
    await Promise.all(spaces.map(saved));
    // A last change that everybody must see after everything else.
    await spaces[0]!.map("end").set("end", seed);
    await Promise.all(spaces.map((space) => new Promise<void>((resolve) => space.map("end").subscribe("end", (value) => value === seed && resolve()))));
    const fresh = await served.join().client.enter(room);
    for (const space of spaces) expect(seen(space)).toBe(seen(fresh));
  }, 60_000);
}

function changes(dice: Dice, space: Space, tag: string): void {
  const [map, list] = [space.map("m"), space.list("l")];
  const id = list.at(dice.below(list.length))?.id;
  dice.weigh<() => unknown>([
    [4, () => map.set(`k${dice.below(6)}`, { tag })],
    [1, () => map.remove(`k${dice.below(6)}`)],
    [2, () => list.push(tag)],
    [2, () => list.insertAt(dice.below(list.length + 1), tag)],
    [2, () => list.insertAfter(id ?? null, tag)],
    [2, () => id && list.set(id, tag)],
    [3, () => id && list.move(id, { at: dice.below(list.length) })],
    [2, () => id && list.remove(id)],
    [0.1, () => list.clear()],
    [1, () => space.batch(() => {
      void map.set("k0", { tag });
      list.push(tag);
    }).catch(() => {})],
    [0.5, () => map.set("k1", { tag }, { ifVersion: map.version("k1") })],
    [1, () => space.presence("p").set({ tag })],
  ])();
}

test("a space of many entries is entered in pieces while others write", async () => {
  const { spaces: [ana], room } = await open(1) as { spaces: [Space] } & Awaited<ReturnType<typeof open>>;
  for (let key = 0; key < 3000; key++) void ana.map("big").set(`k${key}`, { key, filler: "x".repeat(100) });
  for (let item = 0; item < 1000; item++) ana.list("l").push(`item ${item}`);
  await saved(ana);
  const guest = served.join();
  let pieces = 0;
  guest.client.frames(({ text }) => (pieces += text.includes('"push":"snapshot"') ? 1 : 0));
  const entering = guest.client.enter(room);
  for (let key = 0; key < 300; key++) void ana.map("big").set(`k${key * 10}`, "changed");
  for (let item = 0; item < 50; item++) void ana.list("l").move(ana.list("l").at(item * 7)!.id, { at: 0 });
  const bo = await entering;
  await saved(ana);
  await ana.map("end").set("end", 1);
  await new Promise<void>((resolve) => bo.map("end").subscribe("end", (value) => value === 1 && resolve()));
  expect(pieces).toBeGreaterThan(1);
  expect(seen(bo)).toBe(seen(ana));
  expect(bo.map("big").toJSON()).toEqual(ana.map("big").toJSON());
}, 60_000);
