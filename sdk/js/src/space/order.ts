// Where things stand in a list. The server gives each item an order, ASCII text that is compared byte by byte. An item
// that the server does not know yet gets one of ours, which stands directly behind its neighbour: that one's order, a
// zero character, which no order of the server has, and a number. Items of ours can stand behind each other so too.

const DIGITS = 9;
const MIDDLE = 36 ** DIGITS / 2;
const STEP = 1_000_000;

const digits = (number: number): string => number.toString(36).padStart(DIGITS, "0");
const parse = (text: string): number => parseInt(text.slice(0, DIGITS), 36);

/** An order of ours after `low` ("" is the beginning) and before `high`, which is the next there is, if there is one. */
export function between(low = "", high = ""): string {
  const behind = low + "\0";
  if (high.startsWith(behind)) return behind + digits(parse(high.slice(behind.length)) - STEP);
  const cut = low.lastIndexOf("\0") + 1;
  if (cut > 0) {
    // Beside the last number rather than behind it, so that many items in a row do not make long orders.
    const region = low.slice(0, cut);
    const mine = parse(low.slice(cut));
    const next = high.startsWith(region) ? Math.floor((mine + parse(high.slice(cut))) / 2) : mine + STEP;
    if (next > mine) return region + digits(Math.min(next, mine + STEP));
  }
  return behind + digits(MIDDLE);
}

/** The server's order that an order of ours stands behind; "" at the beginning. */
export const known = (order: string): string => order.split("\0", 1)[0]!;

/** How many of the sorted rows have an order below `order`. */
export function below(rows: readonly { readonly order: string }[], order: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
