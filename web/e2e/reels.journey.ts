import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Phone } from "./reels-phones.js";
import { BigScreen } from "./reels-screen.js";

const house = openHouse();
const PATIENCE = { timeout: 20_000 };

test("one Master and three phones play a whole evening, though a phone drops out and the server restarts", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.setsUpDemo(3);
  await tv.isGood("an empty lobby");
  const names = await tv.names();
  expect(names.length).toBe(3);
  expect(await tv.person.button("Start the game").isDisabled()).toBe(true);
  await tv.page.getByText(`Waiting for ${names[0]}, ${names[1]} and ${names[2]}.`).waitFor();
  const phones: Phone[] = [];
  for (const name of names) phones.push(await tv.letsIn(house.browser, name));
  const [first, second, third] = phones as [Phone, Phone, Phone];
  await tv.page.getByText("Everybody is here!").waitFor();
  await tv.isGood("a full lobby");
  await tv.person.button("Start the game").click();

  /** Points as this journey counts them. */
  const points: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
  /** Each of these phones votes for as many names as the reel has senders. */
  const votes = async (voters: readonly Phone[], shift: number) => {
    const k = await tv.slots();
    const cast = new Map<string, string[]>();
    for (const phone of voters) {
      await phone.sees("vote");
      const own = names.indexOf(phone.person.name);
      const chosen = Array.from({ length: k }, (_, at) => names[(own + shift + at) % names.length]!);
      for (const name of chosen) await phone.says(name);
      cast.set(phone.person.name, chosen);
    }
    return cast;
  };
  /** The reveal, and what it says against what was voted. */
  const revealed = async (cast: ReadonlyMap<string, readonly string[]>) => {
    const truth = await tv.stepsThrough();
    for (const name of names) points[name]! += (cast.get(name) ?? []).filter((sender) => truth.includes(sender)).length;
    await expect.poll(() => tv.scores(), PATIENCE).toEqual(points);
  };
  /** Which reel it is; how many a round has depends on the dice. */
  const where = async () => /Reel (\d) of (\d) · round (\d) of 2/.exec((await tv.page.getByTestId("where").textContent())!)!.slice(1).map(Number) as [reel: number, reels: number, round: number];
  /** On to the next reel, past a recap if this was the last of its round. */
  const goesOn = async () => {
    const [reel, reels, round] = await where();
    await tv.person.button(reel === reels ? /To the recap/ : /Next reel/).click();
    if (reel === reels) {
      await tv.sees("round_recap");
      await tv.page.locator('[data-counted="true"]').waitFor();
      expect(await tv.scores()).toEqual(points);
      for (const phone of phones) await phone.sees("recap");
      await tv.isGood("a recap");
      await tv.person.button(round === 1 ? /Next round/ : /To the podium/).click();
      if (round === 2) return false;
    }
    await tv.sees("idle");
    expect(await where()).toEqual(reel === reels ? [1, expect.any(Number), 2] : [reel + 1, reels, round]);
    return true;
  };

  // The first reel: a Master who reloads in the middle of a reveal sees it from its beginning.
  await tv.sees("idle");
  expect(await where()).toEqual([1, expect.any(Number), 1]);
  await tv.isGood("a reel that is not open");
  await tv.page.keyboard.press("o");
  await tv.sees("vote");
  await tv.page.locator("[data-demo]").getByRole("img").waitFor();
  const early = await votes([first, second], 1);
  for (const phone of [first, second]) await tv.page.locator(`[data-player="${phone.person.name}"][data-voted="true"]`).waitFor();
  await tv.page.getByTestId("voted").getByText("2 of 3 have voted").waitFor();
  await tv.isGood("a vote");
  await first.page.getByRole("button", { name: "🔥" }).click();
  await tv.page.locator('[data-react="🔥"]').waitFor();
  const late = await votes([third], 1);
  await tv.sees("reveal_wait");
  expect(await tv.stepsOn()).toBe(false);
  await expect.poll(() => tv.steps(), PATIENCE).toContain("grow");
  await tv.page.reload();
  await expect.poll(async () => (await tv.steps())[0], PATIENCE).toBe("votes");
  await tv.isGood("a reveal");
  await revealed(new Map([...early, ...late]));
  await tv.isGood("a revealed reel");
  await goesOn();

  // The second: a phone is closed, and the vote does not wait for it for ever.
  await second.page.goto("about:blank");
  await tv.person.button(/Open the reel/).click();
  await tv.sees("vote");
  const without = await votes([first, third], 1);
  await tv.page.getByTestId("voted").getByText("2 of 3 have voted").waitFor();
  await tv.page.keyboard.press("f");
  await tv.page.getByTestId("countdown").waitFor();
  await tv.isGood("a countdown");
  await first.sees("reveal");
  await revealed(without);
  await second.page.goBack();
  await second.sees("reveal");
  await tv.page.locator(`[data-player="${second.person.name}"]:not(.away)`).waitFor();
  await goesOn();

  // The third: the server restarts when one has voted.
  await tv.page.keyboard.press("Space");
  await tv.sees("vote");
  const before = await votes([first], 2);
  await tv.page.getByTestId("voted").getByText("1 of 3 have voted").waitFor();
  await house.server.stop();
  await tv.page.locator('[data-stage="away"]').waitFor();
  await tv.page.getByRole("button", { name: "Try now" }).waitFor();
  await house.server.start();
  await tv.page.locator('[data-stage="inside"]').waitFor();
  for (const phone of phones) await phone.page.locator('[data-stage="inside"]').waitFor();
  await tv.page.getByTestId("voted").getByText("1 of 3 have voted").waitFor();
  const afterwards = await votes([second, third], 2);
  await revealed(new Map([...before, ...afterwards]));

  // The rest of the evening goes by without an incident.
  for (let shift = 0; await goesOn(); shift++) {
    await tv.page.keyboard.press("Enter");
    await tv.sees("vote");
    await revealed(await votes(phones, shift));
  }

  await tv.sees("over");
  await tv.page.locator('[data-podium="1"]').first().waitFor();
  expect(await tv.scores()).toEqual(points);
  const best = Math.max(...Object.values(points));
  const winners = await tv.page.locator('[data-podium="1"]').evaluateAll((steps) => steps.map((step) => (step as HTMLElement).dataset["name"]!));
  expect(winners.sort()).toEqual(names.filter((name) => points[name] === best).sort());
  await tv.page.locator("[data-award]").first().waitFor();
  await tv.isGood("a podium");
  for (const phone of phones) await phone.sees("over");

  // Closed is closed, for everyone and at once.
  await tv.person.button("Close the game").click();
  await tv.person.button("Close for everyone").click();
  await tv.sees("ended");
  await tv.person.everyoneCanUseIt("a closed game");
  for (const phone of phones) await phone.sees("ended");
  for (const one of [tv, ...phones]) await one.leaves();
}, 480_000);

