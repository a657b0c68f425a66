// How a room is named: in an address, in a link, or by what somebody typed.

const CODE = /^[a-z0-9][a-z0-9-]{2,63}$/;

export type Kind = "poker" | "space";

export interface Room {
  readonly kind: Kind;
  readonly id: string;
}

export const isKind = (word: string | undefined): word is Kind => word === "poker" || word === "space";

/** The room in what somebody typed or pasted: a code, a path or a whole link. A code alone is a table's. */
export function roomIn(text: string): Room | null {
  const parts = text.trim().toLowerCase().replace(/[?#].*$/, "").replace(/\/+$/, "").split("/");
  const id = (parts.pop() ?? "").replace(/[\s_]+/g, "-");
  const kind = parts.pop();
  return CODE.test(id) ? { kind: isKind(kind) ? kind : "poker", id } : null;
}

export const pathOf = ({ kind, id }: Room): string => `/${kind}/${encodeURIComponent(id)}`;
