// The connection as a pure machine: `step` takes what happened and says what to do. It never waits, reads no
// clock and throws no dice; `socket` brings both. Rooms are in `seats`, what is shown of them in `shows`.

import { backoff, spread } from "./backoff.js";
import { RETRIES_MAX, WAITING_MAX } from "./seats.js";
import { Shows } from "./shows.js";
import { type Alarm, type Effect, type Input, type Moment, type Question, type Seat, type Session, type State, copy } from "./state.js";
import { failure } from "./step.js";
import { type Push, type Reply, type Request, read } from "./wire.js";

/** A connection that says nothing for two of these is given up. */
export const BEAT_MS = 15_000;
/** After a sleep nobody wants to wait for a whole beat. */
export const WAKE_MS = 4_000;
/** A connection that does not open in this time is tried anew; browsers would wait for minutes. */
export const OPEN_MS = 10_000;
/** How a WebSocket is closed over a message that is larger than the server takes. */
const TOO_LARGE = 1009;
export const PROTOCOL = 1;

/** What happens next. The state that comes in is never changed. */
export function step(state: State, input: Input, moment: Moment): [State, Effect[]] {
  const next = new Connection(copy(state), moment);
  next.take(input);
  return [next.state, next.out];
}

const interrupted = () => failure("interrupted", "the connection was lost before the answer came", true);
const tooLarge = () => failure("too_large", "larger than the server takes at once");

class Connection extends Shows {
  take(input: Input): void {
    switch (input.input) {
      case "start":
        if (this.state.phase === "idle") this.open();
        return;
      case "stop": return this.stop();
      case "opened": return this.greet();
      case "lost": return this.lost(input.code);
      case "heard": return this.heard(input.text);
      case "rang": return this.rang(input.alarm);
      case "woke": return this.woke();
      case "identify": return this.identify(input.session, input.userKey);
      case "ask": return this.ask(input);
      case "enter": return this.enter(input);
      case "exit": return this.exit(input.room);
      case "act": return this.act(input);
      case "say": {
        // What is said now is for those here now: nothing waits for a better moment.
        const { room, data, verb = "say" } = input;
        if (this.state.phase === "online" && this.state.seats.get(room)?.stage === "inside") {
          this.out.push({ effect: "send", text: JSON.stringify({ do: verb, room, with: data }) });
        }
        return;
      }
      case "token": return this.authorized(input.token);
    }
  }

  // ——— the connection

  private open(): void {
    const { session } = this.state;
    this.state.phase = "opening";
    this.state.opening += 1;
    this.out.push({ effect: session.by === "app" && session.token === null ? "authorize" : "open" });
    this.status({ phase: "connecting" });
    this.out.push({ effect: "ring", ms: OPEN_MS, alarm: { alarm: "opening", opening: this.state.opening } });
  }

  private authorized(token: string | null): void {
    const { state } = this;
    if (state.phase !== "opening" || state.session.by !== "app" || state.session.token !== null) return;
    if (token === null) return this.lost();
    state.session = { by: "app", token, fresh: true };
    this.out.push({ effect: "open" });
  }

  private greet(): void {
    const { state } = this;
    if (state.phase !== "opening") return;
    state.phase = "greeting";
    const with_: Record<string, unknown> = { client: state.client };
    if (state.session.by === "cookie") with_["cookie"] = true;
    else if (state.session.by !== "nothing") with_["token"] = state.session.token;
    else if (state.userKey) with_["user_key"] = state.userKey;
    this.send({ for: "hello" }, "hello", { with: with_ });
    this.ringBeat(BEAT_MS);
    state.heardSinceBeat = true;
  }

