//! Who is asking: what the door can prove, and who a room takes that for right now.

use crate::ids::{RoomId, UserId};
use crate::json::Json;
use crate::names::Name;
use crate::rights::Right;
use crate::secret::SecretHash;

/// What a request can prove: keys already hashed, a session already verified by the door. Nothing in it is a
/// name the sender chose for this request.
#[derive(Clone, Default)]
pub struct Credential {
    /// Who is logged in (document 000). A session wins over a guest's key.
    pub session: Option<Member>,
    /// A guest's private user key (document 003).
    pub user: Option<SecretHash>,
    /// A room's host key (document 003).
    pub host: Option<SecretHash>,
    /// What a token of the app's own says of this person in this room.
    pub grant: Option<Grant>,
}

/// What somebody may do in one room, and what else is said of them there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    pub right: Right,
    pub info: Option<Json>,
}

/// Somebody with a session: the same id and name in every room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub id: UserId,
    pub name: Name,
}

/// How somebody shows to be who holds an id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    Key(SecretHash),
    /// The door has verified it; a room need not know the token.
    Session,
}

impl Credential {
    pub fn anonymous() -> Credential {
        Credential::default()
    }

    pub fn guest(user_key: &[u8]) -> Credential {
        Credential { user: Some(SecretHash::of(user_key)), ..Credential::default() }
    }

    pub fn member(id: UserId, name: Name) -> Credential {
        Credential { session: Some(Member { id, name }), ..Credential::default() }
    }

    /// A member's own id, or the public id that goes with the user key in one room. The latter differs from room
    /// to room, so that ids do not show that two rooms share a guest, and nothing need be stored for those who
    /// only watch.
    pub fn user_id(&self, room: &RoomId) -> Option<UserId> {
        match &self.session {
            Some(member) => Some(member.id.clone()),
            None => self.user.map(|key| UserId::from_bytes(key.derive("user", room.as_str()))),
        }
    }

    pub fn proof(&self) -> Option<Proof> {
        match self.session {
            Some(_) => Some(Proof::Session),
            None => self.user.map(Proof::Key),
        }
    }
}

/// Who a credential is in a room, as long as the room's roles do not change.
#[derive(Clone)]
pub struct Viewer {
    pub user: Option<UserId>,
    pub proof: Option<Proof>,
    /// The session's name; a guest says one when joining.
    pub name: Option<Name>,
    pub seated: bool,
    pub host: bool,
    /// In rooms that give rights.
    pub right: Right,
    /// What the app says of them, for others to see.
    pub info: Option<Json>,
}

impl Viewer {
    /// The same person with the same rights; the proof is how that is known, not who it is.
    pub fn same(&self, other: &Viewer) -> bool {
        self.user == other.user && self.seated == other.seated && self.host == other.host && self.right == other.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_wins_over_a_guests_key() {
        let room: RoomId = "12345".parse().unwrap();
        let guest = Credential::guest(b"key");
        let mut both = Credential::member("ana".parse().unwrap(), "Ana".parse().unwrap());
        both.user = guest.user;
        assert_eq!(both.user_id(&room), "ana".parse().ok());
        assert!(both.proof() == Some(Proof::Session));
        assert!(guest.proof() == Some(Proof::Key(SecretHash::of(b"key"))));
        assert_ne!(guest.user_id(&room), guest.user_id(&"54321".parse().unwrap()));
        assert!(Credential::anonymous().proof().is_none());
    }
}
