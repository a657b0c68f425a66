// One run: some clients, one server, and whatever chance makes of them. Throws when something that must hold does not.

import { expect } from "vitest";
import { Client } from "../../src/client.js";
import type { SharedList, SharedMap, Space } from "../../src/space/api.js";
import { PRESENCE_MS_MIN } from "../../src/space/words.js";
import { Dice } from "./dice.js";
import { showsItsOwn } from "./replay.js";
import { Server } from "./server.js";
import { inOrder } from "./state.js";
import { World } from "./world.js";

const ROOM = "space/s";
const MAPS = ["m", "n"];
const LISTS = ["l", "k"];
const KEYS = ["a", "b", "c", "d", "e"];
const END_STEPS_MAX = 20_000;

export interface Options {
  readonly clients?: number;
  readonly steps?: number;
  readonly undo?: boolean;
  /** Only what the server accepts and no answer can take back. */
  readonly tame?: boolean;
  /** Plants something in the world. */
  readonly plant?: (world: World) => void;
}

interface Promised {
  readonly tag: string;
  outcome: string | null;
}

export interface Player {
  readonly owner: number;
  readonly client: Client;
  readonly space: Space;
  /** What listeners were last told of each part, which must be what it is in the end. */
  readonly heard: Map<string, unknown>;
  readonly inserted: Promised[];
}

export class Run {
  readonly dice: Dice;
  readonly server: Server;
  readonly world: World;
  readonly players: Player[];
  readonly weather = new Weather();
  private tags = 0;

  constructor(seed: number, private readonly options: Options = {}) {
    this.dice = new Dice(seed);
    this.server = new Server(this.dice, ROOM);
    this.world = new World(this.dice, this.server);
    options.plant?.(this.world);
    this.players = Array.from({ length: options.clients ?? 2 + this.dice.below(4) }, (_, owner) => this.join(owner));
  }

  private join(owner: number): Player {
    // The fourth client is another tab of the first one's person.
    const keys = { userKey: () => `k${owner % 3}`, keepUserKey() {}, hostKey: () => undefined, keepHostKey() {} };
    const client = new Client({ server: "http://model", client: `c${owner}`, keys }, this.world.outside(owner)).start();
    const space = client.space(ROOM);
    space.enter().catch(() => {});
    client.frames(({ way, text }) => this.weather.count(way, text));
    const heard = new Map<string, unknown>();
    for (const name of MAPS) {
      space.map(name).subscribe((map) => heard.set(`map/${name}`, map.toJSON()));
      for (const key of KEYS) space.map(name).subscribe(key, (value) => heard.set(`map/${name} ${key}`, value));
    }
    for (const name of LISTS) space.list(name).subscribe((list) => heard.set(`list/${name}`, list.items()));
    return { owner, client, space, heard, inserted: [] };
  }

  /** Everything in one run, and then everything is asked. */
  async whole(): Promise<void> {
    const steps = this.options.steps ?? 150 + this.dice.below(250);
    for (let step = 0; step < steps; step++) {
      this.dice.weigh<() => void>([
        ...this.world.due(),
        [0.5, () => this.world.tick()],
        [3, () => this.acts(this.dice.pick(this.players))],
        [0.2, () => this.world.cut()],
        [0.1, () => this.sleeps(this.dice.pick(this.players))],
        [0.1, () => this.world.asleep.clear()],
      ])();
      this.world.settle();
      const { space } = this.dice.pick(this.players);
      this.agrees(space);
      showsItsOwn(space);
    }
    this.calm();
    await new Promise((resolve) => setTimeout(resolve));
    this.check();
  }

