// The coin game: where we are and how we move. The coin is one key of a map; whoever sets it first while it is as they saw
// it has caught it, and the server decides who that is.

import { fromStore } from "svelte/store";
import { mapStore, othersStore } from "parlor-sdk/svelte";
import { notices } from "../lib/notices.svelte.js";
import { farFrom, inside, REACH } from "./field.js";
import type { Playground, Spot } from "./model.svelte.js";
import { play } from "./words.js";

const UNITS_PER_SECOND = 330;
const POINTS = 10;

export interface Player extends Spot {
  readonly name: string;
  readonly score: number;
}

interface Coin {
  readonly position: Spot;
  /** Who caught it last, and how often it has been caught. */
  readonly caught: { readonly by: string; readonly times: number };
}

const KEYS: Record<string, Spot> = {
  arrowleft: { x: -1, y: 0 }, arrowright: { x: 1, y: 0 }, arrowup: { x: 0, y: -1 }, arrowdown: { x: 0, y: 1 },
  a: { x: -1, y: 0 }, d: { x: 1, y: 0 }, w: { x: 0, y: -1 }, s: { x: 0, y: 1 },
};

export class Game {
  readonly players;
  readonly others;
  private readonly map;
  private readonly coin;
  me: Spot;
  score = $state(0);
  /** Whether a catch of ours is on its way to the server. */
  reaching = $state(false);
  /** Where a finger or the mouse wants us to go. */
  goal: Spot | null = null;
  private readonly pressed = new Set<string>();
  private last = 0;

  constructor(private readonly model: Playground) {
    this.players = model.space.presence<Player>("players");
    this.map = model.space.map<Coin[keyof Coin]>("coin");
    this.others = fromStore(othersStore(this.players));
    this.coin = fromStore(mapStore(this.map));
    this.me = $state.raw(farFrom(this.position ? [this.position] : []));
  }

  get position(): Spot | undefined {
    return this.coin.current["position"] as Spot | undefined;
  }

  get caught(): Coin["caught"] | undefined {
    return this.coin.current["caught"] as Coin["caught"] | undefined;
  }

  /** Shows us on the field. */
  show(): void {
    const { x, y } = this.me;
    this.players.set({ x: Math.round(x), y: Math.round(y), name: this.model.ownName, score: this.score });
  }

  /** The first one here lays the coin; two at once lay one. */
  lay(): void {
    if (this.model.mayWrite && !this.map.has("position")) this.map.set("position", this.nobodysPlace(), { ifVersion: 0 }).catch(() => {});
  }

  /** Says whether the key was one of ours. */
  press(key: string, down: boolean): boolean {
    const name = key.toLowerCase();
    if (!(name in KEYS)) return false;
    if (down) this.pressed.add(name);
    else this.pressed.delete(name);
    return true;
  }

  rest(): void {
    this.pressed.clear();
    this.goal = null;
  }

  /** One picture: moves us as long as the last one took. */
  step(now: number): void {
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const way = this.way();
    const length = Math.hypot(way.x, way.y);
    if (length > 0) {
      const far = Math.min(UNITS_PER_SECOND * seconds, this.goal ? length : Infinity);
      this.me = inside({ x: this.me.x + (way.x / length) * far, y: this.me.y + (way.y / length) * far });
      this.show();
    }
    const { position } = this;
    if (position && Math.hypot(position.x - this.me.x, position.y - this.me.y) < REACH) void this.reach();
  }

  private way(): Spot {
    if (this.goal) return { x: this.goal.x - this.me.x, y: this.goal.y - this.me.y };
    const all = [...this.pressed].map((key) => KEYS[key]!);
    return { x: all.reduce((sum, { x }) => sum + x, 0), y: all.reduce((sum, { y }) => sum + y, 0) };
  }

  private nobodysPlace(): Spot {
    return farFrom([this.me, ...this.others.current.map(({ value }) => value)]);
  }

  private async reach(): Promise<void> {
    if (this.reaching || !this.model.mayWrite) return;
    this.reaching = true;
    const ifVersion = this.map.version("position");
    const times = (this.caught?.times ?? 0) + 1;
    try {
      await this.model.space.batch(() => {
        void this.map.set("position", this.nobodysPlace(), { ifVersion });
        void this.map.set("caught", { by: this.model.ownName, times });
      });
      this.score += POINTS;
      this.show();
    } catch {
      notices.announce(play().coin.late);
    } finally {
      this.reaching = false;
    }
  }
}
