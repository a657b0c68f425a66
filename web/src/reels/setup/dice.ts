// Dice that fall the same way for the same seed, on every machine.

export interface Dice {
  /** From 0 to below `sides`. */
  roll(sides: number): number;
  /** The same things in another order; what is given stays as it was. */
  shuffled<T>(things: readonly T[]): T[];
}

export function dice(seed: string): Dice {
  // FNV-1a over the text, then mulberry32: short, well known, and even enough for a game.
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (sides: number) => Math.floor(next() * sides);
  return {
    roll,
    shuffled(things) {
      const mixed = [...things];
      for (let at = mixed.length - 1; at > 0; at--) {
        const with_ = roll(at + 1);
        [mixed[at], mixed[with_]] = [mixed[with_]!, mixed[at]!];
      }
      return mixed;
    },
  };
}

/** Letters that nobody mistakes for others when they are read out. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const SEED_CHARS = 6;

/** A new seed, by chance. */
export function newSeed(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(SEED_CHARS)), (byte) => LETTERS[byte % LETTERS.length]).join("");
}
