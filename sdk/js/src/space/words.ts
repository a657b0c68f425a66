// What goes over the wire about spaces, and the bounds that are ours. See docs/protocol.md.

import type { SpaceSettings } from "./api.js";

/** Something that is so now. Changes are absolute: taking one twice is harmless. */
export interface Change {
  readonly map?: string;
  readonly list?: string;
  readonly presence?: string;
  readonly key?: string;
  readonly id?: string;
  readonly value?: unknown;
  readonly version?: number;
  readonly order?: string;
  readonly removed?: true;
  readonly created?: true;
  readonly cleared?: true;
  readonly deleted?: true;
  readonly seconds?: number;
  readonly space?: SpaceSettings;
}

export interface SnapshotPush {
  readonly push: "snapshot";
  readonly room: string;
  readonly at: string;
  readonly mark: string;
  readonly first?: boolean;
  readonly last?: boolean;
  readonly expires_at?: number;
  readonly space?: SpaceSettings;
  readonly me?: { readonly user_id: string; readonly rights: readonly string[] };
  readonly maps?: Readonly<Record<string, Readonly<Record<string, readonly [version: number, value: unknown]>>>>;
  readonly lists?: Readonly<Record<string, readonly (readonly [id: string, order: string, version: number, value: unknown])[]>>;
  readonly presences?: Readonly<Record<string, number>>;
}

export interface ChangesPush {
  readonly push: "changes";
  readonly room: string;
  readonly base: string;
  readonly at: string;
  /** Absent when more frames of the same commit follow. */
  readonly mark?: string;
  readonly expires_at?: number;
  /** `n` is there when the command was one of ours. */
  readonly done: readonly { readonly by: string | null; readonly n?: number; readonly changes: readonly Change[] }[];
}

export interface PresencePush {
  readonly push: "presence";
  readonly room: string;
  readonly whole?: boolean;
  readonly who?: readonly (readonly [number: number, userId: string, info: unknown])[];
  readonly gone?: readonly number[];
  readonly of?: Readonly<Record<string, PresenceNews>>;
}

export interface PresenceNews {
  readonly keys?: readonly string[];
  readonly set?: readonly (readonly [number: number, ...values: unknown[]])[];
  readonly raw?: readonly (readonly [number: number, value: unknown])[];
  readonly unset?: readonly number[];
}

/** What we ask to be changed. */
export interface Op {
  readonly do: string;
  readonly with: {
    readonly map?: string;
    readonly list?: string;
    readonly key?: string;
    readonly id?: string;
    readonly value?: unknown;
    readonly if_version?: number;
    readonly after?: string | null;
    /** Learnt while the operation waits: where `after` is, in case it goes. */
    order?: string;
  };
}

/** Operations that one message holds at most. */
export const PACK_OPS_MAX = 64;
/** A message of this size is taken by every server. */
export const PACK_BYTES_MAX = 48 * 1024;
/** Operations that may wait for the server. */
export const QUEUE_OPS_MAX = 10_000;
export const UNDO_STEPS_MAX = 200;
/** A cursor that is told more often than this is not seen better. */
export const PRESENCE_MS_MIN = 40;
export const PRESENCE_SECONDS = 60;
