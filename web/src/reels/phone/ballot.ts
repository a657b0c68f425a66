// What this phone chose for the reel that is shown, and how far that has got. One vote is under way at a time, and behind
// it waits only the newest: whoever taps five times in a tunnel is heard once, with the fifth.
//
// "Sent" is said when the server has said so, never before.

export interface Ballot {
  readonly round_id: string;
  readonly item_id: string;
  readonly selections: readonly string[];
}

/** What became of a vote: `again` when another try may help, `late` when its reel is closed, `refused` with a word for why. */
export type Verdict = { readonly verdict: "again" } | { readonly verdict: "late" } | { readonly verdict: "gone" } | { readonly verdict: "refused"; readonly reason: string };

export interface Answers {
  /** Resolves when the server has kept it. */
  send(ballot: Ballot): Promise<void>;
  /** Why it was not taken. */
  judge(error: unknown): Verdict;
  /** Called after every change, with what waits for the server, so that it can be shown and kept for a reload. */
  changed(waiting: Ballot | null): void;
  /** Called when a vote is given up. */
  dropped(ballot: Ballot, verdict: Verdict): void;
}

export const sameReel = (a: Ballot, b: { round_id: string; item_id: string }): boolean => a.round_id === b.round_id && a.item_id === b.item_id;

export const sameChoice = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((sender) => b.includes(sender)));

/** A tap on a choice. With one to find, a tap is the vote, and a second one on the same name changes nothing: thumbs
    tap twice. With more, a tap takes the name or gives it back, and a full hand takes no further one. */
export function toggled(selections: readonly string[], sender_id: string, k: number): readonly string[] {
  if (k === 1) return [sender_id];
  if (selections.includes(sender_id)) return selections.filter((chosen) => chosen !== sender_id);
  return selections.length < k ? [...selections, sender_id] : selections;
}

export class Ballots {
  /** What the person wants, as long as the server has not said that it has it. */
  waiting: Ballot | null = null;
  /** The last that the server took from us. */
  taken: Ballot | null = null;
  private underWay = false;

  constructor(private readonly answers: Answers) {}

  cast(ballot: Ballot): void {
    this.put(ballot);
    void this.go();
  }

  /** Tries again what waits: the line is back. */
  wake(): void {
    void this.go();
  }

  /** Forgets what waits, without a word. */
  forget(): void {
    this.taken = null;
    this.put(null);
  }

  private put(waiting: Ballot | null): void {
    this.waiting = waiting;
    this.answers.changed(waiting);
  }

  private async go(): Promise<void> {
    if (this.underWay) return;
    this.underWay = true;
    try {
      while (this.waiting !== null) if (!(await this.one(this.waiting))) return;
    } finally {
      this.underWay = false;
    }
  }

  /** Whether to go on with what waits by now. */
  private async one(ballot: Ballot): Promise<boolean> {
    try {
      await this.answers.send(ballot);
      if (this.waiting === null) return true; // Forgotten meanwhile.
      this.taken = ballot;
      if (this.waiting === ballot) this.put(null);
      else this.answers.changed(this.waiting);
      return true;
    } catch (error) {
      const verdict = this.answers.judge(error);
      if (verdict.verdict === "again") return false;
      const newest = this.waiting;
      if (newest === null) return true;
      if (!sameReel(newest, ballot)) this.answers.dropped(ballot, verdict);
      // A newer choice for the same reel meets the same closed door, unless the choice itself was what was wrong.
      else if (newest === ballot || verdict.verdict !== "refused") {
        this.put(null);
        this.answers.dropped(newest, verdict);
      }
      return true;
    }
  }
}
