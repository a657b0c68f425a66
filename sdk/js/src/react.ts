// Spaces in React: hooks on `useSyncExternalStore`. What they give is the same object until it changes.

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Client } from "./client.js";
import type { ParlorError } from "./error.js";
import type { EnterOptions, Item, Present, SharedMap, Space, SpaceState, Stop } from "./space/api.js";

/** How many components are in each space of a client. */
const visits = new WeakMap<Client, Map<string, number>>();

/**
 * Goes into a space while the component is there; several components may share one. `space` is null until everything
 * has come, and `error` says why it never will.
 */
export function useSpace(parlor: Client, address: string, options?: EnterOptions): { space: Space | null; error: ParlorError | null } {
  const [found, setFound] = useState<{ address: string; space: Space | null; error: ParlorError | null } | null>(null);
  const hostKey = options?.hostKey;
  useEffect(() => {
    let current = true;
    const found = (space: Space | null, error: ParlorError | null) => {
      if (current) setFound({ address, space, error });
    };
    count(parlor, address, 1);
    parlor.enter(address, hostKey === undefined ? {} : { hostKey }).then((space) => found(space, null), (error) => found(null, error));
    return () => {
      current = false;
      // Later, so that a component that is taken out and put back at once does not go out and in.
      setTimeout(() => {
        if (count(parlor, address, -1) === 0) parlor.space(address).leave();
      });
    };
  }, [parlor, address, hostKey]);
  return found?.address === address ? found : { space: null, error: null };
}

function count(parlor: Client, address: string, by: number): number {
  const here = visits.get(parlor) ?? new Map<string, number>();
  visits.set(parlor, here);
  const now = (here.get(address) ?? 0) + by;
  here.set(address, now);
  return now;
}

/** Stage, pending changes, settings. */
export function useStatus(space: Space): SpaceState {
  return useStore((listener) => space.subscribe(listener), () => space.state, space);
}

/** All of a map, or what a selector gives of it; then the component is drawn again only when that changes. */
export function useMap<T = unknown>(space: Space, name: string): Readonly<Record<string, T>>;
export function useMap<T, S>(space: Space, name: string, selector: (map: SharedMap<T>) => S, equals?: (one: S, other: S) => boolean): S;
export function useMap<T, S>(space: Space, name: string, selector?: (map: SharedMap<T>) => S, equals: (one: S, other: S) => boolean = Object.is): unknown {
  const map = space.map<T>(name);
  const last = useRef<{ value: S } | null>(null);
  const read = (): unknown => {
    if (!selector) return map.toJSON();
    const value = selector(map);
    if (!last.current || !equals(last.current.value, value)) last.current = { value };
    return last.current.value;
  };
  return useStore((listener) => map.subscribe(listener), read, map);
}

/** The items of a list in order. */
export function useList<T = unknown>(space: Space, name: string): readonly Item<T>[] {
  const list = space.list<T>(name);
  return useStore((listener) => list.subscribe(listener), () => list.items(), list);
}

/** Our own value, and how to set it. */
export function usePresence<T = unknown>(space: Space, name: string): readonly [T | undefined, (value: T) => void] {
  const presence = space.presence<T>(name);
  const mine = useStore((listener) => presence.subscribe(listener), () => presence.mine, presence);
  return [mine, useCallback((value: T) => presence.set(value), [presence])];
}

/** Everybody else's values. */
export function useOthers<T = unknown>(space: Space, name: string): readonly Present<T>[] {
  const presence = space.presence<T>(name);
  return useStore((listener) => presence.subscribe(listener), () => presence.others(), presence);
}

/** `of` is what is listened to: React takes up a subscription anew only when that is another. */
function useStore<S>(subscribe: (listener: () => void) => Stop, read: () => S, of: object): S {
  return useSyncExternalStore(useCallback(subscribe, [of]), read, read);
}
