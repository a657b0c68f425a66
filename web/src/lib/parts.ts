// A list too long for one message, as several. The server closes the connection over a message that is too large.

/** A little under what the server takes in one message. */
export const PART_BYTES_MAX = 56_000;

/** In order; an item that is too large by itself is a part of its own, so callers bound their items. */
export function inParts<T>(items: readonly T[], bytesMax = PART_BYTES_MAX): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const bytes = weight(item);
    if (bytes > room) {
      parts.push([]);
      room = bytesMax;
    }
    parts.at(-1)!.push(item);
    room -= bytes;
  }
  return parts;
}

/** What an item weighs inside a JSON message, with the comma after it. */
const weight = (item: unknown) => new TextEncoder().encode(JSON.stringify(item)).length + 1;
