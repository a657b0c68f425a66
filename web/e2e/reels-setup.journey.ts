// Setting a game up: files become a game, and nothing but the game leaves the browser.

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";
import { SECRET, WHEN, archive, chat, file, gang, link, own } from "./reels-files.js";
import { en } from "../src/reels/setup/words/en.js";
import { fr } from "../src/reels/setup/words/fr.js";
import { ja } from "../src/reels/setup/words/ja.js";

const house = openHouse();

const gives = (person: Person, ...files: ReturnType<typeof file>[]) => person.page.setInputFiles("#files", files);
const sender = (person: Person, name: string) => person.page.locator(`[data-sender="${name}"]`);
const senders = (person: Person) => person.page.locator("[data-sender]").evaluateAll((rows) => rows.map((row) => `${(row as HTMLElement).dataset["sender"]} ${(row as HTMLElement).dataset["reels"]}`));
const loaded = (person: Person) => person.page.locator("[data-sender]").first().waitFor();

interface Wish {
  title?: string;
  vote_seconds?: number;
  senders: { sender_id: string; name: string; active: boolean; reels_count: number }[];
  players: { player_id: string; sender_id?: string; name: string }[];
  rounds: { round_id: string; items: { item_id: string; reel: { reel_id: string; url: string }; true_sender_ids: string[] }[] }[];
}

/** Everything that leaves the page, on every line. */
function listens(page: Page): { bodies: string[]; all: () => string } {
  const bodies: string[] = [];
  const rest: string[] = [];
  page.on("request", (request) => {
    rest.push(request.url(), JSON.stringify(request.headers()));
    if (request.postData() !== null) bodies.push(request.postData()!);
  });
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => rest.push(String(payload))));
  return { bodies, all: () => [...rest, ...bodies].join("\n") };
}

async function opens(person: Person): Promise<void> {
  await person.page.goto(`${house.server.url}/reels`);
  await person.page.locator("#files").waitFor({ state: "attached" });
}

async function creates(person: Person): Promise<string> {
  await person.button(en.summary.create).click();
  await person.page.waitForURL(/\/reels\/[A-HJ-NP-Z2-9]{8}\/tv$/);
  return /reels\/(\w+)\/tv/.exec(person.page.url())![1]!;
}

