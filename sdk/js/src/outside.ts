// What the kit needs of the world: sockets, a clock, dice and names. Tests bring a world of their own.

/** A WebSocket, as far as we use it. */
export interface Wire {
  readonly readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(text: string): void;
  close(): void;
}

export type WireClass = new (url: string) => Wire;

export interface Outside {
  open(url: string): Wire;
  now(): number;
  /** From 0 up to 1. */
  dice(): number;
  /** Calls after some milliseconds, unless what it returns is called before. */
  ring(ms: number, call: () => void): () => void;
  /** Calls after what runs now. */
  soon(call: () => void): void;
  /** A name that nobody else has: letters and digits. */
  name(): string;
}

export const outside = (Wires: WireClass = WebSocket): Outside => ({
  open: (url) => new Wires(url),
  now: () => Date.now(),
  dice: () => Math.random(),
  ring: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  soon: (call) => queueMicrotask(call),
  name: () => Array.from(crypto.getRandomValues(new Uint8Array(14)), (byte) => (byte % 36).toString(36)).join(""),
});

const encoder = new TextEncoder();

/** What a text weighs on the wire. */
export const bytes = (text: string): number => encoder.encode(text).length;
