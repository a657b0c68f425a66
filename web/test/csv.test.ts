import { expect, test } from "vitest";
import vectors from "../../crates/wire/tests/it/csv-vectors.json";
import { csvOf, sheetIn } from "../src/lib/csv.js";
import { PART_BYTES_MAX, inParts } from "../src/lib/parts.js";

// The server's own test reads the same file: what we send gives the stories that the whole text would.
for (const { name, text, sent, stories } of vectors) {
  test(name, () => {
    const sheet = sheetIn(text);
    expect(sheet?.rows.length ? csvOf(sheet) : null).toBe(sent);
    expect(sheet?.rows ?? []).toHaveLength(stories.length);
  });
}

const bytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

test("a large file becomes several messages, in order, none too large", () => {
  const rows = Array.from({ length: 200 }, (_, at) => `Story ${at} ${"é".repeat(100)},https://tracker.example/${at}`);
  const { head, rows: lines } = sheetIn(`title,link\n${rows.join("\n")}`)!;
  const parts = inParts(lines, 5000);
  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) expect(bytes(csvOf({ head, rows: part }))).toBeLessThanOrEqual(5000 + bytes(head));
  expect(parts.flat().join("").match(/Story \d+/g)).toEqual(rows.map((row) => /Story \d+/.exec(row)![0]));
});

test("one enormous row still fits into a message, and no letter is cut in two", () => {
  const cell = `"${'""'.repeat(3000)}${"🂡".repeat(60_000)}"`;
  const { head, rows } = sheetIn(`title,link,estimate,issue key,round\n${cell},${cell},${cell},${cell},\n${"x".repeat(999)}${"🂡".repeat(9)},,,,`)!;
  const parts = inParts(rows);
  for (const part of parts) expect(bytes(csvOf({ head, rows: part }))).toBeLessThanOrEqual(PART_BYTES_MAX + bytes(head));
  expect(rows[1]).toContain("x🂡\"");
});
