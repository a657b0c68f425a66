// The world around the clients: a clock that moves only when an alarm is the next thing to happen, and lines on which
// frames travel as slowly as chance will have it, never overtaking each other on one line.

import type { Outside, Wire } from "../../src/outside.js";
import type { Dice } from "./dice.js";
import { Line, type Server } from "./server.js";

class SimWire implements Wire {
  readyState = 0;
  onopen: ((event: unknown) => void) | null = null;
  onmessage: ((event: unknown) => void) | null = null;
  onclose: ((event: unknown) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly toServer: string[] = [];
  toClient: string[] = [];
  readonly line = new Line((text) => this.readyState < 2 && this.toClient.push(text));
  /** Whether the server has noticed the end. */
  noticed = false;

  constructor(readonly owner: number) {}

  send(text: string): void {
    if (this.readyState === 1) this.toServer.push(text);
  }

  close(): void {
    this.readyState = 3;
    this.toClient = [];
  }
}

interface Alarm {
  readonly owner: number;
  readonly at: number;
  readonly call: () => void;
}

export class World {
  now = 1_000_000;
  private alarms: Alarm[] = [];
  private soon: (() => void)[] = [];
  private wires: SimWire[] = [];
  private names = 0;
  /** Clients for whom no time passes and to whom nothing comes. */
  readonly asleep = new Set<number>();
  /** Changes the frames of a connection before they are heard; for planting what must be found. */
  tamper: (frames: string[], server: Server) => void = () => {};

  constructor(private readonly dice: Dice, private readonly server: Server) {}

  outside(owner: number): Outside {
    return {
      open: () => {
        const wire = new SimWire(owner);
        this.wires.push(wire);
        return wire;
      },
      now: () => this.now,
      dice: () => this.dice.throw(),
      ring: (ms, call) => {
        const alarm = { owner, at: this.now + ms, call };
        this.alarms.push(alarm);
        return () => void (this.alarms = this.alarms.filter((other) => other !== alarm));
      },
      soon: (call) => void this.soon.push(call),
      name: () => `i${++this.names}`,
    };
  }

  /** Whether frames are under way or the server has something to do. */
  get busy(): boolean {
    return this.soon.length > 0 || !this.server.idle || this.wires.some(({ noticed, readyState, toServer, toClient }) => !noticed && (readyState !== 1 || toServer.length + toClient.length > 0));
  }

  /** What could happen next without anybody doing anything, and how likely it is. */
  due(): (readonly [number, () => void])[] {
    const due: (readonly [number, () => void])[] = this.server.due().map((call) => [3, call] as const);
    for (const wire of this.wires) {
      const asleep = this.asleep.has(wire.owner);
      if (wire.readyState === 0 && !asleep) due.push([3, () => this.opened(wire)]);
      if (wire.toServer.length > 0) due.push([4, () => this.server.heard(wire.line, wire.toServer.shift()!)]);
      if (wire.readyState === 1 && wire.toClient.length > 0 && !asleep) due.push([4, () => this.hears(wire)]);
      if (wire.readyState === 3 && wire.toServer.length === 0) due.push([1, () => this.notices(wire)]);
    }
    return due;
  }

  /** Lets the next alarm ring. */
  tick(): void {
    const next = this.alarms.filter(({ owner }) => !this.asleep.has(owner)).reduce<Alarm | null>((first, alarm) => (first && first.at <= alarm.at ? first : alarm), null);
    if (!next) return;
    this.alarms = this.alarms.filter((alarm) => alarm !== next);
    this.now = Math.max(this.now, next.at);
    next.call();
  }

  /** Breaks one of the lines that are up, at whatever point its frames have reached. */
  cut(owner?: number): void {
    const up = this.wires.filter((wire) => wire.readyState < 2 && (owner === undefined || wire.owner === owner));
    if (up.length === 0) return;
    const wire = this.dice.pick(up);
    wire.readyState = 3;
    wire.toClient = [];
    wire.toServer.splice(this.dice.below(wire.toServer.length + 1));
    wire.onclose?.({ code: 1006 });
  }

  /** What was to be done right after what has just run. */
  settle(): void {
    while (this.soon.length > 0) this.soon.shift()!();
  }

  private opened(wire: SimWire): void {
    wire.readyState = 1;
    wire.onopen?.({});
  }

  private hears(wire: SimWire): void {
    this.tamper(wire.toClient, this.server);
    wire.onmessage?.({ data: wire.toClient.shift() });
  }

  private notices(wire: SimWire): void {
    wire.noticed = true;
    this.wires = this.wires.filter((other) => other !== wire);
    this.server.gone(wire.line);
  }
}
