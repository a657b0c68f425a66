// One phone in a game: what it shows, what its owner chose, and what became of that.

import type { ParlorError } from "parlor-sdk";
import type { ReelsRoom } from "parlor-sdk/reels";
import { untrack } from "svelte";
import { keep, kept } from "../../lib/kept.js";
import { notices } from "../../lib/notices.svelte.js";
import { parlor } from "../../lib/parlor.svelte.js";
import { recents } from "../../lib/route.svelte.js";
import { Clock } from "../clock.svelte.js";
import { GameModel } from "../game.svelte.js";
import { reelsWords } from "../words.js";
import { type Ballot, Ballots, type Verdict, sameChoice, sameReel, toggled } from "./ballot.js";
import { Pace, REACTIONS_PER_SECOND } from "./pace.js";
import { type Before, gain, placeOf, remembered } from "./points.js";
import { shownFor } from "./screen.js";
import { verdictOf } from "./verdict.js";
import { type Visit, earlierGame, forgotten, visited } from "./visits.js";
import { phone } from "./words.js";

/** A choice that was begun and not sent goes out by itself before the vote closes, while there is time for the way. */
const DRAFT_GOES_MS = 2000;
/** The kit has tried several times by itself before it gives up. */
const AGAIN_MS = 3000;
/** How long it is said that a vote came too late. */
const LATE_SHOWN_MS = 15_000;

/** What this window keeps for a reload, about one game. */
interface Kept {
  readonly code: string;
  readonly ends: number;
  readonly ballot: Ballot | null;
  readonly before: Before | null;
}

/** How far the vote has got. */
export type Sending = "open" | "draft" | "sending" | "unsent" | "sent";

const session = () => sessionStorage;

export class PhoneModel {
  readonly game: GameModel;
  readonly clock = new Clock();
  private readonly ballots: Ballots;
  private readonly pace = new Pace(REACTIONS_PER_SECOND);

  /** Chosen and not known to the server yet. */
  private waiting = $state.raw<Ballot | null>(null);
  /** The server has it, and its next view will say so too. */
  private taken = $state.raw<Ballot | null>(null);
  /** Of several names only some are chosen, and nothing was sent: the last vote of all would close the reel. */
  private draft = $state.raw<Ballot | null>(null);
  private before = $state.raw<Before | null>(null);
  private visits = $state.raw<readonly Visit[]>(kept<readonly Visit[]>("reels_visits", []));
  private restored = false;
  /** Why the last choice may not count. */
  late = $state<string | null>(null);

  /** The code belongs to another game than the one we played. */
  earlier = $derived.by(() => {
    const { view, me, expiresAt } = this.game.state;
    return view && expiresAt !== null && !me?.player_id ? earlierGame(this.visits, this.game.code, expiresAt) : null;
  });
  shown = $derived.by(() => this.game.view && this.game.me ? shownFor(this.game.view, this.game.me) : null);
  seated = $derived.by(() => !!this.game.me?.player_id);
  item = $derived.by(() => this.game.broadcasts.NEW_ITEM ?? null);
  k = $derived.by(() => this.item?.k ?? this.item?.slots_total ?? 1);
  /** What stands chosen here for this reel; null when nothing was said about it. */
  choice = $derived.by<readonly string[] | null>(() => this.here(this.waiting) ?? this.here(this.draft) ?? this.here(this.taken) ?? this.game.me?.selections ?? null);
  sending = $derived.by<Sending>(() => {
    if (this.here(this.waiting)) return this.game.stage === "inside" ? "sending" : "unsent";
    if (this.here(this.draft)) return "draft";
    return this.choice === null ? "open" : "sent";
  });
  gain = $derived.by(() => this.game.view ? gain(this.before, this.game.view, this.game.me?.player_id ?? null) : null);
  /** A host who plays is told the results like the big screen; here they wait for the reveal like everybody's. */
  score = $derived.by(() => (this.game.moment === "reveal_wait" && this.before ? this.before.score : (this.game.seat?.score_total ?? 0)));
  place = $derived.by(() => placeOf(this.game.seats, this.game.me?.player_id ?? null));
  /** The name of the seat that we had last in this game. */
  lastName = $derived.by(() => this.visits.find(({ code, ends }) => code === this.game.code && ends === this.game.expiresAt)?.name ?? null);

  /** Called inside an effect root. */
  constructor(code: string, room?: ReelsRoom) {
    this.game = new GameModel(code, undefined, room);
    this.ballots = new Ballots({
      send: async (ballot) => {
        const error = await this.game.attempt("SUBMIT_VOTE", { round_id: ballot.round_id, item_id: ballot.item_id, selections: [...ballot.selections] });
        if (error) throw error;
      },
      judge: (error) => {
        const verdict = verdictOf(error as ParlorError);
        if (verdict.verdict === "again") setTimeout(() => this.ballots.wake(), AGAIN_MS);
        return verdict;
      },
      changed: (waiting) => {
        this.waiting = waiting;
        this.taken = this.ballots.taken;
        this.remember();
      },
      dropped: (_, verdict) => this.dropped(verdict),
    });
    $effect(() => {
      void this.game.state;
      untrack(() => this.changed());
    });
    $effect(() => {
      const closes = this.game.broadcasts.START_VOTE?.closes_at;
      if (this.sending === "draft" && closes != null && closes - this.clock.now <= DRAFT_GOES_MS) untrack(() => this.sendDraft());
    });
    $effect(() => {
      if (this.late === null) return;
      const forget = setTimeout(() => (this.late = null), LATE_SHOWN_MS);
      return () => clearTimeout(forget);
    });
  }

