// Why something was refused. Programs branch on `code` and `retry`; `message` is for people.

/** The server's codes, and three of our own: `offline`, `interrupted` and `closed`. */
export type Code =
  | "bad_request" | "too_large" | "unauthenticated" | "forbidden" | "bad_key" | "room_not_found" | "not_found"
  | "not_seated" | "wrong_phase" | "not_in_deck" | "room_full" | "name_taken" | "too_many" | "too_fast"
  | "contended" | "unavailable" | "unsupported" | "internal"
  | "offline" | "interrupted" | "closed" | "kicked" | "deleted" | "expired"
  | (string & {});

export class ParlorError extends Error {
  constructor(
    readonly code: Code,
    message: string,
    /** Whether sending the same again can help. */
    readonly retry = false,
    /** A game's own word for why, where it has one. */
    readonly reason?: string,
  ) {
    super(message);
    this.name = "ParlorError";
  }
}
