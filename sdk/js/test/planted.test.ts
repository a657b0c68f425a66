// The properties are worth what they find: each of these mistakes is planted, and some seed must find it.

import { afterEach, expect, test, vi } from "vitest";
import { Seats } from "../src/seats.js";
import { Shows } from "../src/shows.js";
import { ListPart } from "../src/space/list.js";
import { MapPart } from "../src/space/map.js";
import { Place } from "../src/space/space.js";
import { type Options, Run } from "./model/run.js";
import type { World } from "./model/world.js";

const SEEDS = 300;
vi.setConfig({ testTimeout: 300_000 });

afterEach(() => void vi.restoreAllMocks());

/** Methods that only the class itself calls. */
type Open = Record<string, (...words: any[]) => any>;

/** Puts another method in the place of one; the other may call the first. */
function swap(owner: object, name: string, other: (this: any, first: (...words: any[]) => any, ...words: any[]) => any): void {
  const first = (owner as Open)[name]!;
  vi.spyOn(owner as Open, name).mockImplementation(function (this: unknown, ...words: unknown[]) {
    return other.call(this, first.bind(this), ...words);
  });
}

async function isFound(options: Options = {}): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await new Run(seed, options).whole();
    } catch {
      return;
    }
  }
  expect.fail(`no seed of ${SEEDS} finds it`);
}

test("an answer that is applied late is found", async () => {
  swap(Place.prototype, "answered", function (first, ...words) {
    this.door.ring(1, () => first(...words));
  });
  await isFound();
});

test("changes of ours that are not played again on top of a map are found", async () => {
  swap(MapPart.prototype, "update", function (first, turn) {
    if (turn.changes?.length) this.pending = [];
    first(turn);
  });
  await isFound();
});

test("changes of ours that are not played again on top of a list are found", async () => {
  swap(ListPart.prototype, "play", function (first, op) {
    if (this.pending.at(-1) === op) first(op);
  });
  await isFound();
});

test("a position that moves with half of a commit is found", async () => {
  await isFound({
    plant: (world: World) => {
      world.tamper = (frames, server) => {
        const frame = JSON.parse(frames[0]!) as { push?: string; at: string; mark?: string };
        if (frame.push === "changes" && !frame.mark) frame.mark = server.commits.find(({ seq }) => `7-${seq}` === frame.at)!.mark;
        frames[0] = JSON.stringify(frame);
      };
    },
  });
});

test("a position that moves with the first piece of a snapshot is found", async () => {
  swap(Shows.prototype, "whole", function (first, push) {
    first(push);
    const seat = this.state.seats.get(push.room);
    if (seat) seat.place = seat.near;
  });
  await isFound();
});

test("a command that is sent again under a new number is found", async () => {
  swap(Seats.prototype, "pump", function (first, room) {
    const act = this.state.seats.get(room)?.acts[0];
    if (act?.cuts > 0 && !act.sent) act.n = this.state.nextNumber++;
    first(room);
  });
  await isFound({ undo: false });
});

test("a group that is left out when what was refused is sent again is found", async () => {
  swap(Place.prototype, "answered", function (first, flight, error, ok) {
    if (error && flight.length > 1) flight.pop();
    first(flight, error, ok);
  });
  await isFound();
});
