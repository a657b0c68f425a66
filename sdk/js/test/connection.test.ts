import { expect, test } from "vitest";
import { RETRIES_MAX, WAITING_MAX } from "../src/seats.js";
import { check } from "./script.js";

test("says hello with the key it has, then asks for the time", () => {
  check(`
    start  => open; is connecting
    opened => > {"id":1,"do":"hello","with":{"client":"tab","user_key":"uk"}}; ring 15000 beat 1
    ok 1 {"protocol":1} => is online; > {"id":2,"do":"ping"}
  `);
});

test("a key made for us is kept, once, and shown from then on", () => {
  check(
    `
    start
    opened => > {"id":1,"do":"hello","with":{"client":"tab"}}; ring 15000 beat 1
    ok 1 {"protocol":1,"user_key":"new"} => keep new; is online; > {"id":2,"do":"ping"}
    lost   => is waiting 1100; ring 100 reopen
    rings reopen => open; is connecting
    opened => > {"id":3,"do":"hello","with":{"client":"tab","user_key":"new"}}; ring 15000 beat 2
  `,
    { userKey: undefined },
  );
});

test("the server's clock is read from the middle of the way there and back", () => {
  check(`
    hello
    after 200 ok 2 {"now":51100} => clock 50000
  `);
});

test("waits longer after each failure, and starts over when it worked", () => {
  check(`
    start
    lost => is waiting 1100; ring 100 reopen
    rings reopen
    lost => is waiting 1200; ring 200 reopen
    rings reopen
    lost => is waiting 1400; ring 400 reopen
    rings reopen
    opened
    ok 1 {"protocol":1}
    lost => is waiting 1800; ring 800 reopen
    rings reopen
    opened
    ok 3 {"protocol":1}
    enter 1 p/a
    ok 5 {"at":"1-1","mark":"aa","resumed":false}
    push view p/a {"at":"1-1","mark":"aa","view":{},"me":{}}
    lost => p/a connecting; is waiting 1100; ring 100 reopen
  `);
});

test("a bye says how widely to spread out", () => {
  check(`
    hello
    push bye  {"reason":"restart","retry_ms_max":3000} => nothing
    lost => is waiting 4000; ring 3000 reopen
  `);
});

test("a connection that does not open is tried anew", () => {
  check(`
    start
    rings opening 1 => close; is waiting 1100; ring 100 reopen
    rings reopen
    rings opening 1 => nothing
    opened
    rings opening 2 => nothing
  `);
});

test("a host key of an earlier room is put aside", () => {
  check(`
    hello
    enter 1 p/a hk
    no 3 bad_key => > {"id":4,"do":"enter","room":"p/a","with":{}}
    ok 4 {"at":"1-1","mark":"aa","resumed":false} => answer 1 ok; p/a online
  `);
});

test("waking up tries at once, and gives a silent connection four seconds", () => {
  check(`
    hello
    woke => > {"id":3,"do":"ping"}; ring 4000 beat 2
    rings beat 1 => nothing
    rings beat 2 => close; is waiting 1100; ring 100 reopen
    woke => open; is connecting
    rings reopen => nothing
  `);
});

test("a connection that is heard lives on", () => {
  check(`
    hello
    ok 2 {"now":1000} => clock 0
    rings beat 1 => > {"id":3,"do":"ping"}; ring 15000 beat 2
    rings beat 2 => close; is waiting 1100; ring 100 reopen
  `);
});

test("enters again with the place it was at, and says whether it missed anything", () => {
  check(`
    hello
    enter 1 p/a hk => > {"id":3,"do":"enter","room":"p/a","with":{"host_key":"hk"}}
    ok 3 {"at":"1-1","mark":"aa","resumed":false} => answer 1 ok; p/a online
    push view p/a {"at":"1-2","mark":"bb","view":{"round":1},"me":{}} => p/a shows 1-2 {"round":1} {}
    lost => p/a connecting; is waiting 1100; ring 100 reopen
    rings reopen
    opened
    ok 4 {"protocol":1} => is online; > {"id":5,"do":"ping"}; > {"id":6,"do":"enter","room":"p/a","with":{"at":"1-2","mark":"bb","host_key":"hk"}}
    ok 6 {"at":"1-2","mark":"bb","resumed":true} => p/a online resumed
  `);
});

