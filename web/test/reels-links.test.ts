import { describe, expect, test } from "vitest";
import { anyLink, betterUrl, reelId, reelLink, sameReel } from "../src/reels/setup/links.js";

const REEL = "https://www.instagram.com/reel/C1aBc_dE-9f/";
const P = "https://www.instagram.com/p/C1aBc_dE-9f/";
const TV = "https://www.instagram.com/tv/C1aBc_dE-9f/";
const long = "x".repeat(64);

const taken: [given: string, url: string][] = [
  ["https://www.instagram.com/reel/C1aBc_dE-9f/", REEL],
  ["https://www.instagram.com/reel/C1aBc_dE-9f", REEL],
  ["https://instagram.com/reel/C1aBc_dE-9f/", REEL],
  ["http://www.instagram.com/reel/C1aBc_dE-9f/", REEL],
  ["http://instagram.com/reel/C1aBc_dE-9f", REEL],
  ["HTTPS://WWW.INSTAGRAM.COM/reel/C1aBc_dE-9f/", REEL],
  ["https://www.instagram.com/reels/C1aBc_dE-9f/", REEL],
  ["https://www.instagram.com/reel/C1aBc_dE-9f/?igsh=abc==", REEL],
  ["https://www.instagram.com/reel/C1aBc_dE-9f?igsh=abc&utm_source=x", REEL],
  ["https://www.instagram.com/reel/C1aBc_dE-9f/#top", REEL],
  ["https://www.instagram.com/reel/C1aBc_dE-9f/?id=1_2#a?b", REEL],
  ["https://www.instagram.com/some.user_1/reel/C1aBc_dE-9f/", REEL],
  ["https://www.instagram.com/some.user_1/reels/C1aBc_dE-9f/?x=/p/other/", REEL],
  ["https://instagram.com/some.user_1/p/C1aBc_dE-9f", P],
  ["https://www.instagram.com/p/C1aBc_dE-9f/", P],
  ["https://www.instagram.com/p/C1aBc_dE-9f/?img_index=2", P],
  ["https://www.instagram.com/tv/C1aBc_dE-9f/", TV],
  ["https://www.instagram.com/user/tv/C1aBc_dE-9f/", TV],
  ["https://www.instagram.com:443/reel/C1aBc_dE-9f/", REEL],
  ["  https://www.instagram.com/reel/C1aBc_dE-9f/ \n", REEL],
  ["www.instagram.com/reel/C1aBc_dE-9f/", REEL],
  ["instagram.com/p/C1aBc_dE-9f", P],
  ["https://www.instagram.com/reel/XYZ/", "https://www.instagram.com/reel/XYZ/"],
  [`https://www.instagram.com/reel/${long}/`, `https://www.instagram.com/reel/${long}/`],
  [`https://www.instagram.com/reel/XYZ/?${"q".repeat(400)}`, "https://www.instagram.com/reel/XYZ/"],
];

