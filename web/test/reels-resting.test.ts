import { describe, expect, test } from "vitest";
import { dice } from "../src/reels/setup/dice.js";
import { chosenIn } from "../src/reels/setup/dropped.js";
import { FILES_MAX } from "../src/reels/setup/limits.js";
import { added } from "../src/reels/setup/pool.js";
import { type Resting, readBack, written } from "../src/reels/setup/resting.js";
import { NO_EDITS, merged, renamed, sendersOf, split, switched } from "../src/reels/setup/senders.js";

function setup(seed: string): Resting {
  const chance = dice(seed);
  const names = ["Ana", "ana", "Bo", "__proto__", "Zoé 🌸", '"quoted"', "健太"];
  const found = Array.from({ length: 3 }, (_, at) => ({
    file: `message_${at}.json`,
    origin: { key: `chat${chance.roll(2)}`, title: "Chat", from: "chat" as const },
    trouble: null,
    people: names.slice(0, chance.roll(7)),
    shares: Array.from({ length: chance.roll(40) }, () => ({ url: `https://www.instagram.com/reel/r${chance.roll(30)}/`, by: names[chance.roll(7)]! })),
    rejected: { noLink: { count: 3, examples: [] } },
  }));
  const { chats, reports } = added([], found);
  const senders = sendersOf(chats, NO_EDITS);
  const edits = switched(split(renamed(merged(NO_EDITS, senders.slice(0, 2)), "=bo", "B"), "ana"), senders.slice(-1).map(({ key }) => key), false);
  return { chats, reports, edits, seed, wanted: 1 + chance.roll(5), title: "Friday", timer: 30, extras: ["Guest"], played: ["ig:r1"], skipPlayed: chance.roll(2) === 0 };
}

test("a setup comes back as it was", () => {
  for (let seed = 0; seed < 50; seed++) expect(readBack(written(setup(`${seed}`))), `seed ${seed}`).toEqual(setup(`${seed}`));
});

test("each address and each name is written once", () => {
  const found = { file: "f", origin: { key: "k", title: "t", from: "chat" as const }, trouble: null, people: [], rejected: {}, shares: Array.from({ length: 5000 }, (_, at) => ({ url: `https://www.instagram.com/reel/${at % 50}/`, by: `A name of some length ${at % 100}` })) };
  const text = written({ ...setup("x"), ...added([], [found]) });
  expect(text.split("A name of some length 7\"")).toHaveLength(2);
});

test.each([
  ["nothing", null],
  ["an empty text", ""],
  ["no JSON", "{"],
  ["something else", "5"],
  ["another version", '{"version":0}'],
  ["half of it", '{"version":1,"chats":[]}'],
  ["wrong shapes", '{"version":1,"chats":5,"urls":[],"names":[],"edits":{},"reports":[],"extras":[],"played":[]}'],
])("%s is no setup", (_, text) => expect(readBack(text)).toBeNull());

test("what is no address of the web does not come back", () => {
  const text = written(setup("1")).replaceAll("https://www.instagram.com/reel/r1/", "javascript:alert(1)");
  expect(JSON.stringify(readBack(text)!.chats)).not.toContain("javascript");
});

describe("what is dropped", () => {
  const leaf = (fullPath: string) => ({ isDirectory: false, name: fullPath.split("/").at(-1), fullPath, file: (give: (file: File) => void) => give(new File(["x"], fullPath.split("/").at(-1)!)) });
  /** A folder gives its entries two at a time, as browsers give a hundred. */
  const folder = (fullPath: string, entries: unknown[]) => ({ isDirectory: true, fullPath, createReader: () => {
    let at = 0;
    return { readEntries: (give: (some: unknown[]) => void) => give(entries.slice(at, (at += 2))) };
  } });
  const drop = (...entries: unknown[]) => chosenIn({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [new File(["x"], "plain.json")] } as unknown as DataTransfer);

  test("files are taken, whatever they are called", async () => {
    expect((await drop(leaf("/a.json"), leaf("/photo.jpg"))).map(({ name }) => name)).toEqual(["a.json", "photo.jpg"]);
  });

  test("of a folder the chats are taken, with their place", async () => {
    const inbox = folder("/export", [leaf("/export/readme.txt"), folder("/export/gang", [leaf("/export/gang/message_1.json"), leaf("/export/gang/1.jpg"), leaf("/export/gang/message_2.json")]), leaf("/export/profile.json"), leaf("/export/list.csv")]);
    expect((await drop(inbox)).map(({ name }) => name)).toEqual(["export/gang/message_1.json", "export/gang/message_2.json", "export/list.csv"]);
  });

  test("a folder without end has an end", async () => {
    const huge = folder("/e", Array.from({ length: FILES_MAX + 50 }, (_, at) => leaf(`/e/message_${at}.json`)));
    expect((await drop(huge)).length).toBe(FILES_MAX + 1);
  });

  test("where a browser gives no entries, its files are taken", async () => {
    expect((await drop(null)).map(({ name }) => name)).toEqual(["plain.json"]);
  });
});
