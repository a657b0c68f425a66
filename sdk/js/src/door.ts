// What rooms of every kind need of their client.

import type { ParlorError } from "./error.js";
import type { Socket } from "./socket.js";
import type { Venue } from "./venue.js";
import type { Words } from "./wire.js";

export type Answered = (error: ParlorError | undefined, ok: Words) => void;

export interface Door {
  readonly socket: Socket;
  /** Without a key the keyring is asked for one. */
  enter(room: Venue<any>, hostKey?: string): Promise<unknown>;
  exit(room: string): void;
  act(room: string, verb: string, words: object): Promise<unknown>;
  /** The same, but calls back within the very step in which the answer came. Returns the command's number. */
  command(room: string, verb: string, words: object, answered: Answered): number;
}
