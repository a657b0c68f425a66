import type { ReelsMe, Screen, SeatWords } from "parlor-sdk/reels";
import { describe, expect, test } from "vitest";
import { whyNoCamera } from "../src/reels/phone/camera.js";
import { Pace } from "../src/reels/phone/pace.js";
import { type Before, gain, placeOf, remembered } from "../src/reels/phone/points.js";
import { shownFor } from "../src/reels/phone/screen.js";
import { type Stroke, draw, onPaper } from "../src/reels/phone/strokes.js";
import { earlierGame, forgotten, visited } from "../src/reels/phone/visits.js";
import { en } from "../src/reels/phone/words/en.js";
import { fr } from "../src/reels/phone/words/fr.js";
import { ja } from "../src/reels/phone/words/ja.js";

const seat = (player_id: string, score_total: number): SeatWords => ({ player_id, name: player_id, avatar_url: null, status: "taken", here: true, score_total, points_round: 0 });

function view(status: string, scores: Record<string, number>, item_id: string | null = "i1", phase = "game"): Screen {
  return {
    code: "ABCD2345", phase, status, rounds_total: 2, current_round_id: "r1", round_number: 1, current_item_index: 0, items_total: 4, vote_seconds: null,
    players_visible: Object.entries(scores).map(([id, score]) => seat(id, score)),
    broadcasts: item_id === null ? {} : { NEW_ITEM: { round_id: "r1", item_id, item_index: 0 } },
  };
}

const me = (more: Partial<ReelsMe> = {}): ReelsMe => ({ user_id: "u1", host: false, player_id: "p1", expected: false, selections: null, slot_invalidated: null, ...more });

describe("which picture is shown", () => {
  test.each<[string, string, Partial<ReelsMe>, string]>([
    ["lobby", "idle", {}, "lobby"],
    ["lobby", "idle", { player_id: null }, "seats"],
    ["game", "idle", {}, "idle"],
    ["game", "vote", { expected: true }, "vote"],
    ["game", "vote", { expected: false }, "next"],
    ["game", "vote", { player_id: null }, "seats"],
    ["game", "reveal_wait", {}, "reveal"],
    ["game", "round_recap", {}, "recap"],
    ["over", "idle", {}, "over"],
    ["over", "idle", { player_id: null }, "over"],
  ])("in %s and %s, as %o, it is %s", (phase, status, who, shown) => {
    expect(shownFor(view(status, { p1: 0 }, null, phase), me(who))).toBe(shown);
  });
});

describe("own points", () => {
  /** Shows one view after the other, and says what was won after each. */
  function played(...shown: [Screen, ReelsMe][]): (number | null)[] {
    let before: Before | null = null;
    return shown.map(([view, me]) => {
      before = remembered(before, view, me);
      return gain(before, view, me.player_id)?.points ?? null;
    });
  }
  const voting = me({ expected: true });
  const voted = me({ selections: ["s1"] });

  test("are what the total has more when the reel has ended, and nothing is said before", () => {
    expect(played(
      [view("idle", { p1: 3 }), me()],
      [view("vote", { p1: 3 }), voting],
      [view("reveal_wait", { p1: 3 }), voted],
      [view("idle", { p1: 5 }, "i2"), me()],
      [view("vote", { p1: 5 }, "i2"), voting],
      [view("reveal_wait", { p1: 5 }, "i2"), me()],
      [view("round_recap", { p1: 5 }, null), me()],
    )).toEqual([null, null, null, 2, null, null, 0]);
  });

  test("stay when the page was away during the reveal", () => {
    expect(played([view("vote", { p1: 0 }), voting], [view("idle", { p1: 1 }, "i2"), me()])).toEqual([null, 1]);
  });

  test("are not told to who came too late for the reel, nor about another seat", () => {
    expect(played([view("vote", { p1: 4 }), me({ expected: false })], [view("idle", { p1: 6 }, "i2"), me()])).toEqual([null, null]);
    expect(played([view("vote", { p1: 4, p2: 0 }), voting], [view("idle", { p1: 4, p2: 9 }, "i2"), me({ player_id: "p2" })])).toEqual([null, null]);
    expect(played([view("vote", { p1: 4 }), voting], [view("idle", { p1: 4 }, "i2"), me({ player_id: null })])).toEqual([null, null]);
  });

  test("a rank is shared by who has as many", () => {
    const seats = [seat("p1", 7), seat("p2", 5), seat("p3", 5), seat("p4", 0)];
    expect(["p1", "p2", "p3", "p4", "p9"].map((id) => placeOf(seats, id)?.rank ?? null)).toEqual([1, 2, 2, 4, null]);
  });
});

