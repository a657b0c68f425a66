// Everything that was read so far, chat by chat. In which order files came makes no difference to it.

import { type Found, type Origin, type Reason, type Rejected, type Share, type Trouble, reject } from "./found.js";
import { SHARES_MAX } from "./limits.js";
import { sameReel } from "./links.js";
import { inOrder, likeness } from "./names.js";

export interface Chat extends Origin {
  /** Whether its reels are played. */
  readonly on: boolean;
  /** Everybody in it, whether they shared something or not. */
  readonly people: readonly string[];
  readonly shares: readonly Share[];
}

export interface FileReport {
  readonly file: string;
  /** The title of the chat it belongs to. */
  readonly chat: string | null;
  readonly accepted: number;
  readonly trouble: Trouble | null;
  readonly rejected: Partial<Record<Reason, Rejected>>;
}

export interface Added {
  readonly chats: readonly Chat[];
  readonly reports: readonly FileReport[];
}

/** A chat while it grows. */
interface Growing {
  origin: Origin;
  on: boolean | null;
  people: Set<string>;
  shares: Map<string, Share>;
  /** Each person once with each reel, whatever the spelling. */
  seen: Set<string>;
}

const pair = (one: string, other: string) => `${one}\n${other}`;

export function added(chats: readonly Chat[], found: readonly Found[]): Added {
  const growing = new Map(chats.map((chat) => [chat.key, grown(chat)]));
  let shares = chats.reduce((sum, chat) => sum + chat.shares.length, 0);
  const reports = [...found].sort((one, other) => inOrder(one.file, other.file)).map((one): FileReport => {
    const { file, origin, trouble, people } = one;
    const rejected: Partial<Record<Reason, Rejected>> = { ...one.rejected };
    if (!origin) return { file, chat: null, accepted: 0, trouble, rejected };
    const chat = growing.get(origin.key) ?? fresh(origin);
    growing.set(origin.key, chat);
    chat.origin = joined(chat.origin, origin);
    for (const name of people) chat.people.add(name);
    let accepted = 0;
    for (const share of one.shares) {
      const [exact, person] = [pair(share.url, share.by), pair(sameReel(share.url), likeness(share.by))];
      const known = chat.seen.has(person);
      if (known) reject(rejected, "duplicate", share.url);
      // Another spelling is kept all the same: somebody may say later that it is another person.
      if (chat.shares.has(exact)) continue;
      if (shares >= SHARES_MAX) {
        if (!known) reject(rejected, "tooMany", share.url);
        continue;
      }
      chat.seen.add(person);
      chat.shares.set(exact, share);
      shares += 1;
      if (!known) accepted += 1;
    }
    return { file, chat: origin.title, accepted, trouble, rejected };
  });
  return { chats: settled([...growing.values()]), reports };
}

function fresh(origin: Origin): Growing {
  return { origin, on: null, people: new Set(), shares: new Map(), seen: new Set() };
}

function grown(chat: Chat): Growing {
  return {
    origin: { key: chat.key, title: chat.title, from: chat.from },
    on: chat.on,
    people: new Set(chat.people),
    shares: new Map(chat.shares.map((share) => [pair(share.url, share.by), share])),
    seen: new Set(chat.shares.map((share) => pair(sameReel(share.url), likeness(share.by)))),
  };
}

/** One chat may come from an archive and as a file: whoever chose its file meant it. */
function joined(one: Origin, other: Origin): Origin {
  return { key: one.key, title: inOrder(one.title, other.title) <= 0 ? one.title : other.title, from: one.from === "export" ? other.from : one.from };
}

/** A whole export holds all chats of somebody; of those that are new only the liveliest is played until asked for more. */
function settled(growing: readonly Growing[]): Chat[] {
  const voices = (chat: Growing) => Math.min(3, new Set([...chat.shares.values()].map(({ by }) => likeness(by))).size);
  const offered = growing.filter((chat) => chat.on === null && chat.origin.from === "export" && chat.shares.size > 0);
  const liveliest = offered.sort((one, other) => voices(other) - voices(one) || other.shares.size - one.shares.size || inOrder(one.origin.key, other.origin.key))[0];
  return growing
    .map((chat): Chat => ({
      ...chat.origin,
      on: chat.on ?? (chat.origin.from !== "export" || chat === liveliest),
      people: [...chat.people].sort(inOrder),
      shares: [...chat.shares.entries()].sort(([one], [other]) => inOrder(one, other)).map(([, share]) => share),
    }))
    .sort((one, other) => inOrder(one.key, other.key));
}
