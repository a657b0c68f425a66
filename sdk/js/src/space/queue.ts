// Our changes that the server has not answered: groups of operations, each done whole or not at all, in order. One message
// is under way at a time, and takes as many groups as it can.

import { bytes } from "../outside.js";
import { type Op, PACK_BYTES_MAX, PACK_OPS_MAX } from "./words.js";

export interface Settle {
  resolve(): void;
  reject(error: unknown): void;
}

export interface Group {
  ops: Op[];
  bytes: number;
  /** Made by `batch`: nothing joins it. */
  readonly closed: boolean;
  /** Was refused together with others, and is now sent by itself, so that only who is to blame is refused. */
  alone: boolean;
  /** What would undo it. */
  readonly deeds: Set<Op>;
  readonly settles: Settle[];
  /** The number of the command that took it. */
  n: number;
}

export const group = (closed: boolean): Group => ({ ops: [], bytes: 0, closed, alone: false, deeds: new Set(), settles: [], n: 0 });

/** With the comma that may follow. */
export const size = (op: Op): number => bytes(JSON.stringify(op)) + 1;

export const fits = (ops: number, bytes: number): boolean => ops <= PACK_OPS_MAX && bytes <= PACK_BYTES_MAX;

/** A promise that nobody has to look at. */
export function promise(settles: Settle[]): Promise<void> {
  const made = new Promise<void>((resolve, reject) => settles.push({ resolve, reject }));
  made.catch(() => {});
  return made;
}

export function settle(groups: readonly Group[], error?: unknown): void {
  for (const { settles } of groups) for (const { resolve, reject } of settles) error !== undefined ? reject(error) : resolve();
}

/** Takes from the front what one message can hold. */
export function pack(queue: Group[]): Group[] {
  let [count, ops, bytes] = [0, 0, 0];
  for (const group of queue) {
    ops += group.ops.length;
    bytes += group.bytes;
    if (count > 0 && (group.alone || !fits(ops, bytes))) break;
    count += 1;
    if (group.alone) break;
  }
  return queue.splice(0, count);
}

/** Whether the late operation makes the early one needless: both set the same thing, and nothing is asked of either. */
export function replaces(late: Op, early: Op): boolean {
  const about = ({ do: verb, with: { value, ...words } }: Op) => JSON.stringify([verb, words]);
  return late.do.endsWith("_set") && late.with.if_version === undefined && about(late) === about(early);
}
