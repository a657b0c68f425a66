import { expect, test } from "vitest";
import { age } from "../src/lib/age.js";
import { countdown, decimal, worth } from "../src/lib/numbers.js";

test("numbers are written as the reader writes them", () => {
  expect(decimal(4.25, "en")).toBe("4.3");
  expect(decimal(4.25, "fr")).toBe("4,3");
  expect(decimal(null, "en")).toBe("–");
});

test("a countdown rounds up, so that zero is over", () => {
  expect([61_000, 60_001, 900, 0, -5].map(countdown)).toEqual(["1:01", "1:01", "0:01", "0:00", "0:00"]);
});

test("only numbers have worth", () => {
  expect(["13", "½", "1/2", "0.5", "?", "XL", "∞"].map(worth)).toEqual([13, 0.5, 0.5, 0.5, null, null, null]);
});

test("an age has one unit", () => {
  expect([5_000, 60_000, 3_600_000, 200_000_000].map((ms) => age(ms).unit)).toEqual(["now", "minute", "hour", "day"]);
});
