//! Who asks, as far as the headers of a request prove it, and what they may then do: once for every door that speaks HTTP.

use crate::auth::Bearer;
use crate::cookies;
use crate::doors::Doors;
use crate::headers::client_address;
use crate::logins::no_session;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use bytes::Bytes;
use parlor_engine::{Acted, Encode, Request};
use parlor_rules::kinds::Export;
use parlor_rules::space::{Page, Showing};
use parlor_rules::{Address, ClientId, Code, Command, Credential, Member, Millis, Session};
use parlor_wire::{Fault, Secret};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

pub const USER_KEY: &str = "parlor-user-key";
pub const HOST_KEY: &str = "parlor-host-key";
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// A shorter key could be guessed, and with it a room's host key.
pub const IDEMPOTENCY_KEY_CHARS_MIN: usize = 32;

pub struct Caller {
    pub from: IpAddr,
    /// As it would be in a room where nothing else is said about whoever asks.
    own: Credential,
    /// Whoever is logged in, and until when that lasts unless they ask something more.
    pub session: Option<(Session, Millis)>,
    /// Whoever came with a token of the app's.
    pub bearer: Option<Bearer>,
    pub idempotency_key: Option<Secret>,
}

impl Caller {
    /// Of a request that changes nothing.
    pub async fn looking(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Fault> {
        Caller::read(doors, peer, headers, shown_token(doors, headers), true).await
    }

    /// Of a request that changes something: a cookie proves it only together with a page of ours.
    pub async fn acting(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Fault> {
        Caller::read(doors, peer, headers, acting_token(doors, headers)?, true).await
    }

    /// Of a request by a door where cookies prove nothing.
    pub async fn bearing(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Fault> {
        Caller::read(doors, peer, headers, bearer(headers), true).await
    }

    /// The same of somebody who comes to watch, which does not renew a session.
    pub async fn watching(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Fault> {
        Caller::read(doors, peer, headers, bearer(headers), false).await
    }

    pub fn member(&self) -> Result<(&Session, Millis), Fault> {
        self.session.as_ref().map(|(session, expires)| (session, *expires)).ok_or_else(no_session)
    }

    /// Who this is and until when, by a session or by a token that says so itself.
    pub fn who(&self) -> Result<(&Member, Millis), Fault> {
        match (&self.session, &self.bearer) {
            (Some((session, expires)), _) => Ok((&session.member, *expires)),
            (None, Some(Bearer::Pass(pass))) => Ok((&pass.member, pass.expires)),
            (None, Some(Bearer::Asked(_)) | None) => Err(no_session()),
        }
    }

    /// Who this is in one room; the app may have to be asked.
    pub async fn credential(&self, doors: &Doors, room: &Address) -> Result<Credential, Fault> {
        doors.may_guess(self.from, room)?;
        Ok(match &self.bearer {
            None => doors.without_token(room, self.own.clone()),
            Some(Bearer::Pass(pass)) => pass.credential(room, self.own.host),
            Some(Bearer::Asked(token)) => doors.granted(token, room).await?.credential(self.own.host),
        })
    }

    pub async fn act(&self, doors: &Doors, room: &Address, command: Command) -> Result<Acted, Fault> {
        let credential = self.credential(doors, room).await?;
        if let (None, Some(name)) = (&credential.session, command.claims()) {
            doors.may_be_called(name).await?;
        }
        let ticket = self.idempotency_key.as_ref().map(|key| (client_of(key), 1));
        let acted = doors.engine.act(room, Request { credential, ticket, command }).await;
        acted.map_err(|error| doors.fault(self.from, &error))
    }

    pub async fn say(&self, doors: &Doors, room: &Address, data: Bytes) -> Result<(), Fault> {
        let said = doors.engine.say(room, self.credential(doors, room).await?, None, data).await;
        said.map_err(|error| doors.fault(self.from, &error))
    }

    pub async fn show(&self, doors: &Doors, room: &Address, showing: Showing) -> Result<(), Fault> {
        let shown = doors.engine.show(room, self.credential(doors, room).await?, None, showing).await;
        shown.map_err(|error| doors.fault(self.from, &error))
    }

    pub async fn page(&self, doors: &Doors, room: &Address, page: Page) -> Result<Bytes, Fault> {
        let seen = doors.engine.page(room, self.credential(doors, room).await?, doors.encode.clone(), page).await;
        seen.map(|seen| seen.view).map_err(|error| doors.fault(self.from, &error))
    }

    pub async fn look(&self, doors: &Doors, room: &Address, encode: &Arc<dyn Encode>) -> Result<Bytes, Fault> {
        let seen = doors.engine.look(room, self.credential(doors, room).await?, encode.clone()).await;
        seen.map(|seen| seen.view).map_err(|error| doors.fault(self.from, &error))
    }

    pub async fn export(&self, doors: &Doors, room: &Address) -> Result<Export, Fault> {
        let export = doors.engine.export(room, self.credential(doors, room).await?).await;
        export.map_err(|error| doors.fault(self.from, &error))
    }

    async fn read(
        doors: &Doors,
        peer: SocketAddr,
        headers: &HeaderMap,
        token: Option<Secret>,
        renews: bool,
    ) -> Result<Caller, Fault> {
        let from = client_address(headers, peer, doors.config.trust_forwarded);
        let user = secret(headers, USER_KEY)?;
        if user.as_ref().is_some_and(|key| !key.is_plausible()) {
            return Err(Fault::new(Code::BadKey, "that cannot be a user key; POST /v1/users gives one"));
        }
        let idempotency_key = secret(headers, IDEMPOTENCY_KEY)?;
        if idempotency_key.as_ref().is_some_and(|key| key.expose().len() < IDEMPOTENCY_KEY_CHARS_MIN || !key.is_plausible()) {
            return Err(Fault::bad("an Idempotency-Key has 32 to 128 characters, for example a random UUID"));
        }
        let host = secret(headers, HOST_KEY)?;
        if host.is_some() {
            doors.may_try_key(from)?;
        }
        let (mut session, mut bearer) = (None, None);
        match token {
            // What a cookie holds is a session's; tokens of the app's come in the header.
            Some(token) if doors.auth.judges(&token) && is_by_header(headers) => bearer = Some(doors.bearer(token).await?),
            Some(token) => {
                let found = doors.session(&token.hash()).await?;
                let expires = if renews { doors.renew(&found).await? } else { found.expires };
                session = Some((found, expires));
            }
            None => {}
        }
        let member = session.as_ref().map(|(session, _)| session.member.clone());
        let (user, host) = (user.as_ref().map(Secret::hash), host.as_ref().map(Secret::hash));
        let own = Credential { session: member, user, host, grant: None };
        Ok(Caller { from, own, session, bearer, idempotency_key })
    }
}

/// The token a request shows: in its header, or in a cookie.
fn shown_token(doors: &Doors, headers: &HeaderMap) -> Option<Secret> {
    bearer(headers).or_else(|| cookies::SESSION.token(headers, secure(doors, headers)))
}

pub fn acting_token(doors: &Doors, headers: &HeaderMap) -> Result<Option<Secret>, Fault> {
    if let Some(token) = bearer(headers) {
        return Ok(Some(token));
    }
    let Some(token) = cookies::SESSION.token(headers, secure(doors, headers)) else { return Ok(None) };
    if !cookies::is_from_our_page(headers, &doors.config.allow_origins) {
        let why = "a request that changes something needs more than a cookie: an Origin that is allowed here, or the token in Authorization: Bearer";
        return Err(Fault::new(Code::Forbidden, why));
    }
    Ok(Some(token))
}

/// Other schemes are between the client and some proxy.
pub fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret::new(token.trim().to_owned()))
}

fn is_by_header(headers: &HeaderMap) -> bool {
    bearer(headers).is_some()
}

pub fn secure(doors: &Doors, headers: &HeaderMap) -> bool {
    doors.config.secure_cookies.apply_to(headers, doors.config.trust_forwarded)
}

pub fn secret(headers: &HeaderMap, name: &str) -> Result<Option<Secret>, Fault> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().map_err(|_| Fault::bad(format!("the header {name} must be plain text")))?;
    Ok(Some(Secret::new(text.to_owned())))
}

/// A one-time client program for each idempotency key.
fn client_of(key: &Secret) -> ClientId {
    let name = format!("once-{}", &key.hash().hex()[..40]);
    name.parse().expect("letters, digits and a dash, 45 of them")
}
