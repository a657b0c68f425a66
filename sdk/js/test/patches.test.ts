// The server's own vectors: a test of the server writes them and keeps them true.

import { expect, test } from "vitest";
import { patched } from "../src/patched.js";
import type { PatchPush, Place, Shown, Words } from "../src/wire.js";
import vectors from "./patches.json";

interface Moment extends Place {
  readonly expires_at: number;
  readonly view: Words;
}

const me: Words = { seated: true };
const shown = ({ at, mark, view, expires_at }: Moment): Shown => ({ at, mark, view, me, expiresAt: expires_at });

for (const { name, before, patch, after } of vectors as unknown as { name: string; before: Moment; patch: PatchPush; after: Moment }[]) {
  test(`a patch gives what the server shows: ${name}`, () => {
    const old = shown(before);
    const copy = JSON.stringify(old);
    expect(patch.base).toBe(old.at);
    expect(patched(old, patch)).toStrictEqual(shown(after));
    expect(JSON.stringify(old)).toBe(copy);
  });
}

test("what a patch does not name stays the same object", () => {
  const [{ before, patch }] = vectors.filter(({ name }) => name === "a vote") as unknown as [{ before: Moment; patch: PatchPush }];
  const old = shown(before);
  const now = patched(old, patch);
  expect(now.view["stories"]).toBe(old.view["stories"]);
  expect(now.me).toBe(old.me);
});
