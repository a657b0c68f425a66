import { expect, test } from "vitest";
import { pathOf, roomIn } from "../src/lib/rooms.js";

const ID = "0f3a1c52-9a3b-4c55-8a43-1f2e3d4c5b6a";

test.each([
  ["lusab-babad-gutih-tugad", "/poker/lusab-babad-gutih-tugad"],
  [" Lusab Babad gutih_tugad ", "/poker/lusab-babad-gutih-tugad"],
  ["https://parlor.example/poker/lusab-babad?x=1#y", "/poker/lusab-babad"],
  [`https://parlor.example/space/${ID}/`, `/space/${ID}`],
  [`space/${ID}`, `/space/${ID}`],
  ["abcd 2345", "/reels/ABCD2345"],
  ["https://parlor.example/r/ABCD2345", "/reels/ABCD2345"],
  ["https://parlor.example/reels/abcd2345/tv", "/reels/ABCD2345"],
  ["https://parlor.example/else/lusab-babad", "/poker/lusab-babad"],
])("%s leads to %s", (text, path) => {
  expect(pathOf(roomIn(text)!)).toBe(path);
});

test.each(["", "x", "https://parlor.example/", "é", "reels/ABCD0001"])("%s leads nowhere", (text) => {
  expect(roomIn(text)).toBeNull();
});
