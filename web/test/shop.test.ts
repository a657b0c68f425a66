import { expect, test } from "vitest";
import type { Pages } from "../src/shop/answers.js";
import { draw } from "../src/shop/chart.js";
import { percent, short, size, span, when } from "../src/shop/figures.js";
import { LOOKS_MAX, type Look, looked, overall, rates } from "../src/shop/rate.js";

const pages = (hits: number, misses: number, stale_hits = 0): Pages => ({
  hits, misses, stale_hits, passes: 1000, coalesced: 0, revalidated: 0, stored: 0, evicted: 0, purged: 0, entries: 0, bytes: 0, bytes_max: 0,
});
const series = (...counts: Pages[]) => counts.reduce<readonly Look[]>((looks, pages, at) => looked(looks, at * 1000, pages), []);

test("the rate is of what happened between two looks; passes are not counted", () => {
  const looks = series(pages(100, 100), pages(109, 101), pages(109, 101), pages(109, 103, 2));
  expect(rates(looks).map(({ rate }) => rate)).toEqual([0.9, null, 0.5]);
  expect(overall(looks)).toBe(11 / 14);
});

test("before anything happened there is no rate, and one look tells of all the time before it", () => {
  expect(overall([])).toBeNull();
  expect(overall(series(pages(0, 0)))).toBeNull();
  expect(overall(series(pages(3, 1)))).toBe(0.75);
  expect(overall(series(pages(3, 1), pages(3, 1)))).toBe(0.75);
});

test("a server that started anew is looked at anew", () => {
  const looks = series(pages(500, 500), pages(600, 500), pages(10, 0), pages(10, 10));
  expect(looks).toHaveLength(2);
  expect(rates(looks).map(({ rate }) => rate)).toEqual([0]);
});

test("old looks go", () => {
  const looks = series(...Array.from({ length: LOOKS_MAX + 50 }, (_, at) => pages(at, 0)));
  expect(looks).toHaveLength(LOOKS_MAX);
  expect(looks.at(-1)!.hits).toBe(LOOKS_MAX + 49);
});

test("a line has gaps where nobody asked, and lonely points are dots", () => {
  const { line, area, dots } = draw(
    [{ at: 0, rate: 1 }, { at: 10, rate: 0.5 }, { at: 20, rate: null }, { at: 30, rate: 0 }, { at: 40, rate: null }, { at: 50, rate: 0 }, { at: 100, rate: 1 }],
    { from: 0, to: 100 }, 200, 50,
  );
  expect(line).toBe("M0 0L20 25M100 50L200 0");
  expect(area).toBe("M0 0L20 25L20 50L0 50ZM100 50L200 0L200 50L100 50Z");
  expect(dots).toEqual([[60, 50]]);
  expect(draw([], { from: 5, to: 5 }, 1, 1)).toEqual({ line: "", area: "", dots: [] });
});

test("what lies before the picture is not drawn", () => {
  expect(draw([{ at: 0, rate: 1 }, { at: 50, rate: 1 }, { at: 100, rate: 1 }], { from: 50, to: 100 }, 10, 10).line).toBe("M0 0L10 0");
});

test("figures as people write them", () => {
  expect([percent(null, "en"), percent(0, "en"), percent(0.987, "en"), percent(0.9996, "en"), percent(1, "en")]).toEqual(["–", "0%", "98.7%", "100%", "100%"]);
  expect([short(12.5, "en"), short(999_999, "en"), short(3_400_000, "en")]).toEqual(["12.5", "999,999", "3.4M"]);
  expect([size(0, "en"), size(999, "en"), size(1000, "en"), size(134_217_728, "en")]).toEqual(["0 bytes", "999 bytes", "1 kB", "134.2 MB"]);
  expect([span(700, "en"), span(1500, "en"), span(59_000, "en"), span(90_000, "en"), span(172_800_000, "en")]).toEqual(["0.7 sec", "1.5 sec", "59 sec", "1.5 min", "2 days"]);
  expect([when(1000, 1000, "en"), when(0, 90_000, "en"), when(3_600_000, 0, "en")]).toEqual(["now", "1 min. ago", "in 1 hr."]);
});
