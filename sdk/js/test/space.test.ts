import { expect, test, vi } from "vitest";
import { ParlorError } from "../src/error.js";
import { PACK_OPS_MAX, QUEUE_OPS_MAX } from "../src/space/words.js";
import { Stage, check } from "./stage.js";

const BOARD = { maps: { m: { a: [1, 10], b: [1, 20] } }, lists: { l: [["x", "b", 1, "X"], ["w", "a", 1, "W"], ["y", "c", 1, "Y"]] } };

test("a change is shown at once, and stays when it is answered", () => {
  check(`
    set m a 11        => > 1 map_set {"map":"m","key":"a","value":11}
    m                 => {"a":11,"b":20}
    state             => inside 1 7-1
    ok {"at":"7-2","mark":"m2","changes":[{"map":"m","key":"a","value":11,"version":2}]}
    m                 => {"a":11,"b":20}
    state             => inside 0 7-2
  `, BOARD);
});

test("what others change meanwhile lies below what we changed", () => {
  check(`
    set m a 11
    hears {"push":"changes","base":"7-1","at":"7-2","mark":"m2","done":[{"by":"z","changes":[{"map":"m","key":"a","value":99,"version":2},{"map":"m","key":"c","value":1,"version":2}]}]}
    m                 => {"a":11,"b":20,"c":1}
    no forbidden
    m                 => {"a":99,"b":20,"c":1}
    refused           => forbidden
  `, BOARD);
});

test("what waits goes in one batch, and a set that was set again is not sent", () => {
  check(`
    set m a 1         => > 1 map_set {"map":"m","key":"a","value":1}
    set m b 1         => nothing
    set m b 2         => nothing
    remove m c        => nothing
    set m b 3         => nothing
    state             => inside 4 7-1
    ok {"at":"7-2","mark":"m2","changes":[]} => > 2 batch {"ops":[{"do":"map_set","with":{"map":"m","key":"b","value":2}},{"do":"map_remove","with":{"map":"m","key":"c"}},{"do":"map_set","with":{"map":"m","key":"b","value":3}}]}
  `);
});

test("of what was refused together only who is to blame is refused", () => {
  check(`
    set m a 1
    set m b 1
    setif m 7 c 1
    set m d 1
    ok {"at":"7-2","mark":"m2","changes":[]}
    no version_mismatch => > 3 map_set {"map":"m","key":"b","value":1}
    ok {"at":"7-3","mark":"m3","changes":[{"map":"m","key":"b","value":1,"version":3}]} => > 4 map_set {"map":"m","key":"c","value":1,"if_version":7}
    no version_mismatch => > 5 map_set {"map":"m","key":"d","value":1}
    refused           => version_mismatch
    m                 => {"b":1,"d":1}
    state             => inside 1 7-3
  `);
});

test("a batch is one command and never split, also when it is refused", () => {
  check(`
    set m z 1
    together set m a 1 & set m b 2
    together set m c 3 & set m d 4
    ok {"at":"7-2","mark":"m2","changes":[]} => > 2 batch {"ops":[{"do":"map_set","with":{"map":"m","key":"a","value":1}},{"do":"map_set","with":{"map":"m","key":"b","value":2}},{"do":"map_set","with":{"map":"m","key":"c","value":3}},{"do":"map_set","with":{"map":"m","key":"d","value":4}}]}
    no room_full      => > 3 batch {"ops":[{"do":"map_set","with":{"map":"m","key":"a","value":1}},{"do":"map_set","with":{"map":"m","key":"b","value":2}}]}
    no room_full      => > 4 batch {"ops":[{"do":"map_set","with":{"map":"m","key":"c","value":3}},{"do":"map_set","with":{"map":"m","key":"d","value":4}}]}
    m                 => {"c":3,"d":4}
  `);
});

test("a batch that fails on the way has not happened", () => {
  check(`
    together set m a 1 & throw
    m                 => {"a":10,"b":20}
    together set m a 1 & put l nobody 2
    m                 => {"a":10,"b":20}
    state             => inside 0 7-1
    undo              => nothing
  `, BOARD);
});

