// The messages in a ZIP. Its table of contents is read first, so that gigabytes of photos beside the messages are never
// touched; unpacking is the browser's own. Nothing that an archive says of itself is believed: what comes out is counted
// while it comes.

import { crc32 } from "./crc.js";
import type { Trouble } from "./found.js";
import { FILE_BYTES_MAX, ZIP_BYTES_MAX, ZIP_DIRECTORY_BYTES_MAX, ZIP_ENTRIES_MAX, ZIP_RATIO_FREE_BYTES, ZIP_RATIO_MAX } from "./limits.js";

export class ZipTrouble extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble);
  }
}

export interface Entry {
  readonly path: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const LOCATOR_BYTES = 20;
const END_64_BYTES = 56;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;

const bad = () => new ZipTrouble("badZip");

export async function isZip(file: Blob): Promise<boolean> {
  const [p, k, ...kind] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return p === 0x50 && k === 0x4b && [[3, 4], [5, 6], [7, 8]].some(([one, two]) => kind[0] === one && kind[1] === two);
}

const view = async (file: Blob, from: number, bytes: number): Promise<DataView> => {
  if (from < 0 || bytes < 0 || from + bytes > file.size) throw bad();
  return new DataView(await file.slice(from, from + bytes).arrayBuffer());
};

function long(at: DataView, offset: number): number {
  const value = at.getBigUint64(offset, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw bad();
  return Number(value);
}

/** The table of contents, whole or not at all. */
export async function entriesOf(file: Blob): Promise<Entry[]> {
  const { count, bytes, from } = await directoryOf(file);
  if (count > ZIP_ENTRIES_MAX || bytes > ZIP_DIRECTORY_BYTES_MAX) throw new ZipTrouble("bomb");
  const table = await view(file, from, bytes);
  const text = new TextDecoder();
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + DIRECTORY_ENTRY_BYTES > bytes || table.getUint32(at, true) !== DIRECTORY_ENTRY) throw bad();
    const [name, extra, comment] = [28, 30, 32].map((offset) => table.getUint16(at + offset, true)) as [number, number, number];
    const end = at + DIRECTORY_ENTRY_BYTES + name + extra + comment;
    if (end > bytes) throw bad();
    const path = text.decode(new Uint8Array(table.buffer, at + DIRECTORY_ENTRY_BYTES, name));
    const sizes = large(table, at, at + DIRECTORY_ENTRY_BYTES + name, extra);
    entries.push({ path, encrypted: (table.getUint16(at + 8, true) & 1) !== 0, method: table.getUint16(at + 10, true), crc: table.getUint32(at + 16, true), ...sizes });
    at = end;
  }
  return entries;
}

/** Where the table is; the end of the file says so, in a second form for large archives. */
async function directoryOf(file: Blob): Promise<{ count: number; bytes: number; from: number }> {
  const tail = await view(file, Math.max(0, file.size - END_BYTES - COMMENT_BYTES_MAX), Math.min(file.size, END_BYTES + COMMENT_BYTES_MAX));
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && !(tail.getUint32(end, true) === END && end + END_BYTES + tail.getUint16(end + 20, true) === tail.byteLength)) end -= 1;
  if (end < 0) throw bad();
  const told = { count: tail.getUint16(end + 10, true), bytes: tail.getUint32(end + 12, true), from: tail.getUint32(end + 16, true) };
  const locator = end - LOCATOR_BYTES;
  if (locator < 0 || tail.getUint32(locator, true) !== END_64_LOCATOR) return told;
  const end64 = await view(file, long(tail, locator + 8), END_64_BYTES);
  if (end64.getUint32(0, true) !== END_64) throw bad();
  return { count: long(end64, 32), bytes: long(end64, 40), from: long(end64, 48) };
}

/** Sizes and place of an entry; those that do not fit into 32 bits stand in a field of their own, in this order. */
function large(table: DataView, at: number, extra: number, extraBytes: number): { packed: number; size: number; at: number } {
  const told = { size: table.getUint32(at + 24, true), packed: table.getUint32(at + 20, true), at: table.getUint32(at + 42, true) };
  for (let field = extra; field + 4 <= extra + extraBytes; ) {
    const [tag, bytes] = [table.getUint16(field, true), table.getUint16(field + 2, true)];
    let value = field + 4;
    const end = Math.min(value + bytes, extra + extraBytes);
    if (tag === 1) {
      for (const name of ["size", "packed", "at"] as const) {
        if (told[name] !== 0xffffffff) continue;
        if (value + 8 > end) throw bad();
        told[name] = long(table, value);
        value += 8;
      }
    }
    field += 4 + bytes;
  }
  return told;
}

/** What all entries of one archive may unpack to together. */
export class Budget {
  left = ZIP_BYTES_MAX;
}

/** One entry, unpacked. Stops as soon as there is more than there may be. */
export async function unpack(file: Blob, entry: Entry, budget: Budget): Promise<Uint8Array> {
  if (entry.encrypted) throw new ZipTrouble("encrypted");
  if (entry.size > FILE_BYTES_MAX) throw new ZipTrouble("tooLarge");
  const header = await view(file, entry.at, LOCAL_HEADER_BYTES);
  if (header.getUint32(0, true) !== LOCAL_HEADER) throw bad();
  const from = entry.at + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  if (from + entry.packed > file.size) throw bad();
  const packed = file.slice(from, from + entry.packed);
  const parts = await counted(streamOf(packed, entry.method), entry, budget);
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  if (crc32(whole) !== entry.crc) throw bad();
  return whole;
}

function streamOf(packed: Blob, method: number): ReadableStream<Uint8Array> {
  if (method === 0) return packed.stream();
  if (method === 8) return packed.stream().pipeThrough(new DecompressionStream("deflate-raw") as unknown as TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  throw bad();
}

async function counted(stream: ReadableStream<Uint8Array>, entry: Entry, budget: Budget): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return parts;
      bytes += value.length;
      budget.left -= value.length;
      const swollen = bytes > ZIP_RATIO_FREE_BYTES && bytes > entry.packed * ZIP_RATIO_MAX;
      // More than the table of contents promised is a lie, whatever its size.
      if (bytes > entry.size || swollen || budget.left < 0) throw new ZipTrouble("bomb");
      parts.push(value);
    }
  } catch (error) {
    throw error instanceof ZipTrouble ? error : bad();
  } finally {
    await reader.cancel().catch(() => {});
  }
}
