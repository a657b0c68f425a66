import { expect, test } from "vitest";
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
