//! What a room's task does when its time has come: show, hand out, warn, and go to rest; and when it is to wake for that.

use super::{PATIENCE, Task};
use crate::encode::Farewell;
use crate::engine::House;
use parlor_rules::{Lifetime, Millis, Span};
use std::time::Duration;
use tokio::time::Instant;

/// A clock may step; no room waits longer than this before it looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Read once for all that is minded between two events: reading clocks is a good part of what a vote costs.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) instant: Instant,
    pub(super) clock: Millis,
}

impl Moment {
    pub(super) fn now(house: &House) -> Moment {
        Moment { instant: Instant::now(), clock: house.clock.now() }
    }
}

impl Task {
    /// Shows, hands out and warns when it is time to.
    pub(super) fn mind_the_time(&mut self, Moment { instant: now, clock }: Moment) {
        if self.aloud.is_some() {
            self.dirty = false;
            self.speak_aloud();
        }
        if self.dirty && self.hub.is_empty() {
            self.hub.forget_shown();
            self.dirty = false;
        }
        if self.dirty && now >= self.show_from {
            self.hub.show(self.picture(), None);
            self.dirty = false;
            self.show_from = now + self.house.limits.view_every;
        }
        if (self.hub.has_gathered() || self.may_tell()) && now >= self.hand_out_from {
            self.hub.hand_out();
            self.tell();
            self.hand_out_from = now + self.house.limits.gather_for;
        }
        if let Some(metronome) = &self.house.metronome
            && (self.hub.has_gathered() || self.may_tell())
            && self.beat_at != self.hand_out_from
        {
            metronome.call(self.hand_out_from, &self.beat);
            self.beat_at = self.hand_out_from;
        }
        if let Some(expires) = self.live.kept.expires
            && self.notified_for != Some(expires)
            && clock >= expires - self.notice()
        {
            self.hub.tell(Farewell::Closing(expires));
            self.notified_for = Some(expires);
        }
    }

    pub(super) fn next_wake(&self, Moment { instant: now, clock }: Moment) -> Instant {
        let until = |moment: Millis| now + Duration::from_millis(moment.since(clock).0);
        let mut wake = now + LOOK_AGAIN;
        if self.thinking.is_none() {
            // While a turn is under way it minds deadlines itself.
            let expires = self.live.kept.expires;
            let warning = expires.filter(|_| self.notified_for != expires).map(|expires| expires - self.notice());
            let moments = [self.live.kept.state.deadline(), expires, warning.filter(|_| !self.hub.is_empty())];
            wake = moments.into_iter().flatten().map(until).fold(wake, Instant::min);
            if let Some(look_at) = self.absence.look_at().filter(|_| !self.inbox.is_closed() && !self.must_ask_first()) {
                wake = wake.min(look_at);
            }
            if !self.live.trusted {
                wake = now;
            }
            // A store that fails is asked again with patience; until then there is nothing to wake up for.
            wake = wake.max(self.patience.min(now + PATIENCE));
        }
        if let Some(moment) = self.aloud_wake() {
            wake = wake.min(moment);
        }
        if let Some(moment) = self.nodes_wake() {
            wake = wake.min(moment);
        }
        if self.dirty {
            wake = wake.min(self.show_from);
        }
        if self.house.metronome.is_none() && (self.hub.has_gathered() || self.may_tell()) {
            wake = wake.min(self.hand_out_from);
        }
        // Only when it could go to rest then: a turn that outlasts the idle time would be waited for without a pause.
        if self.is_quiet() && !self.leaving {
            wake = wake.min(self.used + self.house.limits.idle_unload_after);
        }
        wake
    }

    fn notice(&self) -> Span {
        let limits = &self.house.limits;
        let notice = match self.live.kept.state.lifetime() {
            Lifetime::Fixed(_) => limits.closing_notice_fixed,
            Lifetime::Sliding(_) | Lifetime::Forever => limits.closing_notice,
        };
        Span(notice.as_millis() as u64)
    }

    pub(super) fn may_rest(&self) -> bool {
        self.is_quiet() && self.used.elapsed() >= self.house.limits.idle_unload_after
    }

    /// Nobody listens and nothing is under way.
    fn is_quiet(&self) -> bool {
        let nobody = self.hub.is_empty() && self.hub.visits_over_at().is_none();
        nobody && self.thinking.is_none() && self.waiting.is_empty() && self.ahead.is_empty() && self.late.is_empty()
    }
}
