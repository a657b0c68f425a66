import { expect, test } from "vitest";
import { openHouse } from "./house.js";
import { Master, Phone, begins } from "./reels-phones.js";

const house = openHouse();
const NAMES = ["Camille", "Bo", "Chiara"] as const;

test("who draws a face is seen with it by the others, and may take it away", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const bo = await Phone.arrives(house.browser, "Bo");
  await camille.takesSeat(master);
  await bo.takesSeat(master);
  await bo.page.locator('li[data-seat="p1"][data-picture="false"]').waitFor();

  await camille.person.button("Make it your face").click();
  await camille.person.button("Draw").click();
  const paper = (await camille.page.locator("canvas").boundingBox())!;
  const at = (x: number, y: number) => [paper.x + paper.width * x, paper.y + paper.height * y] as const;
  await camille.page.getByRole("radio", { name: "red" }).check();
  for (const [x, y] of [[0.35, 0.4], [0.65, 0.4]] as const) await camille.page.mouse.click(...at(x, y));
  await camille.page.mouse.move(...at(0.3, 0.65));
  await camille.page.mouse.down();
  await camille.page.mouse.move(...at(0.5, 0.75), { steps: 5 });
  await camille.page.mouse.move(...at(0.7, 0.65), { steps: 5 });
  await camille.page.mouse.up();
  await camille.person.button("Undo").click();
  await camille.person.everyoneCanUseIt("drawing");
  await camille.person.button("That’s me").click();
  await camille.page.getByText("That is your face now.").waitFor();

  const seen = bo.page.locator('li[data-seat="p1"][data-picture="true"] img');
  await seen.waitFor();
  await expect.poll(() => seen.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([300, 300]);

  await camille.person.button("Take the picture away").click();
  await bo.page.locator('li[data-seat="p1"][data-picture="false"]').waitFor();
  for (const phone of [camille, bo]) await phone.leaves();
});

test("a camera that is refused is no dead end, and one that is there takes a face", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  await camille.page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await camille.takesSeat(master);
  await camille.person.button("Make it your face").click();
  await camille.person.button("Camera").click();
  await camille.page.locator('[data-camera="refused"]').waitFor();
  await camille.person.everyoneCanUseIt("a refused camera");
  // A photograph of any size and shape becomes a small square one.
  const photo = await camille.page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1600, height: 900 });
    const pen = canvas.getContext("2d")!;
    const noise = pen.createImageData(1600, 900);
    for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    pen.putImageData(noise, 0, 0);
    return canvas.toDataURL("image/png").split(",")[1]!;
  });
  const chooser = camille.page.waitForEvent("filechooser");
  await camille.page.getByText("Choose a photo").click();
  await (await chooser).setFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from(photo, "base64") });
  await camille.page.getByAltText("Your picture").waitFor();
  await camille.person.button("That’s me").click();
  await camille.page.getByText("That is your face now.").waitFor();

  const bad = camille.page.waitForEvent("filechooser");
  await camille.person.button("Camera").click();
  await camille.page.getByText("Choose a photo").click();
  await (await bad).setFiles({ name: "me.txt", mimeType: "text/plain", buffer: Buffer.from("not a picture") });
  await camille.page.getByText("That is not a picture this browser can read.").waitFor();
  await camille.leaves();

  const bo = await Phone.arrives(house.browser, "Bo");
  // What a camera would show, drawn: a real one is not to be had here.
  await bo.page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
      const pen = canvas.getContext("2d")!;
      setInterval(() => {
        pen.fillStyle = `hsl(${performance.now() % 360} 80% 50%)`;
        pen.fillRect(0, 0, 640, 480);
      }, 50);
      return canvas.captureStream(20);
    };
  });
  await bo.takesSeat(master);
  await bo.person.button("Make it your face").click();
  await bo.person.button("Camera").click();
  await bo.person.button("Take the picture").click();
  await bo.person.button("That’s me").click();
  await bo.page.getByText("That is your face now.").waitFor();
  await bo.leaves();
});

