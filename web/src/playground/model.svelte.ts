// One space as the playground sees it: who is here and under which name, what it holds, and whether we may write.

import type { Person, Space } from "parlor-sdk";
import { listStore, mapStore, othersStore, statusStore } from "parlor-sdk/svelte";
import { fromStore } from "svelte/store";
import { notices } from "../lib/notices.svelte.js";
import { line, parlor } from "../lib/parlor.svelte.js";
import { preferences } from "../lib/preferences.svelte.js";
import { recents } from "../lib/route.svelte.js";
import { freeColour, likedColour } from "./persons.js";
import { play } from "./words.js";

/** How somebody wants to be called and shown; it travels as a presence, so that a new name is seen at once. */
export interface Called {
  readonly name: string;
  readonly colour: number;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface Note extends Spot {
  readonly text: string;
  readonly colour: string;
  readonly by: string;
}

export interface Task {
  readonly text: string;
  readonly done: boolean;
}

/** Somebody else was faster, or took the thing away: what is shown now says so by itself. */
const QUIET = new Set(["version_mismatch", "not_found", "closed"]);

export class Playground {
  readonly space: Space;
  readonly board;
  readonly todo;
  readonly cursors;
  readonly called;
  readonly notes;
  readonly tasks;
  readonly pointers;
  /** The colour we took when we came; null before we knew who else is here. */
  colour = $state<number | null>(null);
  private readonly status;
  private readonly names;
  private readonly stops: (() => void)[];

  constructor(readonly id: string) {
    const space = (this.space = parlor.space(id));
    this.board = space.map<Note>("board");
    this.todo = space.list<Task>("todo");
    this.cursors = space.presence<Spot>("cursors");
    this.called = space.presence<Called>("called");
    this.status = fromStore(statusStore(space));
    this.names = fromStore({ subscribe: (run: (names: ReadonlyMap<string, Called>) => void) =>
      this.called.subscribe((called) => run(new Map(called.all().map(({ userId, value }) => [userId, value])))) });
    this.notes = fromStore(mapStore(this.board));
    this.tasks = fromStore(listStore(this.todo));
    this.pointers = fromStore(othersStore(this.cursors));
    this.stops = [
      this.called.subscribe(() => this.takeColour()),
      space.refused((error) => {
        if (error.code === "room_full") notices.tell(play().full, { tone: "bad" });
        else if (!QUIET.has(error.code)) notices.failed(error);
      }),
    ];
  }

  /** Why we are not let in is in the state; the page shows it. */
  async enter(): Promise<void> {
    await this.space.enter().then(() => recents.visited({ kind: "space", id: this.id }, this.space.state.space?.name ?? ""), () => {});
  }

  leave(): void {
    for (const stop of this.stops) stop();
    this.space.leave();
  }

  get state() {
    return this.status.current;
  }

  /** Everybody who is here, we first. Several windows of one person are one person. */
  get people(): readonly Person[] {
    void this.status.current;
    const { who, me } = this.space;
    return [...who].sort((one, other) => Number(other.userId === me?.userId) - Number(one.userId === me?.userId));
  }

  get me(): string | null {
    void this.status.current;
    return this.space.me?.userId ?? null;
  }

  get mayWrite(): boolean {
    void this.status.current;
    return this.space.me?.rights.includes("write") ?? false;
  }

  /** How we are called here. */
  get ownName(): string {
    return (line.member ?? preferences.name.trim()) || this.guest(this.me ?? "");
  }

  nameOf(userId: string): string {
    return this.names.current.get(userId)?.name || this.guest(userId);
  }

  colourOf(userId: string): string {
    const colour = userId === this.me ? this.colour : this.names.current.get(userId)?.colour;
    return `var(--person-${colour ?? likedColour(userId)})`;
  }

  /** Once, as soon as it is known who is here: another window of ours may have one already. */
  private takeColour(): void {
    const { me, who } = this.space;
    if (this.colour !== null || !me || !who.some(({ userId }) => userId === me.userId)) return;
    const all = this.called.all();
    const mine = all.find(({ userId }) => userId === me.userId)?.value.colour;
    this.colour = mine ?? freeColour(likedColour(me.userId), new Set(all.map(({ value }) => value.colour)));
  }

  /** Two guests without a name should still be told apart. */
  private guest(userId: string): string {
    return play().guest(userId.slice(0, 3));
  }
}