test("a batch rejects with what went wrong in it", async () => {
  const { space } = check("m", BOARD);
  const failure = new Error("changed my mind");
  await expect(space.batch(() => { throw failure; })).rejects.toBe(failure);
  await expect(space.batch(() => void space.list("l").set("nobody", 1))).rejects.toMatchObject({ code: "not_found" });
});

test("a batch of too many is refused before anything is shown", async () => {
  const { space } = check("m", BOARD);
  const much = space.batch(() => {
    for (let key = 0; key <= PACK_OPS_MAX; key++) void space.map("m").set(`k${key}`, key);
  });
  await expect(much).rejects.toMatchObject({ code: "too_large" });
  expect(space.map("m").size).toBe(2);
});

test("items stand where they were put before the server has placed them", () => {
  check(`
    l                 => w:W x:X y:Y
    after l w "n"     => > 1 list_insert {"list":"l","id":"i1","value":"n","after":"w","order":"a"}
    after l w "o"
    after l i1 "p"
    push l "q"
    insert l 0 "r"
    l                 => i5:r w:W i2:o i1:n i3:p x:X y:Y i4:q
    move l y 1
    drop l x
    put l w "V"
    l                 => i5:r y:Y w:V i2:o i1:n i3:p i4:q
    ok {"at":"7-2","mark":"m2","changes":[{"list":"l","id":"i1","order":"aV","value":"n","version":2}]}
    l                 => i5:r y:Y w:V i2:o i1:n i3:p i4:q
  `, BOARD);
});

test("what goes after something that is gone goes where that was", () => {
  check(`
    set m a 1
    after l x "n"
    hears {"push":"changes","base":"7-1","at":"7-2","mark":"m2","done":[{"by":"z","changes":[{"list":"l","id":"x","removed":true}]}]}
    l                 => w:W i1:n y:Y
    ok {"at":"7-3","mark":"m3","changes":[]} => > 2 list_insert {"list":"l","id":"i1","value":"n","after":"x","order":"b"}
  `, BOARD);
});

test("an item that nobody has is not set, moved or gone after", async () => {
  const { space } = check("m", BOARD);
  const list = space.list("l");
  for (const refused of [list.set("nobody", 1), list.move("nobody", { at: 0 }), list.move("x", { after: "nobody" }), list.insertAfter("nobody", 1).done]) {
    await expect(refused).rejects.toMatchObject({ code: "not_found" });
  }
  await list.move("x", { after: "x" });
  expect(space.state.pending).toBe(0);
});

test("the answer that was lost comes as an echo, and the command is not done twice", () => {
  check(`
    set m a 11
    lost
    set m b 21        => nothing
    back resumed
    hears {"push":"changes","base":"7-1","at":"7-3","mark":"m3","done":[{"by":"z","changes":[{"map":"m","key":"b","value":5,"version":2}]},{"by":"me","n":1,"changes":[{"map":"m","key":"a","value":11,"version":3}]}]}
    m                 => {"a":11,"b":21}
    state             => inside 1 7-3
    ok {"at":"7-3","again":true} => > 2 map_set {"map":"m","key":"b","value":21}
  `, BOARD);
});

test("a new snapshot takes the place of the old state at its end, with our changes on top", () => {
  check(`
    set m a 11
    lost
    state             => away 1 7-1
    back
    hears {"push":"snapshot","at":"8-4","mark":"x4","first":true,"maps":{"m":{"a":[1,1]}}}
    m                 => {"a":11,"b":20}
    ok {"at":"8-5","mark":"x5","changes":[{"map":"m","key":"a","value":11,"version":5}]}
    m                 => {"a":11,"b":20}
    state             => inside 0 7-1
    hears {"push":"changes","base":"8-5","at":"8-6","mark":"x6","done":[{"by":"z","changes":[{"map":"m","key":"d","value":6,"version":6},{"list":"l","id":"unknown","order":"q"}]}]}
    hears {"push":"snapshot","at":"8-6","mark":"x6","last":true,"maps":{"m":{"e":[2,7]}}}
    m                 => {"a":11,"d":6,"e":7}
    l                 =>
    state             => inside 0 8-6
  `, BOARD);
});

