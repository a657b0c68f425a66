// A server in memory that says exactly what the protocol says, in all the ways it allows: several acts in one commit,
// several commits in one frame, one commit in several frames, snapshots in pieces with changes between them, a tail
// that ends. Nothing happens by itself: `due` says what could happen next, and whoever runs the world chooses.

import type { Change, Op } from "../../src/space/words.js";
import type { Dice } from "./dice.js";
import { type Cell, type Parts, Refused, copyParts, perform } from "./state.js";

interface Request {
  readonly id?: number;
  readonly do: string;
  readonly room?: string;
  readonly n?: number;
  readonly with?: Record<string, unknown>;
}

interface Act {
  readonly from: Line;
  readonly id: number;
  readonly n: number;
  readonly ops: readonly Op[];
}

interface Done {
  readonly by: string;
  readonly client: string;
  readonly n: number;
  readonly changes: readonly Change[];
}

interface Commit {
  readonly seq: number;
  readonly mark: string;
  readonly done: readonly Done[];
}

/** A frame of changes that has not gone out, so that a later one may join it. */
interface Waiting {
  readonly base: string;
  at: string;
  mark: string | undefined;
  readonly done: { by: string; n?: number; changes: readonly Change[] }[];
}

/** One connection as the server knows it. */
export class Line {
  client = "";
  user = "";
  inside = false;
  open = true;
  waiting: Waiting[] = [];
  /** The rest of a snapshot: paths and keys in an order that nothing changes. */
  rest: { first: boolean; after: string } | null = null;
  unheard = new Set<number>();

  constructor(readonly send: (text: string) => void) {}
}

const TAIL = 6;
const PIECE = 2;

export class Server {
  parts: Parts = new Map();
  seq = 1;
  mark = "m1";
  readonly commits: Commit[] = [];
  private readonly inbox: Act[] = [];
  private readonly lines = new Set<Line>();
  /** The last number of each client. */
  private readonly receipts = new Map<string, number>();
  private readonly users = new Map<string, number>();
  private readonly presences = new Map<string, Map<number, unknown>>();
  /** Everything that was ever done, by its value. */
  readonly performed: Op[] = [];

  constructor(private readonly dice: Dice, readonly room: string) {}

  get at(): string {
    return `7-${this.seq}`;
  }

  get idle(): boolean {
    return this.due().length === 0;
  }

  /** What could happen next. */
  due(): (() => void)[] {
    const due: (() => void)[] = [];
    if (this.inbox.length > 0) due.push(() => this.turn());
    for (const line of this.lines) {
      if (line.waiting.length > 0) due.push(() => this.flush(line));
      if (line.rest) due.push(() => this.piece(line));
    }
    return due;
  }

  heard(line: Line, text: string): void {
    const request = JSON.parse(text) as Request;
    const reply = (ok: object) => this.reply(line, request.id!, { ok });
    const words = request.with ?? {};
    switch (request.do) {
      case "hello":
        line.client = String(words["client"]);
        line.user = `u-${String(words["user_key"])}`;
        return reply({ protocol: 1 });
      case "ping": return reply({ now: 0 });
      case "enter": return this.enter(line, request.id!, words);
      case "exit":
        this.exit(line);
        return reply({});
      case "presence_set": return this.show(line, String(words["presence"]), words["value"]);
      case "presence_remove": return this.show(line, String(words["presence"]), undefined);
      case "say": return;
      default: {
        if (!line.inside) return this.reply(line, request.id!, { error: { code: "forbidden", message: "", retry: false } });
        const ops = request.do === "batch" ? (words["ops"] as Op[]) : [{ do: request.do, with: words } as Op];
        this.inbox.push({ from: line, id: request.id!, n: request.n!, ops });
      }
    }
  }

  gone(line: Line): void {
    line.open = false;
    this.exit(line);
  }

  // ——— going in and out

