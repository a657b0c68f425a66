// Which single key means what. Keys typed into a field, or with a modifier, are not for us.

const KEYS = { s: "show", r: "reset", x: "take_back", n: "story", t: "timer", i: "invite", ",": "settings", "?": "help" } as const;

export type Shortcut = (typeof KEYS)[keyof typeof KEYS] | number;

/** What a key asks for: a word, or the place of a card. */
export function shortcut(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "target">): Shortcut | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const target = event.target as Element | null;
  if (target?.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, dialog, [contenteditable]")) return null;
  if (/^[0-9]$/.test(event.key)) return (Number(event.key) + 9) % 10;
  return event.key in KEYS ? KEYS[event.key as keyof typeof KEYS] : null;
}
