// What screen readers are told of a view: one announcement, because a second would take the place of the first.

import type { Table } from "parlor-sdk";
import type { Words } from "../words/en.js";
import type { Change } from "./changes.js";
import { decimal } from "./numbers.js";

/** `me` is who listens; what they did themselves they know. */
export function sentences(found: readonly Change[], view: Table, me: string | null, words: Words): string {
  return found.map((change) => sentence(change, view, me, words)).filter(Boolean).join(" ");
}

function sentence(change: Change, view: Table, me: string | null, { said, result, locale }: Words): string {
  switch (change.change) {
    case "voted": {
      const voters = view.users.filter((user) => !user.observer);
      return change.user_id === me ? "" : said.voted(change.name, voters.filter((user) => user.has_vote).length, voters.length);
    }
    case "took_back": return change.user_id === me ? "" : said.tookBack(change.name);
    case "joined": return said.joined(change.name);
    case "left": return said.left(change.name);
    case "cleared": return said.cleared(change.round);
    case "story": return said.story(change.title);
    case "timer_over": return ""; // A notice says so, and notices are read out.
    case "shown": {
      const numbers = view.result?.votes ? said.result(decimal(view.result.average, locale), decimal(view.result.median, locale), view.result.agreement) : result.none;
      return `${said.shown} ${change.unanimous ? `${result.unanimous} ` : ""}${numbers}`;
    }
  }
}
