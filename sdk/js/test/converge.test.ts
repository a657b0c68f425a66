// Whatever happens on the way, everybody ends with what the server has. A failure prints the seed that repeats it.

import { expect, test } from "vitest";
import { type Options, Run } from "./model/run.js";

async function runs(from: number, count: number, options: Options = {}): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (let seed = from; seed < from + count; seed++) {
    try {
      const run = new Run(seed, options);
      await run.whole();
      for (const [what, times] of Object.entries(run.weather.seen)) seen[what] = (seen[what] ?? 0) + times;
    } catch (error) {
      (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
      throw error;
    }
  }
  return seen;
}

/** Everything that the protocol allows to happen, and that a run which finds nothing must have lived through. */
const WEATHER = [
  "batches", "returns", "resumes", "fresh entrances", "repeated commands", "delays", "refusals", "moves",
  "changes within snapshots", "half commits", "echoes", "joined commits",
];

test("two to five clients converge through cuts, sleeps and refusals", async () => {
  const seen = await runs(1, 300);
  for (const what of WEATHER) expect([what, (seen[what] ?? 0) >= 100]).toEqual([what, true]);
}, 300_000);

test("every acknowledged change was done once, and no refused one", () => runs(10_001, 150, { undo: false }).then(() => {}), 300_000);

test("a single client that is cut off again and again loses nothing", () => runs(20_001, 80, { clients: 1, steps: 150, undo: false }).then(() => {}), 300_000);

test("seeds are repeatable", async () => {
  const ends = await Promise.all([7, 7, 8].map(async (seed) => {
    const run = new Run(seed);
    await run.whole();
    return JSON.stringify([run.server.performed, run.world.now]);
  }));
  expect(ends[0]).toBe(ends[1]);
  expect(ends[0]).not.toBe(ends[2]);
});
