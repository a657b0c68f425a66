import { expect, test } from "vitest";
import { KEPT_MS_MAX, TRIES_MAX, WAITING_MAX } from "../src/shop/cart.js";
import { Dice } from "./model/dice.js";
import { type Fate, House } from "./model/shop.js";

async function opened(): Promise<{ house: House; tab: ReturnType<House["tab"]> }> {
  const house = new House();
  const tab = house.tab().watch();
  await house.settle();
  house.asked.length = 0;
  return { house, tab };
}

test("a page that wants nothing asks nothing", async () => {
  const house = new House();
  house.tab();
  await house.settle();
  expect(house.asked).toEqual([]);
});

test("a visit is begun if there is none, and taken up if there is", async () => {
  const house = new House();
  const tab = house.tab();
  await tab.shop.touch("7");
  await tab.shop.touch("8");
  expect(house.asked).toEqual(["visit", "visits", "visit/touch", "visit/touch"]);
  const other = house.tab();
  expect(await other.shop.viewed()).toEqual(["8", "7"]);
  expect(other.shop.state.visit).toMatchObject({ user: null });
  expect(house.visits.size).toBe(1);
  expect(await other.shop.popular(3)).toEqual([{ item: "7", views: 23 }]);
  expect(house.asked.at(-1)).toBe("popular?n=3");
});

test("two tabs that open at once begin one visit", async () => {
  const house = new House();
  const tabs = [house.tab(), house.tab(), house.tab()];
  await Promise.all(tabs.map(({ shop }) => shop.begin()));
  expect(house.visits.size).toBe(1);
});

test("a browser without cookies is told so, and does not begin visit after visit", async () => {
  const house = new House();
  house.cookies = false;
  const tab = house.tab().watch();
  await expect(tab.shop.cart.add("7")).rejects.toMatchObject({ code: "unauthenticated", retry: false });
  await house.pass(600_000);
  expect(house.visits.size).toBe(1);
});

test("a change shows at once, then the server's answer", async () => {
  const { house, tab } = await opened();
  const done = tab.shop.cart.add("7", 2);
  expect(tab.lines()).toEqual({ 7: 2 });
  expect(tab.shop.cart.state.saved).toBe(false);
  await done;
  await house.settle();
  expect(tab.shop.cart.state).toMatchObject({ count: 2, items: 1, saved: true, known: true });
  void tab.shop.cart.set("9", 4);
  void tab.shop.cart.remove("7");
  expect(tab.lines()).toEqual({ 9: 4 });
  await house.settle();
  expect(house.quantities()).toEqual({ 9: 4 });
  await tab.shop.cart.clear();
  expect([tab.lines(), house.quantities()]).toEqual([{}, {}]);
});

test("nobody sees more of one thing than a cart may hold", async () => {
  const { house, tab } = await opened();
  void tab.shop.cart.set("7", 9_000);
  void tab.shop.cart.add("7", 9_000);
  expect(tab.lines()).toEqual({ 7: 9_999 });
  await house.settle();
  expect([tab.counts, house.quantities()]).toEqual([[0, 9_000, 9_999], { 7: 9_999 }]);
  void tab.shop.cart.add("7", -20_000);
  expect(tab.lines()).toEqual({});
});

test("changes go out one at a time, in their order", async () => {
  const { house, tab } = await opened();
  house.fates = ["lost question"];
  void tab.shop.cart.add("7", 2);
  void tab.shop.cart.set("7", 5);
  void tab.shop.cart.add("7");
  await house.pass(60_000);
  expect(house.asked.map((line) => line.split(" ")[0])).toEqual(["cart/add", "cart/add", "cart/set", "cart/add"]);
  expect(house.quantities()).toEqual({ 7: 6 });
});

