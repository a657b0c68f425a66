// The demo reels: who is in the picture, where, how large, and how they move. No words, so that every language laughs.

export type Motion = "still" | "bob" | "hop" | "spin" | "walk" | "back" | "fall" | "rise" | "shake" | "swing" | "pulse" | "orbit" | "peek" | "roll";

/** A sign, its middle in percent from left and top, its size in percent of the width, its motion, seconds for one go, and a start. */
export type Actor = readonly [sign: string, x: number, y: number, size: number, motion: Motion, seconds: number, delay?: number];

export interface Scene {
  /** Above and below. */
  readonly sky: readonly [string, string];
  readonly actors: readonly Actor[];
}

/** The same sign several times, spread over the width, one after the other. */
function shower(sign: string, count: number, size: number, motion: "fall" | "rise", seconds: number): Actor[] {
  return Array.from({ length: count }, (_, at) => [sign, 8 + ((at * 37) % 84), 50, size + ((at * 5) % 8), motion, seconds + (at % 3) * 0.5, (at * seconds) / count] as const);
}

export const SCENES: readonly Scene[] = [
  // A cat that never gets the mouse.
  { sky: ["#f6c667", "#c8553d"], actors: [["🏠", 78, 30, 36, "still", 1], ["🐭", 50, 72, 16, "walk", 3], ["🐈", 50, 70, 30, "walk", 3, 0.45], ["🧀", 20, 84, 18, "pulse", 1.2]] },
  // A penguin on thin ice.
  { sky: ["#8fd3f4", "#1d6fa5"], actors: [["🧊", 22, 80, 26, "bob", 3], ["🧊", 74, 84, 34, "bob", 2.4], ["🐧", 50, 62, 40, "roll", 3.2], ["🐟", 50, 90, 16, "back", 4], ...shower("❄️", 7, 7, "fall", 4)] },
  // Lift-off.
  { sky: ["#0b1033", "#3b2667"], actors: [["🌕", 76, 18, 30, "pulse", 4], ["⭐", 20, 22, 8, "pulse", 1.1], ["⭐", 44, 12, 6, "pulse", 1.6], ["🚀", 46, 50, 34, "rise", 3.4], ["🐒", 18, 86, 22, "hop", 0.8]] },
  // It rains pizza.
  { sky: ["#5b6c8f", "#2c3550"], actors: [...shower("🍕", 9, 14, "fall", 2.6), ["☂️", 42, 66, 34, "swing", 1.6], ["😋", 44, 84, 24, "bob", 0.7]] },
  // A dog on a board.
  { sky: ["#ffd1a4", "#e0716b"], actors: [["🌴", 16, 60, 46, "swing", 4], ["🌊", 50, 92, 60, "bob", 3], ["🛹", 50, 78, 26, "walk", 3.2], ["🐕", 50, 69, 26, "walk", 3.2], ["😎", 84, 20, 16, "pulse", 2]] },
  // The ghost's disco.
  { sky: ["#2b0a3d", "#6a0f5b"], actors: [["🪩", 50, 14, 30, "spin", 4], ["👻", 28, 62, 32, "hop", 0.6], ["🎃", 74, 66, 28, "hop", 0.6, 0.3], ["🎶", 18, 30, 12, "bob", 1], ["🎶", 84, 34, 12, "bob", 0.8]] },
  // A banana that dances alone.
  { sky: ["#fff3b0", "#f4a261"], actors: [["🍌", 50, 54, 60, "swing", 0.7], ["👏", 16, 86, 16, "pulse", 0.5], ["👏", 84, 86, 16, "pulse", 0.5, 0.2], ["🎵", 20, 24, 12, "bob", 0.9], ["🎵", 80, 18, 12, "bob", 1.1]] },
  // Gym day.
  { sky: ["#c9d6df", "#52616b"], actors: [["🐹", 50, 66, 44, "shake", 0.25], ["🏋️", 50, 34, 34, "bob", 1.4], ["💦", 26, 50, 12, "fall", 1.2], ["💦", 76, 50, 12, "fall", 1.5, 0.5], ["💪", 84, 84, 18, "pulse", 0.8]] },
  // The toast is ready. Again.
  { sky: ["#fbe8d3", "#d9a066"], actors: [["🍞", 40, 50, 26, "hop", 0.9], ["🍞", 60, 50, 26, "hop", 0.9, 0.45], ["🔥", 50, 78, 34, "shake", 0.3], ["🙀", 50, 16, 26, "bob", 0.5]] },
  // A very slow race.
  { sky: ["#b7e4c7", "#2d6a4f"], actors: [["🏁", 86, 40, 18, "swing", 1.4], ["🐌", 50, 56, 24, "walk", 9], ["🐢", 50, 74, 28, "walk", 7], ["🐇", 78, 90, 20, "still", 1], ["💤", 88, 82, 12, "bob", 1.6]] },
  // The octopus plays the drums.
  { sky: ["#0f4c75", "#072f4a"], actors: [["🐙", 50, 50, 54, "shake", 0.35], ["🥁", 26, 80, 24, "hop", 0.4], ["🥁", 74, 80, 24, "hop", 0.4, 0.2], ...shower("🫧", 6, 8, "rise", 3)] },
  // A cactus needs a hug.
  { sky: ["#ffcf99", "#c05621"], actors: [["☀️", 78, 16, 28, "spin", 12], ["🌵", 38, 62, 46, "swing", 2], ["🎈", 70, 44, 26, "bob", 2.2], ["💥", 56, 48, 14, "pulse", 1.1]] },
  // Two ducks and a wedding.
  { sky: ["#cdeffd", "#7cc6ee"], actors: [["🦆", 34, 66, 30, "bob", 1.3], ["🦆", 64, 66, 30, "bob", 1.3, 0.6], ["💍", 50, 46, 14, "pulse", 1], ...shower("🌸", 8, 9, "fall", 3.4)] },
  // The cow and the spaceship.
  { sky: ["#10002b", "#3c096c"], actors: [["🛸", 50, 18, 44, "swing", 2.4], ["🐄", 50, 60, 26, "rise", 4], ["🌾", 16, 90, 22, "swing", 1.8], ["🌾", 84, 90, 22, "swing", 2.1]] },
  // Grandma drifts.
  { sky: ["#e9ecef", "#868e96"], actors: [["🏎️", 50, 70, 40, "back", 1.8], ["👵", 50, 26, 34, "shake", 0.3], ["💨", 76, 78, 18, "pulse", 0.6], ["🚧", 14, 86, 16, "roll", 1.8]] },
  // Sushi goes round.
  { sky: ["#fde2e4", "#e07a5f"], actors: [["🍣", 50, 50, 22, "orbit", 4], ["🍤", 50, 50, 22, "orbit", 4, -1], ["🍙", 50, 50, 22, "orbit", 4, -2], ["🍥", 50, 50, 22, "orbit", 4, -3], ["🤤", 50, 50, 28, "pulse", 1]] },
  // Somebody is behind the sofa.
  { sky: ["#d8c3a5", "#8e7c5e"], actors: [["👀", 50, 44, 30, "peek", 2.6], ["🛋️", 50, 66, 76, "still", 1], ["🪴", 86, 54, 24, "swing", 3], ["🖼️", 24, 20, 26, "still", 1]] },
  // The flamingo's yoga.
  { sky: ["#ffe0ec", "#ff8fab"], actors: [["🦩", 50, 56, 56, "swing", 3.4], ["🧘", 82, 84, 20, "bob", 2], ["☁️", 26, 16, 26, "walk", 14], ["🌸", 20, 40, 10, "pulse", 2]] },
  // A robot learns to love.
  { sky: ["#1b263b", "#415a77"], actors: [["🤖", 34, 62, 38, "hop", 1.1], ["🧇", 72, 64, 28, "spin", 5], ...shower("❤️", 7, 9, "rise", 2.8)] },
  // The crab dresses up.
  { sky: ["#fdf0d5", "#e9c46a"], actors: [["🌊", 50, 12, 60, "bob", 3], ["🦀", 50, 60, 34, "walk", 2.2], ["🐚", 24, 84, 14, "still", 1], ["💎", 78, 84, 14, "pulse", 1], ["🎩", 50, 49, 16, "walk", 2.2]] },
  // Monday.
  { sky: ["#adb5bd", "#343a40"], actors: [["⏰", 50, 26, 40, "shake", 0.2], ["🛌", 50, 70, 54, "still", 1], ["☕", 84, 84, 18, "pulse", 1.6], ["😾", 18, 82, 22, "bob", 2]] },
  // Fireworks for one.
  { sky: ["#03071e", "#370617"], actors: [["🎆", 30, 28, 40, "pulse", 1.3], ["🎇", 72, 20, 36, "pulse", 1.7], ["🎉", 24, 84, 22, "swing", 0.9], ["🥳", 56, 80, 32, "hop", 0.7]] },
  // The goat on the mountain.
  { sky: ["#caf0f8", "#48829e"], actors: [["🏔️", 50, 70, 96, "still", 1], ["🐐", 50, 36, 26, "hop", 1.2], ["🦅", 50, 14, 18, "back", 5], ["📣", 74, 30, 12, "shake", 0.4]] },
  // Karaoke at three in the morning.
  { sky: ["#240046", "#9d4edd"], actors: [["🦁", 46, 58, 50, "swing", 1], ["🎤", 70, 66, 24, "swing", 0.8], ["🎶", 20, 26, 14, "bob", 0.9], ["🙉", 18, 86, 20, "shake", 0.3], ["🌙", 82, 14, 18, "still", 1]] },
];
