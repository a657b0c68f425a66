//! What one listener wants to show and the room has not looked at yet: of each presence only the newest.
//!
//! It does not wait in the room's inbox, so that however many move at once nobody's last position is lost, and acts do not
//! stand behind them. A bell tells the room that there is something in some slot.

use parlor_rules::space::limits::PRESENCES_PER_PERSON_MAX;
use parlor_rules::space::{PartName, Showing};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct Slot {
    waiting: Mutex<Vec<Showing>>,
}

#[derive(Default)]
pub(crate) struct Bell(AtomicBool);

impl Slot {
    /// False when it is about one presence more than anybody may have.
    pub(crate) fn put(&self, showing: Showing) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.iter().position(|other| presence(other) == presence(&showing)) {
            Some(older) => waiting[older] = showing,
            None if waiting.len() < PRESENCES_PER_PERSON_MAX => waiting.push(showing),
            None => return false,
        }
        true
    }

    pub(crate) fn take(&self) -> Vec<Showing> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Bell {
    /// Says whether it was silent before.
    pub(crate) fn ring(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn rings(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Says whether it rang.
    pub(crate) fn silence(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

fn presence(showing: &Showing) -> Option<&PartName> {
    match showing {
        Showing::Set { presence, .. } | Showing::Remove { presence } | Showing::View { presence, .. } => Some(presence),
        Showing::Join | Showing::Leave => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::Json;

    fn set(name: &str, value: u32) -> Showing {
        let value = Json::read(&value.to_string(), 100).unwrap();
        Showing::Set { presence: name.parse().unwrap(), value, seconds: None }
    }

    #[test]
    fn the_newest_of_each_presence_waits_and_no_more_than_anybody_may_have() {
        let slot = Slot::default();
        assert!(slot.put(set("a", 1)) && slot.put(set("b", 2)) && slot.put(set("a", 3)));
        assert!(slot.put(Showing::Remove { presence: "b".parse().unwrap() }));
        assert_eq!(slot.take(), [set("a", 3), Showing::Remove { presence: "b".parse().unwrap() }]);
        assert_eq!(slot.take(), []);
        for n in 0..PRESENCES_PER_PERSON_MAX {
            assert!(slot.put(set(&format!("p{n}"), 1)));
        }
        assert!(!slot.put(set("one-more", 1)) && slot.put(set("p3", 2)));
    }

    #[test]
    fn a_bell_that_rings_is_not_rung_again_until_it_was_heard() {
        let bell = Bell::default();
        assert!(bell.ring() && !bell.ring() && bell.rings());
        assert!(bell.silence() && !bell.silence() && !bell.rings());
        assert!(bell.ring());
    }
}