  /** Until nothing is under way and everybody has been answered. */
  calm(): void {
    this.world.asleep.clear();
    // A presence may still wait for its moment.
    let quietSince = Infinity;
    for (let step = 0; step < END_STEPS_MAX; step++) {
      this.world.settle();
      const due = this.world.due();
      const rest = !this.world.busy && this.players.every(({ space }) => space.state.stage === "inside" && space.state.saved);
      if (rest) quietSince = Math.min(quietSince, this.world.now);
      if (rest && this.world.now - quietSince > PRESENCE_MS_MIN) return;
      if (due.length > 0) this.dice.weigh(due)();
      else this.world.tick();
    }
    expect.fail(`no rest: ${JSON.stringify(this.players.map(({ space }) => space.state))}`);
  }

  check(): void {
    const { parts } = this.server;
    for (const { space, heard, inserted } of this.players) {
      expect(space.at).toBe(this.server.at);
      for (const name of MAPS) {
        const cells = parts.get(`map/${name}`) ?? new Map();
        const map = space.map(name);
        expect(map.toJSON()).toEqual(Object.fromEntries([...cells].map(([key, { value }]) => [key, value])));
        for (const [key, { version }] of cells) expect(map.version(key)).toBe(version);
        expect(heard.get(`map/${name}`)).toBe(map.toJSON());
        for (const key of KEYS) expect(heard.get(`map/${name} ${key}`)).toBe(map.get(key));
      }
      for (const name of LISTS) {
        const list = space.list(name);
        expect(list.items()).toEqual(inOrder(parts.get(`list/${name}`) ?? new Map()).map(([id, { value }]) => ({ id, value })));
        expect(heard.get(`list/${name}`)).toBe(list.items());
      }
      const all = Object.fromEntries(space.presence("p").all().map(({ userId, value }) => [userId, value]));
      if (new Set(this.players.map(({ owner }) => owner % 3)).size === this.players.length) expect(all).toEqual(this.server.shown("p"));
      if (this.options.undo === false) this.once(inserted);
    }
  }

  /** What was acknowledged was done once, and what was refused was not. */
  private once(inserted: readonly Promised[]): void {
    for (const { tag, outcome } of inserted) {
      const times = this.server.performed.filter((op) => op.do === "list_insert" && (op.with.value as { tag: string }).tag === tag).length;
      if (outcome !== "interrupted") expect([tag, outcome, times]).toEqual([tag, outcome, outcome === "ok" ? 1 : 0]);
    }
  }

  /** All ways of looking at a part see the same. */
  private agrees(space: Space): void {
    // Asked after every step, so without the comforts of `expect`.
    const holds = (is: boolean, what: string) => {
      if (!is) throw new Error(what);
    };
    for (const name of LISTS) {
      const list = space.list(name);
      const items = list.items();
      holds(new Set(items.map(({ id }) => id)).size === items.length && list.length === items.length, "an item is there twice");
      items.forEach((item, index) => {
        holds(list.indexOf(item.id) === index && list.at(index) === item && list.get(item.id) === item.value, "an item is not where it is");
      });
    }
    for (const name of MAPS) {
      const map = space.map(name);
      const whole = map.toJSON();
      holds(Object.keys(whole).length === map.size && [...map.entries()].every(([key, value]) => whole[key] === value), "a map is not what it says");
    }
  }

  private sleeps({ owner }: Player): void {
    this.world.cut(owner);
    this.world.asleep.add(owner);
  }

  private acts(player: Player): void {
    const { space } = player;
    const often = 1 + this.dice.below(4);
    for (let deed = 0; deed < often; deed++) {
      const undo = this.options.undo !== false;
      this.dice.weigh<() => void>([
        [10, () => this.changes(player)],
        [1, () => void space.batch(() => {
          for (let op = 0; op < 1 + this.dice.below(4); op++) this.changes(player);
        }).catch(() => {})],
        [0.3, () => void space.batch(() => {
          this.changes(player);
          throw new Error("changed its mind");
        }).catch(() => {})],
        [undo ? 1 : 0, () => void space.undo().catch(() => {})],
        [undo ? 0.7 : 0, () => void space.redo().catch(() => {})],
        [undo ? 1 : 0, () => this.thereAndBack(player)],
        [1, () => space.presence("p").set({ tag: `${++this.tags}` })],
        [0.2, () => space.presence("p").remove()],
      ])();
    }
  }

