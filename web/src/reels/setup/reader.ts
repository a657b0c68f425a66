// One import at work: it can be watched and stopped.

import type { Added, Chat } from "./pool.js";
import type { Progress } from "./reading.js";
import type { Asked, Said } from "./reader.worker.js";

/** A file that somebody chose, with where it lay if that is known. */
export interface Chosen {
  readonly name: string;
  readonly file: Blob;
}

export interface Reading {
  /** Null when it was stopped. */
  readonly added: Promise<Added | null>;
  stop(): void;
}

/** Adds what the files say to these chats, which stay as they are. */
export function read(chats: readonly Chat[], files: readonly Chosen[], tell: (progress: Progress) => void): Reading {
  const worker = new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" });
  let stop = () => {};
  const added = new Promise<Added | null>((resolve, reject) => {
    stop = () => resolve(null);
    worker.addEventListener("message", ({ data }: MessageEvent<Said>) => {
      if ("progress" in data) tell(data.progress);
      else if ("added" in data) resolve(data.added);
      else reject(new Error(data.failed));
    });
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
  });
  worker.postMessage({ chats, sources: files.map(({ name, file }) => ({ name, blob: file })) } satisfies Asked);
  return { added: added.finally(() => worker.terminate()), stop: () => stop() };
}
