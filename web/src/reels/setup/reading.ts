// Files in, findings out, one file after the other. It runs in a worker, and as well without one.

import { Budget, type Entry, ZipTrouble, entriesOf, isZip, unpack } from "./archive.js";
import { contentsOf, textOf } from "./contents.js";
import { type Found, nothing } from "./found.js";
import { FILES_MAX, FILE_BYTES_MAX } from "./limits.js";

export interface Progress {
  /** Of what is to be read: bytes. */
  readonly done: number;
  readonly total: number;
  /** The file that is being read. */
  readonly file: string;
}

export interface Source {
  readonly name: string;
  readonly blob: Blob;
}

const MESSAGES = /(?:^|\/)message_\d+\.json$/i;
const PAGES = /(?:^|\/)message_\d+\.html$/i;

/** What is left to do, in bytes, before anything was opened: an archive counts what of it will be opened. */
interface Work {
  readonly file: string;
  readonly bytes: number;
  readonly read: () => Promise<Found>;
}

export async function readAll(sources: readonly Source[], tell: (progress: Progress) => void, signal?: AbortSignal): Promise<Found[]> {
  const works: Work[] = [];
  for (const source of sources) {
    signal?.throwIfAborted();
    works.push(...(await worksOf(source)));
  }
  const beyond = works.splice(FILES_MAX).map(({ file }) => nothing(file, "tooManyFiles"));
  const total = works.reduce((sum, { bytes }) => sum + bytes, 0);
  const found: Found[] = [];
  let done = 0;
  for (const { file, bytes, read } of works) {
    signal?.throwIfAborted();
    tell({ done, total, file });
    found.push(await read());
    done += bytes;
  }
  tell({ done, total, file: "" });
  return [...found, ...beyond];
}

async function worksOf({ name, blob }: Source): Promise<Work[]> {
  const failed = (error: unknown): Work[] => [{ file: name, bytes: 0, read: async () => nothing(name, error instanceof ZipTrouble ? error.trouble : "unreadable") }];
  try {
    if (!(await isZip(blob))) return [{ file: name, bytes: blob.size, read: () => plain(name, blob) }];
    const entries = await entriesOf(blob);
    const messages = entries.filter(({ path }) => MESSAGES.test(path) && !path.startsWith("__MACOSX/"));
    if (messages.length === 0) throw new ZipTrouble(entries.some(({ path }) => PAGES.test(path)) ? "html" : "noMessages");
    return packed(name, blob, messages);
  } catch (error) {
    return failed(error);
  }
}

async function plain(name: string, blob: Blob): Promise<Found> {
  if (blob.size > FILE_BYTES_MAX) return nothing(name, "tooLarge");
  try {
    return said(new Uint8Array(await blob.arrayBuffer()), name, folderOf(name));
  } catch {
    return nothing(name, "unreadable");
  }
}

function packed(name: string, blob: Blob, entries: readonly Entry[]): Work[] {
  const budget = new Budget();
  // After a trap nothing more of that archive is opened.
  let trap: ZipTrouble | null = null;
  return entries.map((entry) => {
    const file = `${name} › ${entry.path}`;
    const read = async (): Promise<Found> => {
      if (trap) return nothing(file, trap.trouble);
      try {
        return said(await unpack(blob, entry, budget), file, folderOf(entry.path) ?? "");
      } catch (error) {
        if (!(error instanceof ZipTrouble)) return nothing(file, "unreadable");
        if (error.trouble === "bomb") trap = error;
        return nothing(file, error.trouble);
      }
    };
    return { file, bytes: entry.packed, read };
  });
}

/** A file that was dropped with its folder says so in its name. */
const folderOf = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : null);

function said(bytes: Uint8Array, file: string, folder: string | null): Found {
  const text = textOf(bytes);
  return text === null ? nothing(file, "unreadable") : contentsOf(text, { file, folder });
}