const refused: [given: string, why: string][] = [
  ["https://www.tiktok.com/@a/video/1", "otherSite"],
  ["https://youtu.be/dQw4w9WgXcQ", "otherSite"],
  ["https://www.youtube.com/shorts/abc", "otherSite"],
  ["https://m.instagram.com/reel/XYZ/", "otherSite"],
  ["https://l.instagram.com/?u=https%3A%2F%2Fwww.instagram.com%2Freel%2FXYZ%2F", "otherSite"],
  ["https://instagr.am/p/XYZ/", "otherSite"],
  ["https://www.instagram.com.evil.example/reel/XYZ/", "otherSite"],
  ["https://evilinstagram.com/reel/XYZ/", "otherSite"],
  ["https://evil.example/www.instagram.com/reel/XYZ/", "otherSite"],
  ["https://evil.example/?https://www.instagram.com/reel/XYZ/", "otherSite"],
  ["https://evil.example#www.instagram.com/reel/XYZ/", "otherSite"],
  ["https://instagram.com./reel/XYZ/", "otherSite"],
  ["https://ınstagram.com/reel/XYZ/", "otherSite"],
  ["https://www.instagram.com/", "notReel"],
  ["https://www.instagram.com/some.user", "notReel"],
  ["https://www.instagram.com/reel/", "notReel"],
  ["https://www.instagram.com/reels/", "notReel"],
  ["https://www.instagram.com/reel//", "notReel"],
  ["https://www.instagram.com//reel/XYZ/", "notReel"],
  ["https://www.instagram.com/reels/audio/123456/", "notReel"],
  ["https://www.instagram.com/stories/some.user/123456/", "notReel"],
  ["https://www.instagram.com/share/reel/BAabc/", "notReel"],
  ["https://www.instagram.com/share/p/BAabc", "notReel"],
  ["https://www.instagram.com/explore/tags/cats/", "notReel"],
  ["https://www.instagram.com/a/b/reel/XYZ/", "notReel"],
  ["https://www.instagram.com/reel/XYZ/comments/", "notReel"],
  ["https://www.instagram.com/reel/X%20Z/", "notReel"],
  ["https://www.instagram.com/reel/XÿZ/", "notReel"],
  ["https://www.instagram.com/reel/X.Z/", "notReel"],
  [`https://www.instagram.com/reel/${long}x/`, "notReel"],
  ["https://www.instagram.com/__proto__/XYZ/", "notReel"],
  ["https://www.instagram.com/constructor/XYZ/", "notReel"],
  ["https://www.instagram.com/us er/reel/XYZ/", "badAddress"],
  ["https://www.instagram.com/us-er/reel/XYZ/", "notReel"],
  ["https://user:secret@www.instagram.com/reel/XYZ/", "badAddress"],
  ["https://user@www.instagram.com/reel/XYZ/", "badAddress"],
  ["https://www.instagram.com:8443/reel/XYZ/", "badAddress"],
  ["ftp://www.instagram.com/reel/XYZ/", "badAddress"],
  ["javascript:alert(1)//instagram.com/reel/XYZ/", "badAddress"],
  ["javascript://www.instagram.com/reel/XYZ/%0aalert(1)", "badAddress"],
  ["data:text/html,https://www.instagram.com/reel/XYZ/", "badAddress"],
  ["//www.instagram.com/reel/XYZ/", "badAddress"],
  ["https:/www.instagram.com/reel/XYZ/", "badAddress"],
  ["https:///www.instagram.com/reel/XYZ/", "badAddress"],
  ["https://", "badAddress"],
  ["reel/XYZ", "badAddress"],
  ["", "badAddress"],
  ["https://www.instagram.com/reel/X\u202eYZ/", "badAddress"],
  ["https://www.instagram.com/re\tel/XYZ/", "badAddress"],
  ["https://www.instagram.com/reel/XYZ/ and more", "badAddress"],
  [`https://www.instagram.com/reel/XYZ/?${"q".repeat(500)}`, "badAddress"],
  ["https://[::1/reel/XYZ/", "badAddress"],
];

describe("an address in the messenger's export", () => {
  test.each(taken)("%j is the reel %s", (given, url) => expect(reelLink(given)).toEqual({ url }));
  test.each(refused)("%j is refused as %s", (given, why) => expect(reelLink(given)).toEqual({ refused: why }));
});

describe("an address in a list that somebody made", () => {
  test.each([
    ["https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/watch?v=dQw4w9WgXcQ"],
    ["HTTP://Example.COM", "http://example.com/"],
    ["https://例え.jp/ストーリー", "https://xn--r8jz45g.jp/%E3%82%B9%E3%83%88%E3%83%BC%E3%83%AA%E3%83%BC"],
    ["https://instagram.com/a/reel/XYZ?x=1", "https://www.instagram.com/reel/XYZ/"],
    ["https://www.instagram.com/some.user", "https://www.instagram.com/some.user"],
  ])("%j is taken as %s", (given, url) => expect(anyLink(given)).toEqual({ url }));

  test.each([
    "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://a/", "mailto:a@b.c", "blob:https://a/1", "//a/b", "a", "https://u:p@a/", "https://a b/",
    "https://a/\u0000", "vbscript:x", `https://a/${"é".repeat(100)}`, "https://a/?`", "https://a/?\\",
  ])("%j is no address", (given) => expect(anyLink(given)).toEqual({ refused: "badAddress" }));
});

test("one reel is the same under each of its addresses, and the best of them is shown", () => {
  expect(new Set([REEL, P, TV].map(sameReel)).size).toBe(1);
  expect(reelId(P)).toBe("C1aBc_dE-9f");
  expect(reelId("https://a/")).toBeNull();
  for (const [one, other] of [[REEL, P], [REEL, TV], [TV, P]] as const) {
    expect(betterUrl(one, other)).toBe(one);
    expect(betterUrl(other, one)).toBe(one);
  }
});