test("the Master arranges the seats: rename, leave out, take in, free, add, delete", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.setsUpDemo(4);
  const [one, two, three, four] = await tv.names() as [string, string, string, string];
  const phone = await tv.letsIn(house.browser, one);
  const change = async (name: string, button: string) => {
    await tv.page.locator(`[data-seat="${name}"]`).click();
    await tv.person.everyoneCanUseIt("a seat");
    await tv.person.button(button).click();
    await tv.page.getByRole("dialog").waitFor({ state: "detached" });
  };

  await tv.page.locator(`[data-seat="${two}"]`).click();
  await tv.page.getByLabel("Name", { exact: true }).fill("Zed");
  await tv.person.button("Rename").click();
  await tv.page.locator('[data-seat="Zed"]').waitFor();
  await change(three, "Leave out of the game");
  await tv.page.locator(`[data-seat="${three}"][data-state="out"]`).waitFor();
  await change(four, "Delete the seat");
  await tv.page.locator(`[data-seat="${four}"]`).waitFor({ state: "detached" });
  await tv.page.getByLabel("Add a player").first().fill("Grandma");
  await tv.page.keyboard.press("Enter");
  await tv.page.locator('[data-seat="Grandma"][data-state="free"]').waitFor();
  await tv.page.getByLabel("Add a player").first().fill("grandma");
  await tv.page.keyboard.press("Enter");
  await tv.page.getByText("That name is taken, or the game has moved on.").waitFor();
  await tv.page.getByLabel("Add a player").first().fill("");

  await change(three, "Take into the game");
  await tv.page.locator(`[data-seat="${three}"][data-state="free"]`).waitFor();
  await change(one, "Free the seat");
  await tv.page.locator(`[data-seat="${one}"][data-state="free"]`).waitFor();
  await phone.sees("seats");
  await phone.person.button(`I am ${one}`).click();
  await phone.sees("lobby");
  await tv.person.button("Free all seats").click();
  await tv.page.getByRole("dialog").getByRole("button", { name: "Free all seats" }).click();
  await phone.sees("seats");

  // Two are here; the others are left out, and it begins.
  await phone.person.button("I am Zed").click();
  const grandma = await tv.letsIn(house.browser, "Grandma");
  await tv.person.button(/Start without the 2 free seats/).click();
  await tv.sees("idle");
  expect(await tv.page.locator("[data-player]").count()).toBe(2);
  for (const each of [phone, grandma]) await each.sees("idle");
  for (const each of [tv, phone, grandma]) await each.leaves();
});

