import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Master, Phone, begins } from "./reels-phones.js";

const house = openHouse();
const NAMES = ["Camille", "Bo", "Chiara"] as const;

test("a refresh keeps the seat, the vote and what the last reel brought", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"], ["Chiara"]]);
  const phones = await begins(house.browser, master, NAMES);
  const [camille] = phones as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.says("Bo");
  await camille.sent("Bo");
  await camille.page.reload();
  await camille.sees("vote");
  await camille.sent("Bo");
  await master.closesVote();
  await camille.sees("reveal");
  await camille.page.reload();
  await camille.sees("reveal");
  await camille.page.getByTestId("own-choice").getByText("Bo").waitFor();
  await master.endsItem();
  await camille.page.locator('[data-testid="gain"][data-points="1"]').waitFor();
  await camille.page.reload();
  await camille.page.locator('[data-testid="gain"][data-points="1"]').waitFor();
  for (const phone of phones) await phone.leaves();
});

test("a vote without a line is called not sent, and sent when the line is back, with the newest choice", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const phones = await begins(house.browser, master, NAMES);
  const [camille] = phones as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.sees("vote");
  await camille.losesTheLine();
  await camille.says("Chiara");
  await camille.says("Bo");
  await camille.page.getByText("Not sent yet").waitFor();
  expect((await master.sees()).broadcasts["PLAYER_VOTED"]?.player_ids ?? []).toEqual([]);
  await camille.findsTheLine();
  await camille.sent("Bo");
  await master.closesVote();
  await camille.sees("reveal");
  expect((await master.sees()).broadcasts["VOTE_RESULTS"].players[0].selections).toEqual(["s2"]);
  for (const phone of phones) await phone.leaves();
});

test("a vote that comes back too late is told so, and what the server has is what stands", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"], ["Chiara"]]);
  const phones = await begins(house.browser, master, NAMES);
  const [camille, bo] = phones as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.says("Bo");
  await camille.sent("Bo");
  await camille.losesTheLine();
  await camille.says("Chiara");
  await bo.losesTheLine();
  await bo.says("Camille");
  await master.closesVote();
  await camille.findsTheLine();
  await camille.page.getByTestId("late").getByText("Too late: the vote was closed before your last choice arrived.").waitFor();
  await camille.page.getByTestId("own-choice").getByText("Bo").waitFor();
  // The next reel is open when the other one comes back.
  await master.endsItem();
  await master.opensReel(2);
  await bo.findsTheLine();
  await bo.page.getByTestId("late").waitFor();
  await bo.sees("vote");
  expect(await bo.page.locator('[data-sender][aria-pressed="true"]').count()).toBe(0);
  for (const phone of phones) await phone.leaves();
});

test("a choice that was never sent survives a reload of the page", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const phones = await begins(house.browser, master, NAMES);
  const [camille] = phones as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.sees("vote");
  await camille.losesTheLine();
  await camille.says("Bo");
  await camille.page.getByText("Not sent yet").waitFor();
  await camille.page.reload();
  await camille.findsTheLine();
  await camille.sees("vote");
  await camille.sent("Bo");
  for (const phone of phones) await phone.leaves();
});

test("a server restart in the middle of a vote loses no seat and no vote", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const phones = await begins(house.browser, master, NAMES);
  const [camille, bo, chiara] = phones as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.says("Bo");
  await camille.sent("Bo");
  await bo.sees("vote");
  await house.server.stop();
  await bo.page.locator('[data-stage="away"]').waitFor();
  await bo.says("Chiara");
  await bo.page.getByText("Not sent yet").waitFor();
  await bo.page.getByText("No connection. Your seat is kept.").waitFor();
  await house.server.start();
  await bo.sent("Chiara");
  await camille.page.locator('[data-stage="inside"]').waitFor();
  await chiara.says("Bo");
  for (const phone of phones) await phone.sees("reveal");
  expect((await master.sees()).broadcasts["VOTE_RESULTS"].players.map(({ points_gained }: { points_gained: number }) => points_gained)).toEqual([1, 0, 1]);
  for (const phone of phones) await phone.leaves();
});

test("who loses the seat is told why, and may take it again", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const bo = await Phone.arrives(house.browser, "Bo");
  await camille.takesSeat(master);
  await bo.takesSeat(master);

  await master.does("RELEASE_PLAYER", { player_id: "p1" });
  await camille.page.locator('[data-lost="released"]').getByText("The big screen freed your seat Camille.").waitFor();
  await camille.person.everyoneCanUseIt("a freed seat");
  await camille.seat("Camille").click();
  await camille.sees("lobby");

  await master.does("TOGGLE_PLAYER", { player_id: "p1", active: false });
  await camille.page.locator('[data-lost="deactivated"]').getByText("Camille").waitFor();
  expect(await camille.page.locator('[data-seat="p1"]').count()).toBe(0);
  await camille.page.reload();
  await camille.page.locator('[data-lost="deactivated"]').waitFor();
  await master.does("TOGGLE_PLAYER", { player_id: "p1", active: true });
  await camille.seat("Camille").click();
  await camille.sees("lobby");

  await master.does("RESET_CLAIMS");
  await camille.page.locator('[data-lost="reset"]').waitFor();
  await bo.page.locator('[data-lost="reset"]').waitFor();
  await bo.seat("Bo").click();
  await bo.sees("lobby");
  await master.does("DELETE_PLAYER", { player_id: "p2" });
  await bo.page.locator('[data-lost="deleted"]').getByText("Bo").waitFor();
  for (const phone of [camille, bo]) await phone.leaves();
});

