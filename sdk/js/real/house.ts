// A real server for the kit: the binary in PARLOR_BIN, on a free port, with a store of its own; and clients whose
// connections can be cut.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { type Client, type Options, connect } from "../src/index.js";

export interface House {
  readonly url: string;
  join(options?: Options): Guest;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Guest {
  readonly client: Client;
  /** Breaks the line without a word. */
  cut(): void;
}

export async function house(): Promise<House> {
  const bin = process.env["PARLOR_BIN"];
  if (!bin) throw new Error("set PARLOR_BIN to the parlor binary that the kit should run against");
  const folder = await mkdtemp(join(tmpdir(), "parlor-sdk-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(bin, ["serve", "--listen", `127.0.0.1:${port}`, "--store", `embedded:${join(folder, "store")}`], { stdio: "ignore" });
    while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = () => new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGTERM");
  });
  const clients: Client[] = [];
  await start();
  return {
    url,
    join(options = {}) {
      const sockets = new Set<WebSocket>();
      class Counted extends WebSocket {
        constructor(address: string) {
          super(address);
          sockets.add(this);
          this.once("close", () => sockets.delete(this));
        }
      }
      const client = connect({ server: url, WebSocket: Counted, ...options });
      clients.push(client);
      return { client, cut: () => sockets.forEach((socket) => socket.terminate()) };
    },
    async restart() {
      await stop();
      await start();
    },
    async close() {
      for (const client of clients) client.stop();
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
