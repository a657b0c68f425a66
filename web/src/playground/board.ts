// The board's own measure: everyone has the same coordinates, whatever the size of their window.

import type { Spot } from "./model.svelte.js";

export const WIDTH = 1200;
export const HEIGHT = 720;
export const NOTE = { width: 196, height: 150 };
export const PAPERS = ["lemon", "rose", "mint", "sky", "ivory"];
export const TEXT_MAX = 180;

/** Pixels of one unit: the board fills the width it is given, and where that is too little, people scroll. */
export const unit = (width: number): number => Math.max(width / WIDTH, 0.7);

/** A note stays on the board as a whole. */
export function onBoard({ x, y }: Spot): Spot {
  const within = (value: number, most: number) => Math.round(Math.max(0, Math.min(value, most)));
  return { x: within(x, WIDTH - NOTE.width), y: within(y, HEIGHT - NOTE.height) };
}

export function nextPaper(colour: string): string {
  return PAPERS[(PAPERS.indexOf(colour) + 1) % PAPERS.length]!;
}

/** New keys in the order of their making, so that what is new lies on top. */
export const newKey = (): string => `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36)}`;
