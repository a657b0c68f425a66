import { expect, test } from "vitest";
import { JPEG_BYTES_MAX, base64, fitted, isJpeg, middleSquare } from "../src/reels/phone/jpeg.js";

/** A picture whose JPEG has so many bytes at the best quality, and fewer with each worse one. */
function encoder(bytesAtBest: number) {
  const asked: number[] = [];
  const encode = async (quality: number) => {
    asked.push(quality);
    const jpeg = new Uint8Array(Math.max(4, Math.round(bytesAtBest * quality)));
    jpeg.set([0xff, 0xd8, 0xff, 0xe0]);
    return jpeg;
  };
  return { asked, encode };
}

test("what fits at once is taken at its best", async () => {
  const { asked, encode } = encoder(12_000);
  expect((await fitted(encode))?.length).toBeLessThanOrEqual(JPEG_BYTES_MAX);
  expect(asked).toHaveLength(1);
});

test("the quality falls until it fits, and not further", async () => {
  const { asked, encode } = encoder(80_000);
  const jpeg = await fitted(encode);
  expect(jpeg!.length).toBeLessThanOrEqual(JPEG_BYTES_MAX);
  expect(asked).toEqual([...asked].sort((a, b) => b - a));
  expect(80_000 * asked.at(-2)!).toBeGreaterThan(JPEG_BYTES_MAX);
});

test("exactly the bound fits, and one byte more does not", async () => {
  const of = (length: number) => async () => {
    const jpeg = new Uint8Array(length);
    jpeg.set([0xff, 0xd8, 0xff]);
    return jpeg;
  };
  expect((await fitted(of(JPEG_BYTES_MAX)))?.length).toBe(JPEG_BYTES_MAX);
  expect(await fitted(of(JPEG_BYTES_MAX + 1))).toBeNull();
});

test("what is too large at any quality, what cannot be encoded and what is no JPEG are nothing", async () => {
  expect(await fitted(encoder(10_000_000).encode)).toBeNull();
  expect(await fitted(async () => null)).toBeNull();
  expect(await fitted(async () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]))).toBeNull();
});

test("a JPEG is known by its first bytes", () => {
  expect(isJpeg(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))).toBe(true);
  expect(isJpeg(new Uint8Array([0xff, 0xd8]))).toBe(false);
  expect(isJpeg(new Uint8Array())).toBe(false);
});

test("bytes become base64, also many of them, and a whole picture stays below the largest frame", () => {
  expect(base64(new Uint8Array([0, 255, 16, 32]))).toBe("AP8QIA==");
  const large = Uint8Array.from({ length: JPEG_BYTES_MAX }, (_, at) => at % 256);
  expect(Uint8Array.from(atob(base64(large)), (letter) => letter.charCodeAt(0))).toEqual(large);
  expect(base64(large).length).toBeLessThan(64 * 1024 - 1024);
});

test.each([
  [640, 480, { x: 80, y: 0, side: 480 }],
  [480, 640, { x: 0, y: 80, side: 480 }],
  [300, 300, { x: 0, y: 0, side: 300 }],
])("the middle of %i × %i is %o", (width, height, square) => {
  expect(middleSquare(width, height)).toEqual(square);
});
