// A conversation as text: what happens on the left, what follows on the right. `hello` stands for the whole
// opening, and `ok 7` for the server's good answer to request 7.

import { expect } from "vitest";
import { step } from "../src/connection.js";
import { type Alarm, type Beginning, type Effect, type Input, type State, begin } from "../src/state.js";

const HELLO = ["start", "opened", 'hears {"id":1,"ok":{"protocol":1}}'];

export function check(script: string, beginning: Partial<Beginning> = {}): State {
  let state = begin({ client: "tab", userKey: "uk", patches: false, ...beginning });
  let now = 1000;
  const take = (text: string): string => {
    const wait = /^after (\d+) (.*)$/.exec(text);
    if (wait) now += Number(wait[1]);
    const before = JSON.stringify([...state.seats], null, 0);
    const [next, effects] = step(state, input(wait?.[2] ?? text), { now, dice: 1 });
    expect(JSON.stringify([...state.seats]), "a step never changes the state it was given").toBe(before);
    state = next;
    return effects.filter((effect) => !isRoutine(effect)).map(show).join("; ") || "nothing";
  };
  for (const line of script.trim().split("\n").map((line) => line.trim())) {
    if (line === "hello") {
      HELLO.forEach(take);
      continue;
    }
    const [left = "", right] = line.split(/\s+=>\s+/);
    const got = take(left);
    if (right !== undefined) expect(got, left).toBe(right);
  }
  return state;
}

/** Every opening sets an alarm for its end; one test asks for it by name, the others would only be longer for it. */
const isRoutine = (effect: Effect) => effect.effect === "ring" && effect.alarm.alarm === "opening";

function input(text: string): Input {
  const [word = "", a = "", b = "", ...rest] = text.split(" ");
  const words = (from: string) => (from ? JSON.parse(from) : {});
  switch (word) {
    case "start": case "stop": case "opened": case "woke": return { input: word };
    case "lost": return a ? { input: "lost", code: Number(a) } : { input: "lost" };
    case "hears": return { input: "heard", text: text.slice(6) };
    case "ok": return { input: "heard", text: JSON.stringify({ id: Number(a), ok: words([b, ...rest].join(" ")) }) };
    case "no": return { input: "heard", text: JSON.stringify({ id: Number(a), error: { code: b, message: "", retry: rest[0] === "retry" } }) };
    case "push": return { input: "heard", text: JSON.stringify({ push: a, room: b || undefined, ...words(rest.join(" ")) }) };
    case "rings": return { input: "rang", alarm: { alarm: a, room: b, beat: Number(b), opening: Number(b) } as unknown as Alarm };
    case "enter": return { input: "enter", token: Number(a), room: b, hostKey: rest[0] };
    case "exit": return { input: "exit", room: a };
    case "act": return { input: "act", token: Number(a), room: b, verb: rest[0] ?? "", with: words(rest.slice(1).join(" ")) };
    case "ask": return { input: "ask", token: Number(a), verb: b };
    case "token": return { input: "token", token: a || null };
    case "say": return { input: "say", room: a, data: b };
    case "known": return { input: "identify", session: { by: "nothing" }, userKey: a };
    case "identify": return { input: "identify", session: a === "token" ? { by: "token", token: b } : { by: a as "cookie" } };
    default: throw new Error(`the script says ${JSON.stringify(text)}`);
  }
}

function show(effect: Effect): string {
  switch (effect.effect) {
    case "open": case "close": case "signed_out": case "authorize": return effect.effect;
    case "send": return `> ${effect.text}`;
    case "ring": return `ring ${effect.ms} ${Object.values(effect.alarm).join(" ")}`;
    case "answer": return `answer ${effect.token} ${effect.error ? `!${effect.error.code}` : "ok"}`;
    case "keep": return `keep ${effect.userKey}`;
    case "clock": return `clock ${effect.offset}`;
    case "status": return `is ${effect.status.phase}${"until" in effect.status ? ` ${effect.status.until}` : ""}`;
    case "tell": {
      const { update, room } = effect;
      switch (update.kind) {
        case "push": {
          const { push } = update;
          if (push.push === "presence") return `${room} presence`;
          if (push.push === "view") return `${room} shows ${push.at} ${JSON.stringify(push.view)} ${JSON.stringify(push.me)}`;
          return `${room} ${push.push} ${push.at}`;
        }
        case "online": return `${room} online${update.resumed ? " resumed" : ""}`;
        case "ended": return `${room} ended ${update.reason}`;
        case "now": return `${room} hears ${JSON.stringify(update.messages.map((said) => said.data))}`;
        default: return `${room} ${update.kind}`;
      }
    }
  }
}