test("a name is changed for all, and one that is taken is refused where it was typed", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const bo = await Phone.arrives(house.browser, "Bo");
  await camille.takesSeat(master);
  await bo.takesSeat(master);
  await camille.person.button("Make it your face").click();
  const field = camille.page.getByLabel("Your name in this game");
  await field.fill("bo");
  await camille.person.button("Change").click();
  await camille.page.getByTestId("profile-said").getByText(/name/i).waitFor();
  await field.fill("Cam");
  await camille.person.button("Change").click();
  await camille.page.getByText("Your name is changed.").waitFor();
  await bo.page.locator('li[data-seat="p1"]', { hasText: "Cam" }).waitFor();

  await camille.person.button("Leave the seat").click();
  await camille.person.button("Stay").click();
  await camille.person.button("Leave the seat").click();
  await camille.person.button("Leave").click();
  await camille.sees("seats");
  expect(await camille.page.locator("[data-lost]").count(), "who left by themselves need not be told").toBe(0);
  for (const phone of [camille, bo]) await phone.leaves();
});

test("a vote is sent when the server says so, can be changed, and its points come when the reel has ended", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"], ["Chiara"]]);
  const [camille, bo, chiara] = await begins(house.browser, master, NAMES) as [Phone, Phone, Phone];
  await master.opensReel();
  for (const phone of [camille, bo, chiara]) await phone.sees("vote");
  expect(await camille.page.getByRole("link", { name: "Open the reel on this phone" }).getAttribute("rel")).toBe("noopener noreferrer");

  const later = camille.hearsLater();
  await camille.says("Chiara");
  await camille.page.locator('[data-sending="sending"]').waitFor();
  later();
  await camille.sent("Chiara");
  await camille.says("Bo");
  await camille.sent("Bo");
  await bo.person.button("No idea").click();
  await bo.sent();
  await bo.page.getByText("2 of 3 have voted").waitFor();
  await chiara.says("Camille");

  for (const phone of [camille, bo, chiara]) await phone.sees("reveal");
  await camille.page.getByTestId("own-choice").getByText("Bo", { exact: true }).waitFor();
  await bo.page.getByTestId("own-choice").getByText("no idea").waitFor();
  expect(await camille.page.getByTestId("score").textContent(), "points wait for the end of the reel").toBe("0 points");
  const results = (await master.sees()).broadcasts["VOTE_RESULTS"].players as { player_id: string; selections: string[]; points_gained: number }[];
  expect(results.map(({ player_id, selections, points_gained }) => [player_id, selections, points_gained])).toEqual([["p1", ["s2"], 1], ["p2", [], 0], ["p3", ["s1"], 0]]);

  await master.endsItem();
  await camille.page.locator('[data-testid="gain"][data-points="1"]').waitFor();
  await chiara.page.locator('[data-testid="gain"][data-points="0"]').waitFor();
  expect(await camille.page.getByTestId("score").textContent()).toBe("1 point");

  // The last reel of the round, then the end.
  await master.opensReel(2);
  for (const phone of [camille, bo, chiara]) await phone.sees("vote");
  await bo.says("Chiara");
  await bo.sent("Chiara");
  await master.closesVote(2);
  await master.endsItem(2);
  for (const phone of [camille, bo, chiara]) await phone.sees("recap");
  await bo.page.locator('[data-testid="gain"][data-points="1"]').waitFor();
  await master.does("START_NEXT_ROUND", { round_id: "r1" });
  for (const phone of [camille, bo, chiara]) await phone.sees("over");
  await camille.page.getByText("You share the first place!").waitFor();
  await chiara.page.getByText("You are 3rd of 3").waitFor();
  await bo.page.locator("[data-award]").first().waitFor();
  for (const phone of [camille, bo, chiara]) {
    await phone.fits();
    await phone.leaves();
  }
});

