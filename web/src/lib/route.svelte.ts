// The places: the landing page, a table under its code, a space under its id, and the party game: setting one up, its big
// screen, and its phones; and the shop's back office.

import { keep, kept } from "./kept.js";
import { demoPath } from "../reels/demo.js";
import { type Room, isKind, pathOf } from "./rooms.js";

export type Place =
  | { readonly at: "landing" }
  | { readonly at: "room"; readonly room: Room }
  /** A new game is set up. */
  | { readonly at: "setup" }
  /** The big screen of a game. */
  | { readonly at: "tv"; readonly code: string }
  /** A reel of the demo game, for whoever opens it on their phone. */
  | { readonly at: "demo"; readonly number: number }
  /** The shop's back office. */
  | { readonly at: "shop" };

function read(): Place {
  const [, first, id, last] = location.pathname.split("/");
  if (first === "shop" && !id) return { at: "shop" };
  if (first === "reels" && !id) return { at: "setup" };
  const number = demoPath(location.pathname);
  if (number !== null) return { at: "demo", number };
  // Typed from a big screen, perhaps in small letters.
  if ((first === "r" || first === "reels") && id) {
    const code = decoded(id).toUpperCase();
    return last === "tv" ? { at: "tv", code } : { at: "room", room: { kind: "reels", id: code } };
  }
  return isKind(first) && id ? { at: "room", room: { kind: first, id: decoded(id) } } : { at: "landing" };
}

export function pathTo(place: Place): string {
  switch (place.at) {
    case "landing": return "/";
    case "room": return pathOf(place.room);
    case "setup": return "/reels";
    case "shop": return "/shop";
    case "tv": return `/reels/${place.code}/tv`;
    case "demo": return `/reels/demo/${place.number}`;
  }
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
  place = $state.raw<Place>(read());

  constructor() {
    addEventListener("popstate", () => (this.place = read()));
  }

  get room(): Room | null {
    return this.place.at === "room" ? this.place.room : null;
  }

  go(room: Room | null): void {
    this.goTo(room === null ? { at: "landing" } : { at: "room", room });
  }

  goTo(place: Place): void {
    history.pushState(null, "", pathTo(place));
    this.place = place;
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
