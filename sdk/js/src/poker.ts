// The words of planning poker, as the server says them.

import type { Room } from "./room.js";
import type { Me, Outcome, PokerVerbs, Round, Table, User } from "./table.js";

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

/** How the server's types are called here. */
export type { Me, Story, Table } from "./table.js";
export type Player = User;
export type Result = Outcome;
export type PastRound = Round;
export type { PokerVerbs } from "./table.js";

export type PokerVerb = keyof PokerVerbs;

export interface PokerRoom extends Omit<Room<Table, Me>, "act"> {
  act<Verb extends PokerVerb>(verb: Verb, words: PokerVerbs[Verb]): Promise<void>;
}