  private greeted({ ok, error }: Reply): void {
    const { state } = this;
    const app = state.session.by === "app" ? state.session : null;
    if (error && state.session.by !== "nothing" && !error.retry && !app?.fresh) {
      // The session is over; we go on as the guest we were, or with a new token.
      this.signOut();
      this.out.push({ effect: "close" });
      return this.open();
    }
    if (error?.retry) {
      this.out.push({ effect: "close" });
      return this.lost();
    }
    if (error?.code === "bad_key" && state.userKey) {
      // What we kept cannot be a key; whoever it was, a new guest is better than nobody.
      state.userKey = undefined;
      this.out.push({ effect: "close" });
      return this.open();
    }
    if (error || ok?.["protocol"] !== PROTOCOL) {
      const why = error ?? failure("unsupported", "this server speaks another protocol; load the page anew");
      state.phase = "idle";
      if (app) state.session = { ...app, token: null };
      this.out.push({ effect: "close" });
      this.status({ phase: "refused", error: why });
      return this.failAll(why);
    }
    if (app) state.session = { ...app, fresh: false };
    const key = ok["user_key"];
    if (typeof key === "string") {
      state.userKey = key;
      this.out.push({ effect: "keep", userKey: key });
    }
    state.phase = "online";
    this.status({ phase: "online", userName: ok["user_name"] as string | undefined, expiresAt: ok["expires_at"] as number | undefined });
    this.send({ for: "clock", sentAt: this.moment.now }, "ping");
    for (const room of state.seats.keys()) this.knock(room);
    for (const question of state.questions.splice(0)) this.put(question);
  }

  private lost(code?: number): void {
    const { state } = this;
    if (state.phase === "down" || state.phase === "idle") return; // We closed it ourselves.
    const wasOnline = state.phase === "online";
    state.phase = "down";
    if (code === TOO_LARGE) this.refuseLargest();
    this.cut(wasOnline, code === TOO_LARGE ? tooLarge() : interrupted());
    const ms = state.spreadOver === null ? backoff(state.failures, this.moment.dice) : spread(state.spreadOver, this.moment.dice);
    state.spreadOver = null;
    state.failures += 1;
    this.status({ phase: "waiting", until: this.moment.now + ms });
    this.out.push({ effect: "ring", ms, alarm: { alarm: "reopen" } });
  }

  /** The connection is gone: what was under way is sent again, with its number, when we are back. */
  private cut(wasOnline: boolean, why = interrupted()): void {
    for (const asked of this.state.asked.values()) if (asked.for === "ask") this.answer(asked.token, why);
    this.state.asked.clear();
    for (const [room, seat] of this.state.seats) {
      if (seat.stage === "over") {
        this.fail(seat, interrupted());
        this.state.seats.delete(room);
        continue;
      }
      seat.stage = "outside";
      this.takeBack(seat);
      if (wasOnline) this.tell(room, { kind: "connecting" });
    }
  }

  /** The act under way waits again; one that was there every time the line broke is given up, it may be what breaks it. */
  private takeBack(seat: Seat): void {
    const act = seat.acts[0];
    if (!act?.sent) return;
    act.sent = false;
    act.cuts += 1;
    if (act.cuts <= RETRIES_MAX) return;
    seat.acts.shift();
    this.answer(act.token, interrupted());
  }

  /** The server does not say which message it would not take; of those under way it was the largest. */
  private refuseLargest(): void {
    const size = ({ acts: [act] }: Seat) => (act?.sent ? JSON.stringify(act).length : 0);
    const seat = [...this.state.seats.values()].sort((a, b) => size(b) - size(a))[0];
    if (!seat || size(seat) === 0) return;
    this.answer(seat.acts.shift()!.token, tooLarge());
  }

  private stop(): void {
    if (this.state.phase === "idle") return;
    this.state.phase = "idle";
    this.out.push({ effect: "close" });
    this.status({ phase: "idle" });
    this.failAll(failure("closed", "the connection was closed"));
  }

  private woke(): void {
    const { state } = this;
    if (state.phase === "down") return this.open();
    if (state.phase !== "online") return;
    state.heardSinceBeat = false;
    this.send({ for: "clock", sentAt: this.moment.now }, "ping");
    this.ringBeat(WAKE_MS);
  }

  private identify(session: Session, userKey = this.state.userKey): void {
    const { state } = this;
    state.session = session;
    state.userKey = userKey;
    if (state.phase === "idle") return;
    const open = state.phase !== "down";
    this.cut(state.phase === "online");
    // Another person comes to the same door: what the last one saw is not theirs.
    for (const seat of state.seats.values()) seat.place = seat.near = null;
    if (open) this.out.push({ effect: "close" });
    this.open();
  }

