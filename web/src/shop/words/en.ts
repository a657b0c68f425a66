// What the shop's page says, in English; the measure of the other languages.

import type { Aim, Decision, Rule } from "../answers.js";

export const en = {
  title: "Shop",

  door: {
    title: "The back office of the shop",
    lead: "What is in memory, what is popular, who has a full cart; and why a page was or was not cached.",
    key: "Admin key",
    hint: "The setting admin-key of this server. It stays in this tab and is forgotten with it.",
    open: "Open",
    opening: "Opening…",
    close: "Lock up",
  },

  refused: {
    unauthenticated: "This server wants another key.",
    bad_key: "This server wants another key.",
    forbidden: "This server wants another key.",
    unsupported: "This server has no shop, or no admin key is set.",
    not_found: "This server has no shop, or it knows nothing of that.",
    bad_request: "The server does not understand that.",
  },

  trouble: (why: string) => `${why} What you see is the last that was heard.`,
  loading: "Looking…",

  rate: {
    title: "Hit rate",
    now: "in the last minutes",
    none: "Nobody has asked for a page yet.",
    chart: (now: string) => `The hit rate of the last minutes; now ${now}.`,
    note: "Of all pages that may be cached; passes are not counted.",
    nowEnd: "now",
  },

  pages: {
    title: "Pages",
    hits: ["Hits", "served from memory"],
    stale_hits: ["Stale hits", "served while a fresh one was fetched"],
    misses: ["Misses", "asked of the origin"],
    passes: ["Passes", "may not be cached"],
    coalesced: ["Coalesced", "waited for somebody else's answer"],
    revalidated: ["Revalidated", "the origin said: unchanged"],
    stored: ["Stored", ""],
    evicted: ["Evicted", ""],
    purged: ["Purged", ""],
  } as Record<PageWord, [string, string]> & { title: string },

  memory: {
    title: "Memory for pages",
    used: (bytes: string, most: string) => `${bytes} of ${most}`,
    entries: (n: string) => `${n} pages`,
  },

  popular: { title: "Popular", none: "Nobody has looked at anything yet.", views: (n: string) => (n === "1" ? "1 view" : `${n} views`) },

  carts: {
    title: "Live carts",
    some: (full: string, all: string | null) => `${full} with something in them${all === null ? "" : `, ${all} in all`}`,
    changes: (n: string) => `${n} changes in the last minute`,
    none: "No cart has changed lately.",
    guest: "Guest",
    count: (n: number) => (n === 1 ? "1 thing" : `${n} things`),
  },

  visits: {
    title: "Visits",
    total: "in all",
    loggedIn: "logged in",
    of: (most: string) => `at most ${most}`,
    find: "Find a user's visits",
    user: "User",
    search: "Find",
    none: (user: string) => `${user} has no visit.`,
    since: (when: string) => `since ${when}`,
    used: (when: string) => `used ${when}`,
    ends: (when: string) => `ends ${when}`,
    end: "End",
    endOne: (id: string) => `End visit ${id}`,
    endAll: "End all",
    sure: (user: string, n: number) => (n === 1 ? `End this visit of ${user}?` : `End all ${n} visits of ${user}?`),
    sureText: "Whoever uses it is logged out at once. The user's cart stays.",
    ended: (n: number) => (n === 1 ? "1 visit has ended." : `${n} visits have ended.`),
  },

  rows: {
    title: "Rows",
    summary: (total: string, due: string) => `${total} rows, ${due} due`,
    failing: (n: string) => `${n} failing`,
    oldest: (age: string) => `the oldest read ${age} ago`,
    none: "No row is scheduled.",
    row: "Row",
    age: "Age",
    every: "Every",
    next: "Next",
    value: "Value",
    never: "never read",
    failed: (n: number) => (n === 1 ? "failed once" : `failed ${n} times`),
    refresh: "Refresh",
    refreshRow: (row: string) => `Refresh row ${row}`,
    refreshed: (row: string) => `Row ${row} was read again.`,
    back: "Previous",
    more: "Next",
    page: (n: number) => `Page ${n}`,
  },

  why: {
    title: "Why was this page (not) cached?",
    url: "Address of the page",
    cookie: "Cookie (may be left out)",
    ask: "Ask why",
    decision: { hit: "Hit", stale: "Stale hit", miss: "Miss", pass: "Pass" } as Record<Decision, string>,
    explained: {
      hit: "It is in memory and fresh.",
      stale: "It is in memory, and a fresh one is fetched behind it.",
      miss: "It is not in memory; the origin is asked.",
      pass: "It may not be cached; the origin is asked every time.",
    } as Record<Decision, string>,
    rule: "Rule",
    rules: {
      explicit: "The origin says how long it is fresh.",
      popular: "The origin says nothing; its item is popular enough.",
      heuristic: "The origin says nothing but when it last changed.",
      none: "No rule lets it in.",
    } as Record<Rule, string>,
    key: "Key",
    method: "Method",
    host: "Host",
    path: "Path",
    query: "Query",
    variant: "Variant",
    vary: "Varies by",
    hash: "Hash",
    age: "Age",
    fresh: "Fresh for",
    expired: "no longer fresh",
    rank: "Rank of its item",
    groups: "Groups",
    surrogates: "Surrogate keys",
    rows: "Rows",
    slots: "Slots",
    bytes: "Stored",
  },

  purge: {
    title: "Purge",
    aim: "What",
    aims: { url: "A page", group: "A group", surrogate_key: "A surrogate key", row: "Pages with a row", all: "Everything" } as Record<Aim, string>,
    values: { url: "Address", group: "Name of the group", surrogate_key: "Surrogate key", row: "Row", all: "" } as Record<Aim, string>,
    how: "How",
    soft: "Soft: stale from now on, still served while a fresh one is fetched",
    hard: "Hard: gone at once",
    go: "Purge…",
    sure: "Purge this?",
    sureAll: "Purge every page?",
    hardText: "The next visitor of each page waits for the origin.",
    softText: "Nobody waits; the pages are fetched again when they are asked for.",
    confirm: "Purge",
    done: (n: number) => (n === 1 ? "1 page was purged." : `${n} pages were purged.`),
  },
};

export type PageWord = "hits" | "stale_hits" | "misses" | "passes" | "coalesced" | "revalidated" | "stored" | "evicted" | "purged";

export type ShopWords = typeof en;
