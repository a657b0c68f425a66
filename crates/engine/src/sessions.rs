//! Sessions: who is logged in, kept in three records that live and die together (document 000).
//!
//! They belong to no room, so they have no task and no stream: each change is one conditional batch, or on a store that
//! keeps the three in different places one conditional step after the other (`apart`). Half a session is never
//! honoured: every read looks at all three records, and every write is made on what was read.

mod apart;

use crate::dice::Dice;
use crate::error::Error;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use parlor_layout::session as layout;
use parlor_rules::session::Renewal;
use parlor_rules::{FoldedName, Member, Millis, Name, SecretHash, Session, UserId};
use parlor_store::clock::SharedClock;
use parlor_store::{Answer, Applied, Batch, Condition, Key, Operation, Query, Records, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often a login looks again because a rival was faster.
const ATTEMPTS_MAX: usize = 8;
/// Renewals written side by side; the store joins them in its batches.
const RENEWALS_AT_ONCE_MAX: usize = 64;

pub struct Sessions {
    records: Arc<dyn Records>,
    clock: SharedClock,
    dice: Arc<dyn Dice>,
    /// Those used within the last moments, by their token's key; all others are known to the store alone.
    used: Mutex<HashMap<Key, Used>>,
}

struct Used {
    session: Session,
    renewal: Renewal,
}

/// A new session, and the caller's earlier one that ended with it.
pub struct LoggedIn {
    pub session: Session,
    pub ended: Option<Session>,
}

/// What became of a login.
enum Begun {
    /// It is whole, and this ended with it.
    Whole { ended: Option<Session> },
    /// A rival was faster; nothing is left of it.
    Refused,
}

impl Sessions {
    pub fn new(records: Arc<dyn Records>, clock: SharedClock, dice: Arc<dyn Dice>) -> Sessions {
        Sessions { records, clock, dice, used: Mutex::default() }
    }

    /// Logs somebody in under a name that nobody else holds. Whoever shows the token of an earlier session loses
    /// that session in the same step, and stays the same person if the name stays the same.
    pub async fn login(&self, name: &Name, token: SecretHash, earlier: Option<&SecretHash>) -> Result<LoggedIn, Error> {
        for _ in 0..ATTEMPTS_MAX {
            let ended = match earlier {
                Some(earlier) => self.find(earlier).await?,
                None => None,
            };
            let keeps_name = ended.as_ref().filter(|ended| ended.holds() == name.folded());
            let id = keeps_name.map_or_else(|| self.new_id(), |ended| ended.member.id.clone());
            let free = match keeps_name {
                Some(_) => None,
                None => Some(self.name_is_free(&name.folded()).await?),
            };
            let session = Session::new(id, name.clone(), token, self.clock.now());
            match self.begin(&session, free, ended.as_ref()).await {
                Ok(Begun::Whole { ended }) => {
                    self.forget(ended.as_ref());
                    return Ok(LoggedIn { session, ended });
                }
                Ok(Begun::Refused) => {}
                Err(error) => {
                    // It may have happened all the same; then nobody has its token, and its name is held for nobody.
                    self.take_back(&session).await;
                    return Err(error);
                }
            }
        }
        Err(Error::Contended)
    }

    /// Ends a session; its name is free again. `NoSession` when it had ended already.
    pub async fn logout(&self, session: &Session) -> Result<(), Error> {
        self.forget(Some(session));
        let ended = if self.records.is_scattered() {
            // What is half gone has ended already.
            let is_whole = self.find(&session.token).await?.is_some_and(|found| found.is(session));
            is_whole && self.end_apart(session).await?
        } else {
            self.keep(ending(session)).await?
        };
        if ended { Ok(()) } else { Err(Error::NoSession) }
    }

    /// Another node has ended the session that this token opened: it is not trusted for the rest of a second.
    pub fn heard_of_end(&self, token: &SecretHash) {
        self.used().remove(&layout::token_key(token));
    }

    /// The session that a token opens now, if there is one. Looking does not renew.
    pub async fn find(&self, token: &SecretHash) -> Result<Option<Session>, Error> {
        let Some(record) = self.whole(layout::token_key(token)).await? else { return Ok(None) };
        let Some(id) = layout::token_holder(&record) else { return Ok(None) };
        Ok(self.of(&id).await?.filter(|session| session.token == *token))
    }

    /// Who has this id, as long as they are logged in.
    pub async fn user(&self, id: &UserId) -> Result<Member, Error> {
        self.of(id).await?.map(|session| session.member).ok_or(Error::NoUser)
    }

    /// Whether somebody is logged in under this name, or under a twin of it.
    pub async fn name_is_taken(&self, name: &Name) -> Result<bool, Error> {
        match self.name_is_free(&name.folded()).await {
            Ok(_) => Ok(false),
            Err(Error::NameTaken) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Its holder has sent a command: the session lives a full life from now, which is when it ends. What is dead
    /// stays dead: `NoSession`. A second command within the same second is trusted, and written by `write_renewals`.
    pub async fn renew(&self, session: &Session) -> Result<Millis, Error> {
        let now = self.clock.now();
        let expires = {
            let mut used = self.used();
            let used = used.entry(layout::token_key(&session.token));
            match used {
                std::collections::hash_map::Entry::Occupied(mut known) => {
                    let renewal = &mut known.get_mut().renewal;
                    if !renewal.note(now) {
                        return Ok(renewal.expires());
                    }
                    renewal.expires()
                }
                std::collections::hash_map::Entry::Vacant(unknown) => {
                    let used = Used { session: session.clone(), renewal: Renewal::new(now) };
                    unknown.insert(used).renewal.expires()
                }
            }
        };
        self.write_renewal(session, expires).await?;
        Ok(expires)
    }

    /// Writes what the commands of the last seconds have not written yet; to be called about twice a second.
    pub async fn write_renewals(&self) {
        let now = self.clock.now();
        let mut due = Vec::new();
        self.used().retain(|_, used| {
            if used.renewal.due(now) {
                due.push((used.session.clone(), used.renewal.expires()));
            }
            !used.renewal.is_over(now)
        });
        self.write_all(due).await;
    }

    /// The same for a server that goes and cannot wait for the second to end.
    pub async fn write_last_renewals(&self) {
        let used: Vec<_> = self.used().drain().map(|(_, used)| (used.session, used.renewal.expires())).collect();
        self.write_all(used).await;
    }

    async fn write_all(&self, due: Vec<(Session, Millis)>) {
        let writes = due.into_iter().map(|(session, expires)| async move {
            // A session that has ended meanwhile is no error here, and what the store refuses is due again.
            if let Err(error @ Error::Store(_)) = self.write_renewal(&session, expires).await {
                tracing::warn!(%error, "a session's renewal is written later");
            }
        });
        stream::iter(writes).buffer_unordered(RENEWALS_AT_ONCE_MAX).collect::<()>().await;
    }

    async fn write_renewal(&self, session: &Session, expires: Millis) -> Result<(), Error> {
        let kept = if self.records.is_scattered() {
            self.renew_apart(session, expires).await
        } else {
            let operations = layout::records(session).map(|(key, _)| Operation::Renew { key, deadline: Some(expires) });
            self.keep(Batch { conditions: holds(session).into(), operations: operations.into(), ..Batch::default() }).await
        };
        match kept {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.forget(Some(session));
                Err(Error::NoSession)
            }
            Err(error) => {
                if let Some(used) = self.used().get_mut(&layout::token_key(&session.token)) {
                    used.renewal.failed();
                }
                Err(error)
            }
        }
    }

    /// Makes a session, under a name that is free on this condition, or in the place of the earlier one that has it.
    async fn begin(&self, session: &Session, free: Option<Condition>, earlier: Option<&Session>) -> Result<Begun, Error> {
        if self.records.is_scattered() {
            return match (free, earlier) {
                (Some(free), earlier) => self.begin_apart(session, free, earlier).await,
                (None, Some(earlier)) => self.change_token_apart(session, earlier).await,
                (None, None) => unreachable!("only an earlier session keeps its name"),
            };
        }
        let mut batch = Batch::default();
        if let Some(free) = free {
            batch.conditions.extend([free, Condition::Absent(layout::user_key(&session.member.id))]);
        }
        if let Some(earlier) = earlier {
            batch.conditions.extend(holds(earlier));
            batch.operations.extend(layout::records(earlier).map(|(key, _)| Operation::Drop { key }));
        }
        let deadline = Some(session.expires);
        batch.operations.extend(layout::records(session).map(|(key, value)| Operation::Put { key, value, deadline }));
        Ok(if self.keep(batch).await? { Begun::Whole { ended: earlier.cloned() } } else { Begun::Refused })
    }

    /// Drops what is there of a session that nobody was told of. Best effort: the rest ends by itself.
    async fn take_back(&self, session: &Session) {
        let taken = if self.records.is_scattered() {
            self.take_back_apart(session).await
        } else {
            self.keep(ending(session)).await.map(drop)
        };
        if let Err(error) = taken {
            tracing::warn!(%error, "what is left of a login ends by itself");
        }
    }

    /// The one place that changes records.
    async fn keep(&self, batch: Batch) -> Result<bool, Error> {
        Ok(matches!(self.records.apply(batch).await?, Applied::Done(_)))
    }

    /// What must hold when the name is taken: it is nobody's, or still that of a session which is half gone.
    async fn name_is_free(&self, name: &FoldedName) -> Result<Condition, Error> {
        let key = layout::name_key(name);
        let Some(record) = self.whole(key.clone()).await? else { return Ok(Condition::Absent(key)) };
        let holder = match layout::name_holder(&record) {
            Some(id) => self.of(&id).await?,
            None => None,
        };
        if holder.is_some_and(|session| session.holds() == *name) {
            return Err(Error::NameTaken);
        }
        Ok(Condition::Holds(key, text(record)?))
    }

    /// The whole session of this person: three records that agree, or nothing.
    async fn of(&self, id: &UserId) -> Result<Option<Session>, Error> {
        let mut record = self.whole(layout::user_key(id)).await?;
        for _ in 0..ATTEMPTS_MAX {
            let Some(told) = record.as_ref().and_then(layout::told) else { return Ok(None) };
            let whole = self.look(told).await?;
            if whole.is_some() || !self.records.is_scattered() {
                return Ok(whole);
            }
            // Asked for one by one, they may be of two moments: half a session counts only if the person had no other
            // one before and after the look.
            let before = std::mem::replace(&mut record, self.whole(layout::user_key(id)).await?);
            if record == before {
                return Ok(None);
            }
        }
        Err(Error::Contended)
    }

    /// The session that a user's record tells of, if it lives.
    async fn look(&self, told: Session) -> Result<Option<Session>, Error> {
        let keys = layout::records(&told).map(|(key, _)| key);
        let answers = if self.records.is_scattered() {
            self.read_apart(keys).await?
        } else {
            let queries = keys.map(|key| [Query::Whole(key.clone()), Query::Deadline(key)]);
            self.records.read("", queries.concat()).await?
        };
        let mut found = [None, None, None];
        for (found, answer) in found.iter_mut().zip(answers.chunks(2)) {
            if let [Answer::Whole(value), Answer::Deadline(Some(deadline))] = answer {
                *found = Some((value.clone(), *deadline));
            }
        }
        let now = self.clock.now();
        Ok(layout::wake(told, &found).filter(|session| session.lives(now)))
    }

    async fn whole(&self, key: Key) -> Result<Option<Value>, Error> {
        let answers = self.records.read("", vec![Query::Whole(key)]).await?;
        Ok(answers.into_iter().find_map(|answer| if let Answer::Whole(value) = answer { Some(value) } else { None }))
    }

    fn new_id(&self) -> UserId {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.dice.secret().to_be_bytes());
        bytes[8..].copy_from_slice(&self.dice.secret().to_be_bytes()[..2]);
        UserId::from_bytes(bytes)
    }

    fn forget(&self, session: Option<&Session>) {
        if let Some(session) = session {
            self.used().remove(&layout::token_key(&session.token));
        }
    }

    /// A panic elsewhere leaves the map whole: every change to it is one step.
    fn used(&self) -> MutexGuard<'_, HashMap<Key, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a session is there, whole and as it was seen.
fn holds(session: &Session) -> [Condition; 3] {
    layout::records(session).map(|(key, value)| condition(key, value))
}

/// All of it goes, if all of it is there.
fn ending(session: &Session) -> Batch {
    let operations = layout::records(session).map(|(key, _)| Operation::Drop { key });
    Batch { conditions: holds(session).into(), operations: operations.into(), ..Batch::default() }
}

fn condition(key: Key, value: Value) -> Condition {
    match value {
        Value::Text(text) | Value::Document(text) => Condition::Holds(key, text),
        Value::Hash(_) | Value::List(_) | Value::SortedSet(_) => unreachable!("a session's records are texts"),
    }
}

fn text(value: Value) -> Result<Bytes, Error> {
    match value {
        Value::Text(text) | Value::Document(text) => Ok(text),
        // Nothing of ours: nobody can take a name that somebody keeps something else under.
        Value::Hash(_) | Value::List(_) | Value::SortedSet(_) => Err(Error::NameTaken),
    }
}
