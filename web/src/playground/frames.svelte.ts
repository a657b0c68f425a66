// What passes on the line, as far back as is worth looking at. Frames may pass faster than a page can draw, so they are
// gathered and shown a few times a second.

import type { Frame } from "parlor-sdk";
import { parlor } from "../lib/parlor.svelte.js";
import { isNoise, masked, wordOf } from "./frame.js";

export interface Seen {
  readonly number: number;
  readonly way: Frame["way"];
  readonly at: number;
  readonly bytes: number;
  /** The verb of a request, the word of a push; null for an answer. */
  readonly word: string | null;
  readonly text: string;
}

const SEEN_MAX = 100;
const TEXT_MAX = 4000;
const SHOW_MS = 250;

export class Frames {
  list = $state.raw<readonly Seen[]>([]);
  paused = $state(false);
  presence = $state(false);
  /** Bytes of the last second, each way. */
  rate = $state.raw({ in: 0, out: 0 });
  private gathered: Seen[] = [];
  private number = 0;
  private passed: { at: number; way: Frame["way"]; bytes: number }[] = [];
  private timer = 0;
  private stop: (() => void) | null = null;

  start(): void {
    this.stop = parlor.frames((frame) => this.saw(frame));
    this.timer = window.setInterval(() => this.show(), SHOW_MS);
  }

  end(): void {
    this.stop?.();
    clearInterval(this.timer);
  }

  private saw({ way, at, bytes, text }: Frame): void {
    this.passed.push({ at, way, bytes });
    if (this.paused) return;
    const word = wordOf(text);
    if (!this.presence && isNoise(word)) return;
    this.gathered.push({ number: ++this.number, way, at, bytes, word, text: masked(text.slice(0, TEXT_MAX)) });
    if (this.gathered.length > SEEN_MAX) this.gathered.shift();
  }

  private show(): void {
    const since = Date.now() - 1000;
    this.passed = this.passed.filter(({ at }) => at >= since);
    const sum = (way: Frame["way"]) => this.passed.reduce((all, frame) => all + (frame.way === way ? frame.bytes : 0), 0);
    this.rate = { in: sum("in"), out: sum("out") };
    if (this.gathered.length === 0) return;
    this.list = [...this.gathered.splice(0).reverse(), ...this.list].slice(0, SEEN_MAX);
  }
}
