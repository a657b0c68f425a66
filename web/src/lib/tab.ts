// This tab's name for the server, and the next number of its commands. A name must never be used by two tabs at
// once: numbers would cross, and a command would be taken for one already done. A duplicated tab copies the session
// storage, so the name rests there only while no page holds it: between leaving and loading again.

import { keep, kept } from "./kept.js";

interface Tab {
  readonly client: string;
  readonly nextNumber: number;
}

const session = () => sessionStorage;

export function takeTab(): Tab {
  const earlier = kept<Tab | null>("tab", null, session);
  keep("tab", undefined, session);
  if (earlier && /^[\w-]{1,64}$/.test(earlier.client) && Number.isSafeInteger(earlier.nextNumber)) return earlier;
  const random = crypto.getRandomValues(new Uint32Array(4));
  return { client: `page-${[...random].map((part) => part.toString(36)).join("")}`, nextNumber: 1 };
}

export function putTabBack(read: () => Tab): void {
  let stale = false;
  addEventListener("pagehide", () => {
    if (!stale) keep("tab", read(), session);
  });
  // The browser kept this page aside and shows it again. Pages after it may have gone on counting, and their numbers
  // are in the storage now; ours are old, and a command under an old number would be taken for one already done.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    stale = true;
    location.reload();
  });
}