test("who comes late takes a new seat, waits for this reel and votes on the next", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"], ["Chiara"]]);
  const phones = await begins(house.browser, master, NAMES);
  const dora = await Phone.arrives(house.browser, "Dora");
  await master.opensReel();
  await dora.comesTo(master);
  await dora.page.getByText("Every seat is taken.").waitFor();
  await master.does("ADD_PLAYER", { name: "Dora" });
  await dora.page.getByText("you vote from the next reel").waitFor();
  await dora.seat("Dora").click();
  await dora.sees("next");
  await dora.person.everyoneCanUseIt("a late joiner");
  await master.closesVote();
  await dora.sees("reveal");
  await dora.page.getByText("You did not vote on this one.").waitFor();
  await master.endsItem();
  await dora.sees("idle");
  expect(await dora.page.getByTestId("gain").count()).toBe(0);
  await master.opensReel(2);
  await dora.sees("vote");
  await dora.says("Chiara");
  await dora.sent("Chiara");
  for (const phone of [...phones, dora]) await phone.leaves();
});

test("of two who want the same seat one gets it, and the other is told and may take another", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const rival = await Phone.arrives(house.browser, "Bo");
  await camille.comesTo(master);
  await rival.comesTo(master);
  const later = rival.hearsLater();
  await camille.seat("Camille").click();
  await camille.sees("lobby");
  // For the rival the seat is still free to see.
  await rival.seat("Camille").click();
  later();
  await rival.page.getByText("Somebody was faster: that seat is taken.").waitFor();
  await rival.page.locator('div[data-seat="p1"]', { hasText: "taken" }).waitFor();
  await rival.seat("Bo").click();
  await rival.sees("lobby");
  for (const phone of [camille, rival]) await phone.leaves();
});

test("a closed game says so; its code is then no game, and another code can be typed", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const other = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  await camille.takesSeat(master);
  await master.does("ROOM_CLOSED");
  await camille.page.locator('[data-why="deleted"]').waitFor();
  await camille.person.everyoneCanUseIt("a closed game");
  await camille.page.reload();
  await camille.page.locator('[data-why="room_not_found"]').waitFor();
  await camille.page.getByLabel("Another code").fill("ABC");
  await camille.person.button("Join").click();
  await camille.page.getByText("A code has 8 letters and digits").waitFor();
  await camille.page.getByLabel("Another code").fill(other.code.toLowerCase());
  await camille.person.button("Join").click();
  await camille.sees("seats");
  await camille.leaves();
});

test("a code that was given to another game does not put an old phone into it unasked", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  await camille.takesSeat(master);
  await master.does("RELEASE_PLAYER", { player_id: "p1" });
  await camille.sees("seats");
  await camille.seat("Camille").click();
  await camille.sees("lobby");
  // The server never gives the same code twice in a journey; what the next game under it would say is put in its mouth.
  await master.does("RELEASE_PLAYER", { player_id: "p1" });
  await camille.sees("seats");
  camille.changed = (text) => {
    const frame = JSON.parse(text) as { push?: string; expires_at?: number; me?: object };
    return frame.push === "view" ? JSON.stringify({ ...frame, expires_at: frame.expires_at! + 60_000, me: { ...frame.me, slot_invalidated: null } }) : text;
  };
  await camille.page.reload();
  await camille.sees("old");
  await camille.page.getByText("You played as Camille.").waitFor();
  await camille.person.everyoneCanUseIt("an old game");
  await camille.person.button("Join the new game").click();
  await camille.sees("seats");
  await camille.leaves();
});

for (const [name, options] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" } } as const)) {
  test(`nothing serious stands in anybody's way on a ${name} phone, and nothing is wider than it`, async () => {
    const master = await Master.opens(house.server.url, ["Camille", "Bo", "Maximiliane Featherstone-Cholmondeley"], [["Bo", "Camille"], ["Bo"]], { vote_seconds: 600 });
    const camille = await Phone.arrives(house.browser, "Camille", options);
    const others = await Promise.all(["Bo", "Maximiliane Featherstone-Cholmondeley"].map((name) => Phone.arrives(house.browser, name, options)));
    const [bo] = others as [Phone];
    const looks = async (shown: string) => {
      await camille.sees(shown);
      await camille.person.everyoneCanUseIt(shown);
      await camille.fits();
    };
    await camille.comesTo(master);
    await looks("seats");
    for (const phone of [camille, ...others]) await phone.takesSeat(master);
    await looks("lobby");
    await camille.person.button("Make it your face").click();
    await camille.person.everyoneCanUseIt("profile");
    await camille.person.button("Leave the seat").click();
    await camille.person.everyoneCanUseIt("leaving");
    await camille.page.keyboard.press("Escape");
    await master.does("START_GAME");
    await looks("idle");
    await master.opensReel();
    await looks("vote");
    await camille.says("Bo");
    await looks("vote");
    await camille.says("Camille");
    await camille.sent("Bo", "Camille");
    await looks("vote");
    await bo.fits();
    await master.closesVote();
    await looks("reveal");
    await master.endsItem();
    await camille.page.locator('[data-testid="gain"][data-points="2"]').waitFor();
    await looks("idle");
    await master.opensReel(2);
    await camille.sees("vote");
    await master.closesVote(2);
    await master.endsItem(2);
    await looks("recap");
    await master.does("START_NEXT_ROUND", { round_id: "r1" });
    await looks("over");
    for (const phone of [camille, ...others]) await phone.leaves();
  });
}
