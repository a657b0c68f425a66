//! Who somebody is to a room, decided here once for every door: what a session, a user key or a token of the app's is
//! worth there, and who may make a space.

use super::{Granted, Opaque, Pass};
use crate::doors::Doors;
use parlor_engine::Outbox;
use parlor_rules::{Address, Code, Credential, Grant, Kind, Right};
use parlor_wire::{Fault, Secret};
use std::sync::Arc;

/// Who came with a token of the app's.
#[derive(Clone)]
pub enum Bearer {
    /// The token says it all.
    Pass(Arc<Pass>),
    /// The app is asked, room by room.
    Asked(Arc<Opaque>),
}

impl Doors {
    pub async fn bearer(&self, token: Secret) -> Result<Bearer, Fault> {
        self.auth.bearer(token, self.now()).await
    }

    /// What the app says of a token in this room. It is asked about spaces only: it knows no other rooms.
    pub async fn granted(&self, token: &Opaque, room: &Address) -> Result<Arc<Granted>, Fault> {
        if room.kind != Kind::Space {
            return Err(Fault::new(Code::Unauthenticated, "this token is good for spaces only"));
        }
        token.granted(room, self.now()).await.map_err(Fault::from)
    }

    /// The same credential where people without a token of the app's may be, and elsewhere one that opens nothing but
    /// what a host key opens.
    pub fn without_token(&self, room: &Address, credential: Credential) -> Credential {
        if self.auth.is_open(room.kind) {
            return credential;
        }
        Credential { grant: Some(Grant { right: Right::None, info: None }), ..credential }
    }

    pub(crate) fn may_make(&self, kind: Kind, maker: Option<&Bearer>) -> Result<(), Fault> {
        let why = match maker {
            _ if kind != Kind::Space => return Ok(()),
            None if self.auth.is_open(kind) => return Ok(()),
            Some(Bearer::Pass(pass)) if pass.may_make_spaces() => return Ok(()),
            None => "spaces are made here with a token of the app's that gives admin everywhere",
            Some(Bearer::Pass(_)) => "your token makes no spaces: that takes admin on the pattern *",
            Some(Bearer::Asked(_)) => "this token makes no spaces: that takes a signed one with admin on the pattern *",
        };
        Err(Fault::new(Code::Forbidden, why))
    }

    /// Who must not outlast their token here; nothing for those whom the app is asked about, room by room.
    pub(crate) fn visit(&self, bearer: &Bearer, outbox: &Arc<Outbox>) -> Option<super::visits::Visiting> {
        match bearer {
            Bearer::Pass(pass) => Some(self.visits.until(pass.ends(), outbox.clone())),
            Bearer::Asked(_) => None,
        }
    }
}
