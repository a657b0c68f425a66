//! Who is asking: what the door can prove, and who a room takes that for right now.

use crate::ids::{RoomId, UserId};
use crate::secret::SecretHash;

/// What a request can prove, already hashed by the door. Nothing in it is a name the sender chose.
#[derive(Clone, Default)]
pub struct Credential {
    /// A guest's private user key (document 003).
    pub user: Option<SecretHash>,
    /// A room's host key (document 003).
    pub host: Option<SecretHash>,
}

impl Credential {
    pub fn anonymous() -> Credential {
        Credential::default()
    }

    pub fn guest(user_key: &[u8]) -> Credential {
        Credential { user: Some(SecretHash::of(user_key)), host: None }
    }

    /// The public id that goes with the user key in one room. It differs from room to room, so that ids
    /// do not show that two rooms share a guest, and nothing need be stored for those who only watch.
    pub fn user_id(&self, room: &RoomId) -> Option<UserId> {
        self.user.map(|key| UserId::from_bytes(key.derive("user", room.as_str())))
    }
}

/// Who a credential is in a room, as long as the room's roles do not change.
#[derive(Clone)]
pub struct Viewer {
    pub user: Option<UserId>,
    pub key: Option<SecretHash>,
    pub seated: bool,
    pub host: bool,
}

impl Viewer {
    /// The same person with the same rights; the key is how it was proved, not who it is.
    pub fn same(&self, other: &Viewer) -> bool {
        self.user == other.user && self.seated == other.seated && self.host == other.host
    }
}
