// What goes over the wire, and nothing of what it means. See docs/protocol.md.

import type { ChangesPush, PresencePush, SnapshotPush } from "./space/words.js";

/** Where a room stands. Two histories can share an `at`; they never share a `mark`. */
export interface Place {
  readonly at: string;
  readonly mark: string;
}

/** Something said to everyone who was listening. */
export interface Said {
  readonly from: string | null;
  readonly data: unknown;
}

/** What a listener of a room is told. */
export type Update =
  | { readonly kind: "online"; readonly resumed: boolean; readonly ok?: Words }
  | { readonly kind: "connecting" }
  | { readonly kind: "push"; readonly push: ViewPush | PatchPush | SnapshotPush | ChangesPush | PresencePush }
  | { readonly kind: "now"; readonly messages: readonly Said[] }
  | { readonly kind: "closing"; readonly expiresAt: number }
  | { readonly kind: "ended"; readonly reason: string };

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retry: boolean;
  readonly reason?: string;
}

export type Words = Readonly<Record<string, unknown>>;

/** A room as it was last shown to us. */
export interface Shown extends Place {
  readonly expiresAt: number | null;
  readonly view: Words;
  readonly me: Words;
}

export interface ViewPush extends Place {
  readonly push: "view";
  readonly room: string;
  readonly expires_at?: number;
  readonly view: Words;
  readonly me: Words;
}

/** What changed since `base`; users are whole, new ones come last. */
export interface PatchPush extends Place {
  readonly push: "patch";
  readonly room: string;
  readonly base: string;
  readonly expires_at?: number;
  readonly view?: Words;
  readonly users?: readonly Words[];
  readonly gone?: readonly string[];
  readonly stories?: Listed;
  readonly history?: Listed;
  readonly me?: Words;
}

/** What changed in a list: new items come last, unless `order` names all of them. */
export interface Listed {
  readonly set?: readonly Words[];
  readonly gone?: readonly unknown[];
  readonly order?: readonly unknown[];
}

export type Push =
  | ViewPush
  | PatchPush
  | SnapshotPush
  | ChangesPush
  | PresencePush
  | { readonly push: "now"; readonly room: string; readonly messages: readonly Said[] }
  | { readonly push: "closing"; readonly room: string; readonly expires_at: number }
  | { readonly push: "ended"; readonly room: string; readonly reason: string }
  | { readonly push: "come_back"; readonly room: string }
  | { readonly push: "bye"; readonly reason: string; readonly retry_ms_max?: number };

export interface Reply {
  readonly id: number;
  readonly ok?: Words;
  readonly error?: Failure;
}

export interface Request {
  id: number;
  do: string;
  room?: string;
  n?: number;
  with?: unknown;
}

/** Reads a frame; what we do not know is null, so that a newer server may say more than we understand. */
export function read(text: string): Reply | Push | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== "object" || frame === null) return null;
  if ("push" in frame || ("id" in frame && ("ok" in frame || "error" in frame))) return frame as Reply | Push;
  return null;
}
