import { expect, test } from "vitest";
import { csvParts } from "../src/lib/csv.js";

test("of a tracker's columns only those that mean something here are sent", () => {
  const jira = '\ufeffSummary,Issue key,Status,Description,Custom field (Story Points)\r\n"Log in, ""fast""",A-1,Done,"many\r\nlines",3.0\r\nSearch,A-2,,,\r\n';
  expect(csvParts(jira)).toEqual(['"Summary","Issue key","Custom field (Story Points)"\n"Log in, ""fast""","A-1","3.0"\n"Search","A-2",""\n']);
});

test("without a header the first cell of each row is kept", () => {
  expect(csvParts("Log in;x\n\nLog out;y")).toEqual(['"Log in"\n"Log out"\n']);
});

test("a large file becomes several messages, each with the header, none too large", () => {
  const rows = Array.from({ length: 200 }, (_, at) => `Story ${at} ${"é".repeat(100)},https://tracker.example/${at}`);
  const parts = csvParts(`title,link\n${rows.join("\n")}`, 5000)!;
  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) {
    expect(part.startsWith('"title","link"\n')).toBe(true);
    expect(new TextEncoder().encode(JSON.stringify(part)).length).toBeLessThanOrEqual(5000);
  }
  expect(parts.join("").match(/Story \d+/g)).toEqual(rows.map((row) => /Story \d+/.exec(row)![0]));
});

test("a quote that never ends is no CSV", () => expect(csvParts('title\n"open')).toBeNull());
test("nothing is nothing", () => expect(csvParts(" \n\n")).toEqual([]));