  private signOut(): void {
    if (this.state.session.by === "app") {
      this.state.session = { by: "app", token: null, fresh: true };
      return;
    }
    this.state.session = { by: "nothing" };
    for (const seat of this.state.seats.values()) seat.place = seat.near = null;
    this.out.push({ effect: "signed_out" });
  }

  private rang(alarm: Alarm): void {
    const { state } = this;
    switch (alarm.alarm) {
      case "reopen":
        if (state.phase === "down") this.open();
        return;
      case "opening":
        if (state.phase !== "opening" || alarm.opening !== state.opening) return;
        this.out.push({ effect: "close" });
        return this.lost();
      case "retry": {
        const seat = state.seats.get(alarm.room);
        if (!seat) return;
        seat.resting = false;
        this.knock(alarm.room);
        return this.pump(alarm.room);
      }
      case "beat": {
        if (alarm.beat !== state.beat || (state.phase !== "greeting" && state.phase !== "online")) return;
        if (!state.heardSinceBeat) {
          this.out.push({ effect: "close" });
          return this.lost();
        }
        state.heardSinceBeat = false;
        if (state.phase === "online") this.send({ for: "clock", sentAt: this.moment.now }, "ping");
        this.ringBeat(BEAT_MS);
      }
    }
  }

  /** Each beat has a number, so that only the newest alarm counts. */
  private ringBeat(ms: number): void {
    this.state.beat += 1;
    this.out.push({ effect: "ring", ms, alarm: { alarm: "beat", beat: this.state.beat } });
  }

  // ——— what the server says

  private heard(text: string): void {
    if (this.state.phase !== "greeting" && this.state.phase !== "online") return;
    this.state.heardSinceBeat = true;
    const frame = read(text);
    if (frame === null) return;
    if ("push" in frame) return this.pushed(frame);
    const asked = this.state.asked.get(frame.id);
    this.state.asked.delete(frame.id);
    switch (asked?.for) {
      case "hello": return this.greeted(frame);
      case "enter": return this.entered(asked.room, frame);
      case "act": return this.acted(asked.room, asked.n, frame);
      case "ask": return this.answer(asked.token, frame.error, frame.ok);
      case "clock": {
        const now = frame.ok?.["now"];
        // Half of the way there and back is the best guess of when the server looked at its clock.
        const latency = this.moment.now - asked.sentAt;
        if (typeof now === "number") this.out.push({ effect: "clock", offset: Math.round(now - asked.sentAt - latency / 2), latency });
        return;
      }
      case "nobody":
      case undefined: // A reply said twice, or to what was given up.
    }
  }

  private pushed(push: Push): void {
    switch (push.push) {
      case "bye":
        this.state.spreadOver = push.retry_ms_max ?? null;
        if (push.reason === "session_ended") this.signOut();
        return;
      case "view": case "snapshot": return this.whole(push);
      case "patch": case "changes": return this.changed(push);
      case "presence": return this.tell(push.room, { kind: "push", push });
      case "now": return this.tell(push.room, { kind: "now", messages: push.messages });
      case "closing": return this.tell(push.room, { kind: "closing", expiresAt: push.expires_at });
      case "ended": return this.ended(push.room, push.reason);
      case "come_back": return this.enterAgain(push.room);
    }
  }

  // ——— questions

  private ask({ token, verb, room, with: with_ }: Extract<Input, { input: "ask" }>): void {
    const question: Question = { token, verb, room, with: with_ };
    if (this.state.phase === "online") return this.put(question);
    if (this.state.phase === "idle" || this.state.questions.length >= WAITING_MAX) {
      return this.answer(token, failure("offline", "there is no connection", true));
    }
    this.state.questions.push(question);
  }

  private put({ token, verb, room, with: with_ }: Question): void {
    const more: Partial<Request> = {};
    if (room !== undefined) more.room = room;
    if (with_ !== undefined) more.with = with_;
    this.send({ for: "ask", token }, verb, more);
  }
}
