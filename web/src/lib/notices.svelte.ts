// Short notices at the edge, and the sentences that only screen readers get.

import { ParlorError } from "parlor-sdk";
import { words } from "./preferences.svelte.js";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad" | "call";
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const NOTICES_MAX = 3;

class Notices {
  list = $state.raw<readonly Notice[]>([]);
  /** What was announced last; the live region reads it. */
  announced = $state("");
  private last = 0;

  tell(text: string, more: { tone?: Notice["tone"]; action?: Notice["action"]; ms?: number } = {}): void {
    const notice: Notice = { id: ++this.last, text, tone: more.tone ?? "plain", action: more.action };
    this.list = [...this.list, notice].slice(-NOTICES_MAX);
    setTimeout(() => this.dismiss(notice.id), more.ms ?? (notice.action ? 9000 : 5000));
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  announce(text: string): void {
    // The same sentence twice would not be read twice; a space that nobody hears makes it another one.
    this.announced = text === this.announced ? `${text}\u00a0` : text;
  }

  /** Says why something did not work, in the reader's language. */
  failed(error: unknown, verb?: string): void {
    const code = error instanceof ParlorError ? error.code : "other";
    if (code === "closed" || code in words().ended) return; // The page itself says so.
    this.tell(explain(code, verb), { tone: "bad" });
  }
}

/** A code says what, the verb says where: the same refusal reads differently at the door and at the list. */
export function explain(code: string, verb?: string): string {
  const { errors } = words();
  if (code === "forbidden" && verb === "join") return errors.banned;
  if (code === "room_full" && (verb === "add_stories" || verb === "import_stories")) return errors.stories_full;
  return code in errors ? errors[code as keyof typeof errors] : errors.other;
}

export const notices = new Notices();
