// The server's time, as a value that components can read while it passes.

import { parlor } from "../lib/parlor.svelte.js";

/** Often enough that a countdown never skips a second. */
const TICK_MS = 200;

export class Clock {
  now = $state(parlor.now());

  /** Called inside an effect root: it runs as long as the component lives. */
  constructor() {
    $effect(() => {
      const tick = setInterval(() => (this.now = parlor.now()), TICK_MS);
      return () => clearInterval(tick);
    });
  }
}