test("no more than three reactions pass in any second", () => {
  const pace = new Pace(3);
  const asked = [0, 100, 200, 300, 999, 1000, 1050, 1100, 1101, 2100];
  expect(asked.filter((time) => pace.allows(time))).toEqual([0, 100, 200, 1000, 1100, 2100]);
});

describe("a code that is used again", () => {
  const old = { code: "ABCD2345", ends: 1000, name: "Camille" };

  test("is another game when it ends at another time", () => {
    expect(earlierGame([old], "ABCD2345", 1000)).toBeNull();
    expect(earlierGame([old], "ABCD2345", 2000)).toBe(old);
    expect(earlierGame([old], "WXYZ2345", 2000)).toBeNull();
  });

  test("needs no word to who only looked", () => {
    expect(earlierGame([{ ...old, name: null }], "ABCD2345", 2000)).toBeNull();
  });

  test("is forgotten when asked, and one visit per code is kept, of few", () => {
    expect(forgotten([old], "ABCD2345")).toEqual([]);
    let visits = visited([], old);
    expect(visited(visits, { ...old })).toBe(visits);
    for (let at = 0; at < 50; at++) visits = visited(visits, { code: `CODE${at}`, ends: at, name: null });
    expect(visits).toHaveLength(20);
    expect(visited(visits, { code: "CODE49", ends: 7, name: "Bo" })).toHaveLength(20);
  });
});

describe("a drawing", () => {
  const box = { left: 10, top: 20, width: 150, height: 150 };

  test("is on the paper wherever that is, also when the finger is not", () => {
    expect(onPaper(10, 20, box)).toEqual([0, 0]);
    expect(onPaper(85, 95, box)).toEqual([150, 150]);
    expect(onPaper(-500, 9999, box)).toEqual([0, 300]);
  });

  test.each<[string, Stroke["points"], string[]]>([
    ["a tap is a dot", [[5, 5]], ["begin", "move 5 5", "line 5.01 5", "stroke"]],
    ["two points are a line", [[0, 0], [10, 0]], ["begin", "move 0 0", "line 10 0", "stroke"]],
    ["more are a curve through the middles", [[0, 0], [10, 0], [10, 10]], ["begin", "move 0 0", "curve 10 0 10 5", "line 10 10", "stroke"]],
    ["none is nothing", [], []],
  ])("%s", (_, points, expected) => {
    const done: string[] = [];
    draw({
      beginPath: () => void done.push("begin"), moveTo: (x, y) => void done.push(`move ${x} ${y}`), lineTo: (x, y) => void done.push(`line ${x} ${y}`),
      quadraticCurveTo: (...at) => void done.push(`curve ${at.join(" ")}`), stroke: () => void done.push("stroke"), fillRect: () => void done.push("fill"),
      strokeStyle: "", fillStyle: "", lineWidth: 1, lineCap: "butt", lineJoin: "miter",
    }, { colour: "#000", width: 4, points });
    expect(done).toEqual(expected);
  });
});

test.each([
  [null, "insecure"],
  ["NotAllowedError", "refused"],
  ["SecurityError", "refused"],
  ["NotFoundError", "missing"],
  ["OverconstrainedError", "missing"],
  ["NotReadableError", "busy"],
  ["SomethingNew", "missing"],
])("a camera that fails with %s is %s", (failure, why) => {
  expect(whyNoCamera(failure)).toBe(why);
});

describe("words", () => {
  test("English counts places as people do", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map((n) => en.idle.place(n, 200).split(" ")[2])).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th"]);
  });

  test.each(Object.entries({ en, fr, ja }))("%s says something for every word, also with a seat that has no name any more", (_, words) => {
    const empty: string[] = [];
    const look = (value: unknown, path: string) => {
      if (typeof value === "function") value = (value as (...with_: unknown[]) => string)(2, 3, 1, 2);
      if (typeof value === "string") {
        if (!value.trim() || /undefined|null|NaN/.test(value)) empty.push(path);
      } else for (const [name, inner] of Object.entries(value as object)) look(inner, `${path}.${name}`);
    };
    look(words, "");
    for (const [reason, say] of Object.entries(words.lost)) if (/null/.test(say(null))) empty.push(reason);
    expect(empty).toEqual([]);
  });
});