for (const fate of ["lost question", "lost answer", "half an answer", { status: 502 }, { status: 503, code: "unavailable", retry: true }, { status: 429, code: "too_fast", retry: true }] satisfies Fate[]) {
  test(`h149 after ${JSON.stringify(fate)} the same change is sent with the same id and counts once`, async () => {
    const { house, tab } = await opened();
    house.fates = [fate, fate];
    const done = tab.shop.cart.add("7");
    await house.pass(60_000);
    await done;
    const ids = house.asked.filter((line) => line.startsWith("cart/add")).map((line) => line.split(" ")[1]);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect([house.quantities(), tab.lines()]).toEqual([{ 7: 1 }, { 7: 1 }]);
    // Nobody ever saw it twice.
    expect(Math.max(...tab.counts)).toBe(1);
  });
}

test("what is refused is taken back, and the next change is not held up", async () => {
  const { house, tab } = await opened();
  house.fates = [{ status: 400, code: "bad_request" }];
  const refused: string[] = [];
  tab.shop.cart.refused(({ code }, { item }) => refused.push(`${code} ${item}`));
  const first = tab.shop.cart.add("7", 100_000);
  const second = tab.shop.cart.add("8");
  await expect(first).rejects.toMatchObject({ code: "bad_request" });
  await second;
  expect(tab.lines()).toEqual({ 8: 1 });
  expect(refused).toEqual(["bad_request 7"]);
  await expect(tab.shop.cart.add("7", 0.5)).rejects.toMatchObject({ code: "bad_request" });
  await expect(tab.shop.cart.add("7", Infinity)).rejects.toMatchObject({ code: "bad_request" });
});

test("a server that stays away ends the waiting, and the cart is read again when it is back", async () => {
  const { house, tab } = await opened();
  // The first try did happen; only its answers never came.
  house.fates = ["lost answer", ...Array<Fate>(TRIES_MAX - 1).fill("lost question")];
  const first = tab.shop.cart.add("7");
  const second = tab.shop.cart.add("8");
  await house.pass(300_000);
  await expect(first).rejects.toMatchObject({ code: "interrupted", retry: true });
  await expect(second).rejects.toMatchObject({ code: "interrupted" });
  await house.settle();
  expect(tab.lines()).toEqual({ 7: 1 });
  expect(house.quantities()).toEqual({ 7: 1 });
});

test("too many waiting changes are refused, none is dropped", async () => {
  const { house, tab } = await opened();
  const all = Array.from({ length: WAITING_MAX + 1 }, () => tab.shop.cart.add("7"));
  await expect(all.at(-1)).rejects.toMatchObject({ code: "too_many" });
  await house.pass(1000);
  expect(house.quantities()).toEqual({ 7: WAITING_MAX });
});

for (const versions of [true, false]) {
  test(`other tabs show it live${versions ? "" : ", also without versions"}`, async () => {
    const { house, tab } = await opened();
    house.versions = versions;
    const other = house.tab().watch();
    await house.settle();
    await tab.shop.cart.add("7", 3);
    await house.settle();
    expect(other.lines()).toEqual({ 7: 3 });
    // Both at once: both count, and both see both.
    void tab.shop.cart.add("7");
    void other.shop.cart.add("7");
    await house.settle();
    expect([tab.lines(), other.lines(), house.quantities()]).toEqual([{ 7: 5 }, { 7: 5 }, { 7: 5 }]);
    // Never more than there is: an event that comes before the answer is not added to the change it tells of.
    for (const { counts } of [tab, other]) expect(Math.max(...counts)).toBe(5);
  });
}

test("an event that comes late does not take back what came after it", async () => {
  const { house, tab } = await opened();
  house.held = [];
  await tab.shop.cart.add("7");
  await tab.shop.cart.add("7");
  await house.settle();
  for (const say of house.held) say();
  expect(tab.lines()).toEqual({ 7: 2 });
  expect(tab.counts).toEqual([0, 1, 2]);
});

test("a stream that breaks is opened again, and what was missed is there", async () => {
  const { house, tab } = await opened();
  const other = house.tab();
  house.cut();
  expect(tab.shop.state.live).toBe(false);
  await other.shop.cart.add("7");
  expect(tab.lines()).toEqual({});
  await house.pass(11_000);
  expect(tab.lines()).toEqual({ 7: 1 });
  expect(tab.shop.state.live).toBe(true);
});