  private enter(line: Line, id: number, words: Record<string, unknown>): void {
    this.exit(line);
    this.lines.add(line);
    line.inside = true;
    const known = this.commits.findIndex(({ seq, mark }) => `7-${seq}` === words["at"] && mark === words["mark"]);
    const current = words["at"] === this.at && words["mark"] === this.mark;
    const resumed = current || (known >= 0 && known >= this.commits.length - TAIL);
    this.reply(line, id, { ok: { room: this.room, at: this.at, mark: this.mark, resumed, user_id: line.user } });
    if (resumed) {
      const missed = current ? [] : this.commits.slice(known + 1);
      if (missed.length > 0) {
        const done = missed.flatMap((commit) => commit.done.map((done) => this.tellOf(line, done)));
        this.push(line, { push: "changes", base: words["at"], at: this.at, mark: this.mark, done });
      }
    } else line.rest = { first: true, after: "" };
    this.who(line);
  }

  private exit(line: Line): void {
    if (!line.inside) return;
    line.inside = false;
    line.rest = null;
    line.waiting = [];
    this.lines.delete(line);
    if ([...this.lines].some(({ user }) => user === line.user)) return;
    const number = this.users.get(line.user)!;
    this.users.delete(line.user);
    for (const values of this.presences.values()) values.delete(number);
    this.everyone({ gone: [number] });
  }

  private piece(line: Line): void {
    this.flush(line);
    const { first, after } = line.rest!;
    const all = [...this.parts].flatMap(([path, cells]) => [...cells].map(([key, cell]) => ({ path, key, cell, place: `${path} ${key}` })));
    all.sort((one, other) => (one.place < other.place ? -1 : 1));
    const left = all.filter(({ place }) => place > after);
    const now = left.slice(0, 1 + this.dice.below(PIECE));
    const maps: Record<string, Record<string, unknown>> = {};
    const lists: Record<string, unknown[]> = {};
    for (const { path, key, cell } of now) {
      const [kind, name] = path.split("/") as [string, string];
      if (kind === "map") (maps[name] ??= {})[key] = [cell.version, cell.value];
      else (lists[name] ??= []).push([key, cell.order, cell.version, cell.value]);
    }
    const last = now.length === left.length;
    const space = { name: null, guests: "write", members: "write", life_minutes: null };
    this.push(line, {
      push: "snapshot", at: this.at, mark: this.mark, maps, lists, ...(last && { last }),
      ...(first && { first, space, me: { user_id: line.user, rights: ["read", "write", "presence"] }, presences: {} }),
    });
    line.rest = last ? null : { first: false, after: now.at(-1)?.place ?? after };
  }

  // ——— commits

  /** One commit of one or several acts that wait. */
  private turn(): void {
    const acts = this.inbox.splice(0, 1 + this.dice.below(3));
    const base = this.at;
    const parts = copyParts(this.parts);
    const kept: { act: Act; done: Done }[] = [];
    const answers: { act: Act; answer: object }[] = [];
    for (const act of acts) {
      if ((this.receipts.get(act.from.client) ?? 0) >= act.n) {
        answers.push({ act, answer: { ok: { at: base, again: true } } });
        continue;
      }
      try {
        if (this.dice.often(0.05)) throw new Refused("contended", true);
        const tentative = copyParts(parts);
        const changes = act.ops.flatMap((op) => perform(tentative, op, this.seq + 1));
        parts.clear();
        for (const [path, cells] of tentative) parts.set(path, cells);
        this.receipts.set(act.from.client, act.n);
        this.performed.push(...act.ops);
        kept.push({ act, done: { by: act.from.user, client: act.from.client, n: act.n, changes: JSON.parse(JSON.stringify(changes)) as Change[] } });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        answers.push({ act, answer: { error: { code: error.code, message: "", retry: error.retry } } });
      }
    }
    for (const { act, answer } of answers) this.reply(act.from, act.id, answer);
    if (kept.length === 0) return;
    this.parts = parts;
    this.seq += 1;
    this.mark = `m${this.seq}-${this.dice.below(1e9)}`;
    this.commits.push({ seq: this.seq, mark: this.mark, done: kept.map(({ done }) => done) });
    for (const line of this.lines) this.tell(line, base, kept);
    // Who is not inside any more is answered all the same, and knows no position.
    for (const { act, done } of kept) {
      if (!this.lines.has(act.from)) this.reply(act.from, act.id, { ok: { at: this.at, changes: done.changes } });
    }
  }

