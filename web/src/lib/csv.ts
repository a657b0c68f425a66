// A tracker's export is mostly columns that nobody estimates, and larger than one message may be. The server reads the
// CSV; here only the cells it will look at are kept, so that the rest need not travel. Which those are must be the server's
// own rule: crates/wire/src/poker/import.rs. Both are asked the same in csv-vectors.json.

const TITLES = ["title", "summary", "story", "name"];
const LINKS = ["link", "url"];
const ESTIMATES = ["estimate", "points", "story points", "custom field (story points)", "custom field (story point estimate)"];
const KEYS = ["issue key"];
const ROUNDS = ["round"];

/** More than the server keeps of any cell; five cells of these fit into a message. */
const CELL_CHARS_MAX = 1000;

/** Lines of CSV; each row is a story. */
export interface Sheet {
  readonly head: string;
  readonly rows: readonly string[];
}

export const csvOf = ({ head, rows }: Sheet) => head + rows.join("");

/** Null when a quoted cell never ends. */
export function sheetIn(text: string): Sheet | null {
  const rows = cells(text.replace(/^\ufeff/, ""));
  if (rows === null) return null;
  const names = (rows[0] ?? []).map((cell) => cell.trim().toLowerCase());
  const find = (known: string[]) => known.map((name) => names.indexOf(name)).find((at) => at >= 0);
  const title = find(TITLES);
  // Without a title there is no header: the first cell of every row is one, and a header of ours says so.
  if (title === undefined) return { head: line(["title"]), rows: rows.map(([cell = ""]) => cell).filter(filled).map((cell) => line([cell])) };
  const [key, round] = [find(KEYS), find(ROUNDS)];
  const columns = [title, find(LINKS), find(ESTIMATES), key, round].filter((at) => at !== undefined).sort((a, b) => a - b);
  const kept = (row: string[]) => line(columns.map((at) => row[at] ?? ""));
  const has = (row: string[], at: number | undefined) => at !== undefined && filled(row[at] ?? "");
  const stories = rows.slice(1).filter((row) => (has(row, title) || has(row, key)) && !has(row, round));
  return { head: kept(rows[0]!), rows: stories.map(kept) };
}

const filled = (cell: string) => cell.trim() !== "";

const line = (row: string[]) => `${row.map((cell) => `"${short(cell).replaceAll('"', '""')}"`).join(",")}\n`;

/** Cut between letters, never within one. */
const short = (cell: string) => [...cell.trim()].slice(0, CELL_CHARS_MAX).join("");

/** Every row that is not empty; null when a quoted cell never ends. */
export function cells(text: string): string[][] | null {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((one) => one.trim())) rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (letter === '"' && !cell.trim()) {
      [cell, quoted] = ["", true];
    } else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[at + 1] === "\n") at += 1;
      endRow();
    } else cell += letter;
  }
  if (quoted) return null;
  endRow();
  return rows;
}

/** The one that stands most often in the first row, outside of quotes; of equals the first here. */
function separatorOf(text: string): string {
  const counts = { ",": 0, ";": 0, "\t": 0 };
  let quoted = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === "\n" || letter === "\r")) break;
    else if (!quoted && letter in counts) counts[letter as keyof typeof counts] += 1;
  }
  return Object.entries(counts).reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}
