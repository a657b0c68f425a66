import { describe, expect, test } from "vitest";
import { type Ballot, Ballots, type Verdict, sameChoice, toggled } from "../src/reels/phone/ballot.js";
import { verdictOf } from "../src/reels/phone/verdict.js";

/** A line to the server of which the test says when and how each vote is answered. */
class Line {
  readonly sent: string[] = [];
  readonly dropped: string[] = [];
  private answer: ((error: Verdict | null) => void) | null = null;
  readonly ballots = new Ballots({
    send: (ballot) => {
      this.sent.push(text(ballot));
      return new Promise((resolve, reject) => (this.answer = (error) => (error ? reject(error) : resolve())));
    },
    judge: (error) => error as Verdict,
    changed: () => {},
    dropped: (ballot, verdict) => void this.dropped.push(`${text(ballot)} ${verdict.verdict}`),
  });

  votes(...selections: string[]): void {
    this.ballots.cast({ round_id: "r1", item_id: "i1", selections });
  }

  async answers(error: Verdict | null = null): Promise<void> {
    const answer = this.answer;
    this.answer = null;
    expect(answer, "nothing is under way").not.toBeNull();
    answer!(error);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  get waits(): string | null {
    return this.ballots.waiting && text(this.ballots.waiting);
  }
}

const text = ({ item_id, selections }: Ballot) => `${item_id}:${selections.join("+")}`;

describe("votes on their way", () => {
  test("a vote waits until the server has it", async () => {
    const line = new Line();
    line.votes("s1");
    expect(line.waits).toBe("i1:s1");
    expect(line.ballots.taken).toBeNull();
    await line.answers();
    expect(line.waits).toBeNull();
    expect(text(line.ballots.taken!)).toBe("i1:s1");
  });

  test("of many taps while one is under way only the newest follows", async () => {
    const line = new Line();
    for (const name of ["s1", "s2", "s3", "s4"]) line.votes(name);
    await line.answers();
    await line.answers();
    expect(line.sent).toEqual(["i1:s1", "i1:s4"]);
    expect(line.waits).toBeNull();
  });

  test("a try that may help later is made again when the line is back, with the newest", async () => {
    const line = new Line();
    line.votes("s1");
    await line.answers({ verdict: "again" });
    expect(line.waits).toBe("i1:s1");
    expect(line.sent).toEqual(["i1:s1"]);
    line.ballots.wake();
    line.votes("s2");
    await line.answers();
    await line.answers();
    expect(line.sent).toEqual(["i1:s1", "i1:s1", "i1:s2"]);
    expect(line.waits).toBeNull();
  });

  test("too late is said once, for the newest, and that one is not sent after it", async () => {
    const line = new Line();
    line.votes("s1");
    line.votes("s2");
    await line.answers({ verdict: "late" });
    expect(line.sent).toEqual(["i1:s1"]);
    expect(line.dropped).toEqual(["i1:s2 late"]);
    expect(line.waits).toBeNull();
  });

  test("a vote for the next reel goes out although the last one was too late, which is said", async () => {
    const line = new Line();
    line.votes("s1");
    line.ballots.cast({ round_id: "r1", item_id: "i2", selections: ["s5"] });
    await line.answers({ verdict: "late" });
    await line.answers();
    expect(line.sent).toEqual(["i1:s1", "i2:s5"]);
    expect(line.dropped).toEqual(["i1:s1 late"]);
    expect(text(line.ballots.taken!)).toBe("i2:s5");
  });

  test("a choice that was refused does not take the better one after it along", async () => {
    const line = new Line();
    line.votes("s1", "s2");
    line.votes("s1");
    await line.answers({ verdict: "refused", reason: "too_many" });
    await line.answers();
    expect(line.sent).toEqual(["i1:s1+s2", "i1:s1"]);
    expect(line.dropped).toEqual([]);
  });

  test("what is forgotten while it is under way stays forgotten", async () => {
    const line = new Line();
    line.votes("s1");
    line.ballots.forget();
    await line.answers({ verdict: "late" });
    expect(line.waits).toBeNull();
    expect(line.sent).toHaveLength(1);
    expect(line.dropped).toEqual([]);
  });

  test("no idea is a vote too", async () => {
    const line = new Line();
    line.votes();
    await line.answers();
    expect(line.sent).toEqual(["i1:"]);
    expect(line.ballots.taken?.selections).toEqual([]);
  });
});

test.each<[string[], string, number, string[]]>([
  [[], "a", 1, ["a"]],
  [["a"], "b", 1, ["b"]],
  [["a"], "a", 1, ["a"]],
  [[], "a", 2, ["a"]],
  [["a"], "b", 2, ["a", "b"]],
  [["a", "b"], "c", 2, ["a", "b"]],
  [["a", "b"], "a", 2, ["b"]],
  [["a"], "a", 2, []],
])("%j and a tap on %s, of %i, are %j", (selections, sender, k, expected) => {
  expect(toggled(selections, sender, k)).toEqual(expected);
});

test("a full hand is the very same hand afterwards, so that the page can say so", () => {
  const hand = ["a", "b"];
  expect(toggled(hand, "c", 2)).toBe(hand);
});

test("the order of names does not make another choice", () => {
  expect(sameChoice(["a", "b"], ["b", "a"])).toBe(true);
  expect(sameChoice(["a"], ["b"])).toBe(false);
  expect(sameChoice([], null)).toBe(false);
  expect(sameChoice(null, null)).toBe(true);
});

test.each<[string, string | undefined, boolean, string]>([
  ["wrong_phase", "late", false, "late"],
  ["wrong_phase", "not_in_vote", false, "late"],
  ["conflict", "conflict", false, "late"],
  ["unavailable", undefined, true, "again"],
  ["interrupted", undefined, true, "again"],
  ["deleted", undefined, false, "gone"],
  ["expired", undefined, false, "gone"],
  ["closed", undefined, false, "gone"],
  ["room_not_found", undefined, false, "gone"],
  ["bad_request", "too_many", false, "refused"],
  ["forbidden", "not_expected_voter", false, "refused"],
  ["internal", undefined, false, "refused"],
])("a vote refused with %s (%s, again: %s) is %s", (code, reason, retry, verdict) => {
  expect(verdictOf({ code, retry, ...(reason !== undefined && { reason }) }).verdict).toBe(verdict);
});