test("an unknown mark gets a fresh view, also when its place is lower", () => {
  check(`
    hello
    enter 1 p/a
    ok 3 {"at":"1-9","mark":"aa","resumed":false}
    lost
    rings reopen
    opened
    ok 4 {"protocol":1}
    ok 6 {"at":"1-4","mark":"cc","resumed":false} => p/a online
    push view p/a {"at":"1-4","mark":"cc","view":{},"me":{}} => p/a shows 1-4 {} {}
    push come_back p/a => p/a connecting; > {"id":7,"do":"enter","room":"p/a","with":{"at":"1-4","mark":"cc"}}
  `);
});

const INSIDE = `
    hello
    enter 1 p/a
    ok 3 {"at":"1-1","mark":"aa","resumed":false}`;

test("one act of a room is under way at a time", () => {
  check(`${INSIDE}
    act 2 p/a vote {"card":"5"} => > {"id":4,"do":"vote","room":"p/a","n":1,"with":{"card":"5"}}
    act 3 p/a show => nothing
    act 4 p/a reset => nothing
    ok 4 {"at":"1-2"} => answer 2 ok; > {"id":5,"do":"show","room":"p/a","n":2,"with":{}}
    ok 4 {"at":"1-2"} => nothing
    no 5 forbidden => answer 3 !forbidden; > {"id":6,"do":"reset","room":"p/a","n":3,"with":{}}
  `);
});

test("a restart in the middle of an act sends it again under the same number", () => {
  check(`${INSIDE}
    act 2 p/a vote {"card":"5"}
    act 3 p/a show
    push bye  {"reason":"restart","retry_ms_max":500}
    lost => p/a connecting; is waiting 1500; ring 500 reopen
    act 4 p/a reset => nothing
    rings reopen
    opened
    ok 5 {"protocol":1}
    ok 7 {"at":"1-2","mark":"bb","resumed":true} => p/a online resumed; > {"id":8,"do":"vote","room":"p/a","n":1,"with":{"card":"5"}}
    ok 8 {"at":"1-2","again":true} => answer 2 ok; > {"id":9,"do":"show","room":"p/a","n":2,"with":{}}
  `);
});

test("an act too large for the server is refused, not sent again, and what follows is not held up", () => {
  check(`${INSIDE}
    enter 2 p/b
    ok 4 {"at":"1-1","mark":"aa","resumed":false}
    act 3 p/b vote {"card":"5"}
    act 4 p/a add_stories {"stories":"very many"}
    act 5 p/a show
    lost 1009 => answer 4 !too_large; p/a connecting; p/b connecting; is waiting 1100; ring 100 reopen
    rings reopen
    opened
    ok 7 {"protocol":1}
    ok 9 {"at":"1-1","mark":"aa","resumed":true} => p/a online resumed; > {"id":11,"do":"show","room":"p/a","n":3,"with":{}}
    ok 10 {"at":"1-1","mark":"aa","resumed":true} => p/b online resumed; > {"id":12,"do":"vote","room":"p/b","n":1,"with":{"card":"5"}}
  `);
});

test("a question too large for the server is refused as such", () => {
  check(`
    hello
    ask 1 create
    lost 1009 => answer 1 !too_large; is waiting 1100; ring 100 reopen
  `);
});