test("an archive becomes a game: report, chats, people, rounds; and only the game is sent", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const heard = listens(ana.page);
  await opens(ana);
  await gives(ana, file("export.zip", archive()), file("list.csv", `url,sender\nhttps://example.com/clip?id=1,Big Tom\n,Nobody\n`), file("holiday.jpg", new Uint8Array([0xff, 0xd8, 0xff, 0xe0])));
  await loaded(ana);

  // What became of each file.
  await ana.page.locator('[data-file="holiday.jpg"]').getByText(en.report.troubles.unreadable).waitFor();
  const messages = ana.page.locator('[data-file$="gang_1/message_1.json"]');
  await messages.getByText(en.report.accepted(19)).waitFor();
  for (const reason of [en.report.reasons.duplicate, en.report.reasons.otherSite, en.report.reasons.noLink]) await messages.getByText(reason).waitFor();
  await messages.getByText("https://www.tiktok.com/@a/video/1").waitFor();

  // Of the archive the group is played; the other chat waits to be ticked.
  expect(await senders(ana)).toEqual(["Zoé 6", "Big Tom 5", "健太 5", "tommy 4"]);
  await ana.page.locator('[data-chat="Mum"] input').check();
  await sender(ana, "Mum").waitFor();
  await ana.page.locator('[data-chat="Mum"] input').uncheck();
  await sender(ana, "Mum").waitFor({ state: "detached" });

  // Two of them are one; that is undone and done again; a name is cut loose and put back.
  const merge = async () => {
    for (const name of ["Big Tom", "tommy"]) await ana.page.getByLabel(en.senders.pick(name)).check();
    await ana.button(en.senders.merge(2)).click();
    await sender(ana, "tommy").waitFor({ state: "detached" });
  };
  await merge();
  expect(await senders(ana)).toEqual(["Big Tom 9", "Zoé 6", "健太 5"]);
  await ana.button(en.senders.undo).click();
  await sender(ana, "tommy").waitFor();
  await merge();
  await ana.button(new RegExp(`${en.senders.split("zoé_")}$`)).click();
  await sender(ana, "zoé_").waitFor();
  await ana.button(en.senders.undo).click();
  await sender(ana, "zoé_").waitFor({ state: "detached" });
  await ana.page.getByLabel(en.senders.name("健太")).fill("Kenta");
  await ana.page.keyboard.press("Enter");
  await sender(ana, "Kenta").waitFor();

  // The rounds: their number, the seed, the answers.
  await ana.page.getByLabel(en.rounds.seed, { exact: true }).fill("friday");
  await ana.button(en.rounds.more).click();
  expect(await ana.page.getByTestId("rounds").textContent()).toBe("4");
  const preview = ana.page.locator("section", { has: ana.page.locator("#rounds") });
  expect(await preview.textContent()).not.toContain("Big Tom");
  await ana.page.getByLabel(en.rounds.spoilers).check();
  const before = await preview.locator(".tiles").allTextContents();
  expect(before.join()).toContain("Big Tom");
  await ana.button(en.rounds.otherSeed).click();
  expect(await preview.locator(".tiles").allTextContents()).not.toEqual(before);
  await ana.page.getByLabel(en.rounds.seed, { exact: true }).fill("friday");
  expect(await preview.locator(".tiles").allTextContents()).toEqual(before);

  // The evening: a title, a timer, a seat for somebody who sent nothing and one for a guest.
  await ana.page.getByLabel(en.options.name).fill("Friday");
  await ana.page.getByText(en.options.timers[30], { exact: true }).click();
  await ana.button("Silent Sam").click();
  await ana.page.getByLabel(en.options.extras).fill("Guest");
  await ana.button(en.options.add).click();
  await ana.page.getByText(en.summary.seats(5)).waitFor();
  await ana.page.getByText(en.summary.exact).click();
  const promised = JSON.parse((await ana.page.locator("pre").textContent())!) as Wish;
  await ana.everyoneCanUseIt("a setup");

  await creates(ana);
  expect(heard.bodies).toHaveLength(1);
  const { kind, ...wish } = JSON.parse(heard.bodies[0]!) as Wish & { kind: string };
  expect(kind).toBe("reels");
  expect(wish).toEqual(promised);
  expect(Object.keys(wish).sort()).toEqual(["players", "rounds", "senders", "title", "vote_seconds"]);
  expect([wish.title, wish.vote_seconds]).toEqual(["Friday", 30]);
  expect(wish.senders).toEqual([
    { sender_id: "s1", name: "Big Tom", active: true, reels_count: 9 },
    { sender_id: "s2", name: "Kenta", active: true, reels_count: 5 },
    { sender_id: "s3", name: "Zoé", active: true, reels_count: 6 },
  ]);
  expect(wish.players.map(({ player_id, sender_id, name }) => [player_id, sender_id, name])).toEqual([["p1", "s1", "Big Tom"], ["p2", "s2", "Kenta"], ["p3", "s3", "Zoé"], ["p4", undefined, "Silent Sam"], ["p5", undefined, "Guest"]]);
  expect(wish.rounds.map(({ round_id }) => round_id)).toEqual(["r1", "r2", "r3", "r4"]);
  for (const { items } of wish.rounds) expect(items.flatMap(({ true_sender_ids }) => true_sender_ids).sort()).toEqual(["s1", "s2", "s3"]);
  const items = wish.rounds.flatMap(({ items }) => items);
  expect(items.map(({ item_id }) => item_id)).toEqual(items.map((_, at) => `i${at + 1}`));
  for (const { reel } of items) expect(reel.url).toMatch(/^https:\/\/(www\.instagram\.com\/reel\/\w+\/|example\.com\/clip\?id=1)$/);

  // Not a word, a time, a person, a reel more than that; and nobody else was asked for anything.
  const everything = heard.all();
  for (const private_ of [SECRET, String(WHEN), "Mum", "tommy", "igsh", "secretpath", "tiktok", "Gang"]) expect(everything).not.toContain(private_);
  await ana.leaves();
});

