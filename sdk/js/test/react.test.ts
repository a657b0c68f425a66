// @vitest-environment happy-dom

import { type FunctionComponent, StrictMode, act, createElement } from "react";
import { type Root, createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useList, useMap, useOthers, usePresence, useSpace, useStatus } from "../src/react.js";
import { Stage } from "./stage.js";

(globalThis as Record<string, unknown>)["IS_REACT_ACT_ENVIRONMENT"] = true;

let stage: Stage;
let root: Root;
let place: HTMLElement;
const drawn: Record<string, number> = {};

beforeEach(() => {
  stage = new Stage();
  place = document.createElement("div");
  root = createRoot(place);
  for (const name of Object.keys(drawn)) delete drawn[name];
});
afterEach(() => act(async () => root.unmount()));

/** A component that writes down what its hook gives, and counts how often it was drawn. */
const shows = (name: string, use: () => unknown): FunctionComponent => () => {
  drawn[name] = (drawn[name] ?? 0) + 1;
  return createElement("p", {}, `${name} ${JSON.stringify(use())}`);
};
const draw = (...parts: FunctionComponent[]) => act(async () => root.render(parts.map((part, key) => createElement(part, { key }))));
const take = (script: string) => act(async () => void stage.run(script));
/** After everything that was put off until now. */
const later = () => new Promise((resolve) => setTimeout(resolve));
const text = () => Array.from(place.querySelectorAll("p")).map((p) => p.textContent).join("; ");

test("hooks show what is there and what changes, and draw only what is concerned", async () => {
  const { space } = stage.begin({ maps: { m: { a: [1, 1] } }, lists: { l: [["x", "b", 1, "X"]] } });
  await draw(
    shows("map", () => useMap(space, "m")),
    shows("key", () => useMap<number, number | undefined>(space, "m", (map) => map.get("a"))),
    shows("list", () => useList<string>(space, "l").map(({ value }) => value)),
    shows("saved", () => useStatus(space).saved),
  );
  expect(text()).toBe('map {"a":1}; key 1; list ["X"]; saved true');
  await take(`set m b 2`);
  expect(text()).toBe('map {"a":1,"b":2}; key 1; list ["X"]; saved false');
  await take(`insert l 0 "W"`);
  expect(text()).toBe('map {"a":1,"b":2}; key 1; list ["W","X"]; saved false');
  expect(drawn).toEqual({ map: 2, key: 1, list: 2, saved: 3 });
});

test("presence: our own value and those of the others", async () => {
  const { space } = stage.begin();
  let move: (value: unknown) => void = () => {};
  await draw(
    shows("mine", () => {
      const [mine, set] = usePresence(space, "p");
      move = set;
      return mine ?? null;
    }),
    shows("others", () => useOthers(space, "p").map(({ userId }) => userId)),
  );
  await act(async () => move({ x: 1 }));
  await take(`hears {"push":"presence","whole":true,"who":[[1,"me",null],[2,"bo",null]],"of":{"p":{"raw":[[2,1]]}}}`);
  expect(text()).toBe('mine {"x":1}; others ["bo"]');
});

test("a space is entered while somebody needs it, also when it is put in twice", async () => {
  const part = shows("space", () => useSpace(stage.client, "space/s").space?.state.stage ?? null);
  await act(async () => root.render(createElement(StrictMode, {}, createElement(part, { key: 1 }), createElement(part, { key: 2 }))));
  expect(text()).toBe("space null; space null");
  await act(async () => {
    stage.begin();
    await stage.space.enter();
  });
  expect(text()).toBe('space "inside"; space "inside"');
  await act(async () => root.render(createElement(StrictMode, {}, createElement(part, { key: 2 }))));
  await later();
  expect(stage.space.state.stage).toBe("inside");
  await act(async () => root.render(null));
  await later();
  expect(stage.space.state.stage).toBe("over");
});

test("a space that does not let us in says why", async () => {
  await draw(shows("error", () => useSpace(stage.client, "space/s").error?.code ?? null));
  await act(async () => {
    stage.open();
    stage.hears({ push: "ended", reason: "deleted" });
  });
  expect(text()).toBe('error "deleted"');
});

test("hooks can be drawn on a server", () => {
  const { space } = stage.begin({ maps: { m: { a: [1, 1] } } });
  expect(renderToString(createElement(shows("map", () => useMap(space, "m"))))).toBe("<p>map {&quot;a&quot;:1}</p>");
});