test("an act that breaks the line every time is given up, ever more slowly", () => {
  const cuts = Array.from({ length: RETRIES_MAX }, (_, at) => {
    const [id, ms] = [5 + at * 4, Math.min(200 * 2 ** at, 10_000)];
    const lost = at + 1 < RETRIES_MAX ? "" : "answer 2 !interrupted; ";
    return `rings reopen
      opened
      ok ${id} {"protocol":1}
      ok ${id + 2} {"at":"1-1","mark":"aa","resumed":true} => p/a online resumed; > {"id":${id + 3},"do":"vote","room":"p/a","n":1,"with":{}}
      push view p/a {"at":"1-1","mark":"aa","view":{},"me":{}}
      lost => ${lost}p/a connecting; is waiting ${1000 + ms}; ring ${ms} reopen`;
  });
  check(`${INSIDE}
    act 2 p/a vote
    act 3 p/a show
    lost => p/a connecting; is waiting 1100; ring 100 reopen
    ${cuts.join("\n")}
    rings reopen
    opened
    ok 37 {"protocol":1}
    ok 39 {"at":"1-1","mark":"aa","resumed":true} => p/a online resumed; > {"id":40,"do":"show","room":"p/a","n":2,"with":{}}
  `);
});

test("retry true is tried again after a rest, retry false is not", () => {
  check(`${INSIDE}
    act 2 p/a vote {"card":"5"}
    no 4 contended retry => ring 100 retry p/a
    act 3 p/a show => nothing
    rings retry p/a => > {"id":5,"do":"vote","room":"p/a","n":1,"with":{"card":"5"}}
    no 5 unavailable retry => ring 200 retry p/a
    rings retry p/a
    no 6 wrong_phase => answer 2 !wrong_phase; > {"id":7,"do":"show","room":"p/a","n":2,"with":{}}
  `);
});

test("an entrance that may be tried again is, and one that may not ends", () => {
  check(`
    hello
    enter 1 p/a
    no 3 too_many retry => ring 100 retry p/a
    rings retry p/a => > {"id":4,"do":"enter","room":"p/a","with":{}}
    no 4 room_not_found => answer 1 !room_not_found
    act 2 p/a show => answer 2 !closed
  `);
});

test("a room that was lost while we were away is told as ended", () => {
  check(`${INSIDE}
    act 2 p/a vote {"card":"5"}
    lost
    rings reopen
    opened
    ok 5 {"protocol":1}
    no 7 room_not_found => answer 2 !room_not_found; p/a ended room_not_found
  `);
});

test("kicked: what was sent may still be answered, what was not never will be", () => {
  check(`${INSIDE}
    act 2 p/a leave
    act 3 p/a show
    push ended p/a {"reason":"kicked"} => p/a ended kicked; answer 3 !kicked
    ok 4 {"at":"1-2"} => answer 2 ok
    enter 9 p/a => > {"id":5,"do":"enter","room":"p/a","with":{}}
  `);
});

test("a patch is taken where it begins, and asks for everything where it does not", () => {
  check(
    `
    hello
    enter 1 p/a => > {"id":3,"do":"enter","room":"p/a","with":{"patch":true}}
    ok 3 {"at":"1-1","mark":"aa","resumed":false}
    push patch p/a {"base":"1-1","at":"1-2","mark":"bb","view":{"round":9}} => nothing
    push view p/a {"at":"1-2","mark":"bb","view":{"round":1},"me":{"v":1}}
    push patch p/a {"base":"1-2","at":"1-3","mark":"cc","gone":["b"]} => p/a patch 1-3
    push patch p/a {"base":"1-3","at":"1-4","mark":"dd","view":{"round":2}} => p/a patch 1-4
    push patch p/a {"base":"1-5","at":"1-6","mark":"ee","view":{"round":3}} => p/a connecting; > {"id":4,"do":"enter","room":"p/a","with":{"at":"1-4","mark":"dd","patch":true}}
    push patch p/a {"base":"1-6","at":"1-7","mark":"ff","view":{"round":4}} => nothing
  `,
    { patches: true },
  );
});

test("a server that does not know patches is entered without", () => {
  check(
    `
    hello
    enter 1 p/a
    no 3 bad_request => > {"id":4,"do":"enter","room":"p/a","with":{}}
    no 4 bad_request => answer 1 !bad_request
  `,
    { patches: true },
  );
});

test("questions wait for the connection, but are not asked twice", () => {
  check(`
    start
    ask 1 create => nothing
    opened
    ok 1 {"protocol":1} => is online; > {"id":2,"do":"ping"}; > {"id":3,"do":"create"}
    lost => answer 1 !interrupted; is waiting 1100; ring 100 reopen
  `);
});