test("half of a commit is shown, but does not move the position", () => {
  check(`
    hears {"push":"changes","base":"7-1","at":"7-2","done":[{"by":"z","changes":[{"map":"m","key":"a","value":1,"version":2}]}]}
    m                 => {"a":1,"b":20}
    state             => inside 0 7-1
    hears {"push":"changes","base":"7-1","at":"7-2","mark":"m2","done":[{"by":"z","changes":[{"map":"m","key":"b","value":2,"version":2}]}]}
    state             => inside 0 7-2
    hears {"push":"changes","base":"7-5","at":"7-6","mark":"m6","done":[]} => > enter {"at":"7-2","mark":"m2"}
  `, BOARD);
});

test("undo takes our last change back, also when somebody else has set it since", () => {
  check(`
    set m a 11
    ok {"at":"7-2","mark":"m2","changes":[{"map":"m","key":"a","value":11,"version":2}]}
    hears {"push":"changes","base":"7-2","at":"7-3","mark":"m3","done":[{"by":"z","changes":[{"map":"m","key":"a","value":99,"version":3}]}]}
    undo              => > 2 map_set {"map":"m","key":"a","value":10}
    m                 => {"a":10,"b":20}
    ok {"at":"7-4","mark":"m4","changes":[{"map":"m","key":"a","value":10,"version":4}]}
    redo              => > 3 map_set {"map":"m","key":"a","value":99}
  `, BOARD);
});

test("what was removed returns to its place, and a batch is one step", () => {
  check(`
    together drop l x & set m a 11 & clear m
    l                 => w:W y:Y
    m                 => {}
    undo
    l                 => w:W x:X y:Y
    m                 => {"a":10,"b":20}
    undo              => nothing
    redo
    l                 => w:W y:Y
    m                 => {}
  `, BOARD);
});

test("undo leaves alone what others removed", () => {
  check(`
    put l x "Z"
    ok {"at":"7-2","mark":"m2","changes":[{"list":"l","id":"x","value":"Z","version":2}]}
    hears {"push":"changes","base":"7-2","at":"7-3","mark":"m3","done":[{"by":"z","changes":[{"list":"l","id":"x","removed":true}]}]}
    undo              => nothing
    l                 => w:W y:Y
  `, BOARD);
});

test("a refused change cannot be undone", () => {
  check(`
    set m a 11
    no forbidden
    undo              => nothing
  `, BOARD);
});

test("changes between oneStep and its end are one step", () => {
  const { space } = check("m", BOARD);
  const end = space.oneStep();
  for (let x = 0; x < 5; x++) void space.map("m").set("a", x);
  end();
  void space.map("m").set("b", 0);
  void space.undo();
  expect(space.map("m").toJSON()).toEqual({ a: 4, b: 20 });
  void space.undo();
  expect(space.map("m").toJSON()).toEqual({ a: 10, b: 20 });
  expect(space.canUndo).toBe(false);
});

test("undoing the removal of very much goes in several messages", () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, key) => [`k${key}`, [1, key]]));
  const { space } = check(`
    clear m           => > 1 map_clear {"map":"m"}
    ok {"at":"7-2","mark":"m2","changes":[{"map":"m","cleared":true}]}
    undo
    state             => inside 200 7-2
  `, { maps: { m: many } });
  expect(space.map("m").size).toBe(200);
});

test("presence is said at most every 40 ms, the newest, and again at half its time", () => {
  check(`
    shows p 1         => > presence_set {"presence":"p","value":1}
    shows p 2         => nothing
    shows p 3         => nothing
    wait 39           => nothing
    wait 1            => > presence_set {"presence":"p","value":3}
    wait 29999        => nothing
    wait 1            => > presence_set {"presence":"p","value":3}
    hides p           => > presence_remove {"presence":"p"}
    wait 90000        => nothing
    shows p 4         => > presence_set {"presence":"p","value":4}
    lost
    shows p 5         => nothing
    back resumed      => > hello {"client":"tab","user_key":"uk"}; > enter {"at":"7-1","mark":"m1"}; > presence_set {"presence":"p","value":5}
  `);
});

