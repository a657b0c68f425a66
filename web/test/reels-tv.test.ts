import type { Guess, MasterSeat } from "parlor-sdk/reels";
import { describe, expect, test } from "vitest";
import { CLOSING_MS, minutesLeft, secondsLeft } from "../src/reels/countdown.js";
import { DEMO_REELS, demoNumber } from "../src/reels/demo.js";
import { COLOURS, colourOf, initials } from "../src/reels/faces.js";
import { SCENES } from "../src/reels/scenes.js";
import { fit, listed, middle, rowWidth } from "../src/reels/tv/fit.js";
import { wanted } from "../src/reels/tv/keys.js";
import { absent, fewOf, notYet } from "../src/reels/tv/lobby.js";
import { moves, standings } from "../src/reels/tv/ranking.js";
import { STEPS, type Step, after, lasts, nameOf, reached, scoreAt, verdict, voteDelay } from "../src/reels/tv/steps.js";

describe("everything fits", () => {
  const box = { width: 790, height: 466 };
  const wish = { shape: 0.86, gap: 10, tallest: 200 };

  test("any number of seats stays within the box, and a cell for everyone", () => {
    for (let count = 0; count <= 100; count++) {
      const cells = fit(count, box, wish);
      expect(cells.columns * cells.rows, `${count}`).toBeGreaterThanOrEqual(count);
      expect(cells.columns * cells.width + (cells.columns - 1) * wish.gap).toBeLessThanOrEqual(box.width + 1e-6);
      expect(cells.rows * cells.height + (cells.rows - 1) * wish.gap).toBeLessThanOrEqual(box.height + 1e-6);
      expect(cells.height).toBeLessThanOrEqual(wish.tallest);
      expect(cells.width / cells.height).toBeCloseTo(wish.shape);
    }
  });

  test("more seats are never larger", () => {
    for (let count = 1; count < 100; count++) expect(fit(count + 1, box, wish).height).toBeLessThanOrEqual(fit(count, box, wish).height + 1e-9);
  });

  test("rows are even: no column that the rows do not need", () => {
    expect(fit(6, { width: 626, height: 300 }, { shape: 0.92, gap: 8, tallest: 150 })).toMatchObject({ columns: 3, rows: 2 });
    for (let count = 1; count <= 100; count++) {
      const { columns, rows } = fit(count, box, wish);
      expect(columns).toBe(Math.ceil(count / rows));
    }
  });

  test("a row's width holds its cells, and not one more", () => {
    for (let count = 1; count <= 60; count++) {
      const cells = fit(count, box, wish);
      const held = Math.floor((rowWidth(cells, wish.gap) + wish.gap) / (cells.width + wish.gap));
      expect(held).toBe(cells.columns);
    }
  });

  test("a list runs down as many columns as it needs", () => {
    const space = { width: 252, height: 500 };
    expect(listed(6, space, 48, 19.5)).toMatchObject({ columns: 1, rows: 6, height: 48 });
    expect(listed(50, space, 48, 19.5)).toMatchObject({ columns: 2, rows: 25, height: 20 });
    for (let count = 1; count <= 100; count++) {
      const { columns, rows, height } = listed(count, space, 48, 19.5);
      expect(columns * rows).toBeGreaterThanOrEqual(count);
      expect(rows * height).toBeLessThanOrEqual(space.height + 1e-6);
    }
  });

  test("the middle is shared out whole, and players always have a place in it", () => {
    for (const senders of [1, 10, 11, 24, 25, 100]) for (const players of [2, 24, 25, 100]) {
      const { slots, senders: names, players: faces } = middle(senders, players);
      expect(slots + names + faces).toBe(460);
      expect(faces).toBeGreaterThanOrEqual(200);
    }
  });
});

