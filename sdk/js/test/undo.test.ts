// Undo and redo of one client restore exactly what was there, however slow the server is.

import { expect, test } from "vitest";
import { Run, seen } from "./model/run.js";

const SEEDS = 200;
const STEPS = 25;

test("undo goes back and redo goes forth through every step, exactly", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      thereAndBack(new Run(seed, { clients: 1, tame: true }));
    } catch (error) {
      (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
      throw error;
    }
  }
}, 120_000);

function thereAndBack(run: Run): void {
  const [player] = run.players as [(typeof run.players)[0]];
  const { space } = player;
  run.calm();
  const steps = [seen(space)];
  /** A while passes for the server, or does not. */
  const wait = () => {
    for (let left = run.dice.below(12); left > 0; left--) {
      run.world.settle();
      const due = run.world.due();
      if (due.length > 0) run.dice.weigh(due)();
    }
  };
  const alike = (place: number, doing: string) => expect(seen(space), doing).toBe(steps[place]);
  const canUndo = () => (space as unknown as { history: { past: unknown[] } }).history.past.length;
  while (steps.length <= STEPS) {
    const before = canUndo();
    if (run.dice.often(0.3)) void space.batch(() => { for (let op = 0; op < 3; op++) run.changes(player); }).catch(() => {});
    else run.changes(player);
    // What changed nothing that could be taken back is no step.
    if (canUndo() > before) steps.push(seen(space));
    wait();
  }
  // Refusals of the server would take steps away: none of these operations is one.
  expect(canUndo()).toBe(STEPS);
  const turns = [...Array(3).keys()];
  for (const turn of turns) {
    for (let place = STEPS - 1; place >= 0; place--, wait()) {
      void space.undo();
      alike(place, `undo ${place} of turn ${turn}`);
    }
    expect(space.canUndo).toBe(false);
    for (let place = 1; place <= STEPS; place++, wait()) {
      void space.redo();
      alike(place, `redo ${place} of turn ${turn}`);
    }
    expect(space.canRedo).toBe(false);
  }
  run.calm();
  alike(STEPS, "rest");
  run.check();
}
