import { describe, expect, test } from "vitest";
import { dice } from "../src/reels/setup/dice.js";
import type { Found, Share } from "../src/reels/setup/found.js";
import { SHARES_MAX } from "../src/reels/setup/limits.js";
import { type Chat, added } from "../src/reels/setup/pool.js";
import { roundsOf } from "../src/reels/setup/rounds.js";
import { NO_EDITS, itemsOf, merged, renamed, sendersOf, silentIn, split, switched } from "../src/reels/setup/senders.js";

const url = (id: string, kind = "reel") => `https://www.instagram.com/${kind}/${id}/`;
const share = (by: string, id: string, kind?: string): Share => ({ by, url: url(id, kind) });
const file = (name: string, shares: Share[], more: Partial<Found> = {}): Found => ({ file: name, origin: { key: "gang", title: "The gang", from: "chat" }, trouble: null, people: [], shares, rejected: {}, ...more });
const chatOf = (...shares: Share[]): readonly Chat[] => added([], [file("f", shares)]).chats;
const short = (chats: readonly Chat[], edits = NO_EDITS) => sendersOf(chats, edits).map(({ name, reels, spellings }) => [name, reels, spellings.length]);

test("spellings that differ only by signs are one person, called as they are written most", () => {
  const chats = chatOf(share("camille_roux", "A"), share("Camille Roux", "B"), share("Camille Roux", "C"), share("@Camille.Roux", "D"), share("Bo", "A"));
  expect(short(chats)).toEqual([["Camille Roux", 4, 3], ["Bo", 1, 1]]);
});

test("the same reel from several people is one item with all of them, whatever the address", () => {
  const chats = chatOf(share("Ana", "A", "p"), share("Bo", "A"), share("bo", "A", "tv"), share("Ana", "B"));
  const senders = sendersOf(chats, NO_EDITS);
  expect(itemsOf(chats, senders, NO_EDITS)).toEqual([
    { reel: "ig:A", url: url("A"), by: ["=ana", "=bo"] },
    { reel: "ig:B", url: url("B"), by: ["=ana"] },
  ]);
});

describe("by hand", () => {
  const chats = chatOf(share("Ana", "A"), share("Ana", "B"), share("Annie", "B"), share("Annie", "C"), share("ana_", "D"), share("Bo", "E"));
  const [ana, annie, bo] = sendersOf(chats, NO_EDITS);

  test("people are merged, and each of their reels counts once", () => {
    const edits = merged(NO_EDITS, [ana!, annie!]);
    expect(short(chats, edits)).toEqual([["Ana", 4, 3], ["Bo", 1, 1]]);
    expect(itemsOf(chats, sendersOf(chats, edits), edits).every(({ by }) => by.length === 1)).toBe(true);
  });

  test("a spelling is taken out again, also one that was merged by itself", () => {
    const all = merged(NO_EDITS, [ana!, annie!]);
    expect(short(chats, split(all, "Annie"))).toEqual([["Ana", 3, 2], ["Annie", 2, 1], ["Bo", 1, 1]]);
    expect(short(chats, split(NO_EDITS, "ana_"))).toContainEqual(["ana_", 1, 1]);
    // Whoever was merged with all their spellings is one person again when these are taken out.
    const both = merged(NO_EDITS, [annie!, ana!]);
    expect(short(chats, both)).toEqual([["Ana", 4, 3], ["Bo", 1, 1]]);
    expect(short(chats, split(split(both, "Ana"), "ana_"))).toEqual(short(chats, NO_EDITS));
  });

  test("people are renamed, and an empty name gives the old one back", () => {
    const edits = renamed(NO_EDITS, bo!.key, "  Bo\n the  Great ");
    expect(short(chats, edits).at(-1)).toEqual(["Bo the Great", 1, 1]);
    expect(short(chats, renamed(edits, bo!.key, " ")).at(-1)).toEqual(["Bo", 1, 1]);
  });

  test("whoever is switched off sends nothing, and a reel they share has the others as answer", () => {
    const edits = switched(NO_EDITS, [annie!.key], false);
    const senders = sendersOf(chats, edits);
    expect(senders.map(({ active }) => active)).toEqual([true, false, true]);
    expect(itemsOf(chats, senders, edits).map(({ reel, by }) => [reel, by.length])).toEqual([["ig:A", 1], ["ig:B", 1], ["ig:D", 1], ["ig:E", 1]]);
    expect(sendersOf(chats, switched(edits, [annie!.key], true))).toEqual(sendersOf(chats, NO_EDITS));
  });

  test("names that mean something to the language mean nothing here", () => {
    const odd = chatOf(share("__proto__", "A"), share("constructor", "B"), share("toString", "C"));
    expect(short(odd, renamed(NO_EDITS, "=tostring", "x"))).toHaveLength(3);
  });
});

