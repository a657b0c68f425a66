import { expect, test } from "vitest";
import { below, between, known } from "../src/space/order.js";
import { Dice } from "./model/dice.js";

/** Puts items at the places that `where` names, and sees that each stands exactly there. */
function fill(count: number, where: (length: number, last: number) => number, server: string[] = []): string[] {
  const rows = server.map((order) => ({ order }));
  let last = 0;
  for (let item = 0; item < count; item++) {
    last = where(rows.length, last);
    const order = between(rows[last - 1]?.order, rows[last]?.order);
    if (below(rows, order) !== last || rows[last]?.order === order) expect.fail(`${JSON.stringify(order)} does not stand at ${last}`);
    rows.splice(last, 0, { order });
  }
  return rows.map(({ order }) => order);
}

const SERVER = ["V", "V0", "V00", "V1", "W"];

for (const [name, where] of [
  ["at the beginning", () => 0],
  ["at the end", (length: number) => length],
  ["each after the one before", (_: number, last: number) => last + 1],
  ["each before the one before", (_: number, last: number) => last],
  ["all behind the same item", () => 2],
] as const) {
  test(`ten thousand items ${name} have short orders`, () => {
    for (const server of [[], SERVER]) {
      const orders = fill(10_000, (length, last) => Math.min(where(length, last), length), server);
      expect(Math.max(...orders.map((order) => order.length))).toBeLessThan(40);
    }
  });
}

test("items anywhere stand between their neighbours", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const dice = new Dice(seed);
    const orders = fill(500, (length) => dice.below(length + 1), SERVER);
    expect(orders).toEqual([...orders].sort((one, other) => (one < other ? -1 : 1)));
    expect(new Set(orders).size).toBe(orders.length);
    // Whatever stands behind an item of the server says so.
    let server = "";
    for (const order of orders) {
      if (SERVER.includes(order)) server = order;
      if (known(order) !== server) expect.fail(`${JSON.stringify(order)} does not say ${server}`);
    }
  }
});
