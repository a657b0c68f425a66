// How long ago something was, in the one unit that people would use.

export interface Age {
  readonly unit: "now" | "minute" | "hour" | "day";
  readonly n: number;
}

export function age(ms: number): Age {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return { unit: "now", n: 0 };
  if (minutes < 60) return { unit: "minute", n: minutes };
  if (minutes < 24 * 60) return { unit: "hour", n: Math.floor(minutes / 60) };
  return { unit: "day", n: Math.floor(minutes / (24 * 60)) };
}