  /** What is undone at once, before anybody else is heard, leaves no trace. */
  private thereAndBack(player: Player): void {
    const before = seen(player.space);
    const { past } = (player.space as unknown as { history: { past: unknown[] } }).history;
    const steps = past.length;
    this.changes(player);
    // What was done on a condition is no step, and nothing takes it back.
    if (past.length === steps) return;
    void player.space.undo().catch(() => {});
    expect(seen(player.space)).toBe(before);
  }

  changes(player: Player): void {
    if (this.dice.often(0.5)) this.changesMap(player.space.map(this.dice.pick(MAPS)));
    else this.changesList(player, player.space.list(this.dice.pick(LISTS)));
  }

  private value(): unknown {
    const tag = `t${++this.tags}`;
    return !this.options.tame && this.dice.often(0.03) ? { tag, bad: true } : { tag };
  }

  private changesMap(map: SharedMap<unknown>): void {
    const key = this.dice.pick(KEYS);
    this.dice.weigh<() => unknown>([
      [8, () => map.set(key, this.value())],
      [this.options.tame ? 0 : 2, () => map.set(key, this.value(), { ifVersion: map.version(key) })],
      [2, () => map.remove(key)],
      [0.3, () => map.clear()],
      [0.1, () => map.delete()],
    ])();
  }

  private changesList(player: Player, list: SharedList<unknown>): void {
    const id = list.at(this.dice.below(list.length))?.id ?? null;
    const insert = (into: (value: unknown) => { done: Promise<void> }) => {
      const value = this.value();
      const promised: Promised = { tag: (value as { tag: string }).tag, outcome: null };
      player.inserted.push(promised);
      into(value).done.then(() => (promised.outcome = "ok"), (error: { code: string }) => (promised.outcome = error.code));
    };
    this.dice.weigh<() => unknown>([
      [2, () => insert((value) => list.push(value))],
      [2, () => insert((value) => list.insertAt(this.dice.below(list.length + 1), value))],
      [3, () => insert((value) => list.insertAfter(this.dice.often(0.1) ? null : id, value))],
      [2, () => id && list.set(id, this.value())],
      [2, () => id && list.move(id, { at: this.dice.below(list.length) })],
      [2, () => id && list.move(id, { after: list.at(this.dice.below(list.length))?.id ?? null })],
      // A list that grows without end makes every look at it slow and finds nothing more.
      [list.length > 10 ? 20 : 2, () => id && list.remove(id)],
      [0.2, () => list.clear()],
      [0.1, () => list.delete()],
    ])();
  }
}

/** What clients had to live through. */
export class Weather {
  readonly seen: Record<string, number> = {};
  private building = false;

  count(way: string, text: string): void {
    if (way === "out") return this.add(/"do":"batch"/.test(text) ? "batches" : /"do":"enter".*"at"/.test(text) ? "returns" : "others");
    if (/"resumed":true/.test(text)) this.add("resumes");
    if (/"resumed":false/.test(text)) this.add("fresh entrances");
    if (/"again":true/.test(text)) this.add("repeated commands");
    if (/"error"/.test(text)) this.add(/"retry":true/.test(text) ? "delays" : "refusals");
    if (/"order":"[^"]*"}/.test(text)) this.add("moves");
    if (!/"push":"changes"/.test(text)) return void (this.building = /"push":"snapshot"/.test(text) && !/"last":true/.test(text));
    if (this.building) this.add("changes within snapshots");
    if (!/"mark"/.test(text)) this.add("half commits");
    if (/"n":/.test(text)) this.add("echoes");
    if ((text.match(/"by"/g) ?? []).length > 1) this.add("joined commits");
  }

  add(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }
}

/** All that a client shows, as text. */
export function seen(space: Space): string {
  const sorted = (map: SharedMap<unknown>) => [...map.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([MAPS.map((name) => sorted(space.map(name))), LISTS.map((name) => space.list(name).items())]);
}
