// How many things of one shape share a box: on a big screen everything must be seen at once, so they shrink until they fit.

export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface Cells extends Box {
  readonly columns: number;
  readonly rows: number;
}

interface Wish {
  /** Width by height. */
  readonly shape: number;
  readonly gap: number;
  /** No higher than this, however few there are. */
  readonly tallest: number;
}

/** The largest cells of that shape of which so many fit. */
export function fit(count: number, box: Box, { shape, gap, tallest }: Wish): Cells {
  let best: Cells = { columns: 1, rows: 1, width: 0, height: 0 };
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.max(1, Math.ceil(count / columns));
    const wide = (box.width - gap * (columns - 1)) / columns;
    const high = (box.height - gap * (rows - 1)) / rows;
    const height = Math.min(high, wide / shape, tallest);
    // Among equals the one with fewer rows looks calmer; and no column more than those rows need, so that rows are even.
    if (height >= best.height) best = { columns: Math.ceil(count / rows) || 1, rows, width: height * shape, height };
  }
  return best;
}

/** How wide that many cells are side by side; a little more, because borders and fractions must not make a row break early. */
export const rowWidth = ({ columns, width }: Cells, gap: number): number => columns * width + (columns - 1) * gap + 4;

/** Rows of a list that runs down one column, then the next. */
export function listed(count: number, box: Box, tallest: number, shortest: number): Cells {
  const columns = Math.max(1, Math.ceil((count * shortest) / box.height));
  const rows = Math.max(1, Math.ceil(count / columns));
  return { columns, rows, width: box.width / columns, height: Math.min(tallest, box.height / rows) };
}

/** How the middle of the screen is shared: fifty names and fifty faces need more of it than the slots do. */
export function middle(senders: number, players: number): { slots: number; senders: number; players: number } {
  const all = 544 - 48 - 3 * 12;
  const slots = senders > 24 || players > 24 ? 84 : 120;
  const names = senders <= 10 ? 104 : senders <= 24 ? 132 : 156;
  return { slots, senders: names, players: all - slots - names };
}
