// What happened between two views, for ears and celebrations: the server sends views, people notice changes.

import type { Table } from "parlor-sdk";

export type Change =
  | { readonly change: "voted" | "took_back" | "joined" | "left"; readonly user_id: string; readonly name: string }
  | { readonly change: "shown"; readonly unanimous: boolean }
  | { readonly change: "cleared"; readonly round: number }
  | { readonly change: "story"; readonly title: string }
  | { readonly change: "timer_over" };

/** How wrong our guess of the server's clock may be. */
const CLOCK_SLACK_MS = 1000;

/** `now` is the server's time: a timer that goes before its end was stopped. */
export function changes(before: Table, after: Table, now: number): Change[] {
  const found: Change[] = [];
  const earlier = new Map(before.users.map((user) => [user.user_id, user]));
  const cleared = after.round !== before.round;
  if (cleared) found.push({ change: "cleared", round: after.round });
  if (after.story_id !== before.story_id) {
    const story = after.stories.find(({ story_id }) => story_id === after.story_id);
    if (story) found.push({ change: "story", title: story.title });
  }
  for (const { user_id, user_name: name, has_vote } of after.users) {
    const was = earlier.get(user_id);
    earlier.delete(user_id);
    if (!was) found.push({ change: "joined", user_id, name });
    else if (has_vote && (!was.has_vote || cleared)) found.push({ change: "voted", user_id, name });
    else if (!has_vote && was.has_vote && !cleared) found.push({ change: "took_back", user_id, name });
  }
  for (const { user_id, user_name: name } of earlier.values()) found.push({ change: "left", user_id, name });
  const ran = !after.timer_ends && !!before.timer_ends && before.timer_ends <= now + CLOCK_SLACK_MS;
  if (ran && !after.is_revealed && !cleared) found.push({ change: "timer_over" });
  if (after.is_revealed && (!before.is_revealed || cleared)) found.push({ change: "shown", unanimous: after.result?.unanimous ?? false });
  return found;
}
