//! One room as a simulated client knows it.

use parlor_rules::Place;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Outside,
    Knocking,
    Inside,
    /// Told that the room is no more; asks once again, to be sure that it stays so.
    Doubting,
    Gone,
}

pub(super) struct Seat {
    pub(super) host_key: Option<String>,
    pub(super) stage: Stage,
    pub(super) place: Option<Place>,
    /// The last view.
    pub(super) table: Option<Value>,
    pub(super) under_way: Option<UnderWay>,
    pub(super) not_before: Instant,
    /// Whether the room's end was told; then it must not let anyone in again.
    pub(super) ended: bool,
}

pub(super) struct UnderWay {
    pub(super) number: u64,
    pub(super) verb: &'static str,
    pub(super) with: Value,
    pub(super) sent: bool,
}

impl Seat {
    pub(super) fn new(host_key: Option<String>) -> Seat {
        Seat {
            host_key,
            stage: Stage::Outside,
            place: None,
            table: None,
            under_way: None,
            not_before: Instant::now(),
            ended: false,
        }
    }

    pub(super) fn wants_in(&self, now: Instant) -> bool {
        matches!(self.stage, Stage::Outside | Stage::Doubting) && now >= self.not_before
    }

    pub(super) fn knock(&mut self) {
        self.stage = Stage::Knocking;
    }

    pub(super) fn cut(&mut self) {
        if matches!(self.stage, Stage::Knocking | Stage::Inside) {
            self.stage = Stage::Outside;
        }
        if let Some(act) = &mut self.under_way {
            act.sent = false;
        }
        self.not_before = Instant::now();
    }

    pub(super) fn rest(&mut self, ms: u64) {
        self.not_before = Instant::now() + Duration::from_millis(ms);
    }

    pub(super) fn take_unsent(&mut self, now: Instant) -> Option<(u64, &'static str, Value)> {
        if now < self.not_before {
            return None;
        }
        let act = self.under_way.as_mut().filter(|act| !act.sent)?;
        act.sent = true;
        Some((act.number, act.verb, act.with.clone()))
    }

    pub(super) fn waits(&self) -> Option<String> {
        if let Some(act) = &self.under_way {
            return Some(format!("an answer to {} #{}", act.verb, act.number));
        }
        match self.stage {
            Stage::Inside if self.place.is_none() => Some("a view".into()),
            Stage::Inside | Stage::Gone => None,
            Stage::Outside | Stage::Knocking | Stage::Doubting => Some("being let in".into()),
        }
    }
}
