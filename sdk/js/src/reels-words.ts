// The words of the party game, written by a test from the server's own types: crates/wire/tests/it/typescript.rs.

/** The game as a screen shows it. */
export interface Screen {
  readonly broadcasts: Broadcasts;
  readonly code: string;
  /** From 0; at the end of a round, how many items it had. */
  readonly current_item_index: number | null;
  readonly current_round_id: string | null;
  /** Of this round. */
  readonly items_total: number | null;
  /** lobby, game or over. */
  readonly phase: string;
  /** All seats, for the Master. */
  readonly players_all?: readonly MasterSeat[];
  /** The seats that are in the game. */
  readonly players_visible: readonly SeatWords[];
  /** From 1. */
  readonly round_number: number | null;
  readonly rounds_total: number;
  /** All senders, for the Master. */
  readonly senders_all?: readonly SenderWords[];
  /** idle, vote, reveal_wait or round_recap. */
  readonly status: string;
  readonly title?: string;
  /** After how many seconds a vote closes by itself. */
  readonly vote_seconds: number | null;
}

export interface SeatWords {
  /** Where on this server the face is. */
  readonly avatar_url: string | null;
  /** Whoever has the seat is connected now. */
  readonly here: boolean;
  readonly name: string;
  readonly player_id: string;
  /** Of this round. */
  readonly points_round: number;
  /** Phones learn of an item's points when it has ended. */
  readonly score_total: number;
  /** free or taken. */
  readonly status: string;
}

/** A seat as the Master sees it. */
export interface MasterSeat {
  readonly active: boolean;
  readonly avatar_url: string | null;
  readonly here: boolean;
  readonly is_sender_bound: boolean;
  readonly name: string;
  readonly player_id: string;
  readonly points_round: number;
  readonly score_total: number;
  /** Whom they play for; null for a seat added by hand. */
  readonly sender_id: string | null;
  /** free or taken. */
  readonly status: string;
  /** Whose device has the seat. */
  readonly user_id: string | null;
}

export interface SenderWords {
  readonly active: boolean;
  readonly name: string;
  readonly reels_count: number;
  readonly sender_id: string;
}

/** The document's broadcasts that stand now. */
export interface Broadcasts {
  readonly GAME_OVER?: GameOver;
  readonly GAME_START?: GameStart;
  readonly NEW_ITEM?: NewItem;
  readonly PLAYER_VOTED?: PlayerVoted;
  readonly ROUND_FINISHED?: RoundFinished;
  readonly ROUND_RECAP?: RoundRecap;
  readonly START_VOTE?: StartVote;
  readonly VOTE_RESULTS?: VoteResults;
}

/** From the start of the game. */
export interface GameStart {
  readonly round_order: readonly string[];
}

/** Until the item ends. Phones see the reel, k and the senders from the opening on. */
export interface NewItem {
  readonly item_id: string;
  readonly item_index: number;
  /** How many sent it. */
  readonly k?: number;
  readonly reel?: Reel;
  readonly round_id: string;
  readonly senders_selectable?: readonly Named[];
  readonly slots_total?: number;
}

export interface Reel {
  readonly reel_id: string;
  readonly url: string;
}

export interface Named {
  readonly name: string;
  readonly sender_id: string;
}

/** While the vote is open. */
export interface StartVote {
  /** When it closes by itself. */
  readonly closes_at: number | null;
  readonly expected_player_ids: readonly string[];
  /** Whether the Master asked for that. */
  readonly forced: boolean;
  readonly item_id: string;
  /** In milliseconds since the epoch. */
  readonly opened_at: number;
  readonly round_id: string;
}

/** Who has voted on the item; not what. */
export interface PlayerVoted {
  readonly player_ids: readonly string[];
}

/** What the vote came to, for the Master, until the item ends. */
export interface VoteResults {
  readonly item_id: string;
  readonly players: readonly Guess[];
  readonly round_id: string;
  readonly true_senders: readonly Named[];
}

export interface Guess {
  readonly correct: readonly string[];
  readonly incorrect: readonly string[];
  readonly player_id: string;
  readonly points_gained: number;
  readonly score_total: number;
  readonly selections: readonly string[];
}

