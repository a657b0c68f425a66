//! Sessions on a store that keeps each record in a place of its own: one step after the other, each on a condition.
//!
//! Of every change one step decides. A new session becomes whole with its name, the last of its three records; one that
//! stays under its name, with its user's record. A session ends with its token. So a name that points at half a
//! session belongs to one that is ending, never to one that is beginning, and can be taken over. Whatever cuts a
//! change short leaves records that are nobody's, and that end by themselves.

use super::{Begun, Sessions, condition};
use crate::error::Error;
use futures_util::future::try_join_all;
use parlor_layout::session as layout;
use parlor_rules::{Millis, Session};
use parlor_store::{Answer, Batch, Condition, Key, Operation, Query, Value};

impl Sessions {
    /// A session under a name that is free on this condition; then its holder's earlier one ends.
    pub(super) async fn begin_apart(
        &self,
        session: &Session,
        free: Condition,
        earlier: Option<&Session>,
    ) -> Result<Begun, Error> {
        let [token, user, name] = layout::records(session);
        let absent = |(key, _): &(Key, Value)| Condition::Absent(key.clone());
        let steps = [(absent(&user), user), (absent(&token), token), (free, name)];
        for (condition, (key, value)) in steps {
            if !self.step(condition, Operation::Put { key, value, deadline: Some(session.expires) }).await? {
                self.take_back(session).await;
                return Ok(Begun::Refused);
            }
        }
        // Only now: a login that is refused revokes nothing. A rival may have ended it before.
        let ended = match earlier {
            Some(earlier) => self.end_apart(earlier).await?.then(|| earlier.clone()),
            None => None,
        };
        Ok(Begun::Whole { ended })
    }

    /// The same person logs in again under the same name: the user's record passes from one token to the other, and
    /// there is a whole session before that step and after it.
    pub(super) async fn change_token_apart(&self, session: &Session, earlier: &Session) -> Result<Begun, Error> {
        let [(token_key, token), (user_key, user), (name_key, name)] = layout::records(session);
        let [(earlier_token_key, earlier_token), (_, earlier_user), _] = layout::records(earlier);
        let deadline = Some(session.expires);
        let steps = [
            (Condition::Absent(token_key.clone()), Operation::Put { key: token_key, value: token, deadline }),
            (condition(name_key.clone(), name), Operation::Renew { key: name_key, deadline }),
            (condition(user_key.clone(), earlier_user), Operation::Put { key: user_key, value: user, deadline }),
            // Somebody who ends the earlier session at the same time drops its token first, and whoever then sees a name
            // without a whole session may take it. Whose drop it is decides which of the two has happened.
            (condition(earlier_token_key.clone(), earlier_token), Operation::Drop { key: earlier_token_key }),
        ];
        for (condition, operation) in steps {
            if !self.step(condition, operation).await? {
                self.take_back(session).await;
                return Ok(Begun::Refused);
            }
        }
        Ok(Begun::Whole { ended: Some(earlier.clone()) })
    }

    /// Says whether it was this that ended the session: nobody is logged in without the token's record.
    pub(super) async fn end_apart(&self, session: &Session) -> Result<bool, Error> {
        let [token, user, name] = layout::records(session);
        if !self.drop_if_ours(token).await? {
            return Ok(false);
        }
        for record in [name, user] {
            if let Err(error) = self.drop_if_ours(record).await {
                tracing::warn!(%error, "what is left of a session ends by itself");
            }
        }
        Ok(true)
    }

    /// The token first: without it there is nothing to renew. False when a part is missing.
    pub(super) async fn renew_apart(&self, session: &Session, expires: Millis) -> Result<bool, Error> {
        for (key, value) in layout::records(session) {
            let renewal = Operation::Renew { key: key.clone(), deadline: Some(expires) };
            if !self.step(condition(key, value), renewal).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The name belongs to the person, so it goes only with the user's record of this very session.
    pub(super) async fn take_back_apart(&self, session: &Session) -> Result<(), Error> {
        let [token, user, name] = layout::records(session);
        let token = self.drop_if_ours(token).await;
        if self.drop_if_ours(user).await? {
            self.drop_if_ours(name).await?;
        }
        token.map(drop)
    }

    /// Each record with the time it ends, all asked for at once.
    pub(super) async fn read_apart(&self, keys: [Key; 3]) -> Result<Vec<Answer>, Error> {
        let reads = keys.map(|key| self.records.read("", vec![Query::Whole(key.clone()), Query::Deadline(key)]));
        Ok(try_join_all(reads).await?.concat())
    }

    async fn drop_if_ours(&self, (key, value): (Key, Value)) -> Result<bool, Error> {
        self.step(condition(key.clone(), value), Operation::Drop { key }).await
    }

    async fn step(&self, condition: Condition, operation: Operation) -> Result<bool, Error> {
        self.keep(Batch { conditions: vec![condition], operations: vec![operation], ..Batch::default() }).await
    }
}
