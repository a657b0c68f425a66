// A space as a program sees it: what the server has said, our changes on top, and the changes' way to the server.
//
// Replies and pushes are taken in exactly as they come. A snapshot is built aside and takes the place of what was there at
// its end; until then what was there is shown, also our changes that were answered meanwhile.

import type { Door } from "../door.js";
import { ParlorError } from "../error.js";
import { Listeners } from "../listeners.js";
import type { Socket } from "../socket.js";
import { Venue } from "../venue.js";
import type { Update, Words } from "../wire.js";
import type { EnterOptions, Person, Presence, Right, SharedList, SharedMap, Space, SpaceSettings, SpaceState, Stop } from "./api.js";
import { History } from "./history.js";
import { ListPart } from "./list.js";
import { MapPart } from "./map.js";
import { type Entries, type Maker, named } from "./part.js";
import { People, type Stage } from "./people.js";
import { type Group, type Settle, fits, group, pack, promise, replaces, settle, size } from "./queue.js";
import { same } from "./same.js";
import { Snapshot } from "./snapshot.js";
import { type Change, type ChangesPush, type Op, PRESENCE_SECONDS, QUEUE_OPS_MAX, type SnapshotPush } from "./words.js";

type AnyPart = MapPart<any> | ListPart<any>;

export class Place extends Venue<SpaceState> implements Space, Maker, Stage {
  readonly socket: Socket;
  online = false;
  me: { readonly userId: string; readonly rights: readonly Right[] } | null = null;

  private readonly parts = new Map<string, AnyPart>();
  readonly #people = new People(this);
  private readonly history = new History();
  readonly #refusals = new Listeners<[ParlorError]>();

  /** Everything of a snapshot that has come so far. */
  #aside: Snapshot | null = null;
  /** Not sent; then sent and not answered; then answered, but not yet in what the server has told us. */
  private queue: Group[] = [];
  private flight: Group[] | null = null;
  private done: Group[] = [];
  /** The newest of our commands that the server told us of. */
  #echo = 0;
  #waiting = 0;
  /** The batch that is being made. */
  #open: Group | null = null;
  #soon = false;
  #entrance: Promise<this> | null = null;
  #letIn: Settle | null = null;

  constructor(address: string, private readonly door: Door) {
    super(address, { stage: "entering", pending: 0, saved: true, ended: null, space: null, expiresAt: null, canUndo: false, canRedo: false });
    this.socket = door.socket;
  }

  get who(): readonly Person[] {
    return this.#people.who;
  }

  get at(): string | null {
    return this.socket.at(this.address);
  }

  get canUndo(): boolean {
    return this.history.past.length > 0;
  }

  get canRedo(): boolean {
    return this.history.future.length > 0;
  }

  enter({ hostKey }: EnterOptions = {}): Promise<this> {
    return (this.#entrance ??= new Promise<this>((resolve, reject) => {
      const mine = (this.#letIn = { resolve: () => resolve(this), reject });
      this.change({ stage: "entering", ended: null });
      // Who left and came back meanwhile waits for another answer.
      this.door.enter(this, hostKey).catch((error: ParlorError) => this.#letIn === mine && this.#over(error));
    }));
  }

  leave(): void {
    this.#over(new ParlorError("closed", "you left the room"));
    this.door.exit(this.address);
  }

  map<T = unknown>(name: string): SharedMap<T> {
    return this.#part(`map/${name}`) as unknown as SharedMap<T>;
  }

  list<T = unknown>(name: string): SharedList<T> {
    return this.#part(`list/${name}`) as unknown as SharedList<T>;
  }

  presence<T = unknown>(name: string): Presence<T> {
    return this.#people.presence(name) as unknown as Presence<T>;
  }

  refused(listener: (error: ParlorError) => void): Stop {
    return this.#refusals.add(listener);
  }

  broadcast(data: unknown): boolean {
    return this.post("say", data);
  }

  batch(work: () => void): Promise<void> {
    return this.#together(work, false);
  }

  undo(): Promise<void> {
    return this.#travel("undo");
  }

  redo(): Promise<void> {
    return this.#travel("redo");
  }

  oneStep(): Stop {
    return this.history.hold();
  }

  update(settings: Partial<Pick<SpaceSettings, "name" | "guests" | "members">>): Promise<void> {
    return this.#ask("update_space", settings);
  }

  delete(): Promise<void> {
    return this.#ask("delete", {});
  }

  // ——— our changes

  name(): string {
    return this.socket.outside.name();
  }

