// Two places: the landing page, and a table under its code.

import { keep, kept } from "./kept.js";

const CODE = /^[a-z0-9][a-z0-9-]{2,63}$/;

/** The code in what somebody typed or pasted: a code, a path or a whole link. */
export function codeIn(text: string): string | null {
  const last = text.trim().toLowerCase().replace(/[?#].*$/, "").replace(/\/+$/, "").split("/").pop() ?? "";
  const code = last.replace(/[\s_]+/g, "-");
  return CODE.test(code) ? code : null;
}

function read(): string | null {
  const [, kind, id] = location.pathname.split("/");
  return kind === "poker" && id ? decoded(id) : null;
}

/** What cannot be decoded is no table's code either; the server says so like of any other. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

class Route {
  table = $state<string | null>(read());

  constructor() {
    addEventListener("popstate", () => (this.table = read()));
  }

  go(table: string | null): void {
    history.pushState(null, "", table === null ? "/" : `/poker/${encodeURIComponent(table)}`);
    this.table = table;
    scrollTo(0, 0);
  }
}

export const route = new Route();

export interface Recent {
  readonly id: string;
  readonly name: string;
  readonly at: number;
}

const RECENT_MAX = 6;

class Recents {
  list = $state.raw<Recent[]>(kept("recent", []));

  visited(id: string, name: string): void {
    this.put([{ id, name, at: Date.now() }, ...this.list.filter((recent) => recent.id !== id)]);
  }

  forget(id: string): void {
    this.put(this.list.filter((recent) => recent.id !== id));
  }

  private put(list: Recent[]): void {
    this.list = list.slice(0, RECENT_MAX);
    keep("recent", this.list);
  }
}

export const recents = new Recents();
