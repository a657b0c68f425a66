// What a file says: the messenger's export, or a list of addresses and senders as JSON or CSV. Text in, findings out.

import { cells } from "../../lib/csv.js";
import { type Found, type Reason, type Rejected, type Share, nothing, reject } from "./found.js";
import { type Link, anyLink, reelLink } from "./links.js";
import { repaired } from "./mojibake.js";
import { tidy } from "./names.js";

/** Where a file lay: in an export its folder says which chat it belongs to. */
export interface Place {
  readonly file: string;
  readonly folder: string | null;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** The text of a file; the mark at its beginning says which kind of letters it has. */
export function textOf(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function contentsOf(text: string, place: Place): Found {
  const begins = text.trimStart()[0];
  if (begins === "{" || begins === "[") return jsonIn(text, place);
  if (begins === "<") return nothing(place.file, "html");
  return csvIn(text, place);
}

function jsonIn(text: string, place: Place): Found {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return nothing(place.file, "unreadable");
  }
  if (Array.isArray(value)) return rowsIn(value.map(rowOf), place);
  if (isFields(value) && Array.isArray(value["messages"])) return exportIn(value, value["messages"], place);
  return nothing(place.file, "notExport");
}

/** Of each message only who sent it and the address it shares is looked at. */
function exportIn(whole: Fields, messages: unknown[], { file, folder }: Place): Found {
  const given = Array.isArray(whole["participants"]) ? whole["participants"] : [];
  const people = given.map((one) => tidy(repaired(textIn(isFields(one) ? one["name"] : one)))).filter(Boolean);
  if (!Array.isArray(whole["participants"]) && !messages.some((one) => isFields(one) && "sender_name" in one)) return nothing(file, "notExport");
  const shares: Share[] = [];
  const rejected: Partial<Record<Reason, Rejected>> = {};
  for (const message of messages) {
    const share = isFields(message) ? message["share"] : null;
    const link = isFields(share) ? textIn(share["link"]) : "";
    if (!link) reject(rejected, "noLink");
    else take(shares, rejected, reelLink(link), link, repaired(textIn((message as Fields)["sender_name"])));
  }
  const title = tidy(repaired(textIn(whole["title"]))) || people.join(", ");
  const key = repaired(textIn(whole["thread_path"])) || folder || `${title} ${[...people].sort().join(", ")}`;
  return { file, origin: { key, title: title || file, from: folder === null ? "chat" : "export" }, trouble: null, people, shares, rejected };
}

type Row = readonly [url: string, sender: string];

function rowOf(value: unknown): Row {
  if (Array.isArray(value)) return [textIn(value[0]), textIn(value[1])];
  if (!isFields(value)) return ["", ""];
  return [textIn(value["url"] ?? value["link"]), textIn(value["sender"] ?? value["sender_name"] ?? value["name"])];
}

const URLS = ["url", "link", "reel", "address"];
const SENDERS = ["sender", "sender_name", "name", "from", "who"];

function csvIn(text: string, place: Place): Found {
  const rows = cells(text.replace(/^\ufeff/, ""));
  if (rows === null) return nothing(place.file, "unreadable");
  const names = (rows[0] ?? []).map((cell) => cell.trim().toLowerCase());
  const find = (known: string[]) => names.findIndex((name) => known.includes(name));
  const [url, sender] = [find(URLS), find(SENDERS)];
  const headed = url >= 0 && sender >= 0;
  const [urlAt, senderAt] = headed ? [url, sender] : [0, 1];
  const list: Row[] = rows.slice(headed ? 1 : 0).map((row) => [row[urlAt] ?? "", row[senderAt] ?? ""]);
  // A letter to somebody, a picture: text without a single address is no list.
  if (!list.some(([address]) => "url" in anyLink(address))) return nothing(place.file, "notExport");
  return rowsIn(list, place);
}

function rowsIn(rows: readonly Row[], { file }: Place): Found {
  const shares: Share[] = [];
  const rejected: Partial<Record<Reason, Rejected>> = {};
  for (const [address, sender] of rows) {
    if (!address.trim()) reject(rejected, "noLink", sender);
    else take(shares, rejected, anyLink(address), address, sender);
  }
  return { file, origin: { key: `list ${file}`, title: file, from: "list" }, trouble: rows.length ? null : "notExport", people: [], shares, rejected };
}

function take(shares: Share[], rejected: Partial<Record<Reason, Rejected>>, link: Link, address: string, sender: string): void {
  const by = tidy(sender);
  if ("refused" in link) reject(rejected, link.refused, address);
  else if (!by) reject(rejected, "noSender", address);
  else shares.push({ url: link.url, by });
}
