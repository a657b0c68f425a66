// What the server shows of rooms: whole views and patches of tables, snapshots and changes of spaces. Where a room stands
// is kept here; what a space holds is not, because a step copies its state.

import { Seats } from "./seats.js";
import type { Seat } from "./state.js";
import { type PatchPush, type Shown, type ViewPush, patched } from "./wire.js";

export class Shows extends Seats {
  protected viewed(push: ViewPush): void {
    const seat = this.state.seats.get(push.room);
    if (seat?.stage !== "inside") return;
    const { at, mark, view, me, expires_at } = push;
    this.show(push.room, seat, { at, mark, view, me, expiresAt: expires_at ?? null });
  }

  protected patch(push: PatchPush): void {
    const seat = this.state.seats.get(push.room);
    // Before the entrance's view there is nothing to change, and the view that comes is newer.
    if (seat?.stage !== "inside" || !seat.shown) return;
    if (push.base !== seat.shown.at) return this.enterAgain(push.room);
    this.show(push.room, seat, patched(seat.shown, push));
  }

  protected show(room: string, seat: Seat, shown: Shown): void {
    seat.shown = shown;
    seat.place = { at: shown.at, mark: shown.mark };
    // A greeting alone proves nothing, nor does a view while an act waits: that act may be what breaks the line.
    if (seat.acts.length === 0) this.state.failures = 0;
    this.tell(room, { kind: "view", shown });
  }
}
