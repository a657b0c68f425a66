// What the server shows of rooms: whole views and patches of tables, snapshots and changes of spaces. Where a room stands
// is kept here; what a space holds is not, because a step copies its state.

import { Seats } from "./seats.js";
import type { ChangesPush, SnapshotPush } from "./space/words.js";
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
    this.proven(seat);
    this.tell(room, { kind: "view", shown });
  }

  protected snapshot(push: SnapshotPush): void {
    const seat = this.state.seats.get(push.room);
    if (seat?.stage !== "inside" || !seat.building || !(push.first || seat.near)) return;
    // Changes between two pieces may have led further than the piece that comes after them.
    if (push.first || !seat.near || number(push.at) >= number(seat.near.at)) seat.near = { at: push.at, mark: push.mark };
    if (push.last) {
      seat.building = false;
      seat.place = seat.near;
      this.proven(seat);
    }
    this.tell(push.room, { kind: "space", push });
  }

  protected changes(push: ChangesPush): void {
    const seat = this.state.seats.get(push.room);
    // Before a snapshot begins there is nothing to change, and what comes is newer.
    if (seat?.stage !== "inside" || (seat.building && !seat.near)) return;
    if (push.base !== seat.near?.at) return this.enterAgain(push.room);
    if (push.mark) this.advance(seat, push.at, push.mark);
    this.proven(seat);
    this.tell(push.room, { kind: "space", push });
  }

  /** A greeting alone proves nothing, nor does a view while an act waits: that act may be what breaks the line. */
  private proven(seat: Seat): void {
    if (seat.acts.length === 0) this.state.failures = 0;
  }
}

/** Which commit of the room it is. */
const number = (at: string): number => Number(at.split("-")[1]);
