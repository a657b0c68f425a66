// Which addresses are reels, and the one form that each of them has. Nothing is ever fetched from here.

import { URL_BYTES_MAX } from "./limits.js";
import { hides } from "./names.js";

export type LinkRefusal = "otherSite" | "notReel" | "badAddress";
export type Link = { readonly url: string } | { readonly refused: LinkRefusal };

const HOSTS = new Set(["instagram.com", "www.instagram.com"]);
const KINDS: Record<string, string> = { reel: "reel", reels: "reel", p: "p", tv: "tv" };
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const USER = /^[A-Za-z0-9._]{1,30}$/;
/** What these lead to is looked up by the site; the word after them names no reel. */
const NO_USERS = new Set(["share", "stories", "explore", "reels", "reel", "p", "tv"]);

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** An address of the web that a browser may open, and that the server takes. */
function addressOf(text: string): URL | null {
  const typed = text.trim();
  if (/\s/.test(typed) || hides(typed)) return null;
  // Who types a list by hand leaves out what browsers add.
  const whole = /^(www\.)?instagram\.com\//i.test(typed) ? `https://${typed}` : typed;
  if (!/^https?:\/\/[^/?#]/i.test(whole)) return null;
  let url: URL;
  try {
    url = new URL(whole);
  } catch {
    return null;
  }
  if (url.username || url.password || /["<>\\`\s]/.test(url.href) || bytes(url.href) > URL_BYTES_MAX) return null;
  return url;
}

/** A reel of the messenger, without what says who shared it with whom. */
export function reelLink(text: string): Link {
  const url = addressOf(text);
  if (!url) return { refused: "badAddress" };
  if (!HOSTS.has(url.hostname)) return { refused: "otherSite" };
  if (url.port) return { refused: "badAddress" };
  const parts = url.pathname.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  const [user, rest] = parts.length === 3 ? [parts[0]!, parts.slice(1)] : [null, parts];
  if (rest.length !== 2 || (user !== null && (!USER.test(user) || NO_USERS.has(user.toLowerCase())))) return { refused: "notReel" };
  const [kind, id] = rest as [string, string];
  if (!Object.hasOwn(KINDS, kind) || !ID.test(id)) return { refused: "notReel" };
  return { url: `https://www.instagram.com/${KINDS[kind]}/${id}/` };
}

/** Any address of the web, for lists that somebody made; a reel has its one form here too. */
export function anyLink(text: string): Link {
  const reel = reelLink(text);
  if ("url" in reel) return reel;
  const url = addressOf(text);
  return url ? { url: url.href } : { refused: "badAddress" };
}

const OWN_FORM = /^https:\/\/www\.instagram\.com\/(reel|tv|p)\/([A-Za-z0-9_-]+)\/$/;

/** What makes two addresses the same reel: the site shows one thing under `reel`, `p` and `tv`. */
export function sameReel(url: string): string {
  const id = OWN_FORM.exec(url)?.[2];
  return id ? `ig:${id}` : url;
}

/** What the reel is called where it comes from; null when its address does not say. */
export const reelId = (url: string): string | null => OWN_FORM.exec(url)?.[2] ?? null;

/** Of two addresses of one reel the better one, whichever came first. */
export function betterUrl(one: string, other: string): string {
  const rank = (url: string) => ["reel", "tv", "p"].indexOf(OWN_FORM.exec(url)?.[1] ?? "");
  if (rank(one) !== rank(other)) return rank(one) < rank(other) ? one : other;
  return one < other ? one : other;
}
