// How a room is named: in an address, in a link, or by what somebody typed.

const CODE = /^[a-z0-9][a-z0-9-]{2,63}$/;
/** A game's code: eight letters and digits, none of which looks like another. */
const GAME = /^[A-HJ-NP-Z2-9]{8}$/;

export type Kind = "poker" | "space" | "reels";

export interface Room {
  readonly kind: Kind;
  readonly id: string;
}

export const isKind = (word: string | undefined): word is Kind => word === "poker" || word === "space" || word === "reels";

/** The room in what somebody typed or pasted: a code, a path or a whole link. A code alone is a game's or a table's. */
export function roomIn(text: string): Room | null {
  const parts = text.trim().replace(/[?#].*$/, "").replace(/\/+$/, "").split("/");
  if (parts.at(-1) === "tv") parts.pop();
  const typed = parts.pop() ?? "";
  const kind = parts.pop()?.toLowerCase();
  const game = typed.replace(/[\s_-]+/g, "").toUpperCase();
  if (GAME.test(game) && (kind === undefined || kind === "reels" || kind === "r")) return { kind: "reels", id: game };
  const id = typed.toLowerCase().replace(/[\s_]+/g, "-");
  if (!CODE.test(id) || kind === "reels") return null;
  return { kind: isKind(kind) ? kind : "poker", id };
}

export const pathOf = ({ kind, id }: Room): string => `/${kind}/${encodeURIComponent(id)}`;
