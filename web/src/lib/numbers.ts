// Numbers as people of each language write them.

export function decimal(value: number | null | undefined, locale: string): string {
  if (value === null || value === undefined) return "–";
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);
}

/** m:ss, rounded up: a timer that shows 0:00 is over. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The number a card stands for, for sums; most cards are no number. */
export function worth(card: string): number | null {
  if (card === "½") return 0.5;
  const fraction = /^(\d+)\/(\d+)$/.exec(card);
  if (fraction) return Number(fraction[1]) / Number(fraction[2]);
  return /^\d+(\.\d+)?$/.test(card) ? Number(card) : null;
}