  /** A change that cannot be: it rejects, and within a batch it ends the batch. */
  refuse(code: string, message: string, retry = false): Promise<never> {
    const error = new ParlorError(code, message, retry);
    if (this.#open) throw error;
    const refused = Promise.reject(error);
    refused.catch(() => {});
    return refused;
  }

  make(op: Op): Promise<void> {
    const bytes = size(op);
    if (this.state.stage === "over") return this.refuse("closed", "you are not in this room");
    if (this.#waiting >= QUEUE_OPS_MAX) return this.refuse("too_many", "too much waits to be sent", true);
    if (!fits(1, bytes)) return this.refuse("too_large", "larger than the server takes at once");
    const part = this.#part(named(op.with));
    // What was done on a condition was a race, not an edit: nobody wants to undo it.
    const deeds = op.with.if_version === undefined ? part.inverse(op) : [];
    this.history.note(deeds);
    const last = this.queue.at(-1);
    const early = last?.ops[0];
    const joins = !this.#open && last && !last.closed && !last.alone && early && replaces(op, early);
    const into = this.#open ?? (joins ? last : group(false));
    if (joins) {
      into.ops = [];
      into.bytes = 0;
      this.#waiting -= 1;
    } else if (!this.#open) this.queue.push(into);
    into.ops.push(op);
    into.bytes += bytes;
    for (const deed of deeds) into.deeds.add(deed);
    this.#waiting += 1;
    part.update(joins ? { gone: new Set([early]), added: [op] } : { added: [op] });
    const made = promise(into.settles);
    this.#moved([part]);
    return made;
  }

  /** `loose`: what is too much for one message goes in several, and then not all or nothing. */
  #together(work: () => void, loose: boolean): Promise<void> {
    if (this.#open) {
      work();
      return promise(this.#open.settles);
    }
    const made = (this.#open = group(true));
    const { future } = this.history;
    const release = this.history.hold();
    let error: unknown;
    try {
      work();
      if (!loose && !fits(made.ops.length, made.bytes)) this.refuse("too_large", "larger than the server takes at once");
    } catch (thrown) {
      error = thrown;
    }
    this.#open = null;
    release();
    if (error !== undefined) {
      this.#takeBack([made], error);
      this.history.future = future;
      return Promise.reject(error);
    }
    if (made.ops.length === 0) return Promise.resolve();
    const parts = fits(made.ops.length, made.bytes) ? [made] : made.ops.map((op): Group => ({ ...made, ops: [op], bytes: size(op), settles: [] }));
    this.queue.push(...parts);
    const all = Promise.all(parts.map(({ settles }) => promise(settles))).then(() => {});
    all.catch(() => {});
    this.#moved();
    return all;
  }

  #travel(way: "undo" | "redo"): Promise<void> {
    if (this.#open) return this.refuse("bad_request", "not within a batch");
    return this.history.go(way, (deeds) => this.#together(() => {
      for (const deed of deeds) if (this.#part(named(deed.with)).can(deed)) void this.make(deed);
    }, true));
  }

  /** A command that nothing is shown of before its answer. */
  #ask(verb: string, words: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.door.command(this.address, verb, words, (error, ok) => {
        if (error) return reject(error);
        this.#took(ok, []);
        resolve();
      });
    });
  }

  #flush(): void {
    if (this.flight || !this.online || this.queue.length === 0) return;
    const flight = (this.flight = pack(this.queue));
    const ops = flight.flatMap(({ ops }) => ops);
    const [first] = ops as [Op];
    const [verb, words] = ops.length === 1 ? [first.do, first.with] : ["batch", { ops }];
    const n = this.door.command(this.address, verb, words, (error, ok) => this.answered(flight, error, ok));
    for (const group of flight) group.n = n;
  }

  private answered(flight: Group[], error: ParlorError | undefined, ok: Words): void {
    this.flight = null;
    if (!error) this.#took(ok, flight);
    else if (flight.length > 1 && this.state.stage !== "over" && error.code !== "interrupted") {
      for (const group of flight) group.alone = true;
      this.queue.unshift(...flight);
    } else {
      this.#takeBack(flight, error);
      if (flight.length > 0 && this.state.stage !== "over") this.#refusals.tell(error);
    }
    this.#flush();
  }

  /** The server did what we asked. */
  #took(ok: Words, groups: readonly Group[]): void {
    this.#apply((ok["changes"] ?? []) as readonly Change[], groups, ok["expires_at"]);
    this.#finish(groups);
  }

  #takeBack(groups: readonly Group[], error: unknown): void {
    const gone = new Set(groups.flatMap(({ ops }) => ops));
    for (const part of this.parts.values()) part.update({ gone });
    for (const { deeds } of groups) this.history.forget(deeds);
    this.#finish(groups, error);
  }

  /** Each group ends once. */
  #finish(groups: readonly Group[], error?: unknown): void {
    for (const { ops } of groups) this.#waiting -= ops.length;
    settle(groups, error);
    this.#moved();
  }

  // ——— what the server says

  override told(update: Update): void {
    super.told(update);
    switch (update.kind) {
      case "online": return this.#back(update.resumed, update.ok ?? {});
      case "connecting":
        this.online = false;
        this.#aside = null;
        if (this.state.stage === "inside") this.change({ stage: "away" });
        return;
      case "ended": return this.#over(new ParlorError(update.reason, "the room is over for you"));
      case "push": {
        const { push } = update;
        if (push.push === "snapshot") this.#snapshot(push);
        if (push.push === "changes") this.#changes(push);
        if (push.push === "presence" && this.#people.take(push)) this.change({}, true);
      }
    }
  }

  #back(resumed: boolean, ok: Words): void {
    this.online = true;
    const rights = (ok["rights"] ?? this.me?.rights ?? []) as readonly Right[];
    if (ok["user_id"]) this.me = { userId: String(ok["user_id"]), rights };
    if (resumed || this.state.stage === "away") this.change({ stage: "inside" });
    this.#people.greet();
    this.#flush();
  }

  #snapshot(push: SnapshotPush): void {
    const { first, last, space, me, expires_at, presences = {} } = push;
    if (first) {
      this.#aside = new Snapshot();
      this.#people.seconds.clear();
    }
    if (!this.#aside) return;
    if (me) this.me = { userId: me.user_id, rights: me.rights as readonly Right[] };
    if (space) this.change({ space, expiresAt: expires_at ?? null });
    for (const [name, seconds] of Object.entries(presences)) this.#people.seconds.set(name, seconds);
    this.#aside.take(push);
    if (last) this.#swap(this.#aside.parts);
  }

  /** The snapshot is whole: it takes the place of what was there, and answered changes are in it. */
  #swap(aside: Map<string, Entries>): void {
    const gone = new Set(this.done.flatMap(({ ops }) => ops));
    this.#aside = null;
    this.done = [];
    for (const name of aside.keys()) this.#part(name);
    for (const [name, part] of this.parts) part.update({ base: aside.get(name) ?? new Map(), gone });
    this.change({ stage: "inside" });
    this.#moved();
    this.#letIn?.resolve();
    this.#letIn = null;
  }

  #changes({ done, mark, expires_at }: ChangesPush): void {
    for (const { n = 0 } of done) this.#echo = Math.max(this.#echo, n);
    // Our own command came back to us: its answer was lost, or is late. Half of a commit proves nothing.
    const heard = ({ n }: Group) => !!mark && n > 0 && n <= this.#echo;
    const late = this.flight?.some(heard) ? this.flight.splice(0) : [];
    const told = this.#aside ? [] : this.done.filter(heard);
    this.done = this.done.filter((group) => !told.includes(group));
    this.#apply(done.flatMap(({ changes }) => changes), [...told, ...late], expires_at);
    this.#finish(late);
  }

  /** Takes changes in, in order, and with them the answered groups out of what is played on top. */
  #apply(changes: readonly Change[], groups: readonly Group[], expiresAt: unknown): void {
    if (typeof expiresAt === "number") this.change({ expiresAt });
    const found = new Map<string, Change[]>();
    for (const change of changes) {
      if (change.space) this.change({ space: change.space });
      else if (change.presence !== undefined) {
        if (change.created) this.#people.seconds.set(change.presence, change.seconds ?? PRESENCE_SECONDS);
        else this.#people.seconds.delete(change.presence);
      } else {
        const name = named(change);
        if (this.#aside) this.#aside.change(change);
        else if (!found.get(name)?.push(change)) found.set(name, [change]);
      }
    }
    // While a snapshot comes, what is shown is older than this: there the groups stay until the snapshot is whole.
    if (this.#aside) return void this.done.push(...groups);
    const gone = new Set(groups.flatMap(({ ops }) => ops));
    for (const op of gone) if (!found.has(named(op.with))) found.set(named(op.with), []);
    for (const [name, changes] of found) this.#part(name).update({ changes, gone });
    for (const name of found.keys()) this.#part(name).tell();
  }

  #over(error: ParlorError): void {
    if (this.state.stage === "over") return;
    this.online = false;
    this.#aside = this.#entrance = null;
    this.change({ stage: "over", ended: error.code });
    this.#takeBack(this.queue.splice(0), error);
    this.#letIn?.reject(error);
    this.#letIn = null;
  }

  /** Says something that has no answer; whether it was sent. */
  post(verb: string, data: unknown): boolean {
    return this.socket.take({ input: "say", room: this.address, verb, data });
  }

  // ——— small words

  #part(name: string): AnyPart {
    let part = this.parts.get(name);
    if (!part) {
      const short = name.slice(name.indexOf("/") + 1);
      this.parts.set(name, (part = name.startsWith("map/") ? new MapPart(short, this) : new ListPart(short, this)));
    }
    return part;
  }

  /** Something changed: whoever listens is told, and what waits is sent. Within a batch only at its end. */
  #moved(parts: Iterable<AnyPart> = this.parts.values()): void {
    if (this.#open) return;
    for (const part of parts) part.tell();
    this.change({});
    if (this.#soon || !this.online || this.queue.length === 0) return;
    this.#soon = true;
    this.socket.outside.soon(() => {
      this.#soon = false;
      this.#flush();
    });
  }

  /** Tells only what is new, or what is `known` to be new. */
  protected override change(to: Partial<SpaceState>, known = false): void {
    const { canUndo, canRedo } = this;
    const pending = this.#waiting;
    const next = { ...to, pending, saved: pending === 0, canUndo, canRedo };
    if (known || !same({ ...this.state, ...next }, this.state)) super.change(next);
  }
}
