// One table as the page shows it: the newest view, what is still on its way, and what each change means to us.

import { type Me, type PokerRoom, type PokerVerb, type PokerVerbs, type RoomState, type Said, type Table } from "parlor-sdk";
import { type Change, changes } from "./changes.js";
import { chime } from "./chime.js";
import { notices } from "./notices.svelte.js";
import { parlor, tables } from "./parlor.svelte.js";
import { preferences, words } from "./preferences.svelte.js";
import { recents } from "./route.svelte.js";
import { sentences } from "./said.js";

/** The server's bound for one list. */
const STORIES_MAX = 200;
/** Somebody impatient should not be able to ring without pause. */
const NUDGE_PAUSE_MS = 5000;

/** What somebody has at the table. */
interface Seat {
  readonly observer: boolean;
  readonly card: string | null;
  readonly admin: boolean;
}

export class TableModel {
  readonly id: string;
  private readonly room: PokerRoom;
  private readonly silence: (() => void)[];

  state = $state.raw<RoomState<Table, Me>>({ stage: "entering", resumed: null, view: null, me: null, expiresAt: null, ended: null });
  /** The card we chose, until the server has said so too; null means taken back. */
  private choosing = $state.raw<{ card: string | null } | null>(null);
  waiting = $state(0);
  /** Counts celebrations; a new number is a new one. */
  celebrations = $state(0);
  /** Counts nudges for us. */
  nudges = $state(0);
  private nudgedAt = 0;

  /** Why the table is over for us. What cannot be a table's address is no table, like any other that is not there. */
  ended = $derived(this.state.ended === "bad_request" ? "room_not_found" : this.state.ended);
  view = $derived(this.state.view);
  me = $derived(this.state.me);
  cards = $derived(this.view?.valid_sizes.split(" ") ?? []);
  voters = $derived(this.view?.users.filter((user) => !user.observer) ?? []);
  observers = $derived(this.view?.users.filter((user) => user.observer) ?? []);
  laid = $derived(this.voters.filter((user) => user.has_vote).length);
  story = $derived(this.view?.stories.find(({ story_id }) => story_id === this.view?.story_id) ?? null);
  nextStory = $derived.by(() => {
    const stories = this.view?.stories ?? [];
    const here = stories.findIndex(({ story_id }) => story_id === this.view?.story_id);
    const open = (story: { story_id: string; estimate?: string | null }) => !story.estimate && story.story_id !== this.view?.story_id;
    return stories.slice(here + 1).find(open) ?? stories.find(open) ?? null;
  });
  mayVote = $derived(!!this.me?.seated && !this.me.observer && !this.view?.is_revealed && !this.view?.sealed);
  vote = $derived(this.choosing ? this.choosing.card : (this.me?.vote ?? null));

  constructor(id: string) {
    this.id = id;
    this.room = tables.room(id);
    this.silence = [this.room.subscribe((state) => this.changed(state)), this.room.hear((said) => this.heard(said))];
    this.enter();
  }

  enter(): void {
    this.room.enter().catch((error: unknown) => {
      if (this.ended !== "room_not_found") notices.failed(error);
    });
  }

  close(): void {
    for (const stop of this.silence) stop();
    this.room.exit();
  }

  /** Resolves to whether it worked; if not, the reader has been told why. */
  async act<Verb extends PokerVerb>(verb: Verb, with_: PokerVerbs[Verb]): Promise<boolean> {
    this.waiting += 1;
    try {
      await this.room.act(verb, with_);
      return true;
    } catch (error) {
      notices.failed(error, verb);
      return false;
    } finally {
      this.waiting -= 1;
    }
  }

  /** Lays a card, or takes it back when it is the one that lies there. */
  async choose(card: string | null): Promise<void> {
    if (!this.mayVote) return;
    const choice = { card: card === this.vote ? null : card };
    if (choice.card === null && this.vote === null) return;
    this.choosing = choice;
    if (choice.card === null) await this.act("take_back", {});
    else await this.act("vote", { card: choice.card });
    if (this.choosing === choice) this.choosing = null;
  }

  /** Where we sit now, to take it along when we become somebody else; null without a seat. */
  seat(): Seat | null {
    if (!this.me?.seated) return null;
    return { observer: this.me.observer, card: this.vote, admin: this.view?.admin_user_id === this.me.user_id };
  }

  /** Whoever logged in is another person to the room: they sit down too, are given what the guest had, and the guest goes. */
  async moveFrom(guest: Seat, user_id: string): Promise<void> {
    if (!(await this.act("join", { observer: guest.observer }))) return;
    try {
      if (guest.admin) await tables.actAsGuest(this.id, "hand_over", { user_id });
      await tables.actAsGuest(this.id, "leave", {});
    } catch (error) {
      return notices.failed(error);
    }
    // Last: two cards of one person could be counted both.
    if (guest.card !== null && !this.view?.sealed) await this.act("vote", { card: guest.card });
  }

  /** Whether it was sent; nothing waits for a better moment. */
  nudge(user_id: string): boolean {
    return this.room.say({ nudge: user_id });
  }

  /** Whether so many more stories fit; if not, the reader has been told. Half of a list would be worse than none. */
  hasRoomFor(stories: number): boolean {
    const free = STORIES_MAX - (this.view?.stories.length ?? 0);
    if (stories <= free) return true;
    notices.tell(free > 0 ? words().stories.tooMany(stories, free) : words().errors.stories_full, { tone: "bad" });
    return false;
  }

  /** Removes a story in a way that can be undone: it comes back at its place, with its estimate. */
  async removeStory(story_id: string): Promise<void> {
    const stories = this.view?.stories ?? [];
    const at = stories.findIndex((story) => story.story_id === story_id);
    const story = stories[at];
    if (!story || !(await this.act("remove_story", { story_id }))) return;
    const again = { title: story.title, ...(story.link && { link: story.link }), ...(story.estimate && { estimate: story.estimate }) };
    notices.tell(words().stories.removed(story.title), {
      action: { label: words().ui.undo, run: () => void this.act("add_stories", { stories: [again], at }) },
    });
  }

  private changed(state: RoomState<Table, Me>): void {
    const before = this.state;
    this.state = state;
    if (!state.view) return;
    if (before.view === null || before.view.name !== state.view.name) recents.visited({ kind: "poker", id: this.id }, state.view.name ?? "");
    if (before.view === null || before.view === state.view) return;
    const found = changes(before.view, state.view, parlor.now());
    const said = sentences(found, state.view, state.me?.user_id ?? null, words());
    if (said) notices.announce(said);
    for (const change of found) this.noticed(change);
  }

  private noticed(change: Change): void {
    if (change.change === "timer_over") {
      notices.tell(words().timer.over, { tone: "call" });
      if (preferences.sound) chime("time");
    } else if (change.change === "shown") {
      if (change.unanimous) this.celebrations += 1;
      if (preferences.sound) chime(change.unanimous ? "agreed" : "shown");
    }
  }

  private heard({ from, data }: Said): void {
    const me = this.me?.user_id;
    if (!me || typeof data !== "object" || data === null || !("nudge" in data) || data.nudge !== me) return;
    if (Date.now() - this.nudgedAt < NUDGE_PAUSE_MS) return;
    this.nudgedAt = Date.now();
    this.nudges += 1;
    const name = this.view?.users.find((user) => user.user_id === from)?.user_name ?? words().status.somebody;
    notices.tell(words().status.nudge(name), { tone: "call", ms: 12_000 });
    if ("vibrate" in navigator) navigator.vibrate([120, 60, 120]);
    if (preferences.sound) chime("nudge");
  }
}