test("a stream that is refused is tried ever more slowly, and begins no visits", async () => {
  const { house } = await opened();
  house.streamsRefused = true;
  const before = house.streams.length;
  house.cut();
  await house.pass(60_000);
  expect(house.streams.length - before).toBeLessThan(20);
  expect(house.visits.size).toBe(1);
});

test("only pages that are looked at listen", async () => {
  const house = new House();
  const tabs = Array.from({ length: 12 }, () => {
    const tab = house.tab();
    tab.shown = false;
    return tab.watch();
  });
  await house.settle();
  expect(house.streams).toHaveLength(0);
  tabs[0]!.turn(true);
  await house.settle();
  expect(house.streams.filter(({ open }) => open)).toHaveLength(1);
  await tabs[0]!.shop.cart.add("7");
  tabs[0]!.turn(false);
  tabs[5]!.turn(true);
  await house.settle();
  expect(house.streams.filter(({ open }) => open)).toHaveLength(1);
  expect(tabs[5]!.lines()).toEqual({ 7: 1 });
});

test("a login in another tab ends the old visit: the stream goes on with the new one", async () => {
  const { house, tab } = await opened();
  await tab.shop.cart.add("7");
  house.login("ana");
  await house.settle();
  expect(tab.shop.state).toMatchObject({ visit: { user: "ana" }, live: true });
  expect(tab.lines()).toEqual({ 7: 1 });
  await tab.shop.cart.add("7");
  expect(house.quantities()).toEqual({ 7: 2 });
  expect(house.visits.size).toBe(1);
});

for (const busy of [false, true]) {
  test(`while a login's cookie is on its way the cart stays, and no visit is begun${busy ? ", even if something changes" : ""}`, async () => {
    const { house, tab } = await opened();
    await tab.shop.cart.add("7");
    const arrives = house.loginUnderWay("ana");
    await house.settle();
    if (busy) void tab.shop.cart.add("7");
    await house.pass(500);
    expect(tab.shop.cart.count).toBe(busy ? 2 : 1);
    arrives();
    await house.pass(5000);
    expect(tab.shop.state).toMatchObject({ visit: { user: "ana" }, live: true });
    expect([tab.lines(), house.quantities()]).toEqual(busy ? [{ 7: 2 }, { 7: 2 }] : [{ 7: 1 }, { 7: 1 }]);
    expect(tab.counts).toEqual(busy ? [0, 1, 2] : [0, 1]);
    expect(house.visits.size).toBe(1);
  });
}

test("h150 after a logout nothing of the cart is left, and no visit is begun until somebody does something", async () => {
  const { house, tab } = await opened();
  const other = house.tab().watch();
  await tab.shop.cart.add("7");
  await tab.shop.logout();
  await house.pass(60_000);
  for (const { shop } of [tab, other]) {
    expect(shop.state).toEqual({ visit: null, live: false });
    expect(shop.cart.state).toMatchObject({ count: 0, saved: true });
  }
  expect(house.visits.size).toBe(0);
  await tab.shop.cart.add("9");
  await house.settle();
  expect([tab.lines(), house.quantities()]).toEqual([{ 9: 1 }, { 9: 1 }]);
  expect(tab.shop.state.live).toBe(true);
  // The other tab sees the new visit when it is looked at again.
  other.turn(false);
  other.turn(true);
  await house.settle();
  expect(other.lines()).toEqual({ 9: 1 });
});

test("a change that was under way at the logout does not come into the next visit", async () => {
  const { house, tab } = await opened();
  house.fates = ["lost question"];
  const change = tab.shop.cart.add("7");
  await house.settle();
  await tab.shop.logout();
  await expect(change).rejects.toMatchObject({ code: "closed" });
  await house.pass(60_000);
  expect(house.visits.size).toBe(0);
});

test("a visit that ended by itself is followed by a new one, once", async () => {
  const { house, tab } = await opened();
  house.visits.clear();
  const done = tab.shop.cart.add("7");
  await house.pass(60_000);
  await done;
  expect(house.visits.size).toBe(1);
  expect(house.asked.filter((line) => line !== "visit").map((line) => line.split(" ")[0])).toEqual(["cart/add", "visits", "cart/add"]);
});