test("people of the chat who sent nothing may guess", () => {
  const { chats } = added([], [file("f", [share("Ana", "A")], { people: ["@ana", "Zoé", "Bo", "bo_"] })]);
  expect(silentIn(chats)).toEqual(["Bo", "Zoé"]);
  expect(silentIn(chats.map((chat) => ({ ...chat, on: false })))).toEqual([]);
});

describe("reports", () => {
  test("what the same person shared again is said, in this file and in another", () => {
    const { reports } = added([], [file("2", [share("Ana", "A"), share("Bo", "A")]), file("1", [share("Ana", "A"), share("@ana", "A", "p"), share("Ana", "B")])]);
    expect(reports.map(({ file, accepted, rejected }) => [file, accepted, rejected.duplicate?.count ?? 0])).toEqual([["1", 2, 1], ["2", 1, 1]]);
  });

  test("a file that was no export says so and adds no chat", () => {
    const { chats, reports } = added([], [{ ...file("x", []), origin: null, trouble: "notExport" }]);
    expect(chats).toEqual([]);
    expect(reports).toEqual([{ file: "x", chat: null, accepted: 0, trouble: "notExport", rejected: {} }]);
  });

  test("there is an end to what is kept", () => {
    const { chats, reports } = added([], [file("f", Array.from({ length: SHARES_MAX + 5 }, (_, at) => share("Ana", `r${at}`)))]);
    expect(chats[0]!.shares).toHaveLength(SHARES_MAX);
    expect(reports[0]!.rejected.tooMany?.count).toBe(5);
  });
});

test("of a whole export the liveliest group is played, files that were chosen always, and a choice stays", () => {
  const zip = (key: string, shares: Share[]) => file(key, shares, { origin: { key, title: key, from: "export" } });
  const duo = zip("duo", Array.from({ length: 9 }, (_, at) => share(at % 2 ? "Ana" : "Bo", `d${at}`)));
  const gang = zip("gang", [share("Ana", "1"), share("Bo", "2"), share("Chi", "3")]);
  const own = file("own", [share("Ana", "1")], { origin: { key: "own", title: "own", from: "chat" } });
  const { chats } = added([], [duo, gang, own]);
  expect(chats.map(({ key, on }) => [key, on])).toEqual([["duo", false], ["gang", true], ["own", true]]);
  const chosen = chats.map((chat) => ({ ...chat, on: chat.key === "duo" }));
  expect(added(chosen, [gang, duo]).chats.map(({ on }) => on)).toEqual([true, false, false]);
});

describe("the order of files and messages does not matter", () => {
  for (let seed = 1; seed <= 50; seed++) {
    test(`seed ${seed}`, () => {
      const chance = dice(`files ${seed}`);
      const names = ["Ana", "ana", "@ana", "Bo", "b.o", "Chi", "Zoé", "ZOÉ", "Dan B", "dan_b"];
      const found = Array.from({ length: 2 + chance.roll(5) }, (_, at) => {
        const shares = Array.from({ length: chance.roll(60) }, () => share(names[chance.roll(names.length)]!, `r${chance.roll(40)}`, ["reel", "p", "tv"][chance.roll(3)]));
        const key = `chat${chance.roll(3)}`;
        return file(`message_${at}.json`, shares, { people: chance.shuffled(names).slice(0, 4), origin: { key, title: `${key} ${chance.roll(2)}`, from: chance.roll(2) ? "export" : "chat" } });
      });
      const one = added([], found);
      const other = added([], chance.shuffled(found).map((file) => ({ ...file, shares: chance.shuffled(file.shares) })));
      expect(other.chats).toEqual(one.chats);
      expect(other.reports.map(({ file, accepted }) => [file, accepted])).toEqual(one.reports.map(({ file, accepted }) => [file, accepted]));
      const game = (chats: readonly Chat[]) => {
        const senders = sendersOf(chats, NO_EDITS);
        return roundsOf(itemsOf(chats, senders, NO_EDITS), senders.map(({ key }) => key), 3, String(seed));
      };
      expect(game(other.chats)).toEqual(game(one.chats));
      // Everything once more changes nothing.
      expect(added(one.chats, found).chats).toEqual(one.chats);
    });
  }
});
