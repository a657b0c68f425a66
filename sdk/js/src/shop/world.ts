// What a shop's page needs of the browser. Tests bring a world of their own.

import type { Stop } from "../space/api.js";

/** An EventSource, as far as we use it. */
export interface Stream {
  onerror: ((event: any) => void) | null;
  addEventListener(name: string, listener: (event: any) => void): void;
  close(): void;
}

export interface World {
  fetch(url: string, init: RequestInit): Promise<Response>;
  events(url: string, init: { withCredentials: boolean }): Stream;
  now(): number;
  /** From 0 up to 1. */
  dice(): number;
  ring(ms: number, call: () => void): Stop;
  /** A name that nobody else has. */
  name(): string;
  /** Where unanswered changes wait while the visitor goes from page to page; none where the browser has none. */
  readonly store: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  visible(): boolean;
  /** Told when the page is shown, hidden or online again. */
  turned(call: () => void): Stop;
  /** One tab of this browser at a time. */
  alone<T>(call: () => Promise<T>): Promise<T>;
}

export function browser(): World {
  return {
    fetch: (url, init) => fetch(url, init),
    events: (url, init) => new EventSource(url, init),
    now: () => Date.now(),
    dice: () => Math.random(),
    ring: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    name: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    store: session(),
    visible: () => document.visibilityState === "visible",
    turned: (call) => {
      document.addEventListener("visibilitychange", call);
      // A page that comes back from the browser's memory is shown without having been loaded.
      for (const event of ["online", "pageshow"]) addEventListener(event, call);
      return () => {
        document.removeEventListener("visibilitychange", call);
        for (const event of ["online", "pageshow"]) removeEventListener(event, call);
      };
    },
    // Pages without a secure connection have no locks: then two first tabs may begin a visit each, and the later one counts.
    alone: <T>(call: () => Promise<T>): Promise<T> => (navigator.locks ? navigator.locks.request("parlor.visit", call) as Promise<T> : call()),
  };
}

/** Reading the name alone throws where storage is forbidden. */
function session(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
