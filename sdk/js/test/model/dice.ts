// Chance that can be repeated: the same seed, the same throws.

export class Dice {
  constructor(private seed: number) {}

  /** From 0 up to 1. */
  throw(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 up to and without `bound`. */
  below(bound: number): number {
    return Math.floor(this.throw() * bound);
  }

  often(chance: number): boolean {
    return this.throw() < chance;
  }

  pick<T>(some: readonly T[]): T {
    return some[this.below(some.length)]!;
  }

  /** One of them, each as likely as its weight says. */
  weigh<T>(some: readonly (readonly [weight: number, thing: T])[]): T {
    let left = this.throw() * some.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, thing] of some) if ((left -= weight) < 0) return thing;
    return some.at(-1)![1];
  }
}
