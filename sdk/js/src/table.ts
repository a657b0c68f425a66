// The words of planning poker, written by a test from the server's own types: crates/wire/tests/it/typescript.rs.

/** The table as everyone sees it. */
export interface Table {
  readonly admin_user_id: string;
  /** Whether the cards open by themselves once every voter has voted. */
  readonly auto_reveal: boolean;
  /** The rounds that were shown, oldest first. */
  readonly history: readonly Round[];
  readonly is_revealed: boolean;
  /** How long the room lives after it was last used. */
  readonly life_minutes: number;
  /** What the room is called, if it has a name. */
  readonly name?: string | null;
  readonly result?: Outcome | null;
  /** Who may show, hide and reset: host or everyone. */
  readonly reveal_by: string;
  readonly room_id: string;
  readonly round: number;
  /** Whether the cards of this round have been seen, also when they are hidden again: nobody may vote. */
  readonly sealed: boolean;
  readonly stories: readonly Story[];
  /** The story that is being estimated. */
  readonly story_id?: string | null;
  /** When the timer ends, in milliseconds since the epoch. */
  readonly timer_ends?: number | null;
  /** Whether the end of the timer turns the cards over. */
  readonly timer_reveals: boolean;
  /** In the order people came. */
  readonly users: readonly User[];
  readonly valid_sizes: string;
}

export interface User {
  /** Came with a key and without logging in. */
  readonly guest: boolean;
  readonly has_vote: boolean;
  /** Is connected now. */
  readonly here: boolean;
  /** Sits at the table and does not vote. */
  readonly observer: boolean;
  readonly user_id: string;
  readonly user_name: string;
  /** Only when the cards are open. */
  readonly vote?: string | null;
}

/** What the cards of a round come to. */
export interface Outcome {
  /** Which part of the votes is on the most frequent card, in whole percent. */
  readonly agreement: number;
  /** Of the cards that are numbers. */
  readonly average?: number | null;
  /** In the deck's order. */
  readonly distribution: readonly Count[];
  readonly median?: number | null;
  /** The most frequent cards, in the deck's order. */
  readonly mode: readonly string[];
  /** At least two voted, all the same, and it was an estimate. */
  readonly unanimous: boolean;
  readonly votes: number;
}

export interface Count {
  readonly card: string;
  readonly count: number;
}

export interface Story {
  readonly estimate?: string | null;
  readonly link?: string | null;
  readonly story_id: string;
  readonly title: string;
}

/** A round that was shown. */
export interface Round {
  /** When it was first shown, in milliseconds since the epoch. */
  readonly at: number;
  readonly result: Outcome;
  readonly round: number;
  readonly story_id?: string | null;
  readonly title?: string | null;
}

/** The part that only you see. */
export interface Me {
  readonly host: boolean;
  /** Whether you may show, hide and reset. */
  readonly may_reveal: boolean;
  readonly observer: boolean;
  readonly seated: boolean;
  readonly user_id?: string | null;
  readonly user_name?: string | null;
  readonly vote?: string | null;
}

/** Every verb of the table and what it takes. */
export interface PokerVerbs {
  /** Sit down at the table; the first to sit is the admin. A guest says a name, who is logged in has one; an observer does not vote. */
  join: { observer?: boolean; user_name?: string };
  /** Lay a card of the deck face down. */
  vote: { card: string };
  /** Take your card back. */
  take_back: Record<string, never>;
  /** Turn all cards over (host, or everyone at the table if the room says so). */
  show: Record<string, never>;
  /** True is the same as show; false hides the cards again without clearing them, and nobody may vote until the reset (as show). */
  set_revealed: { is_revealed: boolean };
  /** Clear the table for the next round (as show). */
  reset: Record<string, never>;
  /** Play with another deck; hides and clears (host). */
  set_valid_sizes: { valid_sizes: string };
  /** Sit at the table without voting, or vote again; becoming an observer drops the card. With a user_id for somebody else (host). */
  set_observer: { observer: boolean; user_id?: string };
  /** Change how the table is run; at least one of them. A name that is null takes it away (host). */
  update_room: { auto_reveal?: boolean; name?: string | null; reveal_by?: string };
  /** After so many seconds show the cards, or with reveal false only end (host). */
  start_timer: { reveal?: boolean; seconds: number };
  /** Stop the timer (host). */
  stop_timer: Record<string, never>;
  /** Make somebody at the table the admin (host). */
  hand_over: { user_id: string };
  /** Send somebody away; with ban, for good (host). */
  kick: { ban?: boolean; user_id: string };
  /** Stand up from the table; you may go on watching. */
  leave: Record<string, never>;
  /** Forget you: your seat goes, and your id and name are struck from the history. With a user_id somebody else, who is also sent away (host). */
  delete_user: { user_id?: string };
  /** End the room for everyone (host). */
  delete: Record<string, never>;
  /** Add stories to the list, at its end or at a place counted from 0 (host). */
  add_stories: { at?: number; stories: { estimate?: string; link?: string; title: string }[] };
  /** Add the stories of a CSV: with a header (title, link, estimate, or Jira's), or else the first cell of each row (host). */
  import_stories: { csv: string };
  /** Change a story; null takes a link or an estimate away (host). */
  edit_story: { estimate?: string | null; link?: string | null; story_id: string; title?: string };
  /** Put a story at another place of the list, counted from 0 (host). */
  move_story: { story_id: string; to: number };
  /** Take a story from the list; rounds it was estimated in stay (host). */
  remove_story: { story_id: string };
  /** Estimate this story now, or none; hides and clears (host). */
  pick_story: { story_id: string | null };
}
