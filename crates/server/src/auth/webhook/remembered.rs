//! What the app has said, for as long as it holds. Bounded: when it is full, what would be forgotten first goes first, so a
//! flood of tokens that are worth nothing does not push out those that are.

use super::{Granted, No};
use parlor_rules::Millis;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

const REMEMBERED_MAX: usize = 10_000;

type Said = Result<Arc<Granted>, No>;

#[derive(Default)]
pub(super) struct Remembered {
    said: HashMap<Arc<str>, (Said, Millis)>,
    by_end: BTreeSet<(Millis, Arc<str>)>,
}

impl Remembered {
    pub(super) fn find(&self, key: &str, now: Millis) -> Option<Said> {
        self.said.get(key).filter(|(_, until)| now < *until).map(|(said, _)| said.clone())
    }

    pub(super) fn keep(&mut self, key: String, said: Said, until: Millis, now: Millis) {
        let key: Arc<str> = key.into();
        if let Some((_, before)) = self.said.insert(key.clone(), (said, until)) {
            self.by_end.remove(&(before, key.clone()));
        }
        self.by_end.insert((until, key));
        while let Some((end, key)) = self.by_end.first()
            && (*end <= now || self.said.len() > REMEMBERED_MAX)
        {
            self.said.remove(key);
            self.by_end.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_first_is_forgotten_first() {
        let mut remembered = Remembered::default();
        remembered.keep("long".to_owned(), Err(No::Unknown), Millis(9_000_000), Millis(0));
        for n in 0..REMEMBERED_MAX as u64 + 50 {
            remembered.keep(format!("short {n}"), Err(No::NotHere), Millis(1000 + n), Millis(0));
        }
        assert_eq!(remembered.said.len(), REMEMBERED_MAX);
        assert_eq!(remembered.by_end.len(), REMEMBERED_MAX);
        assert!(remembered.find("long", Millis(0)).is_some());
        assert!(remembered.find("short 0", Millis(0)).is_none());
        // Said again, it holds until the new end; and all that has ended goes with the next that comes.
        remembered.keep("long".to_owned(), Err(No::NotHere), Millis(8_000_000), Millis(8_000_000 - 1));
        assert_eq!((remembered.said.len(), remembered.by_end.len()), (1, 1));
        assert!(remembered.find("long", Millis(8_000_000)).is_none());
    }
}
