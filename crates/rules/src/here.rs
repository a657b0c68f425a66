//! Who is in a room now: those with a connection open. It comes from the engine, is never kept, and decides nothing
//! but what a view says of it.

use crate::ids::UserId;
use imbl::OrdSet;

/// Cheap to clone: a picture of a room is made with who was here when it was made.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Here(OrdSet<UserId>);

impl Here {
    pub fn holds(&self, user: &UserId) -> bool {
        self.0.contains(user)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &UserId> {
        self.0.iter()
    }

    /// These and those.
    pub fn and(&self, others: &Here) -> Here {
        let mut all = self.clone();
        for user in others.iter().filter(|user| !self.holds(user)) {
            all.comes(user);
        }
        all
    }

    /// Says whether they were not here before.
    pub fn comes(&mut self, user: &UserId) -> bool {
        self.0.insert(user.clone()).is_none()
    }

    /// Says whether they were here before.
    pub fn goes(&mut self, user: &UserId) -> bool {
        self.0.remove(user).is_some()
    }
}

impl FromIterator<UserId> for Here {
    fn from_iter<I: IntoIterator<Item = UserId>>(users: I) -> Here {
        Here(users.into_iter().collect())
    }
}
