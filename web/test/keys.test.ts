import { beforeEach, expect, test, vi } from "vitest";

const KEY = (name: string) => `uk_${name.padEnd(30, "0")}`;
const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  vi.resetModules();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, value: string) => storage.set(name, value),
  });
});

const aTab = async () => {
  vi.resetModules();
  return (await import("../src/lib/keys.js")).keys;
};

test("of two tabs of a first visit the first one's key is kept by both", async () => {
  const [one, two] = [await aTab(), await aTab()];
  one.keepUserKey(KEY("one"));
  two.keepUserKey(KEY("two"));
  expect([one.userKey(), two.userKey(), (await aTab()).userKey()]).toEqual([KEY("one"), KEY("one"), KEY("one")]);
});

test("a key that the server does not take is replaced", async () => {
  storage.set("parlor.user_key", JSON.stringify(KEY("bad")));
  const tab = await aTab();
  tab.keepUserKey(KEY("new"));
  expect([tab.userKey(), (await aTab()).userKey()]).toEqual([KEY("new"), KEY("new")]);
});