test("a reload keeps the setup, and the next game has other reels", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  const heard = listens(ana.page);
  await opens(ana);
  await gives(ana, file("message_1.json", gang));
  await loaded(ana);
  await ana.page.getByLabel(en.senders.plays("tommy")).uncheck();
  await ana.page.getByLabel(en.senders.name("Big Tom")).fill("Tom");
  await ana.page.keyboard.press("Enter");
  await ana.page.getByLabel(en.options.name).fill("Friday");
  await ana.button(en.rounds.fewer).click();
  const seed = await ana.page.getByLabel(en.rounds.seed, { exact: true }).inputValue();

  await ana.page.reload();
  await loaded(ana);
  expect(await senders(ana)).toEqual(["Zoé 6", "健太 5", "Tom 4", "tommy 4"]);
  expect(await ana.page.getByLabel(en.senders.plays("tommy")).isChecked()).toBe(false);
  expect(await ana.page.getByLabel(en.options.name).inputValue()).toBe("Friday");
  expect(await ana.page.getByLabel(en.rounds.seed, { exact: true }).inputValue()).toBe(seed);
  expect(await ana.page.getByTestId("rounds").textContent()).toBe("2");
  await creates(ana);

  await opens(ana);
  await loaded(ana);
  await ana.page.getByLabel(en.rounds.played(6)).or(ana.page.getByLabel(en.rounds.played(5))).waitFor();
  await creates(ana);
  const [one, other] = heard.bodies.map((body) => (JSON.parse(body) as Wish).rounds.flatMap(({ items }) => items.map(({ reel }) => reel.url)));
  expect(one!.filter((url) => other!.includes(url))).toEqual([]);

  // Start over, and nothing is left of it.
  await opens(ana);
  await ana.button(en.import.forget).click();
  await ana.page.getByRole("dialog").getByRole("button", { name: en.import.forget }).click();
  await ana.page.locator('[data-setup="fresh"]').waitFor();
  await ana.page.reload();
  await ana.page.locator('[data-setup="fresh"]').waitFor();
  expect(await ana.page.evaluate(() => sessionStorage.getItem("parlor.reels.setup"))).toBeNull();
  await ana.leaves();
});

test("whoever sent too little says how many rounds there are, and can be left out", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await opens(ana);
  await gives(ana, file("message_1.json", chat("Uneven", ["Zoé", "Bo", "Chi"], [...own(["Zoé", "Bo"], 5, "u"), ["Chi", link("c")]])));
  await loaded(ana);
  expect(await ana.page.getByTestId("rounds").textContent()).toBe("1");
  await ana.page.getByText(en.rounds.limitSenders(1, "Chi")).waitFor();
  expect(await ana.button(en.rounds.more).isDisabled()).toBe(true);
  await ana.button(en.rounds.leaveOut("Chi")).click();
  await ana.page.getByTestId("rounds").getByText("3").waitFor();
  await ana.page.getByLabel(en.senders.plays("Bo")).uncheck();
  await ana.page.getByText(en.problem({ why: "fewSenders" })).waitFor();
  expect(await ana.button(en.summary.create).isDisabled()).toBe(true);
  await ana.leaves();
});

