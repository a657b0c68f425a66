// Something that goes on for a while, like a drag: it is written now and then and at its end, and is one step to undo.

import type { Space, Stop } from "parlor-sdk";

export class Gesture {
  private release: Stop | null = null;
  private due: (() => void) | null = null;
  private timer = 0;

  constructor(private readonly space: Space, private readonly msMin: number) {}

  get goesOn(): boolean {
    return this.release !== null;
  }

  /** Writes now, or as soon as the last time is long enough ago; only the newest of what waits is written. */
  write(write: () => void): void {
    this.release ??= this.space.oneStep();
    if (this.timer) {
      this.due = write;
      return;
    }
    write();
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      const { due } = this;
      this.due = null;
      if (due) this.write(due);
    }, this.msMin);
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.due?.();
    this.due = null;
    this.release?.();
    this.release = null;
  }
}
