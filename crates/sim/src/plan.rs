//! What kind of weather a seed brings: drawn once, before anything happens, and printed with a failure.

use crate::dice::Dice;
use parlor::config::{Config, StoreChoice};
use parlor::cookies::SecureCookies;
use parlor::limits::DoorLimits;
use parlor_engine::Limits;
use std::time::Duration;

/// About as large as a view gets here, with a history of some dozen rounds.
const VIEW_BYTES_MAX: u64 = 40_000;

#[derive(Clone, Debug)]
pub struct Plan {
    pub clients: usize,
    pub rooms: usize,
    pub nodes: usize,
    /// How long the weather lasts, in simulated milliseconds.
    pub lasts_ms: u64,
    /// The longest pause of a client between two things it does.
    pub pause_ms_max: u64,
    /// The longest a frame is under way.
    pub delay_ms_max: u64,
    /// The longest between a write and its sync.
    pub sync_ms_max: u64,
    /// Chances in a thousand, for each thing a client does.
    pub cut: u64,
    pub twice: u64,
    pub delete: u64,
    /// Chance in a thousand that a write to a client stalls.
    pub stall: u64,
    /// Chances in a thousand, for each step of the weather.
    pub crash: u64,
    pub restart: u64,
    pub sync_fault: u64,
    pub disk_full: u64,
    pub long_quiet: u64,
    pub clock_jump: u64,
    pub limits: Limits,
}

impl Plan {
    pub fn draw(dice: &Dice) -> Plan {
        let often = |chance: u64, low: u64, high: u64| if dice.per_mille(chance) { dice.between(low, high) } else { 0 };
        let small = |low: u64, high: u64, usual: usize| {
            if dice.per_mille(500) { dice.between(low, high) as usize } else { usual }
        };
        let usual = Limits::default();
        let busy = dice.per_mille(150);
        let long = dice.per_mille(30);
        let rooms = dice.between(1, 3);
        let nodes = 1 + usize::from(dice.per_mille(400));
        let away_seconds = *dice.pick(&[0, 600, 20, 2]).unwrap_or(&600);
        Plan {
            clients: dice.between(3, 8) as usize,
            rooms: rooms as usize,
            nodes,
            // Long enough, now and then, that the kept tail of a stream is outrun.
            lasts_ms: if long { 60_000 } else { dice.between(3_000, 15_000) },
            pause_ms_max: if busy || long { 20 } else { dice.between(40, 400) },
            delay_ms_max: *dice.pick(&[0, 2, 20, 150]).unwrap_or(&2),
            sync_ms_max: *dice.pick(&[0, 3, 30, 120]).unwrap_or(&3),
            cut: often(800, 5, 60),
            twice: often(700, 20, 200),
            delete: often(400, 2, 10),
            stall: often(400, 10, 200),
            crash: often(750, 20, 200),
            restart: often(300, 20, 100),
            sync_fault: often(150, 10, 50),
            disk_full: often(150, 10, 50),
            long_quiet: often(250, 10, 60),
            clock_jump: often(150, 10, 60),
            limits: Limits {
                inbox_max: small(2, 12, usual.inbox_max),
                batch_acts_max: small(1, 4, usual.batch_acts_max),
                // Room for one view of each room and little more.
                outbox_bytes_max: small(rooms * VIEW_BYTES_MAX, rooms * VIEW_BYTES_MAX + 2_000, usual.outbox_bytes_max),
                outbox_now_bytes_max: small(500, 2_000, usual.outbox_now_bytes_max),
                view_every: Duration::from_millis(*dice.pick(&[0, 10, 50]).unwrap_or(&50)),
                gather_for: Duration::from_millis(dice.between(0, 8)),
                idle_unload_after: Duration::from_millis(small(200, 3_000, 60_000) as u64),
                // A node knows its own listeners only: where two share a store, nobody is removed.
                away_after: Duration::from_secs(if nodes == 1 { away_seconds } else { 0 }),
                rooms_live_max: small(1, 2, usual.rooms_live_max),
                recent_max: small(1, 4, usual.recent_max),
                ..usual
            },
        }
    }

    pub fn config(&self) -> Config {
        Config {
            listen: ([127, 0, 0, 1], 0).into(),
            store: StoreChoice::Memory,
            allow_origins: Vec::new(),
            trust_forwarded: false,
            secure_cookies: SecureCookies::Never,
            log: String::new(),
            log_json: false,
            free_bytes_min: 0,
            store_log_bytes: 0,
            redis: Default::default(),
            dynamodb: Default::default(),
            nodes: None,
            auth: Default::default(),
            shop: Default::default(),
            drain: Duration::from_secs(10),
            engine: self.limits,
            doors: DoorLimits {
                frame_bytes_max: 65_536,
                message_rate_max: 200,
                rooms_per_socket_max: 16,
                acts_waiting_max: 8,
                connections_max: 1000,
                connections_per_address_max: 100,
                creates_per_minute_max: 120,
                bad_keys_per_minute_max: 20,
                logins_per_minute_max: 60,
                hello_within: Duration::from_secs(10),
                ping_every: Duration::from_secs(25),
            },
        }
    }
}