test("who comes late gets a seat and votes from the next reel; who has a new phone gets the old seat", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.setsUpDemo(2);
  const [one, two] = await tv.names() as [string, string];
  const code = await tv.code();
  const first = await tv.letsIn(house.browser, one);
  const second = await tv.letsIn(house.browser, two);
  await tv.page.getByText("Everybody is here!").waitFor();
  await tv.page.keyboard.press("Enter");
  await tv.sees("idle");
  await tv.page.keyboard.press("o");
  await tv.sees("vote");

  await tv.person.button(new RegExp(`How to join.*${code}`)).click();
  await tv.page.getByLabel("Add a player").first().fill("Grandma");
  await tv.page.keyboard.press("Enter");
  await tv.page.locator('dialog [data-seat="Grandma"]').waitFor();
  await tv.person.everyoneCanUseIt("how to join");
  const grandma = await Phone.arrives(house.browser, "Grandma");
  await grandma.page.goto(`${house.server.url}/r/${code}`);
  await grandma.person.button("I am Grandma").click();
  await grandma.sees("next");
  await tv.page.locator('dialog [data-seat="Grandma"][data-state="here"]').waitFor();

  // The first phone is broken: another one takes its seat.
  await tv.page.locator(`dialog [data-seat="${one}"]`).click();
  await tv.person.button("Free the seat").click();
  await first.sees("seats");
  const again = await Phone.arrives(house.browser, one);
  await again.page.goto(`${house.server.url}/r/${code}`);
  await again.person.button(`I am ${one}`).click();
  await tv.page.locator(`dialog [data-seat="${one}"][data-state="here"]`).waitFor();
  await tv.page.keyboard.press("Escape");
  await tv.page.locator('[data-player="Grandma"].later').waitFor();
  const names = [one, two];
  const k = await tv.slots();
  for (const name of names.slice(0, k)) await second.says(name);
  await tv.page.keyboard.press("f");
  await tv.stepsThrough();
  await tv.person.button(/Next reel|To the recap/).click();
  for (const each of [again, second, grandma]) await each.page.locator('[data-shown="idle"], [data-shown="recap"]').waitFor();
  for (const each of [tv, first, second, again, grandma]) await each.leaves();
});

