// One table as the page shows it: the newest view, what is still on its way, and what each change means to us.

import { type Me, type PokerRoom, type PokerVerb, type PokerVerbs, type RoomState, type Said, type Table } from "parlor-sdk";
import { type Change, changes } from "./changes.js";
import { chime } from "./chime.js";
import { notices } from "./notices.svelte.js";
import { decimal } from "./numbers.js";
import { parlor } from "./parlor.svelte.js";
import { preferences, words } from "./preferences.svelte.js";
import { recents } from "./route.svelte.js";

/** Somebody impatient should not be able to ring without pause. */
const NUDGE_PAUSE_MS = 5000;

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
    this.room = parlor.poker(id);
    this.silence = [this.room.subscribe((state) => this.changed(state)), this.room.hear((said) => this.heard(said))];
    this.enter();
  }

  enter(): void {
    this.room.enter().catch((error: unknown) => notices.failed(error));
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

  nudge(user_id: string): void {
    this.room.say({ nudge: user_id });
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
    if (before.view === null || before.view.name !== state.view.name) recents.visited(this.id, state.view.name ?? "");
    if (before.view === null || before.view === state.view) return;
    for (const change of changes(before.view, state.view)) this.noticed(change, state.view, state.me);
  }

  private noticed(change: Change, view: Table, me: Me | null): void {
    const { said, timer } = words();
    switch (change.change) {
      case "voted":
        if (change.user_id !== me?.user_id) notices.announce(said.voted(change.name, this.laid, this.voters.length));
        return;
      case "took_back":
        if (change.user_id !== me?.user_id) notices.announce(said.tookBack(change.name));
        return;
      case "joined": return notices.announce(said.joined(change.name));
      case "left": return notices.announce(said.left(change.name));
      case "cleared": return notices.announce(said.cleared(change.round));
      case "story": return notices.announce(said.story(change.title));
      case "timer_over":
        notices.tell(timer.over, { tone: "call" });
        if (preferences.sound) chime("time");
        return;
      case "shown": {
        const { locale, result: names } = words();
        const { result } = view;
        const numbers = result && result.votes > 0 ? said.result(decimal(result.average, locale), decimal(result.median, locale), result.agreement) : names.none;
        notices.announce(`${said.shown} ${change.unanimous ? `${names.unanimous} ` : ""}${numbers}`);
        if (change.unanimous) this.celebrations += 1;
        if (preferences.sound) chime(change.unanimous ? "agreed" : "shown");
      }
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