  close(): void {
    this.game.close();
  }

  // ——— voting

  /** A tap on a name; false when the hand is full. */
  choose(sender_id: string): boolean {
    if (this.shown !== "vote") return true;
    const before = this.choice ?? [];
    const now = toggled(before, sender_id, this.k);
    if (now === before) return false;
    // Who has voted changes their vote with every tap. Before that, a first name of two would be the whole vote.
    if (this.k === 1 || now.length === this.k || this.sending === "sent" || this.here(this.waiting)) this.cast(now);
    else this.draft = now.length > 0 ? this.ballot(now) : null;
    return true;
  }

  noIdea(): void {
    this.cast([]);
  }

  sendDraft(): void {
    if (this.draft) this.cast(this.draft.selections);
  }

  private cast(selections: readonly string[]): void {
    const ballot = this.ballot(selections);
    this.draft = null;
    if (!ballot || (this.sending === "sent" && sameChoice(selections, this.choice))) return;
    this.late = null;
    this.ballots.cast(ballot);
  }

  private ballot(selections: readonly string[]): Ballot | null {
    return this.item && { round_id: this.item.round_id, item_id: this.item.item_id, selections };
  }

  /** What that ballot says, if it is about the reel that is shown. */
  private here(ballot: Ballot | null): readonly string[] | null {
    return ballot && this.item && sameReel(ballot, this.item) ? ballot.selections : null;
  }

  private dropped(verdict: Verdict): void {
    if (this.earlier || verdict.verdict === "gone" || verdict.verdict === "again") return;
    if (verdict.verdict === "late") return this.tooLate(this.game.me?.selections ? "late" : "lateNone");
    const { refused } = reelsWords();
    notices.tell(verdict.reason in refused ? refused[verdict.reason as keyof typeof refused] : refused.bad_request, { tone: "bad" });
  }

  private tooLate(word: "late" | "lateNone" | "unsure"): void {
    this.late = phone().vote[word];
  }

  // ——— reactions

  /** Whether it was soon enough after the last ones; what nobody could hear is told. */
  react(emoji: string): boolean {
    if (!this.pace.allows(parlor.now())) return false;
    if (!this.game.say({ react: emoji })) notices.tell(phone().reactions.unheard, { tone: "bad" });
    return true;
  }

  /** Of the old game nothing is left; in the new one we are somebody new. */
  forgetEarlier(): void {
    this.keepVisits(forgotten(this.visits, this.game.code));
    this.ballots.forget();
    this.draft = this.before = null;
    this.changed();
  }

  // ——— what the server says

  private changed(): void {
    const { view, me, expiresAt, stage } = this.game.state;
    if (!view || !me || expiresAt === null) return;
    if (this.earlier) return;
    if (!this.restored) {
      this.restore(expiresAt);
      recents.visited({ kind: "reels", id: this.game.code }, view.title ?? "");
    }
    this.before = remembered(this.before, view, me);
    const seat = this.game.seat;
    // Who lost the seat is told under the name they had.
    if (seat || !me.slot_invalidated) this.keepVisits(visited(this.visits, { code: this.game.code, ends: expiresAt, name: seat?.name ?? null }));
    const sent = this.here(this.taken);
    if (this.taken && (sent === null || sameChoice(sent, me.selections))) this.taken = null;
    if (this.draft && (this.here(this.draft) === null || this.shown !== "vote")) this.draft = null;
    this.remember();
    if (stage === "inside") this.ballots.wake();
  }

  /** What was chosen before a reload and never confirmed: sent if it still can be. */
  private restore(ends: number): void {
    this.restored = true;
    const earlier = kept<Kept | null>("reels_phone", null, session);
    if (!earlier || earlier.code !== this.game.code || earlier.ends !== ends) return;
    this.before = earlier.before;
    const { ballot } = earlier;
    if (!ballot) return;
    const same = this.here(ballot) !== null;
    if (same && sameChoice(ballot.selections, this.game.me?.selections ?? null)) return;
    if (same && this.shown === "vote") this.ballots.cast(ballot);
    else this.tooLate(same ? "lateNone" : "unsure");
  }

  private remember(): void {
    const { expiresAt } = this.game.state;
    if (!this.restored || expiresAt === null) return;
    const now: Kept = { code: this.game.code, ends: expiresAt, ballot: this.waiting, before: this.before };
    keep("reels_phone", now, session);
  }

  private keepVisits(visits: readonly Visit[]): void {
    if (visits === this.visits) return;
    this.visits = visits;
    keep("reels_visits", visits);
  }
}