test("who was left out at the start comes late, takes the seat of their own name, and votes", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  const item = (at: number, by: string) => ({ item_id: `i${at}`, reel: { reel_id: `R${at}`, url: `${house.server.url}/reels/demo/${at}` }, true_sender_ids: [by] });
  const code = await tv.opens({
    title: "Camille is late",
    senders: ["Ana", "Bo", "Camille"].map((name, at) => ({ sender_id: `s${at + 1}`, name, active: true, reels_count: 1 })),
    rounds: [{ round_id: "r1", items: [item(1, "s1"), item(2, "s3")] }],
  });
  const ana = await tv.letsIn(house.browser, "Ana");
  const bo = await tv.letsIn(house.browser, "Bo");
  await tv.person.button("Start without the free seat").click();
  await tv.sees("idle");
  await tv.person.button(/Open the reel/).click();
  await tv.sees("vote");

  const camille = await Phone.arrives(house.browser, "Camille");
  await camille.page.goto(`${house.server.url}/r/${code}`);
  await camille.sees("seats");
  expect(await camille.seat("Camille").count()).toBe(0);
  await tv.person.button(new RegExp(`How to join.*${code}`)).click();
  await tv.page.locator('dialog [data-seat="Camille"][data-state="out"]').waitFor();
  await tv.person.everyoneCanUseIt("how to join, with a seat that was left out");
  await tv.page.locator('dialog [data-seat="Camille"]').click();
  await tv.person.button("Take into the game").click();
  await tv.page.locator('dialog [data-seat="Camille"][data-state="free"]').waitFor();
  await camille.seat("Camille").click();
  await camille.sees("next");
  await tv.page.locator('dialog [data-seat="Camille"][data-state="here"]').waitFor();
  await tv.page.keyboard.press("Escape");

  // The vote that is open does not wait for her; the next one does.
  await tv.page.locator('[data-player="Camille"].later').waitFor();
  await tv.page.getByTestId("voted").getByText("0 of 2 have voted").waitFor();
  await ana.says("Ana");
  await bo.says("Camille");
  expect(await tv.stepsThrough()).toEqual(["Ana"]);
  await tv.person.button(/Next reel/).click();
  await tv.sees("idle");
  await tv.person.button(/Open the reel/).click();
  await tv.page.getByTestId("voted").getByText("0 of 3 have voted").waitFor();
  for (const phone of [ana, bo, camille]) {
    await phone.sees("vote");
    await phone.says("Camille");
  }
  expect(await tv.stepsThrough()).toEqual(["Camille"]);
  await expect.poll(() => tv.scores(), PATIENCE).toEqual({ Ana: 2, Bo: 1, Camille: 1 });
  for (const each of [tv, ana, bo, camille]) await each.leaves();
});

test("the host plays too, in another tab of the same browser, and finds the way back to the big screen", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.setsUpDemo(2);
  const [one, two] = await tv.names() as [string, string];
  const opened = tv.page.context().waitForEvent("page");
  await tv.page.getByRole("link", { name: "Take a seat in another tab" }).click();
  const own = await opened;
  await own.getByRole("button", { name: `I am ${one}` }).click();
  await tv.page.locator(`[data-seat="${one}"][data-state="here"]`).waitFor();
  const guest = await tv.letsIn(house.browser, two);
  await tv.page.reload();
  await tv.page.getByText("Everybody is here!").waitFor();
  await tv.page.keyboard.press("Enter");
  await tv.sees("idle");
  await tv.page.keyboard.press("o");
  await tv.sees("vote");
  const k = await tv.slots();
  for (const name of [one, two].slice(0, k)) {
    await guest.says(name);
    await own.locator("[data-sender]", { hasText: name }).click();
  }
  await tv.stepsThrough();

  await tv.page.goto(house.server.url);
  await tv.page.getByRole("link", { name: /Demo evening/ }).click();
  await tv.sees("reveal_wait");
  for (const each of [tv, guest]) await each.leaves();
});

