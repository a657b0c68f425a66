// A room that shows itself whole, and then what changed since. Vectors from the server keep this true.

import type { Listed, PatchPush, Shown, Words } from "./wire.js";

/** The room after a patch. Fields not named stay the same objects, so that drawing them again costs nothing. */
export function patched(shown: Shown, patch: PatchPush): Shown {
  const view: Record<string, unknown> = { ...shown.view, ...patch.view };
  const change = (list: string, key: string, listed: Listed | undefined): void => {
    if (listed) view[list] = relisted((shown.view[list] ?? []) as readonly Words[], key, listed);
  };
  change("users", "user_id", patch.users || patch.gone ? { set: patch.users ?? [], gone: patch.gone ?? [] } : undefined);
  change("stories", "story_id", patch.stories);
  change("history", "round", patch.history);
  return {
    at: patch.at,
    mark: patch.mark,
    expiresAt: patch.expires_at ?? shown.expiresAt,
    view,
    me: patch.me ?? shown.me,
  };
}

function relisted(list: readonly Words[], key: string, { set = [], gone = [], order }: Listed): readonly Words[] {
  const left = new Set(gone);
  const changed = new Map(set.map((item) => [item[key], item]));
  const after: Words[] = [];
  for (const item of list) {
    // Somebody who left and came back within one patch is new, and sits at the end.
    if (left.has(item[key])) continue;
    after.push(changed.get(item[key]) ?? item);
    changed.delete(item[key]);
  }
  after.push(...changed.values());
  if (!order) return after;
  const places = new Map(order.map((name, place) => [name, place]));
  return after.sort((one, other) => (places.get(one[key]) ?? Infinity) - (places.get(other[key]) ?? Infinity));
}
