// What can be undone and done again: steps of operations that would take our changes back.

import type { Stop } from "./api.js";
import { type Op, UNDO_STEPS_MAX } from "./words.js";

/** Operations in the order in which they are to be done. */
interface Step {
  deeds: Op[];
}

export class History {
  past: Step[] = [];
  future: Step[] = [];
  /** Where what is noted goes: undoing fills the future. */
  #doing: "new" | "undo" | "redo" = "new";
  #holds = 0;
  #held: Step | null = null;

  /** Keeps what takes a change back; within a hold all of it is one step. */
  note(deeds: Op[]): void {
    if (deeds.length === 0) return;
    const step: Step = this.#held ?? { deeds: [] };
    step.deeds.unshift(...deeds);
    if (this.#doing === "new") this.future = [];
    if (step === this.#held) return;
    if (this.#holds) this.#held = step;
    const stack = this.#doing === "undo" ? this.future : this.past;
    stack.push(step);
    if (stack.length > UNDO_STEPS_MAX) stack.shift();
  }

  hold(): Stop {
    this.#holds += 1;
    let mine = true;
    return () => {
      if (mine && --this.#holds === 0) this.#held = null;
      mine = false;
    };
  }

  /** Takes the newest step, and notes what `work` does of it for the other way. */
  go(way: "undo" | "redo", work: (deeds: readonly Op[]) => Promise<void>): Promise<void> {
    const step = (way === "undo" ? this.past : this.future).pop();
    if (!step) return Promise.resolve();
    // A step that is still growing ends here.
    const held = this.#held;
    this.#held = null;
    this.#doing = way;
    try {
      return work(step.deeds);
    } finally {
      this.#doing = "new";
      this.#held = held === step ? null : held;
    }
  }

  /** Changes that the server refused cannot be undone. */
  forget(deeds: ReadonlySet<Op>): void {
    for (const step of [...this.past, ...this.future]) step.deeds = step.deeds.filter((deed) => !deeds.has(deed));
    if (this.#held?.deeds.length === 0) this.#held = null;
    this.past = this.past.filter(({ deeds }) => deeds.length > 0);
    this.future = this.future.filter(({ deeds }) => deeds.length > 0);
  }
}
