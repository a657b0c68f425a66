// Pictures of an evening: the big screen in its moments, and a phone in somebody's hand.

import type { BrowserContextOptions, Page } from "playwright-core";
import { test } from "vitest";
import { openHouse } from "./house.js";
import { Person } from "./people.js";
import { picture } from "./pictures.js";
import { Phone } from "./reels-phones.js";
import { BigScreen, TELEVISION } from "./reels-screen.js";

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } satisfies BrowserContextOptions;
/** Some have drawn or photographed themselves. */
const FACES: Record<number, [sign: string, colour: string]> = { 0: ["🦊", "#f7b267"], 2: ["🐼", "#a7d8c9"], 3: ["🦄", "#e5b8f4"], 5: ["🐸", "#b7e4a0"] };

const house = openHouse();

/** A picture as a phone would send it. */
function face(page: Page, sign: string, colour: string): Promise<string> {
  return page.evaluate(([sign, colour]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 300 });
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 300, 300);
    pen.font = "200px 'Noto Color Emoji', sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(sign, 150, 162);
    return canvas.toDataURL("image/jpeg", 0.85).split(",")[1]!;
  }, [sign, colour] as const);
}

test("pictures of an evening", async () => {
  const tv = await BigScreen.arrives(house.browser, house.server.url, { colorScheme: "light" });
  await tv.setsUpDemo(6);
  const code = await tv.code();
  const names = await tv.names();
  const hostKey = await tv.page.evaluate((room) => (JSON.parse(localStorage.getItem("parlor.host_keys")!) as [string, string][]).find(([of]) => of === room)![1], `reels/${code}`);
  const phones: Phone[] = [];
  for (const [at, name] of names.entries()) {
    phones.push(await tv.letsIn(house.browser, name, { ...PHONE, colorScheme: at === 0 ? "light" : "dark" }));
    const drawn = FACES[at];
    if (!drawn) continue;
    const answer = await fetch(`${house.server.url}/v1/rooms/reels/${code}/UPDATE_AVATAR`, {
      method: "POST",
      headers: { "content-type": "application/json", "parlor-host-key": hostKey },
      body: JSON.stringify({ player_id: `p${at + 1}`, jpeg: await face(tv.page, ...drawn) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    if (at === 3) await picture(tv.page, "reels-lobby-light");
  }
  const [first] = phones as [Phone];
  await tv.page.getByText("Everybody is here!").waitFor();

  /** The same screen at the same moment, in another light or language. */
  const twin = async (name: string, wait: string, options: BrowserContextOptions) => {
    const other = await Person.arrives(house.browser, name, { ...TELEVISION, ...options, storageState: await tv.page.context().storageState() });
    await other.page.goto(tv.page.url());
    await other.page.locator(wait).first().waitFor();
    return other;
  };
  const dark = await twin("dark", '[data-moment="lobby"]', { colorScheme: "dark" });
  const wide = await twin("wide", '[data-moment="lobby"]', { colorScheme: "dark", viewport: { width: 1920, height: 1080 }, locale: "ja-JP" });
  await picture(dark.page, "reels-lobby-dark");
  await tv.person.button("Start the game").click();

  // One reel with everything, the rest in a hurry.
  const votes = async (shift: number, until = phones.length) => {
    const k = await tv.slots();
    for (const [at, phone] of phones.slice(0, until).entries()) {
      await phone.sees("vote");
      for (let more = 0; more < k; more++) await phone.says(names[(at * shift + more + 1) % names.length]!);
    }
  };
  await tv.sees("idle");
  await picture(dark.page, "reels-idle-dark");
  await tv.page.keyboard.press("o");
  await tv.sees("vote");
  await votes(2, 4);
  await tv.page.getByTestId("voted").getByText("4 of 6 have voted").waitFor();
  await picture(tv.page, "reels-vote-light");
  await picture(dark.page, "reels-vote-dark");
  await picture(wide.page, "reels-vote-wide-ja");
  await picture(first.page, "reels-phone-vote-light");
  for (const phone of phones.slice(4)) {
    const k = await tv.slots();
    for (const name of names.slice(0, k)) await phone.says(name);
  }
  for (const screen of [tv.page, dark.page]) {
    await screen.locator('[data-step="judge"]').waitFor();
    await picture(screen, screen === tv.page ? "reels-reveal-light" : "reels-reveal-dark");
    if (screen === tv.page) await dark.page.reload();
  }
  await tv.stepsThrough();
  for (let round = 1; ;) {
    await tv.person.button(/Next reel|To the recap/).click();
    await tv.page.locator('[data-moment="idle"], [data-moment="round_recap"]').waitFor();
    if (await tv.page.locator('[data-moment="round_recap"]').count()) {
      await tv.page.locator('[data-counted="true"]').waitFor();
      if (round === 1) await picture(tv.page, "reels-recap-light");
      await tv.person.button(/Next round|To the podium/).click();
      if (++round > 2) break;
      await tv.sees("idle");
    }
    await tv.page.keyboard.press("o");
    await tv.sees("vote");
    await votes(round + 2);
    await tv.stepsThrough();
  }
  await tv.sees("over");
  await picture(tv.page, "reels-podium-light");
  await picture(first.page, "reels-phone-over-light");
  // With the paper that falls from the ceiling, for those who like motion.
  const party = await twin("party", '[data-testid="winners"]', { colorScheme: "dark", reducedMotion: "no-preference" });
  await party.page.locator("canvas.confetti").nth(1).waitFor();
  await picture(party.page, "reels-podium-dark");
  for (const one of [tv, dark, wide, party, ...phones]) await one.leaves();
}, 300_000);