test("whoever follows a link before the answer has come finds the change on the next page, and it counts once", async () => {
  const { house, tab } = await opened();
  for (const fate of ["lost question", "lost answer"] as const) {
    const store = new Map<string, string>();
    const left = house.tab(store);
    await left.shop.begin();
    house.fates = [fate];
    void left.shop.cart.add(fate);
    await house.settle();
    // The page is gone: what it would do later does not happen. The next one has the same storage.
    left.shop.stop();
    const next = house.tab(new Map(store)).watch();
    await house.settle();
    expect(next.lines()[fate]).toBe(1);
    await house.pass(60_000);
    expect(house.quantities()[fate]).toBe(1);
    expect(tab.lines()[fate]).toBe(1);
  }
});

test("changes of long ago, or of another visit, are not made any more", async () => {
  const { house } = await opened();
  const store = new Map<string, string>();
  const left = house.tab(store);
  await left.shop.begin();
  house.fates = Array<Fate>(TRIES_MAX).fill("lost question");
  void left.shop.cart.add("7");
  await house.settle();
  house.fates = [];
  const kept = new Map(store);
  expect(kept.size).toBe(1);
  await left.shop.logout();
  expect(store.size).toBe(0);
  house.now += 1000;
  const stranger = house.tab(new Map(kept)).watch();
  await house.settle();
  expect(stranger.lines()).toEqual({});

  const late = new Map<string, string>();
  const away = house.tab(late);
  await away.shop.begin();
  house.fates = Array<Fate>(TRIES_MAX).fill("lost question");
  void away.shop.cart.add("8");
  await house.settle();
  const old = new Map(late);
  house.now += KEPT_MS_MAX;
  house.fates = [];
  const back = house.tab(old).watch();
  await house.settle();
  expect(back.lines()).toEqual({});
});

for (let seed = 1; seed <= 200; seed++) {
  test(`in any weather every change counts once, and all tabs show the same (seed ${seed})`, async () => {
    const dice = new Dice(seed);
    const house = new House();
    house.versions = dice.often(0.5);
    const tabs = [house.tab().watch(), house.tab().watch(), house.tab().watch()];
    await house.settle();
    const due: Record<string, number> = {};
    const refused: string[] = [];
    for (const { shop } of tabs) shop.cart.refused(({ code, message }) => refused.push(`${code}: ${message}`));
    for (let round = 0; round < 40; round++) {
      const tab = dice.pick(tabs);
      // Never so bad that a change is given up.
      if (house.fates.length < TRIES_MAX - 6) house.fates.push(...Array.from({ length: dice.below(4) }, () => dice.pick<Fate>(["ok", "lost question", "lost answer", "half an answer", { status: 502 }])));
      if (dice.often(0.6)) {
        const item = dice.pick(["a", "b", "c"]);
        const quantity = 1 + dice.below(3);
        due[item] = (due[item] ?? 0) + quantity;
        void tab.shop.cart.add(item, quantity);
      }
      if (dice.often(0.1)) house.cut();
      if (dice.often(0.1)) tab.turn(!tab.shown);
      if (house.token !== null && dice.often(0.05)) {
        const arrives = house.loginUnderWay(`u${round}`);
        if (dice.often(0.5)) void tab.shop.cart.add("d").then(() => (due["d"] = (due["d"] ?? 0) + 1));
        await house.pass(dice.below(1500));
        arrives();
        // Nobody logs in twice within the time that a cookie takes.
        await house.pass(5000);
      }
      if (dice.often(0.5)) await house.pass(dice.below(2000));
    }
    house.fates = [];
    for (const tab of tabs) tab.turn(true);
    await house.pass(120_000);
    expect(refused).toEqual([]);
    expect(house.visits.size).toBe(1);
    expect(house.quantities()).toEqual(due);
    for (const tab of tabs) {
      expect(tab.lines()).toEqual(due);
      expect(tab.shop.cart.state.saved).toBe(true);
    }
  });
}
