// What the server says to whoever has the admin key. Times are milliseconds since 1970 where nothing else is said.

export interface Pages {
  readonly hits: number;
  readonly stale_hits: number;
  readonly misses: number;
  readonly passes: number;
  readonly coalesced: number;
  readonly revalidated: number;
  readonly stored: number;
  readonly evicted: number;
  readonly purged: number;
  readonly entries: number;
  readonly bytes: number;
  readonly bytes_max: number;
}

export interface LiveCart {
  readonly id: string;
  readonly user: string | null;
  readonly count: number;
  readonly changed: number;
}

/** What a server has no part of it says nothing about: without an edge no pages, without a database no rows. */
export interface Stats {
  readonly pages?: Pages;
  readonly visits: { readonly total: number; readonly logged_in: number; readonly max: number };
  readonly carts: { readonly total?: number; readonly with_lines: number; readonly changes_last_minute: number; readonly recent: readonly LiveCart[] };
  readonly popular: readonly { readonly item: string; readonly views: number }[];
  readonly rows?: { readonly total: number; readonly due: number; readonly failing: number; readonly oldest_age_ms: number | null };
}

export interface Row {
  readonly row: string;
  /** Seconds. */
  readonly delay: number;
  readonly next: number;
  readonly age_ms: number | null;
  readonly failures: number;
  readonly value: unknown;
}

export interface RowsPage {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

export type Decision = "hit" | "stale" | "miss" | "pass";
export type Rule = "explicit" | "popular" | "heuristic" | "none";

export interface Why {
  readonly url: string;
  readonly decision: Decision;
  readonly because: string;
  readonly rule: Rule;
  readonly key: { readonly method: string; readonly scheme: string; readonly host: string; readonly path: string; readonly query: string | null; readonly variant: string | null; readonly vary: Readonly<Record<string, string | null>> };
  readonly hash: string;
  readonly age_s: number | null;
  readonly fresh_for_s: number | null;
  readonly rank: number | null;
  readonly groups: readonly string[];
  readonly surrogate_keys: readonly string[];
  readonly rows: readonly string[];
  readonly slots: readonly string[];
  readonly stored_bytes: number | null;
}

export interface UserVisit {
  readonly id: string;
  readonly user: string | null;
  readonly since: number;
  readonly last_used: number;
  readonly idle_until: number;
  readonly ends: number;
}

/** What a purge may be aimed at, by the server's word for it. */
export type Aim = "url" | "group" | "surrogate_key" | "row" | "all";
