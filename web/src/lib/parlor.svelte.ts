// The one connection of this page, and what it is doing now.

import { type Status, connect } from "parlor-sdk";
import { keep, kept } from "./kept.js";
import { keys } from "./keys.js";
import { putTabBack, takeTab } from "./tab.js";

const tab = takeTab();

export const parlor = connect({ ...tab, keys, cookie: kept("logged_in", false) });

putTabBack(() => ({ client: tab.client, nextNumber: parlor.nextNumber }));

class Line {
  status = $state.raw<Status>(parlor.status);
  /** The session's name; guests have none. */
  member = $state<string | null>(null);
  /** Set when a session ended without anybody asking for it. */
  sessionEnded = $state(false);

  constructor() {
    parlor.subscribe((status) => {
      this.status = status;
      if (status.phase !== "online") return;
      const name = status.userName ?? null;
      this.sessionEnded = this.member !== null && name === null;
      this.member = name;
      keep("logged_in", name !== null);
    });
  }

  async logIn(name: string): Promise<void> {
    await parlor.login(name);
  }

  async logOut(): Promise<void> {
    this.member = null;
    await parlor.logout();
  }
}

export const line = new Line();

// A laptop that was asleep and a phone that changed networks should not wait for a timer to notice.
addEventListener("online", () => parlor.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") parlor.wake();
});
