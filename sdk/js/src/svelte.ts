// Spaces as Svelte stores: `subscribe` tells the value at once and after every change. They need nothing of Svelte.

import type { Item, Person, Presence, Present, SharedList, SharedMap, Space, SpaceState, Stop } from "./space/api.js";

export interface Readable<T> {
  subscribe(run: (value: T) => void): Stop;
}

export interface Writable<T> extends Readable<T> {
  set(value: T): void;
  update(change: (value: T) => T): void;
}

/** All of a map. */
export function mapStore<T>(map: SharedMap<T>): Readable<Readonly<Record<string, T>>> {
  return { subscribe: (run) => map.subscribe((map) => run(map.toJSON())) };
}

/** One key of a map; setting it to undefined removes it. */
export function entryStore<T>(map: SharedMap<T>, key: string): Writable<T | undefined> {
  const set = (value: T | undefined) => void (value === undefined ? map.remove(key) : map.set(key, value));
  return { subscribe: (run) => map.subscribe(key, run), set, update: (change) => set(change(map.get(key))) };
}

/** The items of a list in order. */
export function listStore<T>(list: SharedList<T>): Readable<readonly Item<T>[]> {
  return { subscribe: (run) => list.subscribe((list) => run(list.items())) };
}

/** Our own value; setting it to undefined removes it. */
export function presenceStore<T>(presence: Presence<T>): Writable<T | undefined> {
  const set = (value: T | undefined) => (value === undefined ? presence.remove() : presence.set(value));
  return { subscribe: (run) => presence.subscribe(({ mine }) => run(mine)), set, update: (change) => set(change(presence.mine)) };
}

/** Everybody else's values. */
export function othersStore<T>(presence: Presence<T>): Readable<readonly Present<T>[]> {
  return { subscribe: (run) => presence.subscribe((presence) => run(presence.others())) };
}

/** Everybody who is here. */
export function whoStore(space: Space): Readable<readonly Person[]> {
  return { subscribe: (run) => space.subscribe(() => run(space.who)) };
}

/** Stage, pending changes, settings. */
export function statusStore(space: Space): Readable<SpaceState> {
  return { subscribe: (run) => space.subscribe(run) };
}
