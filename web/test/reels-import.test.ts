import { describe, expect, test } from "vitest";
import type { Found } from "../src/reels/setup/found.js";
import { FILES_MAX } from "../src/reels/setup/limits.js";
import { added } from "../src/reels/setup/pool.js";
import { type Progress, readAll } from "../src/reels/setup/reading.js";

const broken = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
const url = (id: string) => `https://www.instagram.com/reel/${id}/`;
const source = (name: string, ...parts: BlobPart[]) => ({ name, blob: new Blob(parts) });
const read = async (name: string, ...parts: BlobPart[]): Promise<Found> => (await readAll([source(name, ...parts)], () => {}))[0]!;
const counts = ({ rejected }: Found) => Object.fromEntries(Object.entries(rejected).map(([reason, { count }]) => [reason, count]));

const message = (sender_name: string, link?: string) => ({ sender_name, timestamp_ms: 1700000000000, content: "secret words", ...(link ? { share: { link, share_text: "secret words" } } : {}) });

describe("the messenger's export", () => {
  const whole = {
    participants: [{ name: broken("Zoé") }, { name: "Bo" }, { name: broken("健太") }],
    messages: [
      message(broken("Zoé"), `${url("A")}?igsh=1`),
      message("Bo", "https://instagram.com/someone/reel/B"),
      message("Bo"),
      message("Bo", "https://www.tiktok.com/@x/video/1"),
      message("Bo", "https://www.instagram.com/someone"),
      message("Bo", "javascript:alert(1)"),
      message("", url("C")),
      null,
      "what",
      { sender_name: "Bo", share: null },
      { sender_name: "Bo", share: { link: 5 } },
    ],
    title: broken("Les copains 🎉"),
    thread_path: "inbox/lescopains_123",
  };

  test("gives reels and senders, and says what it left out and why", async () => {
    const found = await read("message_1.json", JSON.stringify(whole));
    expect(found.origin).toEqual({ key: "inbox/lescopains_123", title: "Les copains 🎉", from: "chat" });
    expect(found.people).toEqual(["Zoé", "Bo", "健太"]);
    expect(found.shares).toEqual([{ url: url("A"), by: "Zoé" }, { url: url("B"), by: "Bo" }]);
    expect(counts(found)).toEqual({ noLink: 5, otherSite: 1, notReel: 1, badAddress: 1, noSender: 1 });
    expect(found.rejected.otherSite?.examples).toEqual(["https://www.tiktok.com/@x/video/1"]);
  });

  test("gives nothing that somebody wrote, and no time", async () => {
    const said = JSON.stringify(await read("message_1.json", JSON.stringify(whole)));
    expect(said).not.toContain("secret");
    expect(said).not.toContain("1700000000000");
  });

  test("gives few examples, however much was left out", async () => {
    const messages = Array.from({ length: 50 }, (_, at) => message("Bo", `https://example.com/${at}/${"x".repeat(300)}`));
    const { rejected } = await read("message_1.json", JSON.stringify({ ...whole, messages }));
    expect(rejected.otherSite?.count).toBe(50);
    expect(rejected.otherSite?.examples).toHaveLength(3);
    for (const example of rejected.otherSite!.examples) expect(example.length).toBeLessThan(130);
  });
});

test.each([
  ["a photo", new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 1]), "unreadable"],
  ["half a JSON", '{"participants":[{"name":"Ana"}],"messages":[{"sender', "unreadable"],
  ["another JSON", '{"profile_user":[]}', "notExport"],
  ["messages of something else", '{"messages":[{"body":"x"}]}', "notExport"],
  ["an empty list", "[]", "notExport"],
  ["a page", "<!doctype html><title>message_1</title>", "html"],
  ["nothing", "", "notExport"],
  ["a letter", "Dear Ana, how are you?\nYours, Bo", "notExport"],
  ["a quote without end", '"https://example.com,Ana', "unreadable"],
  ["bytes that are no text", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), "unreadable"],
])("%s is told from an export", async (_, content, trouble) => {
  const found = await read("file", content);
  expect([found.trouble, found.shares]).toEqual([trouble, []]);
});

