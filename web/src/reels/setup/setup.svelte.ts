// A game that is being set up: what was read, what was changed by hand, what is wished for. All else follows from these.

import { notices } from "../../lib/notices.svelte.js";
import { games } from "../../lib/parlor.svelte.js";
import { route } from "../../lib/route.svelte.js";
import { refusal } from "../words.js";
import { newSeed } from "./dice.js";
import { UNDO_MAX } from "./limits.js";
import { nameOf, tidy } from "./names.js";
import type { Chat, FileReport } from "./pool.js";
import { type Chosen, type Reading, read } from "./reader.js";
import type { Progress } from "./reading.js";
import { readBack, written } from "./resting.js";
import { reachOf, roundsOf } from "./rounds.js";
import { type Edits, type Sender, NO_EDITS, itemsOf, merged, renamed, sendersOf, silentIn, split, switched } from "./senders.js";
import { type Plan, type Timer, problemsOf, wishOf } from "./wish.js";
import { setupWords } from "./words.js";

const KEPT = "parlor.reels.setup";
const WANTED = 3;
const SAVE_AFTER_MS = 300;

export class Setup {
  chats = $state.raw<readonly Chat[]>([]);
  reports = $state.raw<readonly FileReport[]>([]);
  edits = $state.raw<Edits>(NO_EDITS);
  past = $state.raw<readonly Edits[]>([]);
  seed = $state(newSeed());
  wanted = $state(WANTED);
  title = $state("");
  timer = $state<Timer>(null);
  extras = $state.raw<readonly string[]>([]);
  played = $state.raw<readonly string[]>([]);
  skipPlayed = $state(true);
  /** What is being read now. */
  progress = $state.raw<Progress | null>(null);
  creating = $state(false);
  /** It was too much for this tab to remember. */
  unkept = $state(false);

  readonly senders = $derived(sendersOf(this.chats, this.edits));
  readonly active = $derived(this.senders.filter(({ active }) => active));
  readonly silent = $derived(silentIn(this.chats));
  private readonly all = $derived(itemsOf(this.chats, this.senders, this.edits));
  readonly playedHere = $derived(this.all.filter(({ reel }) => this.played.includes(reel)));
  private readonly items = $derived(this.skipPlayed ? this.all.filter((item) => !this.playedHere.includes(item)) : this.all);
  private readonly keys = $derived(this.active.map(({ key }) => key));
  readonly reach = $derived(reachOf(this.items, this.keys));
  readonly rounds = $derived(roundsOf(this.items, this.keys, this.wanted, this.seed.trim()));
  readonly plan = $derived<Plan>({ title: this.title, timer: this.timer, senders: this.active, extras: this.extras, rounds: this.rounds });
  readonly problems = $derived(problemsOf(this.plan));
  readonly wish = $derived(wishOf(this.plan));
  readonly empty = $derived(this.chats.length === 0 && this.reports.length === 0);

  private reading: Reading | null = null;

  constructor() {
    const earlier = this.remembered();
    if (earlier) Object.assign(this, earlier);
  }

  // ——— reading

  async add(files: readonly Chosen[]): Promise<void> {
    if (files.length === 0 || this.reading) return;
    const w = setupWords().import;
    this.progress = { done: 0, total: 1, file: files[0]!.name };
    try {
      this.reading = read(this.chats, files, (progress) => (this.progress = progress));
      const found = await this.reading.added;
      if (found === null) return notices.tell(w.cancelled);
      const { chats, reports } = found;
      this.chats = chats.filter(({ shares }) => shares.length > 0);
      this.reports = [...this.reports.filter(({ file }) => !reports.some((report) => report.file === file)), ...reports];
      const accepted = reports.reduce((sum, report) => sum + report.accepted, 0);
      notices.announce(accepted ? w.done(accepted, reports.length) : w.nothing);
    } catch {
      notices.tell(w.failed, { tone: "bad" });
    } finally {
      this.reading = null;
      this.progress = null;
    }
  }

  stop(): void {
    this.reading?.stop();
  }

  choose(key: string, on: boolean): void {
    this.chats = this.chats.map((chat) => (chat.key === key ? { ...chat, on } : chat));
  }

  forget(): void {
    this.chats = [];
    this.reports = [];
    this.edits = NO_EDITS;
    this.past = [];
    this.played = [];
    this.extras = [];
    this.title = "";
    this.seed = newSeed();
  }

  // ——— by hand

  private edit(edits: Edits): void {
    this.past = [...this.past, this.edits].slice(-UNDO_MAX);
    this.edits = edits;
  }

  merge(senders: readonly Sender[]): void {
    this.edit(merged(this.edits, senders));
  }

  split(spelling: string): void {
    this.edit(split(this.edits, spelling));
  }

  rename(sender: Sender, name: string): void {
    if (tidy(name) !== sender.name) this.edit(renamed(this.edits, sender.key, name));
  }

  switch(keys: readonly string[], active: boolean): void {
    this.edit(switched(this.edits, keys, active));
  }

  undo(): void {
    const before = this.past.at(-1);
    if (!before) return;
    this.edits = before;
    this.past = this.past.slice(0, -1);
  }

  // ——— wishes

  otherSeed(): void {
    this.seed = newSeed();
  }

  addSeat(text: string): void {
    const name = nameOf(text);
    if (name) this.extras = [...this.extras, name];
  }

  removeSeat(at: number): void {
    this.extras = this.extras.filter((_, other) => other !== at);
  }

  // ——— the game

  /** The game that was set up here; its reels need not come again next time. */
  play(): Promise<void> {
    const { plan } = this;
    return this.create(plan, () => (this.played = [...new Set([...this.played, ...plan.rounds.flat().map(({ reel }) => reel)])]));
  }

  async create(plan: Plan, made: () => void = () => {}): Promise<void> {
    if (this.creating) return;
    this.creating = true;
    try {
      const { room_id } = await games.create(wishOf(plan));
      made();
      this.save();
      route.goTo({ at: "tv", code: room_id });
    } catch (error) {
      notices.tell(refusal(error), { tone: "bad" });
    } finally {
      this.creating = false;
    }
  }

  // ——— at rest

  private remembered() {
    try {
      return readBack(sessionStorage.getItem(KEPT));
    } catch {
      return null;
    }
  }

  private save(): void {
    const { chats, reports, edits, seed, wanted, title, timer, extras, played, skipPlayed } = this;
    try {
      if (this.empty && !title && extras.length === 0) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, written({ chats, reports, edits, seed, wanted, title, timer, extras, played, skipPlayed }));
      this.unkept = false;
    } catch {
      this.unkept = true;
      try {
        // Half of an older setup would be worse than none.
        sessionStorage.removeItem(KEPT);
      } catch {
        // There is no storage at all.
      }
    }
  }

  /** Called once, inside an effect root: what changes is kept, not with every letter. */
  follow(): void {
    let first = true;
    $effect(() => {
      void [this.chats, this.reports, this.edits, this.seed, this.wanted, this.title, this.timer, this.extras, this.played, this.skipPlayed];
      if (first) {
        first = false;
        return;
      }
      const later = setTimeout(() => this.save(), SAVE_AFTER_MS);
      return () => clearTimeout(later);
    });
    const now = () => this.save();
    $effect(() => {
      addEventListener("pagehide", now);
      return () => {
        removeEventListener("pagehide", now);
        this.stop();
        // While an effect ends, what it reads is as it was before the change that ends it.
        queueMicrotask(now);
      };
    });
  }
}
