// A stand-in for a shop with carts, for trying the helper in a real browser: visits by cookie, carts, streams, a login, and a line that can
// lose questions and answers. Its pages use the built file as any shop would.

import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Cart {
  lines: Map<string, number>;
  version: number;
  readonly done: Set<string>;
}

interface Visit {
  user: string | null;
  readonly since: number;
  cart: Cart;
  readonly streams: Set<ServerResponse>;
}

/** What becomes of the next change of a cart. */
export type Fate = "lost question" | "lost answer" | "held";

export interface Counter {
  readonly url: string;
  fates: Fate[];
  /** Requests by what they were for. */
  readonly asked: string[];
  readonly visits: Map<string, Visit>;
  /** Changes that are held go on. */
  release(): void;
  /** Breaks every stream. */
  cut(): void;
  streams(): number;
  close(): Promise<void>;
}

const HELPER = new URL("../dist/parlor-shop.js", import.meta.url);

const page = (title: string, body: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<script type="module" src="/parlor-shop.js"></script>
<main><h1>${title}</h1><p>Cart: <parlor-cart-count data-testid="cart-count">0</parlor-cart-count></p>${body}</main></html>`;

const PRODUCT = (item: string) => page(`Product ${item}`, `
<form data-testid="add-to-cart"><button>Add</button></form> <a href="/cart">Cart</a>
<script type="module">
  import { page } from "/parlor-shop.js";
  document.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); page().cart.add("${item}"); });
</script>`);

const CART = page("Cart", `<ul></ul><script type="module">
  import { page } from "/parlor-shop.js";
  page().cart.subscribe(({ lines }) => document.querySelector("ul").replaceChildren(...lines.map(({ item, quantity }) => {
    const line = document.createElement("li");
    line.dataset.cartItem = item;
    line.innerHTML = item + ": <span data-testid=quantity>" + quantity + "</span>";
    return line;
  })));
</script>`);

export async function counter(): Promise<Counter> {
  const visits = new Map<string, Visit>();
  const carts = new Map<string, Cart>();
  const held: (() => void)[] = [];
  let tokens = 0;
  const counter = { fates: [] as Fate[], asked: [] as string[], visits };
  const empty = (): Cart => ({ lines: new Map(), version: 0, done: new Set() });
  const cartWords = ({ lines, version }: Cart) => {
    const sorted = [...lines].map(([item, quantity]) => ({ item, quantity })).sort((one, other) => (one.item < other.item ? -1 : 1));
    return { lines: sorted, items: lines.size, count: sorted.reduce((sum, { quantity }) => sum + quantity, 0), expires_at: null, version };
  };
  const visitWords = ({ user, since }: Visit) => ({ user, since, last_used: Date.now(), idle_until: Date.now() + 1e6, ends: Date.now() + 1e7 });
  const tell = (cart: Cart) => {
    for (const visit of visits.values()) {
      if (visit.cart === cart) for (const stream of visit.streams) stream.write(`event: cart\ndata: ${JSON.stringify(cartWords(cart))}\n\n`);
    }
  };
  const end = (token: string) => {
    const visit = visits.get(token);
    visits.delete(token);
    for (const stream of visit?.streams ?? []) stream.end("event: ended\ndata: {}\n\n");
  };
  const begin = (user: string | null, cart: Cart): [string, Visit] => {
    const token = `token-${++tokens}`;
    visits.set(token, { user, since: Date.now(), cart, streams: new Set() });
    return [token, visits.get(token)!];
  };
  const change = (cart: Cart, verb: string, { item, quantity, id }: { item: string; quantity: number; id: string }) => {
    if (cart.done.has(id)) return;
    cart.done.add(id);
    const after = verb === "remove" ? 0 : verb === "set" ? quantity : (cart.lines.get(item) ?? 0) + quantity;
    if (verb === "clear") cart.lines.clear();
    else if (after > 0) cart.lines.set(item, after);
    else cart.lines.delete(item);
    cart.version++;
    tell(cart);
  };

  const answer = (asked: IncomingMessage, said: ServerResponse, text: string) => {
    const url = new URL(asked.url ?? "/", "http://shop");
    const path = url.pathname;
    const token = /parlor_visit=([^;]+)/.exec(asked.headers.cookie ?? "")?.[1] ?? "";
    const visit = visits.get(token);
    const html = (body: string) => void said.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body);
    const json = (status: number, words: object, cookie?: string) =>
      void said.writeHead(status, { "content-type": "application/json", ...(cookie !== undefined && { "set-cookie": `parlor_visit=${cookie}; Path=/; HttpOnly; SameSite=Lax${cookie ? "" : "; Max-Age=0"}` }) }).end(JSON.stringify(words));
    if (path === "/parlor-shop.js") return void said.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(HELPER));
    if (path === "/cart") return html(CART);
    if (path.startsWith("/product/")) return html(PRODUCT(path.slice(9)));
    if (path === "/login") {
      // What the origin does with its own key: the old token ends, the carts become one, and so do the changes they know.
      const user = url.searchParams.get("user") ?? "ana";
      const cart = carts.get(user) ?? empty();
      carts.set(user, cart);
      for (const [item, quantity] of visit?.cart.lines ?? []) cart.lines.set(item, (cart.lines.get(item) ?? 0) + quantity);
      for (const id of visit?.cart.done ?? []) cart.done.add(id);
      cart.version++;
      const [fresh] = begin(user, cart);
      // The old visit is over some time before the browser has the new cookie, as with an origin that asks and then answers.
      end(token);
      tell(cart);
      said.setHeader("set-cookie", `parlor_visit=${fresh}; Path=/; HttpOnly; SameSite=Lax`);
      return void setTimeout(() => html(page("Hello", "")), 300);
    }
    if (!path.startsWith("/v1/shop/")) return void said.writeHead(404).end();
    const what = path.replace("/v1/shop/", "");
    counter.asked.push(what);
    if (what === "visits") {
      const [fresh, made] = begin(null, empty());
      return json(201, { token: fresh, visit: visitWords(made) }, fresh);
    }
    if (!visit) return json(401, { error: { code: "unauthenticated", message: "there is no such visit", retry: false } });
    if (what === "visit") return json(200, { visit: visitWords(visit), cart: cartWords(visit.cart), viewed: [] });
    if (what === "cart") return json(200, cartWords(visit.cart));
    if (what === "cart/events") {
      said.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      said.write(`event: cart\ndata: ${JSON.stringify(cartWords(visit.cart))}\n\n`);
      visit.streams.add(said);
      return void said.once("close", () => visit.streams.delete(said));
    }
    if (what === "visit/logout") {
      json(200, {}, "");
      return end(token);
    }
    const fate = counter.fates.shift();
    if (fate === "lost question") return void asked.socket.destroy();
    change(visit.cart, what.replace("cart/", ""), JSON.parse(text));
    if (fate === "lost answer") return void asked.socket.destroy();
    if (fate === "held") return void held.push(() => json(200, cartWords(visit.cart)));
    json(200, cartWords(visit.cart));
  };

  const server = createServer((asked, said) => {
    let text = "";
    asked.on("data", (piece) => (text += String(piece)));
    asked.on("end", () => answer(asked, said, text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const streams = () => [...visits.values()].flatMap(({ streams }) => [...streams]);
  return Object.assign(counter, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => held.splice(0).forEach((go) => go()),
    cut: () => streams().forEach((stream) => stream.destroy()),
    streams: () => streams().length,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