test("a reel of several people takes several names; the first alone is not yet a vote", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo", "Chiara"]]);
  const [camille, bo, chiara] = await begins(house.browser, master, NAMES) as [Phone, Phone, Phone];
  await master.opensReel();
  for (const phone of [bo, chiara]) {
    await phone.person.button("No idea").click();
    await phone.sent();
  }
  // Camille is the last: a vote of one name would end it.
  await camille.page.locator('[data-testid="how-many"][data-k="2"]').waitFor();
  await camille.says("Bo");
  await camille.page.locator('[data-sending="draft"]').waitFor();
  await camille.says("Chiara");
  await camille.sees("reveal");
  expect((await master.sees()).broadcasts["VOTE_RESULTS"].players[0].points_gained).toBe(2);
  for (const phone of [camille, bo, chiara]) await phone.leaves();
});

test("names that were begun are sent by a button, and by themselves before a vote closes", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo", "Chiara"], ["Bo", "Camille"]]);
  const [camille, bo, chiara] = await begins(house.browser, master, NAMES) as [Phone, Phone, Phone];
  await master.opensReel();
  await camille.says("Bo");
  await camille.person.button("Send this one").click();
  await camille.sent("Bo");
  // From now on every tap is the vote.
  await camille.says("Chiara");
  await camille.sent("Bo", "Chiara");
  await camille.says("Camille");
  await camille.sent("Bo", "Chiara");

  await bo.says("Chiara");
  await bo.page.locator('[data-sending="draft"]').waitFor();
  await master.does("FORCE_CLOSE_VOTE", { round_id: "r1", item_id: "i1", seconds: 5 });
  await bo.sees("reveal");
  await bo.page.getByTestId("own-choice").getByText("Chiara").waitFor();
  for (const phone of [camille, bo, chiara]) await phone.leaves();
});

test("the host plays too: with a way to the big screen, and no answer before its time", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const bo = await Phone.arrives(house.browser, "Bo");
  const chiara = await Phone.arrives(house.browser, "Chiara");
  await camille.isHostOf(master);
  for (const phone of [camille, bo, chiara]) await phone.takesSeat(master);
  const link = camille.page.getByRole("link", { name: "Big screen" });
  expect(await link.getAttribute("href")).toBe(`/reels/${master.code}/tv`);
  expect(await bo.page.getByRole("link", { name: "Big screen" }).count()).toBe(0);
  await master.does("START_GAME");
  await camille.sees("idle");
  await master.opensReel();
  for (const phone of [camille, bo, chiara]) await phone.says("Bo");
  await camille.sees("reveal");
  expect(await camille.page.getByTestId("score").textContent()).toBe("0 points");
  await master.endsItem();
  await camille.sees("recap");
  expect(await camille.page.getByTestId("score").textContent()).toBe("1 point");
  for (const phone of [camille, bo, chiara]) await phone.leaves();
});

test("reactions reach the others, at most three a second", async () => {
  const master = await Master.opens(house.server.url, NAMES, [["Bo"]]);
  const camille = await Phone.arrives(house.browser, "Camille");
  const bo = await Phone.arrives(house.browser, "Bo");
  const heard: string[] = [];
  bo.changed = (text) => {
    const frame = JSON.parse(text) as { push?: string; messages?: { data: { react: string } }[] };
    if (frame.push === "now") heard.push(...frame.messages!.map(({ data }) => data.react));
    return text;
  };
  await camille.takesSeat(master);
  await bo.takesSeat(master);
  // All at once, as no thumb can: in one turn of the page.
  await camille.page.getByRole("group", { name: "React" }).evaluate((bar) => bar.querySelectorAll("button").forEach((button) => button.click()));
  await expect.poll(() => heard).toEqual(["😂", "😱", "😍"]);
  for (const phone of [camille, bo]) await phone.leaves();
});