test("people come, show something and go", () => {
  check(`
    hears {"push":"presence","whole":true,"who":[[1,"me",null],[2,"bo",{"name":"Bo"}],[3,"cy",null]],"of":{"p":{"keys":["x","y"],"set":[[2,5,6]],"raw":[[3,"hi"]]}}}
    who               => me bo cy
    others p          => bo:{"x":5,"y":6} cy:"hi"
    hears {"push":"presence","gone":[3],"of":{"p":{"keys":["x","y"],"set":[[1,9,9]],"unset":[2]}}}
    who               => me bo
    others p          =>
    hears {"push":"presence","whole":true,"who":[[1,"me",null]],"of":{}}
    who               => me
  `);
});

test("our own moves are no news of the others", () => {
  const stage = check(`hears {"push":"presence","whole":true,"who":[[1,"me",null],[2,"bo",null],[3,"cy",null]],"of":{"p":{"keys":["x"],"set":[[2,5],[3,6]]}}}`);
  const presence = stage.space.presence("p");
  const others = presence.others();
  stage.run(`shows p 1
             hears {"push":"presence","of":{"p":{"raw":[[1,1]]}}}`);
  expect(presence.others()).toBe(others);
  expect(presence.all().map(({ userId }) => userId)).toEqual(["me", "bo", "cy"]);
  stage.run(`hears {"push":"presence","of":{"p":{"keys":["x"],"set":[[2,7]]}}}`);
  expect(presence.others()).not.toBe(others);
  expect(presence.others()[1]).toBe(others[1]);
});

test("ten thousand changes wait, and not one more", async () => {
  const { space } = check("lost");
  for (let key = 0; key < QUEUE_OPS_MAX; key++) void space.map("m").set(`k${key}`, key);
  expect(space.state.pending).toBe(QUEUE_OPS_MAX);
  await expect(space.map("m").set("more", 1)).rejects.toMatchObject({ code: "too_many", retry: true });
  expect(space.map("m").size).toBe(QUEUE_OPS_MAX);
  await expect(space.map("m").set("large", "x".repeat(50_000))).rejects.toMatchObject({ code: "too_many" });
});

test("what is larger than the server takes is refused at once", async () => {
  const { space } = check("m");
  await expect(space.map("m").set("large", "x".repeat(50_000))).rejects.toMatchObject({ code: "too_large" });
  expect(space.map("m").size).toBe(0);
});

test("listeners hear now and when it changes, and of one key only what is about it", () => {
  const stage = new Stage().begin(BOARD);
  const map = stage.space.map<number>("m");
  const list = stage.space.list<string>("l");
  const heard: string[] = [];
  const stops = [
    map.subscribe((map, changed) => heard.push(`all ${map.size} ${changed ? [...changed].join() : "any"}`)),
    map.subscribe("a", (value) => heard.push(`a ${String(value)}`)),
    map.select((map) => [...map.keys()].length > 2, (many) => heard.push(`many ${String(many)}`)),
    list.subscribe("x", (value) => heard.push(`x ${String(value)}`)),
  ];
  const next = () => heard.splice(0).join("; ");
  expect(next()).toBe("all 2 any; a 10; many false; x X");
  stage.run(`set m b 21`);
  expect(next()).toBe("all 2 b");
  stage.run(`ok {"at":"7-2","mark":"m2","changes":[{"map":"m","key":"b","value":21,"version":2}]}`);
  expect(next()).toBe("");
  stage.run(`together set m c 1 & remove m a`);
  expect(next()).toBe("all 2 c,a; a undefined");
  stage.run(`set m d 1`);
  expect(next()).toBe("all 3 d; many true");
  stage.run(`move l x 0`);
  expect(next()).toBe("");
  stage.run(`put l x "Z"`);
  expect(next()).toBe("x Z");
  for (const stop of stops) stop();
  stage.run(`clear m`);
  expect(next()).toBe("");
});