test("what is said is for those here now", () => {
  check(`${INSIDE}
    say p/a hi => > {"do":"say","room":"p/a","with":"hi"}
    push now p/a {"messages":[{"from":null,"data":7}]} => p/a hears [7]
    lost
    say p/a hi => nothing
  `);
});

test("leaving forgets what was asked", () => {
  check(`${INSIDE}
    act 2 p/a vote {"card":"5"}
    exit p/a => > {"id":5,"do":"exit","room":"p/a"}; answer 2 !closed
    ok 4 {"at":"1-2"} => nothing
    push view p/a {"at":"1-2","mark":"bb","view":{},"me":{}} => nothing
  `);
});

test("answers to an earlier visit are not taken for answers to the next", () => {
  check(`
    hello
    enter 1 p/a
    exit p/a => > {"id":4,"do":"exit","room":"p/a"}; answer 1 !closed
    enter 2 p/a => > {"id":5,"do":"enter","room":"p/a","with":{}}
    ok 3 {"at":"1-1","mark":"aa","resumed":false} => nothing
    ok 5 {"at":"1-2","mark":"bb","resumed":false} => answer 2 ok; p/a online
  `);
});

test("a login comes back to the same rooms as somebody else", () => {
  check(`${INSIDE}
    identify cookie => p/a connecting; close; open; is connecting
    opened => > {"id":4,"do":"hello","with":{"client":"tab","cookie":true}}; ring 15000 beat 2
    ok 4 {"protocol":1,"user_name":"Ana"} => is online; > {"id":5,"do":"ping"}; > {"id":6,"do":"enter","room":"p/a","with":{}}
  `);
});

test("a guest whose other tab was first becomes that one", () => {
  check(
    `
    start
    opened
    ok 1 {"protocol":1,"user_key":"second"} => keep second; is online; > {"id":2,"do":"ping"}
    known first => close; open; is connecting
    opened => > {"id":3,"do":"hello","with":{"client":"tab","user_key":"first"}}; ring 15000 beat 2
  `,
    { userKey: undefined },
  );
});

test("a session that ended leaves a guest, not a stranger at the door", () => {
  check(
    `
    start
    opened => > {"id":1,"do":"hello","with":{"client":"tab","token":"t"}}; ring 15000 beat 1
    no 1 unauthenticated => signed_out; close; open; is connecting
    opened => > {"id":2,"do":"hello","with":{"client":"tab","user_key":"uk"}}; ring 15000 beat 2
    ok 2 {"protocol":1}
    identify token t2
    opened
    ok 4 {"protocol":1}
    push bye  {"reason":"session_ended"} => signed_out
    lost => is waiting 1100; ring 100 reopen
  `,
    { session: { by: "token", token: "t" } },
  );
});

test("a key that cannot be one is given up for a new one", () => {
  check(`
    start
    opened
    no 1 bad_key => close; open; is connecting
    opened => > {"id":2,"do":"hello","with":{"client":"tab"}}; ring 15000 beat 2
    ok 2 {"protocol":1,"user_key":"new"} => keep new; is online; > {"id":3,"do":"ping"}
  `);
});

test("a server that speaks another protocol is left alone", () => {
  check(`
    start
    ask 1 create
    opened
    ok 1 {"protocol":2} => close; is refused; answer 1 !unsupported
    woke => nothing
  `);
});

test("nonsense is not understood and does no harm", () => {
  check(`${INSIDE}
    hears not json => nothing
    hears 7 => nothing
    hears {"push":"tomorrow","room":"p/a"} => nothing
    push view p/other {"at":"1-2","mark":"bb","view":{},"me":{}} => nothing
    ok 99 => nothing
  `);
});

test("what waits is bounded", () => {
  const waiting = Array.from({ length: WAITING_MAX }, (_, at) => `act ${at + 10} p/a show`).join("\n");
  const state = check(`${INSIDE}
    ${waiting}
    act 2 p/a show => answer 2 !too_many`);
  expect(state.seats.get("p/a")?.acts).toHaveLength(WAITING_MAX);
});

