import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { Budget, entriesOf, unpack } from "../src/reels/setup/archive.js";
import { FILE_BYTES_MAX, ZIP_BYTES_MAX, ZIP_ENTRIES_MAX } from "../src/reels/setup/limits.js";
import { readAll } from "../src/reels/setup/reading.js";

const chat = (title: string, ...senders: string[]) =>
  strToU8(JSON.stringify({
    participants: senders.map((name) => ({ name })),
    messages: senders.map((sender_name, at) => ({ sender_name, share: { link: `https://www.instagram.com/reel/${title}${at}/` } })),
    title,
    thread_path: `inbox/${title}_1`,
  }));

const INBOX = "your_instagram_activity/messages/inbox";
const good = () => zipSync({
  [`${INBOX}/gang_1/message_1.json`]: chat("gang", "Ana", "Bo", "Chi"),
  [`${INBOX}/gang_1/photos/1.jpg`]: [new Uint8Array(200).fill(7), { level: 0 }],
  [`${INBOX}/duo_2/message_1.json`]: [chat("duo", "Ana", "Bo"), { level: 0 }],
  "personal_information/profile.json": strToU8("{}"),
});
const read = (bytes: Uint8Array, name = "export.zip") => readAll([{ name, blob: new Blob([bytes as Uint8Array<ArrayBuffer>]) }], () => {});
const troubles = async (bytes: Uint8Array) => (await read(bytes)).map(({ trouble }) => trouble);

/** The archive with some bytes written over, at a signature's first place. */
function patched(bytes: Uint8Array, signature: number, change: (at: DataView, from: number) => void): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (let from = 0; from + 4 <= copy.length; from++) {
    if (view.getUint32(from, true) !== signature) continue;
    change(view, from);
    return copy;
  }
  throw new Error("there is no such signature");
}
const DIRECTORY = 0x02014b50;
const LOCAL = 0x04034b50;
const END = 0x06054b50;

test("of an export only the messages are opened", async () => {
  const found = await read(good());
  expect(found.map(({ file, trouble }) => [file, trouble])).toEqual([
    [`export.zip › ${INBOX}/gang_1/message_1.json`, null],
    [`export.zip › ${INBOX}/duo_2/message_1.json`, null],
  ]);
  expect(found.map(({ origin }) => origin?.key)).toEqual(["inbox/gang_1", "inbox/duo_1"]);
  expect(found.map(({ origin }) => origin?.from)).toEqual(["export", "export"]);
  expect(found[0]!.shares.map(({ by }) => by)).toEqual(["Ana", "Bo", "Chi"]);
});

test("an archive is known by what it is, not by its name", async () => {
  expect(await read(good(), "export.json")).toHaveLength(2);
  expect(await troubles(strToU8("this is no zip"))).toEqual(["notExport"]);
  expect(await troubles(new Uint8Array([0x50, 0x4b, 3, 4, 1, 2, 3]))).toEqual(["badZip"]);
});