test("snapshots for drawing stay the same objects until something changes", () => {
  const stage = new Stage().begin({ lists: { l: [["x", "b", 1, { t: 1 }], ["y", "c", 1, { t: 2 }]] }, maps: { m: { a: [1, { t: 1 }] } } });
  const list = stage.space.list("l");
  const map = stage.space.map("m");
  const [items, whole, a] = [list.items(), map.toJSON(), map.get("a")];
  expect(list.items()).toBe(items);
  stage.run(`put l y {"t":3}
             set m b 1`);
  expect(list.items()).not.toBe(items);
  expect(list.items()[0]).toBe(items[0]);
  expect(map.toJSON()).not.toBe(whole);
  const later = list.items();
  stage.run(`ok {"at":"7-2","mark":"m2","changes":[{"list":"l","id":"y","value":{"t":3},"version":2}]}`);
  expect(list.items()).toBe(later);
  // A snapshot that says the same is the same.
  stage.run(`ok {"at":"7-3","mark":"m3","changes":[{"map":"m","key":"b","value":1,"version":3}]}
             lost
             back
             hears {"push":"snapshot","at":"9-1","mark":"z","first":true,"last":true,"maps":{"m":{"a":[1,{"t":1}],"b":[1,1]}},"lists":{"l":[["y","c",1,{"t":3}],["x","b",1,{"t":1}]]}}`);
  expect(map.get("a")).toBe(a);
  expect(list.at(0)).toBe(items[0]);
});

test("a value is copied: what the program does to its object later is not seen", () => {
  const { space } = check("m");
  const value = { tags: ["one"] };
  void space.map("m").set("a", value);
  value.tags.push("two");
  expect(space.map("m").get("a")).toEqual({ tags: ["one"] });
});

test("a listener that throws harms nobody, and what it threw surfaces by itself", () => {
  const { space } = check("m");
  const later: (() => void)[] = [];
  vi.spyOn(globalThis, "queueMicrotask").mockImplementation((call) => void later.push(call));
  let heard = 0;
  space.map("m").subscribe((map) => {
    if (map.size > 0) throw new Error("mine");
  });
  space.map("m").subscribe(() => (heard += 1));
  void space.map("m").set("a", 1);
  vi.restoreAllMocks();
  expect(heard).toBe(2);
  expect(later).toHaveLength(1);
  expect(later[0]).toThrow("mine");
});

test("entering resolves with everything, and rejects with the server's code", async () => {
  const stage = new Stage();
  const entering = stage.space.enter();
  expect(stage.space.enter()).toBe(entering);
  stage.open();
  expect(stage.space.state.stage).toBe("entering");
  stage.hears({ push: "snapshot", at: "7-1", mark: "m1", first: true, last: true, space: { name: "S" }, me: { user_id: "me", rights: [] }, ...BOARD });
  expect((await entering).map("m").get("a")).toBe(10);

  const other = new Stage();
  const refused = other.space.enter();
  refused.catch(() => {});
  other.open();
  other.hears({ push: "ended", reason: "deleted" });
  await expect(refused).rejects.toMatchObject({ code: "deleted" });
  expect(other.space.state).toMatchObject({ stage: "over", ended: "deleted" });
});

test("leaving rejects what waits, and the space can be entered again", async () => {
  const stage = check(`set m a 1`);
  const [first, second] = [stage.space.map("m").set("b", 1), stage.space.map("m").set("c", 1)];
  stage.space.leave();
  await expect(first).rejects.toThrow(ParlorError);
  await expect(second).rejects.toMatchObject({ code: "closed" });
  expect(stage.space.state).toMatchObject({ stage: "over", ended: "closed", pending: 0 });
  await expect(stage.space.map("m").set("d", 1)).rejects.toMatchObject({ code: "closed" });
  expect(stage.client.space("s")).not.toBe(stage.space);
});

test("who leaves and comes back at once is not sent away by the answer to the first visit", async () => {
  const stage = new Stage();
  const first = stage.space.enter();
  stage.space.leave();
  const second = stage.space.enter();
  await expect(first).rejects.toMatchObject({ code: "closed" });
  expect(stage.space.state.stage).toBe("entering");
  stage.begin();
  await expect(second).resolves.toBe(stage.space);
});

test("a space that is stopped with its client ends", async () => {
  const stage = check(`lost`);
  const waiting = stage.space.map("m").set("b", 1);
  stage.client.stop();
  await expect(waiting).rejects.toMatchObject({ code: "closed" });
  expect(stage.space.state.stage).toBe("over");
});
