// One step on a copy of the state, and its small words. What a step does to rooms is in `seats`, what it shows of them
// in `shows`, and everything about the connection itself in `connection`.

import type { Asked, Effect, Moment, Seat, State, Status, Token } from "./state.js";
import type { Failure, Request, Update, Words } from "./wire.js";

export const failure = (code: string, message: string, retry = false): Failure => ({ code, message, retry });

export const isSpace = (room: string): boolean => room.startsWith("space/");

export class Step {
  readonly out: Effect[] = [];

  constructor(readonly state: State, readonly moment: Moment) {}

  protected send(asked: Asked, verb: string, more: Partial<Request> = {}): void {
    const id = ++this.state.lastId;
    this.state.asked.set(id, asked);
    this.out.push({ effect: "send", text: JSON.stringify({ id, do: verb, ...more }) });
  }

  protected answer(token: Token, error?: Failure, ok?: Words): void {
    this.out.push(error ? { effect: "answer", token, error } : { effect: "answer", token, ok: ok ?? {} });
  }

  protected tell(room: string, update: Update): void {
    const seat = this.state.seats.get(room);
    if (seat && seat.stage !== "over") this.tellAnyway(room, update);
  }

  protected tellAnyway(room: string, update: Update): void {
    this.out.push({ effect: "tell", room, update });
  }

  protected status(status: Status): void {
    this.out.push({ effect: "status", status });
  }

  protected fail(seat: Seat, why: Failure): void {
    if (seat.entering !== null) this.answer(seat.entering, why);
    for (const act of seat.acts) this.answer(act.token, why);
    seat.entering = null;
    seat.acts = [];
  }

  protected failAll(why: Failure): void {
    for (const asked of this.state.asked.values()) if (asked.for === "ask") this.answer(asked.token, why);
    for (const question of this.state.questions.splice(0)) this.answer(question.token, why);
    for (const [room, seat] of this.state.seats) {
      this.fail(seat, why);
      // A space holds changes of its own that nobody will ever take.
      if (isSpace(room)) this.tellAnyway(room, { kind: "ended", reason: why.code });
    }
    this.state.asked.clear();
    this.state.seats.clear();
  }
}
