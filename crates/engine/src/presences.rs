//! Who is here and what they show of themselves: in memory only, told to everyone within a budget of bytes.
//!
//! Each person has a number here, so that telling of them is short. A value that changes again before it was told keeps
//! its place in the line and is told as it is by then: everybody's turn comes, however many move at once.

mod book;
mod mirror;
mod purse;
mod slot;

pub(crate) use book::{Book, Holding, bytes};
pub(crate) use mirror::Mirror;
use parlor_rules::space::PartName;
use parlor_rules::{Json, UserId};
pub(crate) use purse::Purse;
pub(crate) use slot::{Bell, Slot};

/// What there is to tell about people.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct News {
    /// Everything known; what was told before is to be forgotten.
    pub whole: bool,
    /// Who came: their number, who they are, and what is said of them.
    pub who: Vec<(u64, UserId, Option<Json>)>,
    /// Who went, by number.
    pub gone: Vec<u64>,
    pub of: Vec<(PartName, Shown)>,
}

/// What changed in one presence.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Shown {
    pub set: Vec<(u64, Json)>,
    pub unset: Vec<u64>,
}

impl News {
    pub fn is_empty(&self) -> bool {
        !self.whole && self.who.is_empty() && self.gone.is_empty() && self.of.is_empty()
    }

    fn shown(&mut self, presence: &PartName) -> &mut Shown {
        // A handful at most, and what follows each other is mostly of the same.
        if let Some(index) = self.of.iter().rposition(|(other, _)| other == presence) {
            return &mut self.of[index].1;
        }
        self.of.push((presence.clone(), Shown::default()));
        &mut self.of.last_mut().expect("it was pushed just now").1
    }
}
