// What the shop's page knows: the newest numbers, a page of rows, and whether the server answers. It looks every two seconds while
// somebody looks at it. The key rests in this tab's storage only, and goes out in a header, never in an address.

import { ParlorError } from "parlor-sdk";
import { parlor } from "../lib/parlor.svelte.js";
import { keep, kept } from "../lib/kept.js";
import type { Aim, Row, RowsPage, Stats, UserVisit, Why } from "./answers.js";
import { type Look, looked } from "./rate.js";

export const EVERY_MS = 2000;
/** After a failure we look less often. */
const AGAIN_MS = 5000;
export const ROWS_A_PAGE = 25;
const KEY = "shop.key";
const tab = () => sessionStorage;

export class Desk {
  key = $state.raw(kept<string | null>(KEY, null, tab));
  stats = $state.raw<Stats | null>(null);
  rows = $state.raw<RowsPage | null>(null);
  looks = $state.raw<readonly Look[]>([]);
  /** Why the last look failed: a code. */
  trouble = $state<string | null>(null);
  /** When the server last answered. */
  seenAt = $state(0);
  now = $state(Date.now());
  /** The cursors of the pages of rows up to this one; the first page has none. */
  private cursors = $state.raw<readonly (string | null)[]>([null]);
  private timer = 0;
  private round = 0;

  /** Called once, inside an effect root. */
  follow(): void {
    $effect(() => {
      const turned = () => (document.visibilityState === "visible" ? void this.look() : this.rest());
      document.addEventListener("visibilitychange", turned);
      void this.look();
      return () => {
        document.removeEventListener("visibilitychange", turned);
        this.rest();
      };
    });
    $effect(() => {
      const clock = setInterval(() => (this.now = Date.now()), 1000);
      return () => clearInterval(clock);
    });
  }

  /** Tries a key; it is kept when it has opened the shop. */
  async open(key: string): Promise<void> {
    this.trouble = null;
    // Nothing else can stand in a header.
    if (/^[\x21-\x7e]+$/.test(key)) {
      this.key = key;
      await this.look();
    } else this.trouble = "bad_key";
  }

  close(): void {
    this.rest();
    keep(KEY, undefined, tab);
    this.key = this.stats = this.rows = this.trouble = null;
    this.looks = [];
    this.cursors = [null];
  }

  get page(): number {
    return this.cursors.length;
  }

  async nextRows(): Promise<void> {
    const next = this.rows?.next;
    if (!next) return;
    this.cursors = [...this.cursors, next];
    await this.look();
  }

  async backRows(): Promise<void> {
    if (this.page === 1) return;
    this.cursors = this.cursors.slice(0, -1);
    await this.look();
  }

  async refreshRow(row: string): Promise<void> {
    const read = await this.ask<Row>(`rows/${encodeURIComponent(row)}/refresh`, {});
    if (this.rows) this.rows = { ...this.rows, rows: this.rows.rows.map((old) => (old.row === read.row ? read : old)) };
  }

  async why(url: string, cookie: string): Promise<Why> {
    if (!/^[\x20-\x7e]*$/.test(cookie)) throw new ParlorError("bad_request", "a cookie has no such letters");
    return this.ask<Why>(`why?${new URLSearchParams({ url })}`, undefined, cookie ? { "parlor-why-cookie": cookie } : {});
  }

  async purge(aim: Aim, value: string, soft: boolean): Promise<number> {
    const { purged } = await this.ask<{ purged: number }>("purge", { [aim]: aim === "all" ? true : value, ...(soft && { soft }) });
    void this.look();
    return purged;
  }

  async visits(user: string): Promise<readonly UserVisit[]> {
    return (await this.ask<{ visits: UserVisit[] }>(`users/${encodeURIComponent(user)}/visits`)).visits;
  }

  /** Ends one visit of a user, or all. */
  async endVisits(user: string, id?: string): Promise<number> {
    const path = `users/${encodeURIComponent(user)}/visits${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
    const { ended } = await this.ask<{ ended: number }>(path, undefined, {}, "DELETE");
    void this.look();
    return ended;
  }

  private async look(): Promise<void> {
    this.rest();
    if (this.key === null) return;
    const round = this.round;
    try {
      const stats = await this.ask<Stats>("stats");
      const after = this.cursors.at(-1);
      const rows = stats.rows ? await this.ask<RowsPage>(`rows?${new URLSearchParams({ n: String(ROWS_A_PAGE), ...(after ? { after } : {}) })}`) : null;
      if (round !== this.round) return;
      keep(KEY, this.key, tab);
      this.seenAt = this.now = Date.now();
      if (stats.pages) this.looks = looked(this.looks, this.seenAt, stats.pages);
      [this.stats, this.rows, this.trouble] = [stats, rows, null];
    } catch (error) {
      if (round !== this.round) return;
      this.trouble = error instanceof ParlorError ? error.code : "other";
      // A key that is no good is asked for again; everything else may pass.
      if (["unauthenticated", "bad_key", "forbidden", "unsupported", "not_found"].includes(this.trouble)) {
        const { trouble } = this;
        this.close();
        this.trouble = trouble;
        return;
      }
    }
    if (document.visibilityState === "visible") this.timer = window.setTimeout(() => void this.look(), this.trouble === null ? EVERY_MS : AGAIN_MS);
  }

  /** What is still on its way is not looked at any more. */
  private rest(): void {
    this.round++;
    clearTimeout(this.timer);
  }

  private async ask<T>(path: string, body?: object, headers: Record<string, string> = {}, method?: string): Promise<T> {
    const answer = await parlor.fetch(`shop/${path}`, body, { headers: { "parlor-admin-key": this.key ?? "", ...headers }, ...(method && { method }) });
    return (await answer.json()) as T;
  }
}
