// The demo shop with Parlor in front: the two binaries in PARLOR_BIN and PARLOR_DEMO_BIN, on free ports, with a database in a folder of
// their own. How they are started stands here and nowhere else.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { pagesInFrontOf } from "./pages.js";
import { launch } from "./people.js";
import { freePort } from "./server.js";

export interface Street {
  browser: Browser;
  /** Where shoppers go: the edge. */
  shop: string;
  /** Parlor's own address, with the back office. */
  parlor: string;
  adminKey: string;
}

/** Filled before the first journey begins. */
export function openStreet(): Street {
  const street = {} as Street;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const opened = await open();
    closing.push(opened.close);
    const browser = await launch();
    closing.unshift(() => browser.close());
    Object.assign(street, opened, { browser });
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return street;
}

async function open(): Promise<Omit<Street, "browser"> & { close: () => Promise<void> }> {
  const bin = process.env["PARLOR_BIN"];
  if (!bin) throw new Error("set PARLOR_BIN to the parlor binary that the journeys should run against");
  const demo = process.env["PARLOR_DEMO_BIN"] ?? join(dirname(bin), "parlor-demo-shop");
  const folder = await mkdtemp(join(tmpdir(), "parlor-street-"));
  const [listen, edge, origin] = [await freePort(), await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`) as [string, string, string];
  const [shopKey, adminKey] = ["the-shops-own-key-0123456789", "the-admins-own-key-0123456789"];
  const database = join(folder, "shop.sqlite");
  const parlor = `http://${listen}`;
  const children: ChildProcess[] = [];
  const start = async (program: string, words: string[], ready: string) => {
    const child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
    children.push(child);
    let said = "";
    child.stderr.on("data", (text) => (said = (said + String(text)).slice(-2000)));
    child.once("error", (error) => (said += error.message));
    while (!(await fetch(ready).catch(() => null))?.ok) {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program} ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const close = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start(demo, ["--listen", origin, "--database", database, "--parlor", parlor, "--shop-key", shopKey, "--admin-key", adminKey], `http://${origin}/`);
    await start(bin, [
      "serve", "--listen", listen, "--store", `embedded:${join(folder, "store")}`, "--edge", edge, "--origin", `http://${origin}`,
      "--shop-key", shopKey, "--admin-key", adminKey, "--item-path", "/product/{item}", "--rows-source", `sqlite:${database}`,
    ], `${parlor}/readyz`);
  } catch (error) {
    await close();
    throw error;
  }
  const front = process.env["PARLOR_PAGES"] === "proxy" ? await pagesInFrontOf(parlor) : null;
  return {
    shop: `http://${edge}`,
    parlor: front?.url ?? parlor,
    adminKey,
    close: async () => {
      await front?.close();
      await close();
    },
  };
}
