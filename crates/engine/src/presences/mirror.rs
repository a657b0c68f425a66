//! Which presences are to be mirrored into the store, and when each may be again. No I/O, and time comes in as an argument.

use parlor_rules::space::PartName;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

pub(crate) struct Mirror {
    every: Duration,
    /// What changed since it was last mirrored, and when it may be.
    due: BTreeMap<PartName, Instant>,
    last: BTreeMap<PartName, Instant>,
}

impl Mirror {
    pub(crate) fn new(every: Duration) -> Mirror {
        Mirror { every, due: BTreeMap::new(), last: BTreeMap::new() }
    }

    pub(crate) fn changed(&mut self, presence: PartName, now: Instant) {
        let last = self.last.get(&presence).map_or(now, |last| (*last + self.every).max(now));
        self.due.entry(presence).or_insert(last);
    }

    pub(crate) fn due_at(&self) -> Option<Instant> {
        self.due.values().min().copied()
    }

    /// One that is due, the longest first.
    pub(crate) fn take(&mut self, now: Instant) -> Option<PartName> {
        let (presence, due) = self.due.iter().min_by_key(|(_, due)| **due)?;
        let presence = (*due <= now).then(|| presence.clone())?;
        self.due.remove(&presence);
        // What was long ago is of no use; so this is not longer than what people change.
        self.last.retain(|_, last| *last + self.every > now);
        self.last.insert(presence.clone(), now);
        Some(presence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_mirrored_once_in_its_time_with_its_newest_value_and_none_is_forgotten() {
        let (every, start) = (Duration::from_secs(1), Instant::now());
        let name = |name: &str| name.parse::<PartName>().unwrap();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut mirror = Mirror::new(every);
        assert_eq!(mirror.due_at(), None);
        let mut taken: Vec<(u64, String)> = Vec::new();
        for now in (0..5000).step_by(10) {
            // A cursor moves all the time, a pen twice.
            if now < 3000 {
                mirror.changed(name("cursor"), at(now));
            }
            if now == 500 || now == 1200 {
                mirror.changed(name("pen"), at(now));
            }
            while let Some(presence) = mirror.take(at(now)) {
                taken.push((now, presence.to_string()));
            }
        }
        let of = |what: &str| taken.iter().filter(|(_, name)| name == what).map(|(now, _)| *now).collect::<Vec<_>>();
        assert_eq!(of("cursor"), [0, 1000, 2000, 3000], "the last value too");
        assert_eq!(of("pen"), [500, 1500]);
        assert_eq!(mirror.due_at(), None);
        assert!(mirror.last.len() <= 2);
    }
}
