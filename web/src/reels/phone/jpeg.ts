// A picture small enough to be sent: as good as fits, and never larger than the server takes.

/** The server's bound. */
export const JPEG_BYTES_MAX = 40_000;
/** Width and height. */
export const PICTURE_PIXELS = 300;

/** From what nobody tells apart from the original to what still shows a face. */
const QUALITIES = [0.92, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15, 0.05] as const;

/** Null when the browser cannot make a JPEG of it. */
export type Encode = (quality: number) => Promise<Uint8Array | null>;

/** The best that fits; null when nothing does. */
export async function fitted(encode: Encode, bytesMax = JPEG_BYTES_MAX): Promise<Uint8Array | null> {
  for (const quality of QUALITIES) {
    const jpeg = await encode(quality);
    if (jpeg === null || !isJpeg(jpeg)) return null;
    if (jpeg.length <= bytesMax) return jpeg;
  }
  return null;
}

/** A browser that does not know JPEG makes a PNG without a word. */
export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** As the server reads it. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The largest square in the middle. */
export function middleSquare(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}
