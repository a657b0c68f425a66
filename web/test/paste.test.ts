import { expect, test } from "vitest";
import { PART_BYTES_MAX, inParts } from "../src/lib/parts.js";
import { storiesIn } from "../src/lib/paste.js";

test("each line is a story, and its address becomes the link", () => {
  expect(storiesIn("Login\r\n\n- Search https://tracker.example/T-2 \nhttps://tracker.example/T-3")).toEqual([
    { title: "Login" },
    { title: "Search", link: "https://tracker.example/T-2" },
    { title: "https://tracker.example/T-3", link: "https://tracker.example/T-3" },
  ]);
});

test("other schemes stay words, and long titles are cut", () => {
  expect(storiesIn("javascript:alert(1)")).toEqual([{ title: "javascript:alert(1)" }]);
  expect(storiesIn("é".repeat(300))[0]?.title).toHaveLength(200);
});

test("a long list goes in parts that each fit into a message", () => {
  const line = `${"é".repeat(200)} https://tracker.example/${"x".repeat(460)}`;
  const stories = storiesIn(Array.from({ length: 200 }, () => line).join("\n"));
  const parts = inParts(stories);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.flat()).toEqual(stories);
  for (const part of parts) expect(new TextEncoder().encode(JSON.stringify(part)).length).toBeLessThanOrEqual(PART_BYTES_MAX + 2);
});