describe("the ranking", () => {
  const entry = (player_id: string, score: number) => ({ player_id, score });

  test("equals share a rank, the next one skips it, and nobody moves without a reason", () => {
    const placed = standings([entry("a", 1), entry("b", 3), entry("c", 3), entry("d", 0)]);
    expect(placed.map(({ player_id, rank }) => `${rank}${player_id}`)).toEqual(["1b", "1c", "3a", "4d"]);
  });

  test("an empty game has an empty ranking", () => expect(standings([])).toEqual([]));

  test("moves say how many ranks somebody went up or down; who is new has not moved", () => {
    const moved = moves([entry("a", 5), entry("b", 4), entry("c", 3)], [entry("a", 5), entry("b", 4), entry("c", 6), entry("d", 0)]);
    expect([...moved]).toEqual([["c", 2], ["a", -1], ["b", -1], ["d", 0]]);
  });
});

test("after a first round nobody has fallen from a place that all had", () => {
  const all = (...scores: number[]) => scores.map((score, at) => ({ player_id: `p${at}`, score }));
  expect([...moves(all(0, 0, 0), all(0, 2, 1)).values()]).toEqual([0, 0, 0]);
  expect([...moves([], all(1, 0)).values()]).toEqual([0, 0]);
});

describe("the reveal", () => {
  const guess: Guess = { player_id: "p1", selections: ["s1", "s2"], correct: ["s1"], incorrect: ["s2"], points_gained: 1, score_total: 4 };

  test("has six steps in the order of the rules, and the last one waits", () => {
    const walked: Step[] = [];
    for (let step: Step | null = STEPS[0]; step; step = after(step)) walked.push(step);
    expect(walked).toEqual(["votes", "grow", "slots", "judge", "scores", "clear"]);
    expect(walked.map((step) => lasts(step, 5) !== null)).toEqual([true, true, true, true, true, false]);
  });

  test("nothing is reached before it begins", () => {
    expect(STEPS.map((step) => reached(null, step))).toEqual(STEPS.map(() => false));
    expect(STEPS.map((step) => reached("slots", step))).toEqual([true, true, true, false, false, false]);
  });

  test("votes are judged from the fourth step on", () => {
    expect(STEPS.map((step) => verdict(guess, "s1", step))).toEqual([null, null, null, "right", "right", "right"]);
    expect(STEPS.map((step) => verdict(guess, "s2", step))).toEqual([null, null, null, "wrong", "wrong", "wrong"]);
  });

  test("points count from the fifth", () => {
    expect(STEPS.map((step) => scoreAt(guess, step))).toEqual([3, 3, 3, 3, 4, 4]);
    expect(scoreAt(guess, null)).toBe(3);
  });

  test("every vote has appeared before the true senders grow", () => {
    for (const voters of [1, 2, 8, 50, 100]) for (let at = 0; at < voters; at++) {
      expect(voteDelay(at, voters)).toBeLessThan(lasts("votes", voters)! - 380);
      if (at > 0) expect(voteDelay(at, voters)).toBeGreaterThanOrEqual(voteDelay(at - 1, voters));
    }
  });

  test("the same item of another round is another reveal", () => {
    const results = { round_id: "r1", item_id: "i1", true_senders: [], players: [] };
    expect(nameOf(results)).not.toBe(nameOf({ ...results, round_id: "r2" }));
  });
});

describe("the lobby", () => {
  const seat = (name: string, status: "free" | "taken", active = true): MasterSeat => ({
    player_id: name, name, avatar_url: null, status, here: status === "taken", score_total: 0, points_round: 0, sender_id: null, is_sender_bound: false, active, user_id: null,
  });

  test("says why it cannot begin yet", () => {
    expect(notYet([])).toEqual({ why: "few", have: 0 });
    expect(notYet([seat("Ana", "taken"), seat("Bo", "taken", false)])).toEqual({ why: "few", have: 1 });
    expect(notYet([seat("Ana", "taken"), seat("Bo", "free"), seat("Chi", "free", false)])).toEqual({ why: "free", names: ["Bo"] });
    expect(notYet([seat("Ana", "taken"), seat("Bo", "taken")])).toBeNull();
  });

  test("free seats can be left out when two are left", () => {
    expect(absent([seat("Ana", "taken"), seat("Bo", "free")])).toEqual([]);
    expect(absent([seat("Ana", "taken"), seat("Bo", "free"), seat("Chi", "taken"), seat("Di", "free", false)]).map(({ name }) => name)).toEqual(["Bo"]);
  });

  test("names a few and counts the rest", () => {
    expect(fewOf(["a", "b", "c"], 2)).toEqual({ names: ["a", "b", "c"], more: 0 });
    expect(fewOf(["a", "b", "c", "d"], 2)).toEqual({ names: ["a", "b"], more: 2 });
  });
});

