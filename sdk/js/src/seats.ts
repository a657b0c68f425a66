// Rooms as a step handles them: going in, coming back in, going out, and acts.
//
// One act of a room is under way at a time. The server remembers only the last number of a client, so a second
// one sent before the first is answered would make a lost first one look done.

import { backoff } from "./backoff.js";
import type { Input, Seat } from "./state.js";
import { Step, failure, isSpace } from "./step.js";
import type { Reply } from "./wire.js";

/** Acts of one room, and questions of one connection, that may wait for their turn. */
export const WAITING_MAX = 256;
/** How often in a row the server may say "try again" to the same act or entrance, or the line break under the same act. */
export const RETRIES_MAX = 8;

export class Seats extends Step {
  protected enter({ token, room, hostKey }: Extract<Input, { input: "enter" }>): void {
    const earlier = this.state.seats.get(room);
    if (earlier && earlier.stage !== "over") return this.answer(token, failure("bad_request", "you are in this room already"));
    this.forget(room);
    if (earlier) this.fail(earlier, failure("closed", "the room was entered anew"));
    this.state.seats.set(room, { hostKey, entering: token, stage: "outside", place: null, building: false, near: null, tries: 0, resting: false, acts: [] });
    this.knock(room);
  }

  /** Asks to be let in, if that is what the seat needs now. */
  protected knock(room: string): void {
    const seat = this.state.seats.get(room);
    if (this.state.phase !== "online" || seat?.stage !== "outside" || seat.resting) return;
    seat.stage = "knocking";
    // A snapshot that was cut short has changed nothing.
    seat.building = false;
    seat.near = seat.place;
    const with_: Record<string, unknown> = { ...seat.place };
    if (seat.hostKey) with_["host_key"] = seat.hostKey;
    if (this.state.patches && !isSpace(room)) with_["patch"] = true;
    this.send({ for: "enter", room }, "enter", { room, with: with_ });
  }

  protected enterAgain(room: string): void {
    const seat = this.state.seats.get(room);
    if (seat?.stage !== "inside") return;
    // Acts under way keep their place in the line: their answers still come on this connection.
    seat.stage = "outside";
    this.tell(room, { kind: "connecting" });
    this.knock(room);
  }

  protected entered(room: string, { ok, error }: Reply): void {
    const seat = this.state.seats.get(room);
    if (seat?.stage !== "knocking") return;
    if (ok) {
      seat.stage = "inside";
      seat.tries = 0;
      const resumed = ok["resumed"] === true;
      // A table shows all of itself in any case; a space first tells what we missed, and only then we are there.
      if (!isSpace(room)) seat.place = { at: String(ok["at"]), mark: String(ok["mark"]) };
      seat.building = !resumed || !isSpace(room);
      if (seat.building) seat.near = null;
      if (seat.entering !== null) this.answer(seat.entering, undefined, ok);
      seat.entering = null;
      this.tell(room, { kind: "online", resumed, ok });
      return this.pump(room);
    }
    seat.stage = "outside";
    if (error?.code === "bad_request" && this.state.patches && !isSpace(room)) {
      this.state.patches = false;
      return this.knock(room);
    }
    if (error?.code === "bad_key" && seat.hostKey) {
      // It was the key of an earlier room under this address; without it we are a guest like others.
      seat.hostKey = undefined;
      return this.knock(room);
    }
    if (error?.retry && seat.tries < RETRIES_MAX) return this.rest(room, seat);
    const why = error ?? failure("internal", "an entrance without an answer");
    const first = seat.entering !== null;
    this.state.seats.delete(room);
    this.fail(seat, why);
    if (!first) this.tellAnyway(room, { kind: "ended", reason: why.code });
  }

  protected exit(room: string): void {
    const seat = this.state.seats.get(room);
    if (!seat) return;
    this.state.seats.delete(room);
    this.forget(room);
    if (this.state.phase === "online" && (seat.stage === "inside" || seat.stage === "knocking")) {
      this.send({ for: "nobody" }, "exit", { room });
    }
    this.fail(seat, failure("closed", "you left the room"));
  }

  protected ended(room: string, reason: string): void {
    const seat = this.state.seats.get(room);
    if (!seat || seat.stage === "over") return;
    this.tell(room, { kind: "ended", reason });
    seat.stage = "over";
    // The answer to the act that ended it may still be on its way; what was not sent never will be.
    const unsent = seat.acts.filter((act) => !act.sent);
    seat.acts = seat.acts.filter((act) => act.sent);
    const why = failure(reason, "the room is over for you");
    if (seat.entering !== null) this.answer(seat.entering, why);
    for (const act of unsent) this.answer(act.token, why);
    seat.entering = null;
    if (seat.acts.length === 0) this.state.seats.delete(room);
  }

  /** Replies to an earlier visit are not taken for replies to the next one. */
  protected forget(room: string): void {
    for (const [id, asked] of this.state.asked) {
      if ((asked.for === "enter" || asked.for === "act") && asked.room === room) this.state.asked.delete(id);
    }
  }

  // ——— acts

  protected act({ token, room, verb, with: with_ }: Extract<Input, { input: "act" }>): void {
    const seat = this.state.seats.get(room);
    if (!seat || seat.stage === "over") return this.answer(token, failure("closed", "you are not in this room"));
    if (seat.acts.length >= WAITING_MAX) return this.answer(token, failure("too_many", "too much waits to be sent", true));
    seat.acts.push({ token, n: this.state.nextNumber++, verb, with: with_, sent: false, cuts: 0 });
    this.pump(room);
  }

  /** Sends the first act that waits, if none is under way. */
  protected pump(room: string): void {
    const seat = this.state.seats.get(room);
    if (this.state.phase !== "online" || seat?.stage !== "inside" || seat.resting) return;
    const act = seat.acts[0];
    if (!act || act.sent) return;
    act.sent = true;
    this.send({ for: "act", room, n: act.n }, act.verb, { room, n: act.n, with: act.with });
  }

  protected acted(room: string, n: number, { ok, error }: Reply): void {
    const seat = this.state.seats.get(room);
    const act = seat?.acts[0];
    if (!seat || act?.n !== n) return;
    if (error?.retry && seat.tries < RETRIES_MAX && seat.stage !== "over") {
      act.sent = false;
      return this.rest(room, seat);
    }
    seat.tries = 0;
    this.state.failures = 0;
    seat.acts.shift();
    if (ok?.["mark"] && isSpace(room)) this.advance(seat, String(ok["at"]), String(ok["mark"]));
    this.answer(act.token, error, ok);
    if (seat.stage === "over" && seat.acts.length === 0) this.state.seats.delete(room);
    else this.pump(room);
  }

  /** Everything up to there has been told. Outside, something before it may be missing: then only an entrance helps. */
  protected advance(seat: Seat, at: string, mark: string): void {
    if (seat.stage !== "inside" || (seat.building && !seat.near)) return;
    seat.near = { at, mark };
    if (!seat.building) seat.place = seat.near;
  }

  protected rest(room: string, seat: Seat): void {
    this.out.push({ effect: "ring", ms: backoff(seat.tries, this.moment.dice), alarm: { alarm: "retry", room } });
    seat.tries += 1;
    seat.resting = true;
  }
}