test("a hundred thousand messages can be read, and reading can be stopped", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  // The reader is held back, so that there is time to press the button.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await ana.page.route(/reader\.worker/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await opens(ana);
  await gives(ana, file("message_1.json", gang));
  await ana.page.getByRole("progressbar").waitFor();
  await ana.everyoneCanUseIt("reading");
  await ana.button(en.import.cancel).click();
  await ana.page.getByText(en.import.cancelled).waitFor();
  await ana.page.locator('[data-setup="fresh"]').waitFor();
  release();

  const names = ["Ana", "Bo", "Chi", "Dan"];
  const files = Array.from({ length: 10 }, (_, at) => file(`message_${at + 1}.json`, JSON.stringify({
    participants: names.map((name) => ({ name })),
    messages: Array.from({ length: 10_000 }, (_, n) => ({ sender_name: names[n % 4], timestamp_ms: WHEN, ...(n % 50 < 4 ? { share: { link: link(`f${at}n${n}`) } } : { content: SECRET }) })),
    title: "Many",
    thread_path: "inbox/many",
  })));
  await gives(ana, ...files);
  await loaded(ana);
  expect(await senders(ana)).toEqual(names.map((name) => `${name} 2000`));
  await creates(ana);
  await ana.leaves();
});

test("files are dropped, lists are typed, names are text and nothing else", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await opens(ana);
  await ana.page.evaluate((text) => {
    const given = new DataTransfer();
    // Two that are called the same, as from two folders.
    for (const content of [text, "{}"]) given.items.add(new File([content], "message_1.json"));
    for (const type of ["dragover", "drop"]) dispatchEvent(new DragEvent(type, { dataTransfer: given, cancelable: true }));
  }, chat("Odd", ["<img src=x onerror=alert(1)>", "a\u202eb"], own(["<img src=x onerror=alert(1)>", "a\u202eb", "__proto__"], 2, "o")));
  await loaded(ana);
  expect(await ana.page.locator('[data-file="message_1.json"]').count()).toBe(2);
  expect(await ana.page.evaluate(() => document.activeElement?.id)).toBe("report");
  expect((await senders(ana)).sort()).toEqual(["<img src=x onerror=alert(1)> 2", "__proto__ 2", "ab 2"]);
  await ana.page.getByText(en.import.paste).click();
  await ana.page.getByLabel(en.import.pasteHint).fill("https://example.com/1, Typed\njavascript:alert(1), Typed\nhttps://example.com/2, Typed");
  await ana.button(en.import.pasteAdd).click();
  await sender(ana, "Typed").waitFor();
  await ana.page.locator(`[data-file="${en.import.pasteName}"]`).getByText(en.report.reasons.badAddress).waitFor();
  await creates(ana);
  await ana.leaves();
});

test("a game that the server does not take leaves the setup as it was, with a sentence", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await opens(ana);
  await gives(ana, file("message_1.json", gang));
  await loaded(ana);
  const refuse = (code: string, status: number) => ana.page.route(/\/v1\/rooms$/, (route) => route.fulfill({ status, json: { error: { code, message: "", retry: false } } }), { times: 1 });
  await refuse("too_fast", 429);
  await ana.button(en.summary.create).click();
  await ana.page.getByText("Too fast. Wait a moment.").waitFor();
  await ana.page.context().setOffline(true);
  await ana.button(en.summary.create).click();
  await ana.page.getByText("There is no connection.").first().waitFor();
  await ana.page.context().setOffline(false);
  await refuse("bad_request", 400);
  await ana.button(en.summary.create).click();
  await ana.page.getByText("That does not fit here.").waitFor();
  await creates(ana);
  await ana.leaves();
});

test("where the browser remembers nothing, the page says so and goes on", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await ana.page.addInitScript(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name, value) {
      if (name === "parlor.reels.setup") throw new DOMException("full", "QuotaExceededError");
      setItem.call(this, name, value);
    };
  });
  await opens(ana);
  await gives(ana, file("message_1.json", gang));
  await ana.page.getByText(en.unkept).waitFor();
  await creates(ana);
  await ana.leaves();
});

for (const friends of [2, 8]) {
  test(`the demo for ${friends} needs one click and no file`, async () => {
    const ana = await Person.arrives(house.browser, "Ana");
    const heard = listens(ana.page);
    await opens(ana);
    await ana.page.getByLabel(en.demo.friends).selectOption(String(friends));
    await ana.button(en.demo.start).click();
    await ana.page.waitForURL(/\/tv$/);
    const wish = JSON.parse(heard.bodies[0]!) as Wish;
    expect(wish.senders).toHaveLength(friends);
    expect(wish.rounds).toHaveLength(2);
    for (const { reel } of wish.rounds.flatMap(({ items }) => items)) expect(reel.url).toMatch(new RegExp(`^${house.server.url}/reels/demo/([1-9]|1[0-9]|2[0-4])$`));
    await ana.leaves();
  });
}

