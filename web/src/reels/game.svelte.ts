// One game as a page shows it, big screen or phone: the newest view, who we are in it, and commands that say why they
// were refused.

import { ParlorError, type RoomState, type Said } from "parlor-sdk";
import type { ReelsMe, ReelsRoom, ReelsVerb, ReelsVerbs, Screen, SeatWords } from "parlor-sdk/reels";
import { notices } from "../lib/notices.svelte.js";
import { games } from "../lib/parlor.svelte.js";
import { refusal } from "./words.js";

/** What a moment of the game is called on a page: `phase` and `status` in one word. */
export type Moment = "lobby" | "idle" | "vote" | "reveal_wait" | "round_recap" | "over";

/** What phones may throw at the big screen. Anything else is not shown. */
export const REACTIONS = ["😂", "😱", "😍", "🤔", "🔥", "👏", "👀", "💀"] as const;

/** Not a failure: the page itself says that the game is over. */
const ENDED = new Set(["closed", "deleted", "expired"]);

export class GameModel {
  private readonly room: ReelsRoom;
  private readonly stops: (() => void)[];

  state = $state.raw<RoomState<Screen, ReelsMe>>({ stage: "entering", resumed: null, view: null, me: null, expiresAt: null, ended: null });
  /** How many commands are on their way. */
  waiting = $state(0);

  view = $derived(this.state.view);
  me = $derived(this.state.me);
  stage = $derived(this.state.stage);
  expiresAt = $derived(this.state.expiresAt);
  /** Why the game is over for us; what cannot be a game's code is no game. */
  ended = $derived(this.state.ended === "bad_request" ? "room_not_found" : this.state.ended);
  moment = $derived<Moment | null>(this.view && ((this.view.phase === "game" ? this.view.status : this.view.phase) as Moment));
  /** What was told to everyone and stands now. */
  broadcasts = $derived(this.view?.broadcasts ?? {});
  seats = $derived<readonly SeatWords[]>(this.view?.players_visible ?? []);
  /** Our own seat, if we have one that is in the game. */
  seat = $derived(this.seats.find(({ player_id }) => player_id === this.me?.player_id) ?? null);

  /** Hears what is said to everyone here. */
  constructor(readonly code: string, heard?: (said: Said) => void, room: ReelsRoom = games.room(code)) {
    this.room = room;
    this.stops = [this.room.subscribe((state) => (this.state = state))];
    if (heard) this.stops.push(this.room.hear(heard));
    this.enter();
  }

  enter(): void {
    this.room.enter().catch((error: unknown) => {
      const code = error instanceof ParlorError ? error.code : "other";
      if (code !== "room_not_found" && code !== "bad_request" && !ENDED.has(code)) notices.tell(refusal(error), { tone: "bad" });
    });
  }

  close(): void {
    for (const stop of this.stops) stop();
    this.room.exit();
  }

  seatOf(player_id: string): SeatWords | undefined {
    return this.seats.find((seat) => seat.player_id === player_id);
  }

  /** Resolves when the server has done it; otherwise to the refusal, of which nobody has been told yet. */
  async attempt<Verb extends ReelsVerb>(verb: Verb, with_: ReelsVerbs[Verb]): Promise<ParlorError | null> {
    this.waiting += 1;
    try {
      await this.room.act(verb, with_);
      return null;
    } catch (error) {
      return error instanceof ParlorError ? error : new ParlorError("other", String(error));
    } finally {
      this.waiting -= 1;
    }
  }

  /** Resolves to whether it worked; if not, the reader has been told why. */
  async act<Verb extends ReelsVerb>(verb: Verb, with_: ReelsVerbs[Verb]): Promise<boolean> {
    const error = await this.attempt(verb, with_);
    if (error && !ENDED.has(error.code)) notices.tell(refusal(error), { tone: "bad" });
    return error === null;
  }

  /** Whether it was sent; nothing waits for a better moment. */
  say(data: unknown): boolean {
    return this.room.say(data);
  }
}
