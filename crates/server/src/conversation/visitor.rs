//! The part of a conversation that is about tokens of the app's: who holds one, and what that is worth in each room.

use super::{Admission, Conversation, Known, Outcome, Person, Waiting};
use crate::auth::visits::Visiting;
use crate::auth::{Bearer, Granted};
use crate::doors::Doors;
use crate::logins::no_session;
use parlor_rules::{Address, ClientId, Credential, SecretHash};
use parlor_wire::{Ask, Fault, Secret, say};
use std::sync::Arc;

/// Somebody with a token of the app's.
pub(super) struct Visitor {
    bearer: Bearer,
    /// What the app said last, and of which room: set before each request about one is handed on.
    granted: Option<(Address, Arc<Granted>)>,
    /// Sends a signed token's holder away when it ends.
    _visiting: Option<Visiting>,
}

impl Visitor {
    pub(super) fn credential(&self, room: &Address, host: Option<SecretHash>) -> Credential {
        match (&self.bearer, &self.granted) {
            (Bearer::Pass(pass), _) => pass.credential(room, host),
            (Bearer::Asked(_), Some((known, granted))) if known == room => granted.credential(host),
            (Bearer::Asked(_), _) => Credential { host, ..Credential::default() },
        }
    }

    /// Nothing to wait for where the token, or what the app said last, still holds.
    pub(super) fn admission(&self, doors: &Arc<Doors>, ask: &Ask) -> Option<Admission> {
        let now = doors.now();
        match (&self.bearer, room_of(ask)) {
            (Bearer::Pass(pass), _) if pass.is_over(now) => Some(Box::pin(async { Err(no_session()) })),
            (Bearer::Asked(token), Some(room)) => {
                if let Some((known, granted)) = &self.granted
                    && known == room
                    && now < granted.until
                {
                    return None;
                }
                let (doors, token, room) = (doors.clone(), token.clone(), room.clone());
                Some(Box::pin(async move { doors.granted(&token, &room).await.map(Some) }))
            }
            (Bearer::Pass(_) | Bearer::Asked(_), _) => None,
        }
    }
}

/// The room a request is about. Leaving one takes no right.
pub(super) fn room_of(ask: &Ask) -> Option<&Address> {
    match ask {
        Ask::Enter(room, _) | Ask::Look(room, _) | Ask::Say(room, _) | Ask::Show(room, _) | Ask::Act(room, _, _) => Some(room),
        Ask::Ping | Ask::Hello(_) | Ask::Login(_) | Ask::Logout | Ask::Verify | Ask::User(_) | Ask::Create(_) | Ask::Exit(_) => {
            None
        }
    }
}

impl Conversation {
    pub(super) fn hello_visitor(&mut self, id: u64, token: Secret, client: Option<ClientId>) -> Waiting {
        self.held = true;
        let (doors, outbox) = (self.doors.clone(), self.outbox.clone());
        Box::pin(async move {
            let known = doors.bearer(token).await.map(|bearer| {
                let reply = match &bearer {
                    Bearer::Pass(pass) => say::hello_member(id, &pass.member, pass.expires),
                    // Who it is, the app says when it is known where they go.
                    Bearer::Asked(_) => say::hello(id, None),
                };
                let _visiting = doors.visit(&bearer, &outbox);
                let person = Person::Visitor(Box::new(Visitor { bearer, granted: None, _visiting }));
                Box::new(Known { person, client, reply })
            });
            Outcome::Known(id, known)
        })
    }

    /// Goes on with a request after what it waited for was said.
    pub(super) fn answer_admitted(&mut self, id: u64, ask: Ask, granted: Option<Arc<Granted>>) -> Result<Option<Waiting>, Fault> {
        if let (Some(granted), Some(room)) = (granted, room_of(&ask))
            && let Some(Person::Visitor(visitor)) = self.who.as_mut().map(|who| &mut who.person)
        {
            visitor.granted = Some((room.clone(), granted));
        }
        self.answer(id, ask)
    }

    /// Somebody whom the app vouches for a while: it is asked again when that is over.
    pub(super) fn visiting(&self, room: &Address) -> Option<Visiting> {
        let Visitor { bearer: Bearer::Asked(token), granted: Some((known, granted)), .. } = self.visitor()? else { return None };
        let asking = || {
            let (token, user, outbox) = (token.clone(), granted.member.id.clone(), self.outbox.clone());
            self.doors.visits.asking(token, room.clone(), user, granted.until, outbox)
        };
        (known == room).then(asking)
    }

    pub(super) fn visitor(&self) -> Option<&Visitor> {
        match &self.who.as_ref()?.person {
            Person::Visitor(visitor) => Some(visitor),
            Person::Guest(_) | Person::Member(_) => None,
        }
    }

    pub(super) fn bearer(&self) -> Option<&Bearer> {
        self.visitor().map(|visitor| &visitor.bearer)
    }
}
