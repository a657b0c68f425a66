// A tracker's export is mostly columns that nobody estimates, and larger than one message may be. The server reads the
// CSV; here only the columns it knows are kept, and the rest is cut into messages that each have the header.

const KNOWN = new Set([
  "title", "summary", "story", "name", "link", "url", "estimate", "points", "story points",
  "custom field (story points)", "custom field (story point estimate)", "issue key", "round",
]);

/** A little under what the server takes in one message. */
export const PART_BYTES_MAX = 56_000;

/** Parts to send one after the other; null when a quoted cell never ends. */
export function csvParts(text: string, bytesMax = PART_BYTES_MAX): string[] | null {
  const rows = cells(text.replace(/^\ufeff/, ""));
  if (rows === null) return null;
  const header = rows[0] ?? [];
  const known = header.map((cell) => KNOWN.has(cell.trim().toLowerCase()));
  const titled = known.some(Boolean);
  const kept = (row: string[]) => line(titled ? row.filter((_, at) => known[at]) : row.slice(0, 1));
  const head = titled ? kept(header) : "";
  const parts: string[] = [];
  let part = "";
  for (const row of (titled ? rows.slice(1) : rows).map(kept)) {
    if (part && weight(head + part + row) > bytesMax) {
      parts.push(head + part);
      part = "";
    }
    part += row;
  }
  return part ? [...parts, head + part] : parts;
}

/** What a text weighs inside a JSON message. */
const weight = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

const line = (row: string[]) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\n`;

function cells(text: string): string[][] | null {
  const first = text.split(/\r?\n/, 1)[0] ?? "";
  const separator = [",", ";", "\t"].reduce((best, next) => (first.split(next).length > first.split(best).length ? next : best));
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
