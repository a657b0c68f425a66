import { derived, get } from "svelte/store";
import { expect, test } from "vitest";
import { entryStore, listStore, mapStore, othersStore, presenceStore, statusStore, whoStore } from "../src/svelte.js";
import { Stage } from "./stage.js";

test("stores tell at once, after every change, and no more after they were stopped", () => {
  const stage = new Stage().begin({ maps: { m: { a: [1, 1] } }, lists: { l: [["x", "b", 1, "X"]] } });
  const { space } = stage;
  const told: unknown[] = [];
  const stop = mapStore(space.map("m")).subscribe((value) => told.push(value));
  stage.run(`set m b 2`);
  stop();
  stage.run(`set m b 3`);
  expect(told).toEqual([{ a: 1 }, { a: 1, b: 2 }]);
});

test("Svelte takes them for its own", () => {
  const stage = new Stage().begin({ maps: { m: { a: [1, 1] } }, lists: { l: [["x", "b", 1, "X"]] } });
  const { space } = stage;
  expect(get(mapStore(space.map("m")))).toEqual({ a: 1 });
  expect(get(listStore(space.list("l")))).toEqual([{ id: "x", value: "X" }]);
  expect(get(statusStore(space)).stage).toBe("inside");
  const both = derived([mapStore(space.map<number>("m")), listStore(space.list("l"))], ([map, list]) => Object.keys(map).length + list.length);
  expect(get(both)).toBe(2);
  stage.run(`hears {"push":"presence","whole":true,"who":[[1,"me",null],[2,"bo",null]],"of":{"p":{"raw":[[2,1]]}}}`);
  expect(get(whoStore(space)).map(({ userId }) => userId)).toEqual(["me", "bo"]);
  expect(get(othersStore(space.presence("p")))).toEqual([{ userId: "bo", info: null, value: 1 }]);
});

test("what can be written writes", () => {
  const { space } = new Stage().begin({ maps: { m: { a: [1, 1] } } });
  const a = entryStore(space.map<number>("m"), "a");
  a.update((value = 0) => value + 1);
  expect(space.map("m").get("a")).toBe(2);
  a.set(undefined);
  expect(space.map("m").has("a")).toBe(false);
  const mine = presenceStore(space.presence<number>("p"));
  mine.set(3);
  mine.update((value = 0) => value + 1);
  expect(get(mine)).toBe(4);
  mine.set(undefined);
  expect(space.presence("p").mine).toBeUndefined();
});
