// What the server shows of rooms: all of it, whole or in pieces, and then what changed. Where a room stands is kept here;
// what it holds is not, because a step copies its state.

import { Seats } from "./seats.js";
import type { ChangesPush, SnapshotPush } from "./space/words.js";
import type { Seat } from "./state.js";
import type { PatchPush, ViewPush } from "./wire.js";

export class Shows extends Seats {
  protected whole(push: ViewPush | SnapshotPush): void {
    const seat = this.state.seats.get(push.room);
    if (seat?.stage !== "inside") return;
    const [first, last] = push.push === "view" ? [true, true] : [push.first, push.last];
    if (first) seat.building = true;
    if (!seat.building || !(first || seat.near)) return;
    // Changes between two pieces may have led further than the piece that comes after them.
    if (first || !seat.near || number(push.at) >= number(seat.near.at)) seat.near = { at: push.at, mark: push.mark };
    if (last) {
      seat.building = false;
      seat.place = seat.near;
      this.proven(seat);
    }
    this.tell(push.room, { kind: "push", push });
  }

  protected changed(push: PatchPush | ChangesPush): void {
    const seat = this.state.seats.get(push.room);
    // Before all of it was shown there is nothing to change, and what comes is newer.
    if (seat?.stage !== "inside" || (seat.building && !seat.near)) return;
    if (push.base !== seat.near?.at) return this.enterAgain(push.room);
    if (push.mark) this.advance(seat, push.at, push.mark);
    this.proven(seat);
    this.tell(push.room, { kind: "push", push });
  }

  /** A greeting alone proves nothing, nor does a view while an act waits: that act may be what breaks the line. */
  private proven(seat: Seat): void {
    if (seat.acts.length === 0) this.state.failures = 0;
  }
}

/** Which commit of the room it is. */
const number = (at: string): number => Number(at.split("-")[1]);
