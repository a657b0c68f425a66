// The big screen: the game as its Master sees it, where the reveal stands, and what "the next thing" is.

import type { Said } from "parlor-sdk";
import type { Guess, MasterSeat } from "parlor-sdk/reels";
import { chime } from "../../lib/chime.js";
import { notices } from "../../lib/notices.svelte.js";
import { preferences } from "../../lib/preferences.svelte.js";
import { demoNumber } from "../demo.js";
import { GameModel } from "../game.svelte.js";
import { absent, notYet } from "./lobby.js";
import { Flights } from "./reactions.svelte.js";
import { type Step, STEPS, after, lasts, nameOf, reached, scoreAt } from "./steps.js";
import { standings } from "./ranking.js";
import { tvWords } from "./words.js";

/** How long the end of a reveal stays at least. */
const STILL_MS = 400;

/** Whose face it is: a sender who has a seat looks like that seat. */
export interface Looks {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
}

export class Tv {
  readonly game: GameModel;
  readonly flights = new Flights();
  /** Where the reveal stands, and of which item. */
  private reveal = $state.raw<{ readonly of: string; readonly step: Step } | null>(null);

  /** Whoever pressed for the last step in the very moment in which it came by itself did not mean the next reel. */
  rested = $state(true);

  seats = $derived.by<readonly MasterSeat[]>(() => this.game.view?.players_all ?? []);
  /** Those in the game, in the order of their seats. */
  active = $derived(this.seats.filter((seat) => seat.active));
  item = $derived.by(() => this.game.broadcasts.NEW_ITEM ?? null);
  vote = $derived.by(() => this.game.broadcasts.START_VOTE ?? null);
  results = $derived.by(() => this.game.broadcasts.VOTE_RESULTS ?? null);
  demo = $derived(this.item?.reel ? demoNumber(this.item.reel.url, location.origin) : null);
  voted = $derived.by<ReadonlySet<string>>(() => new Set(this.game.broadcasts.PLAYER_VOTED?.player_ids ?? []));
  expected = $derived.by<ReadonlySet<string>>(() => new Set(this.vote?.expected_player_ids ?? this.results?.players.map(({ player_id }) => player_id) ?? []));
  guesses = $derived<ReadonlyMap<string, Guess>>(new Map(this.results?.players.map((guess) => [guess.player_id, guess])));
  step = $derived(this.results && this.reveal?.of === nameOf(this.results) ? this.reveal.step : this.results ? STEPS[0] : null);
  private voters = $derived(this.results?.players.length ?? 0);
  private revealing = $derived(this.results && nameOf(this.results));
  lastItem = $derived.by(() => (this.game.view?.current_item_index ?? 0) + 1 >= (this.game.view?.items_total ?? 0));
  notYet = $derived(notYet(this.seats));
  absent = $derived(absent(this.seats));
  /** The ranking beside the game; during a reveal the new points count only from their step on. */
  ranking = $derived(standings(this.active.map((seat) => {
    const guess = this.guesses.get(seat.player_id);
    return { ...seat, score: guess ? scoreAt(guess, this.step) : seat.score_total, gained: guess && reached(this.step, "scores") ? guess.points_gained : 0 };
  })));

  constructor(code: string) {
    this.game = new GameModel(code, (said) => this.heard(said));
  }

  close(): void {
    this.game.close();
    this.flights.clear();
  }

  looksOf(sender_id: string): Looks {
    const seat = this.seats.find((seat) => seat.sender_id === sender_id);
    const name = this.item?.senders_selectable?.find((sender) => sender.sender_id === sender_id)?.name
      ?? this.game.view?.senders_all?.find((sender) => sender.sender_id === sender_id)?.name ?? seat?.name ?? "";
    return { id: seat?.player_id ?? sender_id, name, url: seat?.avatar_url ?? null };
  }

  // ——— the reveal

  /** Called inside an effect root: steps follow each other by themselves. */
  runReveal(): void {
    $effect(() => {
      // Somebody who comes or goes shows the room again; that is no reason to begin the step anew.
      const { step, voters, revealing } = this;
      const ms = revealing === null || step === null ? null : lasts(step, voters);
      if (ms === null) return;
      const later = setTimeout(() => this.stepOn(), ms);
      return () => clearTimeout(later);
    });
    $effect(() => {
      if (this.step !== "clear") return;
      this.rested = false;
      const later = setTimeout(() => (this.rested = true), STILL_MS);
      return () => clearTimeout(later);
    });
    $effect(() => {
      if (this.step === "grow") this.sound("drum");
      if (this.step === "slots") this.sound("shown");
      if (this.step === "judge") this.sound(this.results?.players.some(({ points_gained }) => points_gained > 0) ? "agreed" : "time");
    });
  }

  private stepOn(): void {
    const next = this.step && after(this.step);
    if (this.results && next) this.reveal = { of: nameOf(this.results), step: next };
  }

  // ——— what the Master does

  /** The next thing, whatever that is now. */
  async next(): Promise<void> {
    if (this.game.waiting > 0) return;
    switch (this.game.moment) {
      case "lobby": return void (this.notYet === null && (await this.game.act("START_GAME", {})));
      case "idle": return this.open();
      case "reveal_wait":
        if (this.step !== "clear") return this.stepOn();
        return this.rested ? this.endItem() : undefined;
      case "round_recap": return this.nextRound();
    }
  }

  /** Opens the reel; the vote begins with it. In the middle of a vote it is opened again, and nothing else happens. */
  async open(): Promise<void> {
    const { item } = this;
    if (!item?.reel) return;
    // The other site learns nothing of this page. The price: it cannot be found again by its name, so each reel has its own window.
    if (this.demo === null) window.open(item.reel.url, "reel", "noopener,noreferrer");
    if (this.game.moment !== "idle") return;
    if (await this.game.act("REEL_OPENED", { round_id: item.round_id, item_id: item.item_id })) {
      notices.announce(tvWords().said.vote);
      this.sound("nudge");
    }
  }

  async forceClose(): Promise<void> {
    if (this.vote && !this.vote.forced) await this.game.act("FORCE_CLOSE_VOTE", { round_id: this.vote.round_id, item_id: this.vote.item_id });
  }

  private async endItem(): Promise<void> {
    if (this.results) await this.game.act("END_ITEM", { round_id: this.results.round_id, item_id: this.results.item_id });
  }

  private async nextRound(): Promise<void> {
    const finished = this.game.broadcasts.ROUND_FINISHED;
    if (finished) await this.game.act("START_NEXT_ROUND", { round_id: finished.round_id });
  }

  /** Leaves the free seats out, and begins. */
  async startWithoutAbsent(): Promise<void> {
    for (const { player_id } of this.absent) {
      if (!(await this.game.act("TOGGLE_PLAYER", { player_id, active: false }))) return;
    }
    await this.game.act("START_GAME", {});
  }

  // ——— what is heard

  private heard({ from, data }: Said): void {
    if (typeof data !== "object" || data === null || !("react" in data)) return;
    const seat = this.seats.find((seat) => seat.user_id !== null && seat.user_id === from);
    this.flights.launch(data.react, seat ? { id: seat.player_id, name: seat.name, url: seat.avatar_url } : null);
  }

  sound(tune: Parameters<typeof chime>[0]): void {
    if (preferences.sound) chime(tune);
  }
}