test("a download that broke off is told, wherever it broke", async () => {
  const whole = good();
  for (const part of [0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) expect(await troubles(whole.slice(0, Math.floor(whole.length * part))), `${part}`).toEqual(["badZip"]);
  expect(await troubles(whole.slice(0, whole.length - 1))).toEqual(["badZip"]);
});

test("no broken archive is taken for good, and none breaks the page", async () => {
  const whole = good();
  for (let at = 0; at < whole.length; at += 3) {
    const bytes = whole.slice();
    bytes[at]! ^= 0x5a;
    const found = await read(bytes);
    expect(found.length, `byte ${at}`).toBeGreaterThan(0);
    for (const { trouble, shares } of found) if (trouble) expect(shares, `byte ${at}`).toEqual([]);
  }
});

test("damage inside a file is found", async () => {
  const bytes = patched(good(), DIRECTORY, (view, at) => view.setUint32(at + 16, view.getUint32(at + 16, true) ^ 1, true));
  expect(await troubles(bytes)).toEqual(["badZip", null]);
});

test("an encrypted file is told", async () => {
  const bytes = patched(good(), DIRECTORY, (view, at) => view.setUint16(at + 8, view.getUint16(at + 8, true) | 1, true));
  expect(await troubles(bytes)).toEqual(["encrypted", null]);
});

test("a way of packing that nobody here knows is told", async () => {
  const bytes = patched(good(), DIRECTORY, (view, at) => view.setUint16(at + 10, 14, true));
  expect(await troubles(bytes)).toEqual(["badZip", null]);
});

test("an archive without messages is told, and one of pages too", async () => {
  expect(await troubles(zipSync({ "a.txt": strToU8("x") }))).toEqual(["noMessages"]);
  expect(await troubles(zipSync({}))).toEqual(["noMessages"]);
  expect(await troubles(zipSync({ [`${INBOX}/gang_1/message_1.html`]: strToU8("<p>") }))).toEqual(["html"]);
  expect(await troubles(zipSync({ "__MACOSX/message_1.json": strToU8("{}") }))).toEqual(["noMessages"]);
});

describe("a bomb", () => {
  const zeros = zipSync({ "a/message_1.json": new Uint8Array(30 * 1024 * 1024), "b/message_1.json": chat("b", "Ana") }, { level: 9 });

  test("that swells too much is stopped, and nothing after it is opened", async () => {
    expect(zeros.length).toBeLessThan(100_000);
    expect(await troubles(zeros)).toEqual(["bomb", "bomb"]);
  });

  test("that says it is small is stopped at once", async () => {
    const liar = patched(zeros, DIRECTORY, (view, at) => view.setUint32(at + 24, 1000, true));
    expect(await troubles(liar)).toEqual(["bomb", "bomb"]);
  });

  test("that says it is huge is not begun", async () => {
    const huge = patched(zeros, DIRECTORY, (view, at) => view.setUint32(at + 24, FILE_BYTES_MAX + 1, true));
    expect(await troubles(huge)).toEqual(["tooLarge", null]);
  });

  test("of entries is not listed", async () => {
    const many = patched(large(good(), ZIP_ENTRIES_MAX + 1), END, () => {});
    expect(await troubles(many)).toEqual(["bomb"]);
  });

  test("of entries that all lie in one place stops when they are too much together", async () => {
    const file = new Blob([repeated(zipSync({ "message_1.json": strToU8("y".repeat(1_000_000)) }), 5) as Uint8Array<ArrayBuffer>]);
    const entries = await entriesOf(file);
    expect(entries).toHaveLength(5);
    const budget = new Budget();
    expect(budget.left).toBe(ZIP_BYTES_MAX);
    budget.left = 3_500_000;
    for (const entry of entries.slice(0, 3)) expect(await unpack(file, entry, budget)).toHaveLength(1_000_000);
    for (const entry of entries.slice(3)) await expect(unpack(file, entry, budget)).rejects.toMatchObject({ trouble: "bomb" });
  });
});

test("an archive in the form for large ones is read", async () => {
  const bytes = large(good());
  expect(await entriesOf(new Blob([bytes as Uint8Array<ArrayBuffer>]))).toHaveLength(4);
  expect((await read(bytes)).map(({ shares }) => shares.length)).toEqual([3, 2]);
});

test("entries outside of the file are not followed", async () => {
  expect(await troubles(patched(good(), DIRECTORY, (view, at) => view.setUint32(at + 42, 0x7fffffff, true)))).toEqual(["badZip", null]);
  expect(await troubles(patched(good(), DIRECTORY, (view, at) => view.setUint32(at + 20, 0x7fffffff, true)))).toEqual(["badZip", null]);
  expect(await troubles(patched(good(), LOCAL, (view, at) => view.setUint32(at, 0, true)))).toEqual(["unreadable"]);
  expect(await troubles(patched(good(), END, (view, at) => view.setUint32(at + 16, 0x7fffffff, true)))).toEqual(["badZip"]);
});

/** The same archive with the end that large archives have: the true numbers stand there, the old end has none. */
function large(bytes: Uint8Array, count?: number): Uint8Array {
  const end = bytes.length - 22;
  const old = new DataView(bytes.buffer, bytes.byteOffset + end, 22);
  const more = new DataView(new ArrayBuffer(56 + 20 + 22));
  more.setUint32(0, 0x06064b50, true);
  more.setBigUint64(4, 44n, true);
  for (const at of [24, 32]) more.setBigUint64(at, BigInt(count ?? old.getUint16(10, true)), true);
  more.setBigUint64(40, BigInt(old.getUint32(12, true)), true);
  more.setBigUint64(48, BigInt(old.getUint32(16, true)), true);
  more.setUint32(56, 0x07064b50, true);
  more.setBigUint64(64, BigInt(end), true);
  more.setUint32(72, 1, true);
  more.setUint32(76, END, true);
  for (const at of [84, 86]) more.setUint16(at, 0xffff, true);
  for (const at of [88, 92]) more.setUint32(at, 0xffffffff, true);
  const whole = new Uint8Array(end + more.byteLength);
  whole.set(bytes.subarray(0, end));
  whole.set(new Uint8Array(more.buffer), end);
  return whole;
}

/** A table of contents that names the one entry again and again. */
function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const end = bytes.length - 22;
  const from = new DataView(bytes.buffer, bytes.byteOffset + end).getUint32(16, true);
  const entry = bytes.subarray(from, end);
  const whole = new Uint8Array(from + entry.length * times + 22);
  whole.set(bytes.subarray(0, from));
  for (let at = 0; at < times; at++) whole.set(entry, from + at * entry.length);
  whole.set(bytes.subarray(end), from + entry.length * times);
  const last = new DataView(whole.buffer, from + entry.length * times);
  for (const at of [8, 10]) last.setUint16(at, times, true);
  last.setUint32(12, entry.length * times, true);
  return whole;
}
