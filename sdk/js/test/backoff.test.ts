import { expect, test } from "vitest";
import { backoff } from "../src/backoff.js";

test("waits double up to the longest and keep their jitter", () => {
  const most = Array.from({ length: 9 }, (_, attempt) => backoff(attempt, 1));
  expect(most).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  for (const attempt of [0, 3, 7, 100, 1e9]) expect(backoff(attempt, 0) * 2).toBe(backoff(attempt, 1));
});
