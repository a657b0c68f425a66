// What phones throw at the big screen: an emoji and a face that rise and are gone. Only a short list of emoji is shown, and
// never so many at once that the game is hidden.

import { REACTIONS } from "../game.svelte.js";

interface Thrower {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
}

export interface Flight {
  readonly key: number;
  readonly emoji: string;
  readonly by: Thrower | null;
  /** How far from the left, in percent. */
  readonly left: number;
}

export const FLIGHTS_MAX = 24;
export const FLIGHT_MS = 3600;

export class Flights {
  list = $state.raw<readonly Flight[]>([]);
  private last = 0;

  launch(react: unknown, by: Thrower | null): void {
    const emoji = REACTIONS.find((known) => known === react);
    if (emoji === undefined || this.list.length >= FLIGHTS_MAX) return;
    const flight = { key: ++this.last, emoji, by, left: 4 + Math.random() * 88 };
    this.list = [...this.list, flight];
    setTimeout(() => (this.list = this.list.filter((other) => other !== flight)), FLIGHT_MS);
  }

  clear(): void {
    this.list = [];
  }
}
