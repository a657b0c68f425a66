// "Who sent this reel?": the words of the game, as the server says them, and its rooms. An entry of its own.

import type { Client, Made } from "./client.js";
import { Once } from "./once.js";
import type { ReelsMe, ReelsVerbs, Screen } from "./reels-words.js";
import { Room } from "./room.js";

export type * from "./reels-words.js";

export interface NewSender {
  readonly sender_id: string;
  readonly name: string;
  readonly active: boolean;
  readonly reels_count: number;
}

export interface NewPlayer {
  readonly player_id: string;
  readonly sender_id?: string;
  readonly active: boolean;
  readonly name: string;
}

export interface NewRound {
  readonly round_id: string;
  readonly items: readonly { item_id: string; reel: { reel_id: string; url: string }; true_sender_ids: readonly string[] }[];
}

/** What a new game is to be. Without players there is a seat for every sender. */
export interface ReelsWish {
  readonly title?: string;
  readonly vote_seconds?: number;
  readonly senders: readonly NewSender[];
  readonly players?: readonly NewPlayer[];
  readonly rounds: readonly NewRound[];
}

export type ReelsVerb = keyof ReelsVerbs;

export interface ReelsRoom extends Omit<Room<Screen, ReelsMe>, "act"> {
  act<Verb extends ReelsVerb>(verb: Verb, words: ReelsVerbs[Verb]): Promise<void>;
}

/** The games of a server. */
export interface Reels {
  /** Makes a game; the Master's key goes to the keyring. After a lost answer the same wish again gives the same game. */
  create(wish: ReelsWish): Promise<Made>;
  /** The game of that code, which may be entered. */
  room(code: string): ReelsRoom;
}

export function reels(parlor: Client): Reels {
  const once = new Once();
  return {
    /** Over REST: a whole evening of reels is larger than a frame may be. */
    async create(wish) {
      const words = { kind: "reels", ...wish };
      const { room, room_id, host_key } = await once.ask(words, async (headers) => {
        const answer = await parlor.fetch("rooms", words, { headers });
        return answer.json() as Promise<Made & { host_key: string }>;
      });
      parlor.keys.keepHostKey(room, host_key);
      return { room, room_id };
    },
    room: (code) => parlor.venue(`reels/${code}`, (address, door) => new Room(address, door)) as unknown as ReelsRoom,
  };
}
