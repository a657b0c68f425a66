// A stand-in for the shop's server, for what a real one does not do on command: rows that fail, many pages of rows, silence. It keeps
// to the same words, and the pages stand in front of it under the same policy.

import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Row, Stats, UserVisit, Why } from "../src/shop/answers.js";
import { pagesInFrontOf } from "./pages.js";

export const KEY = "open-sesame";
const ROWS = 60;

export interface Office {
  readonly url: string;
  readonly asked: { method: string; path: string; body: any; headers: IncomingMessage["headers"] }[];
  stats: Stats;
  why: Why;
  visits: Record<string, UserVisit[]>;
  /** Every answer is this, until it is null again. */
  trouble: { status: number; code: string } | null;
  close(): Promise<void>;
}

export async function office(): Promise<Office> {
  const now = Date.now();
  const rows: Row[] = Array.from({ length: ROWS }, (_, at) => ({
    row: String(at + 1),
    delay: at % 3 === 0 ? 5 : 60,
    next: now + at * 1000,
    age_ms: at === 4 ? null : 700 + at * 900,
    failures: at === 2 ? 3 : 0,
    value: at === 4 ? null : { id: at + 1, name: `Teapot No. ${at + 1} <b>`, price: 1250 + at * 10, stock: (at * 7) % 23 },
  }));
  const visit = (id: string): UserVisit => ({ id, user: "ana", since: now - 7_200_000, last_used: now - 40_000, idle_until: now + 3_600_000, ends: now + 86_400_000 });
  const office: Omit<Office, "url" | "close"> = {
    asked: [],
    trouble: null,
    stats: {
      pages: { hits: 184_230, stale_hits: 1420, misses: 9311, passes: 2204, coalesced: 87, revalidated: 640, stored: 9100, evicted: 311, purged: 42, entries: 8747, bytes: 91_300_000, bytes_max: 134_217_728 },
      visits: { total: 48_113, logged_in: 1290, max: 10_000_000 },
      carts: {
        total: 3120, with_lines: 811, changes_last_minute: 64,
        recent: [
          { id: "9f2ac01b77e3d4a1", user: "ana", count: 3, changed: now - 2000 },
          { id: "11b2ac01b77e3d4a", user: null, count: 12, changed: now - 9000 },
          { id: "c0ffee01b77e3d4a", user: "somebody-with-a-very-long-name-indeed@example.com", count: 1, changed: now - 61_000 },
          { id: "5e2ac01b77e3d4a0", user: null, count: 0, changed: now - 3_700_000 },
        ],
      },
      popular: [["7", 2310.5], ["12", 1804], ["3", 1211], ["41", 640], ["9", 388], ["a-very-long-item-name-that-does-not-fit", 120], ["2", 77], ["55", 12.5]].map(([item, views]) => ({ item: String(item), views: Number(views) })),
      rows: { total: ROWS, due: 4, failing: 1, oldest_age_ms: 54_000 },
    },
    why: {
      url: "http://127.0.0.1/product/7?utm_source=mail", decision: "hit", because: "In memory for 12 seconds and fresh for another 288: the item is the 3rd most popular.", rule: "popular",
      key: { method: "GET", scheme: "http", host: "127.0.0.1", path: "/product/7", query: "", variant: "anybody", vary: { "accept-encoding": "gzip" } },
      hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef", age_s: 12, fresh_for_s: 288, rank: 2,
      groups: ["catalogue"], surrogate_keys: ["product-7", "teapots", "teapots"], rows: ["7"], slots: ["cart-count", "row 7 price"], stored_bytes: 10_240,
    },
    visits: { ana: [visit("9f2ac01b77e3d4a1"), visit("00aac01b77e3d4a1")] },
  };

  const answer = (method: string, path: string, body: any): [number, unknown] => {
    const url = new URL(path, "http://office");
    const [, , , what, name, part, id] = url.pathname.split("/");
    switch (what) {
      case "stats": {
        const { pages } = office.stats;
        if (!pages) return [200, office.stats];
        // Somebody is always shopping.
        office.stats = { ...office.stats, pages: { ...pages, hits: pages.hits + 90 + (pages.hits % 7), misses: pages.misses + (pages.hits % 19) } };
        return [200, office.stats];
      }
      case "rows": {
        if (!office.stats.rows) return [404, { error: { code: "unsupported", message: "", retry: false } }];
        const at = rows.findIndex(({ row }) => row === name);
        if (name !== undefined) return at >= 0 ? [200, (rows[at] = { ...rows[at]!, age_ms: 0, failures: 0 })] : [404, { error: { code: "not_found", message: "", retry: false } }];
        const from = Number(url.searchParams.get("after") ?? 0);
        const to = from + Number(url.searchParams.get("n") ?? 100);
        return [200, { rows: rows.slice(from, to), next: to < ROWS ? String(to) : null }];
      }
      case "why": return [200, { ...office.why, url: url.searchParams.get("url") }];
      case "purge": return [200, { purged: body.all ? 8747 : body.url ? 1 : 14 }];
      case "users": {
        const user = decodeURIComponent(name!);
        const before = office.visits[user] ?? [];
        if (method === "GET") return [200, { visits: before }];
        office.visits[user] = before.filter((visit) => id !== undefined && visit.id !== id);
        return [200, { ended: before.length - office.visits[user].length }];
      }
    }
    return [404, { error: { code: "not_found", message: part ?? "", retry: false } }];
  };

  const server = createServer((asked, said) => {
    let text = "";
    asked.on("data", (piece) => (text += String(piece)));
    asked.on("end", () => {
      const { method = "GET", url: path = "/", headers } = asked;
      const say = (status: number, words: unknown) => said.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(words));
      if (!path.startsWith("/v1/shop/")) return void say(404, {});
      const body = text ? JSON.parse(text) : null;
      office.asked.push({ method, path, body, headers });
      if (office.trouble) return void say(office.trouble.status, { error: { code: office.trouble.code, message: "", retry: true } });
      if (headers["parlor-admin-key"] !== KEY) return void say(403, { error: { code: "bad_key", message: "", retry: false } });
      say(...answer(method, path, body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const front = await pagesInFrontOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return Object.assign(office, {
    url: front.url,
    close: async () => {
      await front.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
