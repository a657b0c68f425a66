// Planning poker: its words, as the server says them, and its rooms. A program that has no tables does not carry this.

import type { Client, Made } from "./client.js";
import { Room } from "./room.js";
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

/** The tables of a server. */
export interface Poker {
  /** Opens a new table; its host key goes to the keyring. */
  create(wish?: PokerWish): Promise<Made>;
  /** The table of that id, which may be entered. */
  room(id: string): PokerRoom;
  /** The decks this server knows by name. */
  decks(): Promise<readonly Deck[]>;
  /** One act by our user key alone, also while we are logged in: what the guest we were leaves behind. */
  actAsGuest(id: string, verb: PokerVerb, words: object): Promise<void>;
  /** Stories and rounds as a file. */
  export(id: string, form: "csv" | "json"): Promise<Blob>;
}

export function poker(parlor: Client): Poker {
  const { keys } = parlor;
  const address = (id: string) => `rooms/poker/${encodeURIComponent(id)}`;
  return {
    create: (wish = {}) => parlor.create("poker", wish),
    room: (id) => parlor.venue(`poker/${id}`, (address, door) => new Room(address, door)) as unknown as PokerRoom,
    decks: async () => (await parlor.rest<{ decks: readonly Deck[] }>("decks")).decks,
    async actAsGuest(id, verb, words) {
      const headers = { "parlor-user-key": keys.userKey() ?? "" };
      await parlor.fetch(`${address(id)}/${verb}`, words, { headers, credentials: "omit" });
    },
    async export(id, form) {
      // Keys prove who asks, and travel in headers only: no address can hold them.
      const headers: Record<string, string> = {};
      const [user, host] = [keys.userKey(), keys.hostKey(`poker/${id}`)];
      if (user) headers["parlor-user-key"] = user;
      if (host) headers["parlor-host-key"] = host;
      return (await parlor.fetch(`${address(id)}/export.${form}`, undefined, { headers })).blob();
    },
  };
}
