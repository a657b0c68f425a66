// A space and its server's side as text: what happens on the left, what is sent or seen on the right. Item ids are i1, i2, …
// in the order in which they are made; `ok` and `no` answer the last numbered command.

import { expect } from "vitest";
import { Client, type Options } from "../src/client.js";
import type { Outside, Wire } from "../src/outside.js";
import type { Space } from "../src/space/api.js";

export const ROOM = "space/s";

export class Stage {
  now = 1000;
  readonly client: Client;
  readonly space: Space;
  readonly refused: string[] = [];
  private wire: Wire | null = null;
  private sent: { id?: number; do: string; n?: number; with?: unknown }[] = [];
  private last = 0;
  private names = 0;
  private alarms: { at: number; call: () => void }[] = [];
  private later: (() => void)[] = [];

  constructor(options: Partial<Options> = {}) {
    const keys = { userKey: () => "uk", keepUserKey() {}, hostKey: () => undefined, keepHostKey() {} };
    this.client = new Client({ server: "http://stage", client: "tab", keys, ...options }, this.outside()).start();
    this.space = this.client.space(ROOM);
    this.space.refused(({ code }) => this.refused.push(code));
  }

  /** Connects, and enters with what the first piece of a snapshot says. */
  begin(snapshot: object = {}): this {
    this.space.enter().catch(() => {});
    this.open();
    this.hears({ push: "snapshot", at: "7-1", mark: "m1", first: true, last: true, space: { name: "S" }, me: { user_id: "me", rights: ["write"] }, ...snapshot });
    this.sent = [];
    return this;
  }

  open(resumed = false): void {
    this.wire!.onopen?.({});
    this.answer({ protocol: 1 });
    this.answer({ now: this.now }, "ping");
    this.answer({ at: "7-1", mark: "m1", resumed, user_id: "me" }, "enter");
  }

  run(script: string): this {
    for (const line of script.trim().split("\n").map((line) => line.trim())) {
      const [left = "", right] = line.split(/\s+=>\s*/);
      const got = this.take(left);
      if (right !== undefined) expect(got, left).toBe(right);
    }
    return this;
  }

  private take(line: string): string {
    const [word = "", part = "", ...rest] = line.split(" ");
    const value = (from: number) => JSON.parse(rest.slice(from).join(" "));
    const map = this.space.map(part);
    const list = this.space.list(part);
    switch (word) {
      case "set": void map.set(rest[0]!, value(1)); break;
      case "setif": void map.set(rest[1]!, value(2), { ifVersion: Number(rest[0]) }); break;
      case "remove": void map.remove(rest[0]!); break;
      case "clear": void map.clear(); break;
      case "push": list.push(value(0)); break;
      case "insert": list.insertAt(Number(rest[0]), value(1)); break;
      case "after": list.insertAfter(rest[0] === "-" ? null : rest[0]!, value(1)); break;
      case "put": void list.set(rest[0]!, value(1)); break;
      case "move": void list.move(rest[0]!, { at: Number(rest[1]) }); break;
      case "drop": void list.remove(rest[0]!); break;
      case "together":
        this.space.batch(() => line.slice(9).split(" & ").forEach((line) => void this.take(line))).catch(() => {});
        break;
      case "throw": throw new Error("thrown");
      case "undo": void this.space.undo(); break;
      case "redo": void this.space.redo(); break;
      case "shows": this.space.presence(part).set(value(0)); break;
      case "hides": this.space.presence(part).remove(); break;
      case "hears": this.hears(JSON.parse(line.slice(6))); break;
      case "ok": this.answer(JSON.parse(line.slice(3) || "{}"), ""); break;
      case "no": this.hears({ id: this.last, error: { code: part, message: "", retry: rest[0] === "retry" } }); break;
      case "lost": this.wire!.onclose?.({ code: 1006 }); break;
      case "back":
        this.wait(20_000, true);
        this.open(part === "resumed");
        break;
      case "wait": this.wait(Number(part)); break;
      case "m": return JSON.stringify(this.space.map("m").toJSON());
      case "l": return this.space.list("l").items().map(({ id, value }) => `${id}:${String(value)}`).join(" ");
      case "state": return `${this.space.state.stage} ${this.space.state.pending} ${String(this.space.at)}`;
      case "others": return this.space.presence(part).others().map(({ userId, value }) => `${userId}:${JSON.stringify(value)}`).join(" ");
      case "who": return this.space.who.map(({ userId }) => userId).join(" ");
      case "refused": return this.refused.splice(0).join(" ");
      default: throw new Error(`the script says ${line}`);
    }
    while (this.later.length > 0) this.later.shift()!();
    return this.said();
  }

  /** What was sent since it was last asked, commands with their number. */
  private said(): string {
    return this.sent.splice(0).filter(({ do: verb }) => verb !== "ping").map(({ do: verb, n, with: words }) => `> ${n === undefined ? "" : `${n} `}${verb} ${JSON.stringify(words)}`).join("; ") || "nothing";
  }

  hears(frame: object): void {
    this.wire!.onmessage?.({ data: JSON.stringify("push" in frame ? { room: ROOM, ...frame } : frame) });
  }

  private answer(ok: object, verb?: string): void {
    const id = verb === "" ? this.last : this.sent.findLast((request) => !verb || request.do === verb)!.id;
    this.hears({ id, ok });
  }

  /** `until`: only until a connection is tried. */
  wait(ms: number, until = false): void {
    const end = this.now + ms;
    const before = this.wire;
    for (;;) {
      const next = this.alarms.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (!next || (until && this.wire !== before)) break;
      this.alarms.splice(this.alarms.indexOf(next), 1);
      this.now = Math.max(this.now, next.at);
      next.call();
      // The server answers pings, and nothing else by itself.
      for (const { id } of this.sent.filter(({ do: verb }) => verb === "ping")) this.hears({ id, ok: { now: 0 } });
      this.sent = this.sent.filter(({ do: verb }) => verb !== "ping");
    }
    if (!until) this.now = end;
  }

  private outside(): Outside {
    return {
      open: () => {
        this.wire = {
          readyState: 1, onopen: null, onmessage: null, onclose: null, onerror: null,
          send: (text) => {
            const request = JSON.parse(text) as { id?: number; do: string; n?: number };
            this.sent.push(request);
            if (request.n !== undefined) this.last = request.id!;
          },
          close() {},
        };
        return this.wire;
      },
      now: () => this.now,
      dice: () => 1,
      ring: (ms, call) => {
        const alarm = { at: this.now + ms, call };
        this.alarms.push(alarm);
        return () => void (this.alarms = this.alarms.filter((other) => other !== alarm));
      },
      soon: (call) => void this.later.push(call),
      name: () => `i${++this.names}`,
    };
  }
}

export const check = (script: string, snapshot: object = {}): Stage => new Stage().begin(snapshot).run(script);
