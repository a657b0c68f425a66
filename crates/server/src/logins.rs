//! What the doors do about sessions, once for all of them: log in and out, and admit whoever asks something.

use crate::attendance::Attending;
use crate::doors::{Doors, fault};
use crate::keys;
use parlor_engine::{Bulletin, Error, Outbox};
use parlor_layout::session as layout;
use parlor_rules::{Code, Millis, Name, SecretHash, Session};
use parlor_wire::{Fault, Login, Secret};
use std::net::IpAddr;
use std::sync::Arc;

impl Doors {
    /// A new session and its token. The caller's earlier session, if a token shows one, ends with its sockets.
    pub async fn login(&self, from: IpAddr, login: &Login) -> Result<(Session, Secret), Fault> {
        if !self.may_login(from) {
            return Err(Fault::new(Code::TooFast, "too many logins from your address; wait a minute"));
        }
        let token = keys::token(&*self.engine.house().dice);
        let earlier = login.token.as_ref().map(Secret::hash);
        let made = self.sessions.login(&login.name, token.hash(), earlier.as_ref()).await.map_err(|error| fault(&error))?;
        if let Some(ended) = made.ended {
            self.attendance.end(&ended.token);
            self.tell_of_end(&ended.token).await;
        }
        Ok((made.session, token))
    }

    /// Ends a session and closes its sockets, after `done` has said so on one of them.
    pub async fn logout(&self, session: &Session, done: impl FnOnce()) -> Result<(), Fault> {
        let ended = self.sessions.logout(session).await;
        if ended.is_ok() {
            done();
        }
        if matches!(ended, Ok(()) | Err(Error::NoSession)) {
            self.attendance.end(&session.token);
        }
        if ended.is_ok() {
            self.tell_of_end(&session.token).await;
        }
        ended.map_err(|error| fault(&error))
    }

    async fn tell_of_end(&self, token: &SecretHash) {
        Bulletin::tell(self.engine.house(), &layout::bulletin(), layout::ended(token)).await;
    }

    /// The session that this token opens. Whatever is wrong with a token, the answer is the same.
    pub async fn session(&self, token: &SecretHash) -> Result<Session, Fault> {
        let found = self.sessions.find(token).await.map_err(|error| fault(&error))?;
        found.ok_or_else(no_session)
    }

    /// A socket with the session that this token opens; it is closed when the session ends.
    pub async fn attend(&self, token: &SecretHash, outbox: Arc<Outbox>) -> Result<Attending, Fault> {
        let session = Arc::new(self.session(token).await?);
        let attending = self.attendance.attend(session, outbox, self.now());
        // It may have ended between the two, when nobody knew of this socket yet.
        self.session(token).await.map(|_| attending)
    }

    /// Whether the session goes on; looking does not renew it.
    pub async fn prove(&self, session: &Session) -> Result<(), Fault> {
        match self.sessions.find(&session.token).await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => {
                self.attendance.end(&session.token);
                Err(no_session())
            }
            Err(error) => Err(fault(&error)),
        }
    }

    /// Its holder has sent a command: the session lives a full life from now, or is over.
    pub async fn renew(&self, session: &Session) -> Result<Millis, Fault> {
        let renewed = self.sessions.renew(session).await;
        match &renewed {
            Ok(expires) => self.attendance.renewed(session, *expires),
            Err(Error::NoSession) => self.attendance.end(&session.token),
            Err(_) => {}
        }
        renewed.map_err(|error| fault(&error))
    }

    /// A guest may not pass for somebody who is logged in.
    pub async fn may_be_called(&self, name: &Name) -> Result<(), Fault> {
        match self.sessions.name_is_taken(name).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(fault(&Error::NameTaken)),
            Err(error) => Err(fault(&error)),
        }
    }
}

pub fn no_session() -> Fault {
    fault(&Error::NoSession)
}
