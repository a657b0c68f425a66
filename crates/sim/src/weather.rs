//! The weather itself: power cuts, restarts, a full disk, a failing one, long quiet, and clocks that jump. Then it clears,
//! and everybody must get well.

use crate::house::Standing;
use crate::trace::Check;
use crate::world::{Doing, World};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, advance, sleep, timeout};

/// How long after the weather has cleared everybody must have caught up and every command must be answered.
const WELL_WITHIN: Duration = Duration::from_secs(120);

/// How long after its idle time a room may take to notice that it is not needed.
const NOTICED_WITHIN: Duration = Duration::from_secs(90);

pub async fn storm(world: Arc<World>) {
    let dice = world.dice.fork(6);
    let plan = world.plan.clone();
    let mut left_ms = plan.lasts_ms as i64;
    // Whether the disk is full, and whether it is about to fail.
    let (mut full, mut broken) = (false, false);
    while left_ms > 0 {
        let wait = dice.between(20, 400);
        left_ms -= wait as i64;
        let Some(house) = world.house() else { return };
        if timeout(Duration::from_millis(wait), house.fatal.notified()).await.is_ok() {
            world.trace.note("disk", "has failed; the process ends");
            fall(&world, true).await;
            (full, broken) = (false, false);
        } else if dice.per_mille(plan.crash) {
            fall(&world, true).await;
            (full, broken) = (false, false);
        } else if dice.per_mille(plan.restart) && !broken {
            fall(&world, false).await;
            full = false;
        } else if dice.per_mille(plan.sync_fault) {
            world.trace.note("disk", "will fail at the next sync");
            house.break_sync();
            broken = true;
        } else if dice.per_mille(plan.disk_full) || full {
            full = !full;
            world.trace.note("disk", if full { "is full" } else { "has space again" });
            house.set_full(full);
        } else if dice.per_mille(plan.long_quiet) {
            let quiet = Duration::from_secs(dice.between(40 * 60, 75 * 60));
            world.trace.note("time", format!("nobody does anything for {} minutes", quiet.as_secs() / 60));
            world.board().quiet_until = Some(Instant::now() + quiet);
            sleep(quiet).await;
        } else if dice.per_mille(plan.clock_jump) {
            let jump = Duration::from_secs(dice.between(30, 65 * 60));
            world.trace.note("time", format!("jumps by {} seconds", jump.as_secs()));
            advance(jump).await;
        } else if dice.per_mille(100) {
            house.sweep(&world).await;
        }
    }
    world.clear_up();
    world.trace.note("time", "the weather clears");
    if full || broken || dice.per_mille(500) {
        fall(&world, broken || dice.per_mille(700)).await;
    }
    get_well(&world).await;
    if world.trace.failure().is_some() {
        return;
    }
    world.judge(world.history().check_acks());
    inspect(&world).await;
    empty_the_house(&world).await;
    world.trace.note("time", "one last power cut, to see what is really kept");
    fall(&world, true).await;
    inspect(&world).await;
    world.judge(world.history().check_acks());
}

/// The house goes down, by a power cut or in order, and is opened again.
async fn fall(world: &Arc<World>, hard: bool) {
    let Some(house) = world.house() else { return };
    world.trace.note("time", if hard { "the power is cut" } else { "the server is restarted" });
    world.count(|tally| if hard { tally.crashes += 1 } else { tally.restarts += 1 });
    let disk = if hard { house.crash(world).await } else { house.restart(world).await };
    disk.set_free_bytes(None);
    sleep(Duration::from_millis(world.dice.between(0, 300))).await;
    let standing = Arc::new(Standing::open(world, disk));
    // Everything that was acked or shown before is there.
    let rooms = world.history().rooms();
    for room in rooms {
        let _ = parlor_store::Rooms::load(&*standing.witness, &parlor_layout::room_key(&room)).await;
    }
    world.set_house(Some(standing));
}

async fn inspect(world: &Arc<World>) {
    let Some(house) = world.house() else { return };
    let rooms = world.history().rooms();
    for room in rooms {
        house.witness.inspect(&room).await;
    }
}

/// Everybody goes; then nothing may be held for them any more.
async fn empty_the_house(world: &Arc<World>) {
    world.trace.note("time", "everybody goes home");
    world.send_home();
    sleep(world.plan.limits.idle_unload_after + NOTICED_WITHIN).await;
    if let Some(left) = world.house().and_then(|house| house.leftovers()) {
        world.trace.fail(Check::Alive, left);
    }
}

/// Waits until every client is connected, answered, and sees each living room as it is.
async fn get_well(world: &Arc<World>) {
    let until = Instant::now() + WELL_WITHIN;
    loop {
        let Some(ill) = complaint(world) else { return };
        if Instant::now() >= until {
            return world.trace.fail(Check::Alive, ill);
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn complaint(world: &World) -> Option<String> {
    let doing = world.board().doing.clone();
    let now = world.now();
    let history = world.history();
    doing.iter().find_map(|(index, Doing { waits_for, at })| {
        let waits = waits_for.as_ref().map(|what| format!("c{index} waits for {what}"));
        let behind = || {
            at.iter().find_map(|(room, place)| {
                let tip = history.tip(room).map(|step| step.place);
                let behind = tip != Some(*place) && !history.is_gone(room, now);
                behind
                    .then(|| format!("c{index} sees {room} at {} and it is at {:?}", place.position, tip.map(|tip| tip.position)))
            })
        };
        waits.or_else(behind)
    })
}
