// A QR code of a short text: byte mode, error correction M, versions 1 to 10 (up to 213 bytes), after ISO/IEC 18004.
// The result is a square of booleans, dark is true; the quiet zone is the drawer's business.

/** Per version: error correction bytes in a block, then the data bytes of each block (level M). */
const BLOCKS: readonly (readonly [number, readonly number[]])[] = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
  [26, [43, 43, 43, 43, 44]],
];

/** Centres of the small squares, per version. */
const ALIGNMENT: readonly (readonly number[])[] = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

export function qr(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex(([, blocks], at) => bytes.length + (at < 9 ? 2 : 3) <= sum(blocks)) + 1;
  if (version === 0) throw new RangeError("too long for a small QR code");
  const [correction, blocks] = BLOCKS[version - 1]!;
  const stream = interleave(frame(bytes, version, sum(blocks)), blocks, correction);
  const candidates = MASKS.map((mask, at) => draw(version, stream, mask, at));
  return candidates.reduce((best, next) => (penalty(next) < penalty(best) ? next : best));
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** Mode, length, the bytes, an end, and padding up to the capacity. */
function frame(bytes: Uint8Array, version: number, capacity: number): number[] {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const out: number[] = [];
  for (let at = 0; at < bits.length; at += 8) out.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + bit, 0));
  for (let pad = 0xec; out.length < capacity; pad ^= 0xec ^ 0x11) out.push(pad);
  return out;
}

function interleave(data: number[], blocks: readonly number[], correction: number): number[] {
  let at = 0;
  const parts = blocks.map((length) => data.slice(at, (at += length)));
  const checks = parts.map((part) => remainder(part, correction));
  const out: number[] = [];
  for (let i = 0; i < Math.max(...blocks); i++) for (const part of parts) if (i < part.length) out.push(part[i]!);
  for (let i = 0; i < correction; i++) for (const check of checks) out.push(check[i]!);
  return out;
}

/** Multiplication in the field of 256 elements that the standard uses. */
function times(a: number, b: number): number {
  let product = 0;
  for (; b; b >>= 1, a = (a << 1) ^ (a & 0x80 ? 0x11d : 0)) if (b & 1) product ^= a;
  return product;
}

/** Reed–Solomon: what is left of the data after division by the generator of that degree. */
function remainder(data: readonly number[], degree: number): number[] {
  let generator = [1];
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    const next = [...generator, 0];
    generator.forEach((factor, at) => (next[at + 1]! ^= times(factor, root)));
    generator = next;
  }
  const rest = [...data, ...new Array<number>(degree).fill(0)];
  for (let at = 0; at < data.length; at++) {
    const lead = rest[at]!;
    if (lead) generator.forEach((factor, i) => (rest[at + i]! ^= times(factor, lead)));
  }
  return rest.slice(data.length);
}

function draw(version: number, stream: readonly number[], mask: (x: number, y: number) => boolean, maskNumber: number): boolean[][] {
  const size = 17 + 4 * version;
  const dark = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (x: number, y: number, on: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y]![x] = on;
    fixed[y]![x] = true;
  };

  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
    }
  }
  const centres = ALIGNMENT[version - 1]!;
  for (const cy of centres) for (const cx of centres) {
    // Three corners belong to the large squares.
    if ((cx === 6 && (cy === 6 || cy === size - 7)) || (cx === size - 7 && cy === 6)) continue;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }
  formatBits(maskNumber).forEach((on, i) => {
    // Once around the upper left square, once along the two others.
    if (i < 6) set(8, i, on);
    else if (i < 8) set(8, i + 1, on);
    else if (i === 8) set(7, 8, on);
    else set(14 - i, 8, on);
    if (i < 8) set(size - 1 - i, 8, on);
    else set(8, size - 15 + i, on);
  });
  set(8, size - 8, true);
  if (version >= 7) {
    versionBits(version).forEach((on, i) => {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
      set(a, b, on);
      set(b, a, on);
    });
  }

  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) for (const x of [right, right - 1]) {
      const upward = ((right + 1) & 2) === 0;
      const y = upward ? size - 1 - step : step;
      if (fixed[y]![x]) continue;
      const on = ((stream[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
      dark[y]![x] = (on === 1) !== mask(x, y);
      bit += 1;
    }
  }
  return dark;
}

/** Level M and the mask, with their check bits; lowest bit first. */
function formatBits(mask: number): boolean[] {
  let rest = mask;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  return Array.from({ length: 15 }, (_, i) => ((bits >> i) & 1) === 1);
}

function versionBits(version: number): boolean[] {
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  return Array.from({ length: 18 }, (_, i) => ((bits >> i) & 1) === 1);
}

/** How hard it is to read: long runs, blocks, false finder squares and an uneven balance. */
function penalty(dark: readonly (readonly boolean[])[]): number {
  const size = dark.length;
  let points = 0;
  let on = 0;
  const lines = [dark, dark.map((_, x) => dark.map((row) => row[x]!))];
  for (const line of lines.flat()) {
    let run = 0;
    for (let i = 0; i < size; i++) {
      run = i > 0 && line[i] === line[i - 1] ? run + 1 : 1;
      if (run === 5) points += 3;
      else if (run > 5) points += 1;
    }
    const text = line.map(Number).join("");
    points += 40 * (text.split(/(?=10111010000|00001011101)/).length - 1);
  }
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) {
    if (dark[y]![x]) on += 1;
    if (x && y && dark[y]![x] === dark[y - 1]![x] && dark[y]![x] === dark[y]![x - 1] && dark[y]![x] === dark[y - 1]![x - 1]) points += 3;
  }
  return points + Math.floor(Math.abs((on * 20) / (size * size) - 10)) * 10;
}
