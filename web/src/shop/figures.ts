// Numbers, sizes and times as people of each language write them.

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export const whole = (value: number, locale: string): string => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(value);

/** Numbers too large to be read whole in few letters: 3.4M. */
export const short = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, value >= 1_000_000 ? { notation: "compact", maximumFractionDigits: 1 } : { maximumFractionDigits: 1 }).format(value);

export const percent = (value: number | null, locale: string): string =>
  value === null ? "–" : new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: value > 0 && value < 1 ? 1 : 0 }).format(value);

/** In steps of a thousand, as the setting that bounds it is written. */
export function size(bytes: number, locale: string): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(locale, { style: "unit", unit: UNITS[step], unitDisplay: step === 0 ? "long" : "short", maximumFractionDigits: step === 0 ? 0 : 1 }).format(bytes / 1000 ** step);
}

type Step = [unit: "second" | "minute" | "hour" | "day", ms: number];
const STEPS: readonly Step[] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]];

const step = (ms: number): Step => STEPS.find(([, each]) => Math.abs(ms) >= each) ?? STEPS.at(-1)!;

/** How long: in the one unit that people would use. */
export function span(ms: number, locale: string): string {
  const [unit, each] = step(ms);
  const value = ms / each;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** When, seen from now: 5 minutes ago, in 3 hours. */
export function when(at: number, now: number, locale: string): string {
  const [unit, each] = step(at - now);
  return new Intl.RelativeTimeFormat(locale, { style: "short", numeric: "auto" }).format(Math.trunc((at - now) / each), unit);
}
