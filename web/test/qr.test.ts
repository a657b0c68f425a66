import decode from "jsqr";
import { expect, test } from "vitest";
import { qr } from "../src/lib/qr.js";

function read(text: string): string | undefined {
  const modules = qr(text);
  const side = (modules.length + 8) * 4;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) {
    if (modules[Math.floor(y / 4) - 4]?.[Math.floor(x / 4) - 4]) pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
  }
  return decode(pixels, side, side)?.data;
}

test("a link is read back by a reader that is not ours, in every size we make", () => {
  for (let length = 1; length <= 213; length += 4) {
    const link = "https://parlor.example/poker/".padEnd(length, "lusab-babad-").slice(0, length);
    expect(read(link), link).toBe(link);
  }
});

test("letters of any script survive", () => expect(read("見積もり é ∞")).toBe("見積もり é ∞"));

test("what does not fit is refused", () => expect(() => qr("x".repeat(214))).toThrow(RangeError));
