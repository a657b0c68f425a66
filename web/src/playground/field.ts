// The coin game's field: how large it is, and places on it.

import type { Spot } from "./model.svelte.js";

export const FIELD = { width: 900, height: 540 };
/** Who is nearer to the coin than this has it. */
export const REACH = 34;
const EDGE = 24;
const TRIES = 8;

/** From 0 to below `sides`. */
type Roll = (sides: number) => number;
const byChance: Roll = (sides) => Math.floor(Math.random() * sides);

const anywhere = (roll: Roll): Spot => ({
  x: EDGE * 2 + roll(FIELD.width - EDGE * 4),
  y: EDGE * 2 + roll(FIELD.height - EDGE * 4),
});

/** Some place, far from all of these: nobody is given a coin by luck, or stands on one. */
export function farFrom(spots: readonly Spot[], roll: Roll = byChance): Spot {
  const room = (place: Spot) => Math.min(...spots.map(({ x, y }) => Math.hypot(place.x - x, place.y - y)));
  const places = Array.from({ length: TRIES }, () => anywhere(roll));
  return places.reduce((best, other) => (room(other) > room(best) ? other : best));
}

export const inside = ({ x, y }: Spot): Spot => ({
  x: Math.max(EDGE, Math.min(x, FIELD.width - EDGE)),
  y: Math.max(EDGE, Math.min(y, FIELD.height - EDGE)),
});
