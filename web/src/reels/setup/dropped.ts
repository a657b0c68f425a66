// What was dropped on the page. A folder is walked through, because an unpacked export is one.

import { FILES_MAX } from "./limits.js";
import type { Chosen } from "./reader.js";

/** Of a folder only what may be a chat or a list; photos are not worth a line in the report. */
const READABLE = /(?:^|\/)message_\d+\.(?:json|html)$|\.(?:csv|zip)$/i;

export async function chosenIn(given: DataTransfer): Promise<Chosen[]> {
  // The list is emptied as soon as we wait for something.
  const entries = [...given.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return [...given.files].map((file) => ({ name: file.name, file }));
  const chosen: Chosen[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, chosen);
    else chosen.push({ name: entry.name, file: await fileOf(entry as FileSystemFileEntry) });
  }
  return chosen;
}

async function walk(folder: FileSystemDirectoryEntry, chosen: Chosen[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // It gives some at a time, and none when there are no more.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const entry of some) {
      if (chosen.length > FILES_MAX) return;
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, chosen);
      else if (READABLE.test(entry.fullPath)) chosen.push({ name: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry as FileSystemFileEntry) });
    }
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));
