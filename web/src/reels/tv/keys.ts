// What a key means on the big screen. A key that belongs to a field, a button or a dialog is theirs.

export type Wanted = "next" | "force" | "open" | "fullscreen" | "help";

const LETTERS: Record<string, Wanted> = { f: "force", o: "open", l: "fullscreen", "?": "help" };

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "repeat" | "target">;

export function wanted(event: Key): Wanted | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return null;
  const within = (selector: string) => (event.target as Element | null)?.closest?.(selector) != null;
  if (within("input, textarea, select, dialog, [contenteditable]")) return null;
  if (event.key === "ArrowRight") return "next";
  // Space and Enter press the button that has the focus.
  if (event.key === " " || event.key === "Enter") return within("button, a, summary") ? null : "next";
  return LETTERS[event.key.toLowerCase()] ?? null;
}
