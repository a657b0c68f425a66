// How often something may be said: so many times in any second.

export const REACTIONS_PER_SECOND = 3;

export class Pace {
  private times: number[] = [];

  constructor(private readonly perSecond: number) {}

  /** Whether it may be said now; if so, it counts. */
  allows(now: number): boolean {
    this.times = this.times.filter((time) => now - time < 1000);
    if (this.times.length >= this.perSecond) return false;
    this.times.push(now);
    return true;
  }
}
