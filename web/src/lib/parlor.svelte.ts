// The one connection of this page, and what it is doing now.

import { type Session, type Status, connect } from "parlor-sdk";
import { poker } from "parlor-sdk/poker";
import { reels } from "parlor-sdk/reels";
import { keep, kept } from "./kept.js";
import { keys } from "./keys.js";
import { putTabBack, takeTab } from "./tab.js";
import { SwitchedWire, cutLine } from "./wire.js";

const tab = takeTab();

/** Whether this browser may hold a session. Only a login and a logout say so: other tabs read it, and a tab that is a
    guest knows nothing of theirs. A cookie that opens nothing costs one greeting, and we go on as the guest we were. */
const LOGGED_IN = "logged_in";

export const parlor = connect({ ...tab, keys, WebSocket: SwitchedWire, cookie: kept(LOGGED_IN, false) });

export const tables = poker(parlor);
export const games = reels(parlor);

putTabBack(() => ({ client: tab.client, nextNumber: parlor.nextNumber }));

class Line {
  status = $state.raw<Status>(parlor.status);
  /** The session's name; guests have none. */
  member = $state<string | null>(null);
  /** Set when a session ended without anybody asking for it. */
  sessionEnded = $state(false);
  /** Whether somebody asked to be without a connection. */
  cut = $state(false);
  private leaving = false;

  constructor() {
    parlor.subscribe((status) => {
      this.status = status;
      if (status.phase !== "online") return;
      const name = status.userName ?? null;
      this.sessionEnded = this.member !== null && name === null && !this.leaving;
      this.member = name;
    });
  }

  cutOff(yes: boolean): void {
    this.cut = yes;
    cutLine(yes);
    if (!yes) parlor.wake();
  }

  async logIn(name: string): Promise<Session> {
    const session = await parlor.login(name);
    keep(LOGGED_IN, true);
    return session;
  }

  async logOut(): Promise<void> {
    this.leaving = true;
    try {
      await parlor.logout();
      keep(LOGGED_IN, false);
      this.member = null;
    } finally {
      this.leaving = false;
    }
  }
}

export const line = new Line();

// A laptop that was asleep and a phone that changed networks should not wait for a timer to notice.
addEventListener("online", () => parlor.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") parlor.wake();
});
