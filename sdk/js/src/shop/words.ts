// What the shop's doors say and are told.

/** A visit: somebody's browser, logged in or not. Times are milliseconds since 1970. */
export interface Visit {
  readonly user: string | null;
  readonly since: number;
  readonly last_used: number;
  readonly idle_until: number;
  readonly ends: number;
}

export interface Line {
  readonly item: string;
  readonly quantity: number;
}

export interface CartWords {
  /** In order of item. */
  readonly lines: readonly Line[];
  /** How many different things. */
  readonly items: number;
  /** How many things. */
  readonly count: number;
  readonly expires_at: number | null;
  /** Grows with every change of this cart, where the server says so. */
  readonly version?: number;
}

export interface Popular {
  readonly item: string;
  readonly views: number;
}

export type CartVerb = "add" | "set" | "remove" | "clear";

/** One change of the cart. Its id makes it happen once, however often it is sent. */
export interface Change {
  readonly verb: CartVerb;
  readonly item?: string;
  readonly quantity?: number;
  readonly id: string;
  /** When it was made. */
  readonly at: number;
}