/** At the end of a round, best first. */
export interface RoundRecap {
  readonly players: readonly Points[];
  readonly round_id: string;
}

export interface Points {
  readonly player_id: string;
  readonly points_round: number;
  readonly score_total: number;
}

export interface RoundFinished {
  /** Whether no other follows. */
  readonly last: boolean;
  readonly round_id: string;
}

/** When the game is over, until the room ends. */
export interface GameOver {
  readonly awards: readonly Award[];
  readonly ranking: readonly Ranked[];
}

/** Equals share a rank. */
export interface Ranked {
  readonly name: string;
  readonly player_id: string;
  readonly rank: number;
  readonly score_total: number;
}

export interface Award {
  /** best_guesser (value: percent right), fastest (milliseconds a vote), most_mysterious and open_book (percent of guesses
that found them), usual_suspect (how often wrongly named). */
  readonly award: string;
  readonly name: string;
  readonly player_id?: string;
  readonly sender_id?: string;
  readonly value: number;
}

/** The part that only you see. */
export interface ReelsMe {
  /** Whether you may vote now. */
  readonly expected: boolean;
  readonly host: boolean;
  /** The seat this device has. */
  readonly player_id: string | null;
  /** Your vote on this item. */
  readonly selections: readonly string[] | null;
  readonly slot_invalidated: SlotInvalidated | null;
  readonly user_id: string | null;
}

export interface SlotInvalidated {
  readonly player_id: string;
  /** deactivated, released, reset or deleted. */
  readonly reason: string;
}

/** Every message of the game and what it takes. */
export interface ReelsVerbs {
  /** Take a seat that is free; one device has one. Refused with taken_now, inactive, device_already_has_player or player_not_found. */
  TAKE_PLAYER: { player_id: string };
  /** Give a seat up (whoever has it), or free it (Master): with a user_id, only if that is who has it. Who has not voted yet is no longer waited for. */
  RELEASE_PLAYER: { player_id: string; user_id?: string };
  /** Call a player something else, and with them the sender they play for (whoever has the seat, Master). */
  RENAME_PLAYER: { name: string; player_id: string };
  /** Give a player a face: a JPEG of 300 × 300 pixels and at most 40000 bytes, in base64 (whoever has the seat, Master). */
  UPDATE_AVATAR: { jpeg: string; player_id: string };
  /** Take a player's face away (whoever has the seat, Master). */
  DELETE_AVATAR: { player_id: string };
  /** Take a player out of the game, in the lobby: whoever had the seat loses it and is told. Or back in, also during the game (Master). */
  TOGGLE_PLAYER: { active: boolean; player_id: string };
  /** Add a seat for somebody who sent nothing; also during the game (Master). */
  ADD_PLAYER: { name: string };
  /** Take a seat away for good, in the lobby (Master). */
  DELETE_PLAYER: { player_id: string };
  /** Free all seats, in the lobby (Master). */
  RESET_CLAIMS: Record<string, never>;
  /** Begin: at least two active players, and all of them claimed (Master). */
  START_GAME: Record<string, never>;
  /** The reel is shown: everybody with a seat may vote on it from now (Master). Again: nothing changes, no vote is lost. */
  REEL_OPENED: { item_id: string; round_id: string };
  /** Name up to k senders; again, until the vote closes. Refused with not_claimed, not_in_vote, late, not_expected_voter, invalid_selection or too_many. */
  SUBMIT_VOTE: { item_id: string; player_id?: string; round_id: string; selections: string[] };
  /** Wait no longer: after so many seconds, 10 if none are said, the vote is counted; who has not voted named nobody (Master). */
  FORCE_CLOSE_VOTE: { item_id: string; round_id: string; seconds?: number };
  /** The reveal is over: on to the next reel, or to the round's recap (Master). */
  END_ITEM: { item_id: string; round_id: string };
  /** After the recap of this round: the next one, or the end of the game (Master). */
  START_NEXT_ROUND: { round_id: string };
  /** End the room for everyone; all its keys are gone at once (Master). */
  ROOM_CLOSED: Record<string, never>;
}
