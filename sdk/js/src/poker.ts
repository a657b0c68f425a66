// The words of planning poker, as the server says them.

import type { Room } from "./room.js";

export type DeckName = "document" | "fibonacci" | "powers" | "tshirt" | "emoji";

export interface Deck {
  readonly deck: DeckName;
  readonly valid_sizes: string;
}

/** What a new table should be like; all of it may be left out. */
export interface PokerWish {
  readonly deck?: DeckName;
  readonly valid_sizes?: string;
  readonly name?: string;
  readonly auto_reveal?: boolean;
  readonly reveal_by?: RevealBy;
  readonly life_minutes?: number;
}

export type RevealBy = "host" | "everyone";

export interface Player {
  readonly user_id: string;
  readonly user_name: string;
  readonly has_vote: boolean;
  /** Only while the cards are open. */
  readonly vote?: string;
  readonly observer: boolean;
  readonly guest: boolean;
  /** Whether they are connected now. */
  readonly here: boolean;
}

export interface Result {
  readonly votes: number;
  readonly average: number | null;
  readonly median: number | null;
  /** All of the most frequent cards. */
  readonly mode: readonly string[];
  /** Percent of the votes that lie on the most frequent card. */
  readonly agreement: number;
  readonly unanimous: boolean;
  /** In the deck's order. */
  readonly distribution: readonly { readonly card: string; readonly count: number }[];
}

export interface Story {
  readonly story_id: string;
  readonly title: string;
  readonly link?: string | null;
  readonly estimate?: string | null;
}

export interface PastRound {
  readonly round: number;
  readonly at: number;
  readonly story_id?: string | null;
  readonly title?: string | null;
  readonly result: Result;
}

export interface Table {
  readonly room_id: string;
  readonly name: string | null;
  readonly valid_sizes: string;
  readonly admin_user_id: string;
  readonly is_revealed: boolean;
  /** The cards of this round were shown: no card is laid or taken before the reset. */
  readonly sealed: boolean;
  readonly round: number;
  readonly timer_ends: number | null;
  readonly timer_reveals: boolean;
  readonly auto_reveal: boolean;
  readonly reveal_by: RevealBy;
  readonly life_minutes: number;
  readonly users: readonly Player[];
  readonly result?: Result | null;
  readonly story_id: string | null;
  readonly stories: readonly Story[];
  /** Oldest first. */
  readonly history: readonly PastRound[];
}

export interface Me {
  readonly user_id: string | null;
  readonly user_name?: string | null;
  readonly seated: boolean;
  readonly host: boolean;
  readonly may_reveal: boolean;
  readonly observer: boolean;
  readonly vote?: string | null;
}

/** Every verb of the table and what it takes. */
export interface PokerVerbs {
  join: { user_name?: string; observer?: boolean };
  vote: { card: string };
  take_back: Empty;
  show: Empty;
  set_revealed: { is_revealed: boolean };
  reset: Empty;
  set_valid_sizes: { valid_sizes: string };
  set_observer: { observer: boolean; user_id?: string };
  update_room: { name?: string | null; auto_reveal?: boolean; reveal_by?: RevealBy };
  start_timer: { seconds: number; reveal?: boolean };
  stop_timer: Empty;
  hand_over: { user_id: string };
  kick: { user_id: string; ban?: boolean };
  leave: Empty;
  delete_user: { user_id?: string };
  delete: Empty;
  add_stories: { stories: { title: string; link?: string; estimate?: string }[]; at?: number };
  import_stories: { csv: string };
  edit_story: { story_id: string; title?: string; link?: string | null; estimate?: string | null };
  move_story: { story_id: string; to: number };
  remove_story: { story_id: string };
  pick_story: { story_id: string | null };
}

export type Empty = Record<string, never>;
export type PokerVerb = keyof PokerVerbs;

export interface PokerRoom extends Omit<Room<Table, Me>, "act"> {
  act<Verb extends PokerVerb>(verb: Verb, words: PokerVerbs[Verb]): Promise<void>;
}