describe("lists that somebody made", () => {
  const two = [{ url: url("A"), by: "Ana" }, { url: "https://example.com/v?id=2", by: "Bo, the 2nd" }];
  test.each([
    ["with a header", `url,sender\n${url("A")}?igsh=1,Ana\nhttps://example.com/v?id=2,"Bo, the 2nd"\n`],
    ["without a header", `${url("A")},Ana\r\nhttps://example.com/v?id=2,"Bo, the 2nd"\r\n`],
    ["with more columns, in another order", `When;Sender;Link\n1;Ana;${url("A")}\n2;Bo, the 2nd;https://example.com/v?id=2`],
    ["with tabs and the mark of a spreadsheet", `\ufeffurl\tsender\n${url("A")}\tAna\nhttps://example.com/v?id=2\tBo, the 2nd`],
    ["as objects", JSON.stringify([{ url: url("A"), sender: "Ana" }, { url: "https://example.com/v?id=2", sender: "Bo, the 2nd" }])],
    ["as pairs", JSON.stringify([[url("A"), "Ana"], ["https://example.com/v?id=2", "Bo, the 2nd"]])],
  ])("%s", async (_, text) => {
    const found = await read("list", text);
    expect(found.trouble).toBeNull();
    expect(found.shares).toEqual(two);
    expect(found.origin).toEqual({ key: "list list", title: "list", from: "list" });
  });

  test("a spreadsheet's own letters are read", async () => {
    const text = `\ufeffurl,sender\n${url("A")},Zoé\n`;
    const units = Uint16Array.from(text, (letter) => letter.charCodeAt(0));
    expect((await read("list.csv", units)).shares).toEqual([{ url: url("A"), by: "Zoé" }]);
  });

  test("rows that lead nowhere are counted", async () => {
    const csv = await read("list.csv", `url,sender\n${url("A")},\n,Ana\njavascript:x,Ana\n${url("B")},Ana\n`);
    expect(csv.shares).toEqual([{ url: url("B"), by: "Ana" }]);
    expect(counts(csv)).toEqual({ noSender: 1, noLink: 1, badAddress: 1 });
    const json = await read("list.json", JSON.stringify([null, 5, ["x"], {}, { url: 5, sender: "Ana" }, [url("B"), "Ana"]]));
    expect(json.shares).toHaveLength(1);
    expect(counts(json)).toEqual({ noLink: 4, badAddress: 1 });
  });
});

test("a hundred thousand messages are read", async () => {
  const people = Array.from({ length: 12 }, (_, at) => `Person ${at}`);
  const files = Array.from({ length: 10 }, (_, file) => {
    const messages = Array.from({ length: 10_000 }, (_, at) => message(people[at % 12]!, at % 5 ? undefined : `${url(`f${file}m${at % 8000}`)}?igsh=${at}`));
    return source(`message_${file + 1}.json`, JSON.stringify({ participants: people.map((name) => ({ name })), messages, title: "Crowd", thread_path: "inbox/crowd" }));
  });
  const told: Progress[] = [];
  const found = await readAll(files, (progress) => told.push(progress));
  expect(told.map(({ done }) => done)).toEqual([...told.map(({ done }) => done)].sort((one, other) => one - other));
  expect(told.at(-1)).toMatchObject({ done: told.at(-1)!.total });
  const { chats, reports } = added([], found);
  expect(chats).toHaveLength(1);
  // Every fifth message has a link; those of the last two thousand come again from the same or another person.
  expect(found.reduce((sum, { shares }) => sum + shares.length, 0)).toBe(20_000);
  expect(reports.reduce((sum, { accepted, rejected }) => sum + accepted + (rejected.duplicate?.count ?? 0), 0)).toBe(20_000);
  expect(reports.reduce((sum, { rejected }) => sum + rejected.noLink!.count, 0)).toBe(80_000);
  expect(added(chats, found).reports.every(({ accepted }) => accepted === 0)).toBe(true);
});

test("a chat that was dropped with its folder is a part of an export", async () => {
  const whole = { participants: [], messages: [message("Ana", url("A"))], title: "Gang" };
  expect((await read("inbox/gang_1/message_1.json", JSON.stringify(whole))).origin).toEqual({ key: "inbox/gang_1", title: "Gang", from: "export" });
  expect((await read("message_1.json", JSON.stringify(whole))).origin).toEqual({ key: "Gang ", title: "Gang", from: "chat" });
});

test("an import can be stopped between files", async () => {
  const stop = new AbortController();
  const files = ["a", "b", "c"].map((name) => source(name, `${url(name)},Ana`));
  const told: string[] = [];
  await expect(readAll(files, ({ file }) => (told.push(file), file === "b" && stop.abort()), stop.signal)).rejects.toThrow();
  expect(told).toEqual(["a", "b"]);
});

test("more files than anybody has are not read", async () => {
  const found = await readAll(Array.from({ length: FILES_MAX + 2 }, (_, at) => source(`${at}.csv`, "x")), () => {});
  expect(found.filter(({ trouble }) => trouble === "tooManyFiles")).toHaveLength(2);
});
