// A real server for a journey: the binary in PARLOR_BIN, on a free port, with an embedded store in a folder of its own.
// With PARLOR_PAGES=proxy the pages come from web/dist through a small server in front, for binaries without pages.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pagesInFrontOf } from "./pages.js";

export interface Server {
  readonly url: string;
  /** Stops it as an operator would, and starts it again on the same port and store. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its store. */
  end(): Promise<void>;
}

export async function startServer(): Promise<Server> {
  const bin = process.env["PARLOR_BIN"];
  if (!bin) throw new Error("set PARLOR_BIN to the parlor binary that the journeys should run against");
  const folder = await mkdtemp(join(tmpdir(), "parlor-journey-"));
  let child: ChildProcess | null = null;
  let port = 0;

  const start = async () => {
    const started = spawn(bin, ["serve", "--listen", `127.0.0.1:${port}`, "--store", `embedded:${join(folder, "store")}`], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    started.stderr.on("data", (text) => (said = (said + String(text)).slice(-2000)));
    child = started;
    for (;;) {
      if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}: ${said}`);
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = async () => {
    const ending = child;
    child = null;
    if (!ending || ending.exitCode !== null) return;
    const gone = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill("SIGTERM");
    await gone;
  };

  // Between finding a free port and taking it, somebody else may be faster.
  for (let tries = 1; ; tries++) {
    port = await freePort();
    try {
      await start();
      break;
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
  const own = `http://127.0.0.1:${port}`;
  const front = process.env["PARLOR_PAGES"] === "proxy" ? await pagesInFrontOf(own) : null;
  return {
    url: front?.url ?? own,
    start,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
    end: async () => {
      await stop();
      await front?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
