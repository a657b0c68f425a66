// One question to the shop: a good answer, or an error with the server's reason.

import { ParlorError } from "../error.js";
import type { World } from "./world.js";

export class Asks {
  readonly #base: string;
  readonly #elsewhere: boolean;

  constructor(readonly world: World, server: string | undefined) {
    this.#elsewhere = server !== undefined;
    this.#base = `${(server ?? "").replace(/\/$/, "")}/v1/shop/`;
  }

  async ask<T>(path: string, body?: object): Promise<T> {
    const answer = await this.world.fetch(this.#base + path, {
      credentials: this.#elsewhere ? "include" : "same-origin",
      cache: "no-store",
      // What is on its way when the visitor follows a link still arrives.
      ...(body && { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, keepalive: true }),
    }).catch(() => {
      throw new ParlorError("offline", "the shop is out of reach", true);
    });
    // An answer may also break off in its middle.
    if (answer.ok) return answer.json().catch(() => { throw new ParlorError("offline", "the answer was cut", true); }) as Promise<T>;
    const words = (await answer.json().catch(() => null)) as { error?: { code?: unknown; message?: unknown; retry?: unknown } } | null;
    const { code, message, retry } = words?.error ?? {};
    if (typeof code === "string") throw new ParlorError(code, String(message ?? code), retry === true);
    // Not in the server's own words: something in between, which may be better in a moment.
    throw new ParlorError(answer.status === 401 ? "unauthenticated" : "unavailable", `status ${answer.status}`, answer.status >= 500 || answer.status === 429);
  }

  /** The stream of what happens at a path. */
  events(path: string) {
    return this.world.events(this.#base + path, { withCredentials: this.#elsewhere });
  }
}
