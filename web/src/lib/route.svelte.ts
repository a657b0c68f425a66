// Three places: the landing page, a table under its code, and a space under its id.

import { keep, kept } from "./kept.js";
import { type Room, isKind, pathOf } from "./rooms.js";

function read(): Room | null {
  const [, kind, id] = location.pathname.split("/");
  return isKind(kind) && id ? { kind, id: decoded(id) } : null;
}

/** What cannot be decoded is no room's code either; the server says so like of any other. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

class Route {
  room = $state.raw<Room | null>(read());

  constructor() {
    addEventListener("popstate", () => (this.room = read()));
  }

  go(room: Room | null): void {
    history.pushState(null, "", room === null ? "/" : pathOf(room));
    this.room = room;
    scrollTo(0, 0);
  }

  /** A link of ours that was pressed; one that asks for another window is the browser's. */
  follow(event: MouseEvent, room: Room | null): void {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.go(room);
  }
}

export const route = new Route();

export interface Recent extends Room {
  readonly name: string;
  readonly at: number;
}

const RECENT_MAX = 6;

class Recents {
  // What was kept before there were spaces says no kind: those are tables.
  list = $state.raw<Recent[]>(kept<Recent[]>("recent", []).map((recent) => ({ ...recent, kind: isKind(recent.kind) ? recent.kind : "poker" })));

  visited({ kind, id }: Room, name: string): void {
    this.put([{ kind, id, name, at: Date.now() }, ...this.list.filter((recent) => recent.id !== id)]);
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