describe("keys", () => {
  const press = (key: string, within: string | null = null, more: object = {}) =>
    wanted({ key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, repeat: false, ...more, target: { closest: (selector: string) => (within !== null && selector.split(", ").includes(within) ? {} : null) } as unknown as EventTarget });

  test("mean what the help says", () => {
    for (const key of [" ", "Enter", "ArrowRight"]) expect(press(key), key).toBe("next");
    for (const [key, what] of [["f", "force"], ["F", "force"], ["o", "open"], ["l", "fullscreen"], ["?", "help"]] as const) expect(press(key)).toBe(what);
    expect(press("x")).toBeNull();
  });

  test("belong to the field, the button or the dialog that has the focus", () => {
    for (const key of [" ", "Enter", "ArrowRight", "f"]) expect(press(key, "input")).toBeNull();
    for (const key of [" ", "Enter", "ArrowRight", "f"]) expect(press(key, "dialog")).toBeNull();
    expect(press(" ", "button")).toBeNull();
    expect(press("Enter", "a")).toBeNull();
    expect(press("ArrowRight", "button")).toBe("next");
  });

  test("held down, or with a modifier, mean nothing", () => {
    for (const more of [{ repeat: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }, { isComposing: true }]) expect(press(" ", null, more)).toBeNull();
  });
});

describe("time", () => {
  test("a countdown says one until the very end, and never less than nothing", () => {
    expect([10_000, 9_001, 9_000, 1, 0, -5_000].map((left) => secondsLeft(left, 0))).toEqual([10, 10, 9, 1, 0, 0]);
    expect(secondsLeft(null, 0)).toBeNull();
    expect(secondsLeft(undefined, 0)).toBeNull();
  });

  test("the end is announced in its last ten minutes", () => {
    expect(minutesLeft(null, 0)).toBeNull();
    expect(minutesLeft(CLOSING_MS + 1, 0)).toBeNull();
    expect([CLOSING_MS, 60_001, 60_000, 5, -5].map((left) => minutesLeft(left, 0))).toEqual([10, 2, 1, 1, 1]);
  });
});

describe("demo reels", () => {
  const here = "https://parlor.example";

  test("are known by their address, on this site alone", () => {
    expect(demoNumber(`${here}/reels/demo/1`, here)).toBe(1);
    expect(demoNumber(`${here}/reels/demo/24/?x=1`, here)).toBe(24);
    for (const url of [`${here}/reels/demo/0`, `${here}/reels/demo/25`, `${here}/reels/demo/x`, `${here}/reels/demo/1/2`, "https://elsewhere.example/reels/demo/1", "http://parlor.example/reels/demo/1", "not an address"]) {
      expect(demoNumber(url, here), url).toBeNull();
    }
  });

  test("there is a scene for each", () => {
    expect(SCENES.length).toBe(DEMO_REELS);
    for (const { actors } of SCENES) expect(actors.length).toBeGreaterThan(2);
  });
});

describe("faces", () => {
  test("letters of a name", () => {
    for (const [name, letters] of [["Camille", "C"], ["ana maria lópez", "AL"], ["  Bo_b ", "BB"], ["山田 太郎", "山太"], ["👩‍🚀 Zoé", "👩‍🚀Z"], ["", ""], ["...", ""]] as const) expect(initials(name), name).toBe(letters);
  });

  test("neighbours differ, and a colour stays", () => {
    for (let at = 1; at < 60; at++) expect(colourOf(`p${at}`)).not.toBe(colourOf(`p${at + 1}`));
    for (const id of ["", "abc", "p99999999999999999999", "é"]) {
      expect(colourOf(id)).toBe(colourOf(id));
      expect(colourOf(id)).toBeLessThan(COLOURS);
      expect(colourOf(id)).toBeGreaterThanOrEqual(0);
    }
  });
});
