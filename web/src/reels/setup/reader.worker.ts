// Reads away from the page, so that the page stays alive; the page ends this worker to cancel.

import { type Added, type Chat, added } from "./pool.js";
import { type Progress, type Source, readAll } from "./reading.js";

export interface Asked {
  readonly chats: readonly Chat[];
  readonly sources: readonly Source[];
}

export type Said = { readonly progress: Progress } | { readonly added: Added } | { readonly failed: string };

const say = (said: Said) => postMessage(said);

addEventListener("message", ({ data: { chats, sources } }: MessageEvent<Asked>) => {
  readAll(sources, (progress) => say({ progress }))
    .then((found) => say({ added: added(chats, found) }))
    .catch((error: unknown) => say({ failed: String(error) }));
});
