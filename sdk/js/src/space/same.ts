// Whether two JSON values say the same, whatever the order of their keys.

export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
  const keys = Object.keys(mine);
  return keys.length === Object.keys(theirs).length && keys.every((key) => Object.hasOwn(theirs, key) && same(mine[key], theirs[key]));
}
