import { expect, test } from "vitest";
import { nextPaper, onBoard, HEIGHT, NOTE, PAPERS, WIDTH } from "../src/playground/board.js";
import { farFrom, FIELD, inside, REACH } from "../src/playground/field.js";
import { masked, wordOf } from "../src/playground/frame.js";
import { COLOURS, freeColour, initials, likedColour } from "../src/playground/persons.js";
import { rowBefore, shownOrder } from "../src/playground/reorder.js";
import { dice } from "../src/reels/setup/dice.js";

test.each([
  ["Ana", "AN"],
  ["ana maria lópez", "AM"],
  ["健太", "健太"],
  ["  Bo  ", "BO"],
  ["👩‍👩‍👧 Smith", "👩‍👩‍👧S"],
  ["", ""],
])("the initials of %s are %s", (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test("a person likes one of the colours, and always the same", () => {
  expect(likedColour("k7wq2m9x")).toBe(likedColour("k7wq2m9x"));
  expect(new Set(Array.from({ length: 200 }, (_, at) => likedColour(`user-${at}`))).size).toBe(COLOURS);
});

test("who comes takes a colour that nobody has, as long as there is one", () => {
  expect(freeColour(3, new Set())).toBe(3);
  expect(freeColour(COLOURS - 1, new Set([COLOURS - 1, 0]))).toBe(1);
  expect(freeColour(2, new Set(Array.from({ length: COLOURS }, (_, at) => at)))).toBe(2);
});

test("a dragged row is shown after the row it was dragged behind, also when others change the list meanwhile", () => {
  const held = { id: "c", after: "a" };
  expect(shownOrder(["a", "b", "c", "d"], held)).toEqual(["a", "c", "b", "d"]);
  expect(shownOrder(["b", "a", "new", "c", "d"], held)).toEqual(["b", "a", "c", "new", "d"]);
  expect(shownOrder(["b", "c", "d"], held)).toEqual(["b", "c", "d"]);
  expect(shownOrder(["a", "b", "d"], held)).toEqual(["a", "b", "d"]);
  expect(shownOrder(["a", "b", "c"], { id: "c", after: null })).toEqual(["c", "a", "b"]);
});

test("a row passes another when its top is over that one's middle", () => {
  const others = [{ id: "a", height: 50 }, { id: "b", height: 100 }];
  expect([-10, 24, 26, 99, 101, 900].map((top) => rowBefore(others, top))).toEqual([null, null, "a", "a", "b", "b"]);
});

test("a note stays on the board as a whole, and every paper has its turn", () => {
  expect(onBoard({ x: -5.2, y: 9e9 })).toEqual({ x: 0, y: HEIGHT - NOTE.height });
  expect(onBoard({ x: WIDTH, y: 3.4 })).toEqual({ x: WIDTH - NOTE.width, y: 3 });
  const seen = new Set(["lemon"]);
  for (let colour = "lemon"; seen.size < PAPERS.length; ) seen.add((colour = nextPaper(colour)));
  expect(nextPaper("unheard of")).toBe("lemon");
});

test("frames are shown without secrets", () => {
  const text = '{"id":1,"do":"hello","with":{"user_key":"abc\\u0041","token" : "x.y.z","client":"page"}}';
  expect(masked(text)).toBe('{"id":1,"do":"hello","with":{"user_key":"•••","token" : "•••","client":"page"}}');
  expect(masked('{"id":2,"ok":{"host_key":"h"}}')).not.toContain('"h"');
  expect([text, '{"push":"changes"}', '{"id":1,"ok":{}}', "no"].map(wordOf)).toEqual(["hello", "changes", null, null]);
});

test("a coin is laid on the field and on nobody's feet, however many play", () => {
  for (let seed = 0; seed < 500; seed++) {
    const { roll } = dice(`coin ${seed}`);
    const players = Array.from({ length: 1 + (seed % 8) }, () => ({ x: roll(FIELD.width), y: roll(FIELD.height) }));
    const coin = farFrom(players, roll);
    expect(inside(coin), `seed ${seed}`).toEqual(coin);
    for (const { x, y } of players) expect(Math.hypot(coin.x - x, coin.y - y), `seed ${seed}`).toBeGreaterThan(REACH);
  }
});
