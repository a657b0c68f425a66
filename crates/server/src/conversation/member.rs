//! The part of a conversation that is about sessions: who somebody is when they are logged in, and that they still are.

use super::{Admission, Conversation, Known, Outcome, Person, Waiting};
use crate::auth::Bearer;
use crate::doors::fault;
use crate::logins::no_session;
use parlor_rules::{ClientId, SecretHash, Session, UserId};
use parlor_wire::{Ask, Fault, Login, say, session};
use std::sync::Arc;

impl Conversation {
    /// Commands of a member renew the session; coming to watch only proves it. A guest's new name is looked up.
    pub(super) fn admission(&self, ask: &Ask) -> Option<Admission> {
        if let Some(visitor) = self.visitor() {
            return visitor.admission(&self.doors, ask);
        }
        let Some(session) = self.session() else {
            let Ask::Act(_, _, command) = ask else { return None };
            let (doors, name) = (self.doors.clone(), command.claims()?.clone());
            return Some(Box::pin(async move { doors.may_be_called(&name).await.map(|()| None) }));
        };
        let doors = self.doors.clone();
        match ask {
            Ask::Create(_) | Ask::Look(..) | Ask::Say(..) | Ask::Show(..) | Ask::Act(..) | Ask::User(_) => {
                Some(Box::pin(async move { doors.renew(&session).await.map(|_| None) }))
            }
            Ask::Enter(..) => Some(Box::pin(async move { doors.prove(&session).await.map(|()| None) })),
            // Verifying renews by itself, to say until when.
            Ask::Ping | Ask::Hello(_) | Ask::Login(_) | Ask::Logout | Ask::Verify | Ask::Exit(_) => None,
        }
    }

    pub(super) fn hello_member(&mut self, id: u64, token: SecretHash, client: Option<ClientId>) -> Waiting {
        self.held = true;
        let (doors, outbox) = (self.doors.clone(), self.outbox.clone());
        Box::pin(async move {
            let known = doors.attend(&token, outbox).await.map(|attending| {
                let reply = say::hello_member(id, &attending.session.member, attending.session.expires);
                Box::new(Known { person: Person::Member(Box::new(attending)), client, reply })
            });
            Outcome::Known(id, known)
        })
    }

    pub(super) fn login(&mut self, id: u64, login: Login) -> Result<Option<Waiting>, Fault> {
        self.is_nobody_yet()?;
        self.held = true;
        let (doors, outbox, from) = (self.doors.clone(), self.outbox.clone(), self.from);
        Ok(Some(Box::pin(async move {
            let known = doors.login(from, &login).await.map(|(session, token)| {
                let reply = say::ok(id, &session::login_body(&session, &token));
                let attending = doors.attendance.attend(Arc::new(session), outbox, doors.now());
                Box::new(Known { person: Person::Member(Box::new(attending)), client: login.client, reply })
            });
            Outcome::Known(id, known)
        })))
    }

    pub(super) fn logout(&self, id: u64) -> Result<Waiting, Fault> {
        let session = self.session().ok_or_else(no_session)?;
        let (doors, outbox) = (self.doors.clone(), self.outbox.clone());
        Ok(Box::pin(async move {
            // The answer comes before the goodbye.
            match doors.logout(&session, || outbox.push(say::done(id))).await {
                Ok(()) => Outcome::Said,
                Err(fault) => Outcome::Say(say::error(id, &fault)),
            }
        }))
    }

    pub(super) fn verify(&self, id: u64) -> Result<Waiting, Fault> {
        if let Some(Bearer::Pass(pass)) = self.bearer() {
            let reply = say::ok(id, &session::session_body(&pass.member, pass.expires));
            return Ok(Box::pin(async { Outcome::Say(reply) }));
        }
        let session = self.session().ok_or_else(no_session)?;
        let doors = self.doors.clone();
        Ok(Box::pin(async move {
            Outcome::Say(match doors.renew(&session).await {
                Ok(expires) => say::ok(id, &session::session_body(&session.member, expires)),
                Err(fault) => say::error(id, &fault),
            })
        }))
    }

    pub(super) fn user(&self, id: u64, user: UserId) -> Result<Waiting, Fault> {
        self.session().ok_or_else(no_session)?;
        let doors = self.doors.clone();
        Ok(Box::pin(async move {
            Outcome::Say(match doors.sessions.user(&user).await {
                Ok(member) => say::ok(id, &session::user_body(&member)),
                Err(error) => say::error(id, &fault(&error)),
            })
        }))
    }

    pub(super) fn session(&self) -> Option<Arc<Session>> {
        match &self.who.as_ref()?.person {
            Person::Member(attending) => Some(attending.session.clone()),
            Person::Guest(_) | Person::Visitor(_) => None,
        }
    }
}
