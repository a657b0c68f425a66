// A true sender goes from the row of names to a slot: one way, drawn as one movement.

import { cubicInOut } from "svelte/easing";
import { crossfade, fade } from "svelte/transition";
import { calm } from "../../lib/preferences.svelte.js";

export const [leaves, arrives] = crossfade({
  duration: () => (calm() ? 0 : 1000),
  easing: cubicInOut,
  fallback: (node) => fade(node, { duration: calm() ? 0 : 300 }),
});