test("a whole game is set up without a mouse", async () => {
  const ana = await Person.arrives(house.browser, "Ana");
  await opens(ana);
  const { keyboard } = ana.page;
  const focused = (label: string) => ana.page.evaluate((label) => {
    const element = document.activeElement as HTMLElement | null;
    const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? [...(element.labels ?? [])] : [];
    return [element?.getAttribute("aria-label"), element?.textContent, ...labels.map(({ textContent }) => textContent)].some((text) => text?.trim() === label);
  }, label);
  const walksTo = async (label: string) => {
    for (let steps = 0; steps < 80; steps++) {
      if (await focused(label)) return;
      await keyboard.press("Tab");
    }
    throw new Error(`the Tab key does not lead to ${label}`);
  };
  await walksTo(en.import.paste);
  await keyboard.press("Enter");
  await walksTo(en.import.pasteHint);
  await keyboard.insertText(["Ana", "Bo", "bobby"].flatMap((name) => [1, 2, 3].map((n) => `https://example.com/${name}/${n}, ${name}`)).join("\n"));
  await walksTo(en.import.pasteAdd);
  await keyboard.press("Enter");
  await loaded(ana);
  await walksTo(en.senders.pick("Bo"));
  await keyboard.press("Space");
  await walksTo(en.senders.pick("bobby"));
  await keyboard.press("Space");
  await walksTo(en.senders.merge(2));
  await keyboard.press("Enter");
  await sender(ana, "bobby").waitFor({ state: "detached" });
  await walksTo(en.rounds.fewer);
  await keyboard.press("Enter");
  await walksTo(en.summary.create);
  await keyboard.press("Enter");
  await ana.page.waitForURL(/\/tv$/);
  await ana.leaves();
});

describe("everyone", () => {
  const windows = {
    light: { locale: "en-GB", colorScheme: "light", words: en },
    dark: { locale: "fr-FR", colorScheme: "dark", words: fr },
    "a light phone": { locale: "ja-JP", colorScheme: "light", viewport: { width: 360, height: 640 }, words: ja },
    "a dark phone": { locale: "en-GB", colorScheme: "dark", viewport: { width: 390, height: 844 }, words: en },
  } as const;
  for (const [name, { words, ...options }] of Object.entries(windows)) {
    test(`nothing serious stands in anybody's way, ${name}`, async () => {
      const ana = await Person.arrives(house.browser, "Ana", options);
      const narrow = () => ana.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
      await opens(ana);
      await ana.page.getByText(words.lead).waitFor();
      await ana.everyoneCanUseIt("a fresh setup");
      expect(await narrow()).toBe(true);
      await ana.page.getByText(words.import.help).click();
      await gives(ana, file("export.zip", archive()), file("half.zip", archive().slice(0, 900)));
      await loaded(ana);
      await ana.page.getByText(words.report.troubles.badZip).waitFor();
      await ana.page.getByLabel(words.senders.pick("tommy")).check();
      await ana.page.getByLabel(words.senders.plays("健太")).uncheck();
      await ana.page.getByLabel(words.options.extras).fill("Zoé");
      await ana.button(words.options.add).click();
      await ana.page.getByText(words.problem({ why: "sameName", name: "Zoé" })).waitFor();
      await ana.page.getByLabel(words.rounds.spoilers).check();
      await ana.page.getByText(words.summary.exact).click();
      await ana.everyoneCanUseIt("a full setup");
      expect(await narrow()).toBe(true);
      await ana.button(words.import.forget).click();
      await ana.page.getByRole("dialog").waitFor();
      await ana.everyoneCanUseIt("starting over");
      await ana.leaves();
    });
  }
});