  /** The commit as one connection is told it: its own acts as answers, all others as changes, and the mark with the last. */
  private tell(line: Line, base: string, kept: readonly { act: Act; done: Done }[]): void {
    kept.forEach(({ act, done }, index) => {
      const mark = index === kept.length - 1 ? this.mark : undefined;
      if (act.from === line) {
        this.reply(line, act.id, { ok: { at: this.at, ...(mark && { mark }), changes: done.changes } });
        return;
      }
      const told = this.tellOf(line, done);
      // Sometimes even one act is too much for one frame.
      const cut = this.dice.often(0.2) ? this.dice.below(told.changes.length + 1) : told.changes.length;
      const pieces = cut < told.changes.length ? [told.changes.slice(0, cut), told.changes.slice(cut)] : [told.changes];
      pieces.forEach((changes, piece) => {
        line.waiting.push({ base, at: this.at, mark: piece === pieces.length - 1 ? mark : undefined, done: [{ ...told, changes }] });
      });
    });
  }

  private tellOf(line: Line, { by, client, n, changes }: Done): { by: string; n?: number; changes: readonly Change[] } {
    return client === line.client ? { by, n, changes } : { by, changes };
  }

  /** Sends what waits, whole commits that follow each other in one frame. */
  private flush(line: Line): void {
    const frames: Waiting[] = [];
    for (const waiting of line.waiting.splice(0)) {
      const last = frames.at(-1);
      if (last?.mark && waiting.mark && last.at === waiting.base && this.dice.often(0.7)) {
        last.at = waiting.at;
        last.mark = waiting.mark;
        last.done.push(...waiting.done);
      } else frames.push(waiting);
    }
    for (const { base, at, mark, done } of frames) this.push(line, { push: "changes", base, at, ...(mark && { mark }), done });
  }

  private reply(line: Line, id: number, answer: object): void {
    this.flush(line);
    if (line.open) line.send(JSON.stringify({ id, ...answer }));
  }

  private push(line: Line, words: object): void {
    line.send(JSON.stringify({ room: this.room, ...words }));
  }

  // ——— people

  private who(line: Line): void {
    const fresh = !this.users.has(line.user);
    if (fresh) this.users.set(line.user, 1 + Math.max(0, ...this.users.values()));
    const who = [...this.users].map(([user, number]) => [number, user, null]);
    const of = Object.fromEntries([...this.presences].map(([name, values]) => [name, { raw: [...values] }]));
    this.push(line, { push: "presence", whole: true, who, of });
    if (fresh) this.everyone({ who: [[this.users.get(line.user), line.user, null]] }, line);
  }

  private show(line: Line, name: string, value: unknown): void {
    const number = this.users.get(line.user);
    if (!line.inside || number === undefined) return;
    const values = this.presences.get(name) ?? new Map<number, unknown>();
    this.presences.set(name, values);
    if (value === undefined) values.delete(number);
    else values.set(number, value);
    this.everyone({ of: { [name]: value === undefined ? { unset: [number] } : { raw: [[number, value]] } } });
  }

  private everyone(words: object, but?: Line): void {
    for (const line of this.lines) if (line !== but) this.push(line, { push: "presence", ...words });
  }

  /** A presence as it is: user to value. */
  shown(name: string): Record<string, unknown> {
    const values = this.presences.get(name) ?? new Map<number, unknown>();
    return Object.fromEntries([...this.users].flatMap(([user, number]) => (values.has(number) ? [[user, values.get(number)]] : [])));
  }
}

export type { Cell };