test("the app is asked for a token before the socket opens, and again when the session ended", () => {
  check(
    `
    start => authorize; is connecting
    token t1 => open
    opened => > {"id":1,"do":"hello","with":{"client":"tab","token":"t1"}}; ring 15000 beat 1
    ok 1 {"protocol":1}
    lost => is waiting 1100; ring 100 reopen
    rings reopen => open; is connecting
    opened => > {"id":3,"do":"hello","with":{"client":"tab","token":"t1"}}; ring 15000 beat 2
    ok 3 {"protocol":1}
    push bye  {"reason":"session_ended"} => nothing
    lost => is waiting 1200; ring 200 reopen
    rings reopen => authorize; is connecting
    token t2 => open
    opened => > {"id":5,"do":"hello","with":{"client":"tab","token":"t2"}}; ring 15000 beat 3
  `,
    { session: { by: "app", token: null, fresh: true } },
  );
});

test("a token that has grown old is asked for anew, and one that was never good is refused", () => {
  check(
    `
    start => open; is connecting
    opened
    no 1 unauthenticated => close; authorize; is connecting
    token => is waiting 1100; ring 100 reopen
    rings reopen => authorize; is connecting
    token bad => open
    opened
    no 2 unauthenticated => close; is refused
    start => authorize; is connecting
  `,
    { session: { by: "app", token: "old", fresh: false } },
  );
});

const IN_SPACE = `
    hello
    enter 1 space/a => > {"id":3,"do":"enter","room":"space/a","with":{}}
    ok 3 {"at":"1-5","mark":"ee","resumed":false} => answer 1 ok; space/a online
    push changes space/a {"base":"1-4","at":"1-5","mark":"ee","done":[]} => nothing
    push snapshot space/a {"at":"1-5","mark":"ee","first":true} => space/a snapshot 1-5`;

test("a snapshot that is cut short leaves the place where it was", () => {
  check(`${IN_SPACE}
    push changes space/a {"base":"1-5","at":"1-6","mark":"ff","done":[]} => space/a changes 1-6
    push snapshot space/a {"at":"1-5","mark":"ee","last":true} => space/a snapshot 1-5
    push changes space/a {"base":"1-6","at":"1-7","mark":"gg","done":[]} => space/a changes 1-7
    push come_back space/a => space/a connecting; > {"id":4,"do":"enter","room":"space/a","with":{"at":"1-7","mark":"gg"}}
    ok 4 {"at":"1-9","mark":"ii","resumed":false}
    push snapshot space/a {"at":"1-9","mark":"ii","first":true}
    push come_back space/a => space/a connecting; > {"id":5,"do":"enter","room":"space/a","with":{"at":"1-7","mark":"gg"}}
    ok 5 {"at":"1-9","mark":"ii","resumed":true} => space/a online resumed
    push changes space/a {"base":"1-7","at":"1-9","mark":"ii","done":[]} => space/a changes 1-9
  `);
});

test("an answer moves the place with its mark, and only inside", () => {
  const place = (state: ReturnType<typeof check>) => state.seats.get("space/a")?.place;
  const inside = `${IN_SPACE}
    push snapshot space/a {"at":"1-5","mark":"ee","last":true}
    act 2 space/a map_set {"map":"m"}`;
  expect(place(check(`${inside}
    ok 4 {"at":"1-6","mark":"ff","changes":[]} => answer 2 ok`))).toEqual({ at: "1-6", mark: "ff" });
  expect(place(check(`${inside}
    ok 4 {"at":"1-6","changes":[]} => answer 2 ok`))).toEqual({ at: "1-5", mark: "ee" });
  expect(place(check(`${inside}
    push changes space/a {"base":"1-7","at":"1-8","mark":"hh","done":[]} => space/a connecting; > {"id":5,"do":"enter","room":"space/a","with":{"at":"1-5","mark":"ee"}}
    ok 4 {"at":"1-9","mark":"ii","changes":[]} => answer 2 ok`))).toEqual({ at: "1-5", mark: "ee" });
});
