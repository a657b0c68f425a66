// Where a dragged row would go. It is remembered as the row before it, not as a number: others may change the list meanwhile.

/** The ids in the order in which they are shown while `id` is held after `after`. */
export function shownOrder(ids: readonly string[], held: { readonly id: string; readonly after: string | null } | null): string[] {
  if (!held || !ids.includes(held.id)) return [...ids];
  const rest = ids.filter((id) => id !== held.id);
  // The row before it was taken away: then it is where it is in the list.
  const at = held.after === null ? 0 : rest.includes(held.after) ? rest.indexOf(held.after) + 1 : ids.indexOf(held.id);
  return rest.toSpliced(at, 0, held.id);
}

/** After which of the other rows one belongs whose top is at that height: it passes a row when it is over its middle. */
export function rowBefore(others: readonly { readonly id: string; readonly height: number }[], top: number): string | null {
  let before: string | null = null;
  let above = 0;
  for (const { id, height } of others) {
    if (above + height / 2 >= top) break;
    before = id;
    above += height;
  }
  return before;
}