test("a vote with a timer is counted down and closes by itself", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.opens({
    title: "Twelve seconds",
    vote_seconds: 12,
    senders: ["Ana", "Bo"].map((name, at) => ({ sender_id: `s${at + 1}`, name, active: true, reels_count: 1 })),
    rounds: [{ round_id: "r1", items: [{ item_id: "i1", reel: { reel_id: "R", url: `${house.server.url}/reels/demo/4` }, true_sender_ids: ["s2"] }] }],
  });
  const ana = await tv.letsIn(house.browser, "Ana");
  const bo = await tv.letsIn(house.browser, "Bo");
  await tv.person.button("Start the game").click();
  await tv.sees("idle");
  await tv.person.button(/Open the reel/).click();
  await tv.page.getByRole("timer").waitFor();
  await ana.says("Bo");
  expect(await tv.stepsThrough()).toEqual(["Bo"]);
  expect(await tv.scores()).toEqual({ Ana: 1, Bo: 0 });
  for (const each of [tv, ana, bo]) await each.leaves();
});

test("another browser is not the big screen, and is led to the phone's page", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url);
  await tv.setsUpDemo(2);
  const code = await tv.code();
  const other = await BigScreen.arrives(house.browser, house.server.url);
  await other.page.goto(`${house.server.url}/reels/${code}/tv`);
  await other.page.getByTestId("not-master").waitFor();
  await other.person.everyoneCanUseIt("not the big screen");
  await other.page.getByRole("link", { name: "Join as a player" }).click();
  await other.page.locator('[data-shown="seats"]').waitFor();

  await other.page.goto(`${house.server.url}/reels/QQQQ2222/tv`);
  await other.page.locator('[data-why="room_not_found"]').waitFor();
  for (const each of [tv, other]) await each.leaves();
});

test("fifty players fit on the screen at every moment, also while things move", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url, { reducedMotion: "no-preference" });
  const names = Array.from({ length: 50 }, (_, at) => `Friend number ${at + 1}`);
  const code = await tv.opens({
    senders: names.map((name, at) => ({ sender_id: `s${at + 1}`, name, active: true, reels_count: 1 })),
    rounds: [{ round_id: "r1", items: [{ item_id: "i1", reel: { reel_id: "R", url: "https://www.instagram.com/reel/R/" }, true_sender_ids: ["s1", "s2", "s3"] }] }],
  });
  await tv.page.locator("[data-seat]").nth(49).waitFor();
  await tv.isGood("a lobby of fifty");

  const asks = async (verb: string, words: object, key: string) => {
    const answer = await fetch(`${house.server.url}/v1/rooms/reels/${code}/${verb}`, { method: "POST", headers: { "content-type": "application/json", "parlor-user-key": key }, body: JSON.stringify(words) });
    if (!answer.ok) throw new Error(`${verb} ${answer.status} ${await answer.text()}`);
  };
  const keys = names.map((_, at) => `uk_${String(at).padStart(4, "0")}${"a1b2c3d4".repeat(6)}`);
  for (const [at, key] of keys.entries()) await asks("TAKE_PLAYER", { player_id: `p${at + 1}` }, key);
  await tv.page.getByText("Everybody is here!").waitFor();
  await tv.person.button("Start the game").click();
  await tv.sees("idle");
  await tv.isGood("idle with fifty");
  await tv.page.context().route(/instagram/, (route) => route.fulfill({ body: "a reel", contentType: "text/plain" }));
  const opened = tv.page.context().waitForEvent("page");
  await tv.page.keyboard.press("o");
  const reel = await opened;
  expect(await reel.evaluate(() => [window.opener, document.referrer])).toEqual([null, ""]);
  await reel.close();
  await tv.sees("vote");
  for (const [at, key] of keys.entries()) {
    await asks("SUBMIT_VOTE", { round_id: "r1", item_id: "i1", selections: [`s${at + 1}`, "s1", "s50"].filter((sender, place, all) => all.indexOf(sender) === place) }, key);
    if (at === 24) await tv.isGood("a vote of fifty");
  }
  await tv.sees("reveal_wait");
  await tv.fits("fifty votes");
  await tv.stepsThrough();
  await tv.isGood("fifty judged");
  await tv.page.keyboard.press("ArrowRight");
  await tv.sees("round_recap");
  await tv.isGood("a recap of fifty");
  await tv.page.keyboard.press("ArrowRight");
  await tv.sees("over");
  await tv.isGood("a podium of fifty");
  await tv.leaves();
}, 180_000);
