// Chats as people have them on their computers: the messenger's export, alone and in its archive, with much that must not
// leave the browser.

import { strToU8, zipSync } from "fflate";

export const SECRET = "nobody may read this";
export const WHEN = 1712345678901;
/** As the messenger writes it: each byte a letter. */
const broken = (text: string) => Buffer.from(text, "utf8").toString("latin1");
export const link = (id: string) => `https://www.instagram.com/reel/${id}/?igsh=${id}`;

export function chat(title: string, people: readonly string[], shares: readonly (readonly [by: string, link: string])[]): string {
  return JSON.stringify({
    participants: people.map((name) => ({ name: broken(name) })),
    messages: [
      { sender_name: broken(people[0]!), timestamp_ms: WHEN, content: SECRET },
      ...shares.map(([by, link]) => ({ sender_name: broken(by), timestamp_ms: WHEN, content: SECRET, share: { link, share_text: SECRET, original_content_owner: SECRET } })),
    ],
    title: broken(title),
    thread_path: `inbox/${title.length}_secretpath`,
  });
}

/** Everybody with that many reels of their own. */
export const own = (names: readonly string[], count: number, mark: string) => names.flatMap((name, who) => Array.from({ length: count }, (_, at) => [name, link(`${mark}${who}x${at}`)] as const));
const GANG = ["Zoé", "Big Tom", "tommy", "健太"];
export const gang = chat("Gang 🎉", [...GANG, "Silent Sam"], [...own(GANG, 4, "g"), ["zoé_", link("extra")], ["Zoé", link("g0x0")], ["健太", link("both")], ["Zoé", link("both")], ["Zoé", "https://www.tiktok.com/@a/video/1"]]);
const mum = chat("Mum", ["Mum", "Zoé"], own(["Mum", "Zoé"], 9, "m"));
export const archive = () => zipSync({
  "your_instagram_activity/messages/inbox/gang_1/message_1.json": strToU8(gang),
  "your_instagram_activity/messages/inbox/gang_1/photos/1.jpg": new Uint8Array(3000),
  "your_instagram_activity/messages/inbox/mum_2/message_1.json": strToU8(mum),
});

export const file = (name: string, content: string | Uint8Array) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content as string) });
