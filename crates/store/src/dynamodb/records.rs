//! Records of no room: an item for each key, changed on the condition that it is still the one that was read.

use super::DynamoDb;
use super::action::{Action, Id, What};
use super::attribute::{Attribute, Attributes};
use super::failure::{ACTIONS_MAX, TRANSACTION_BYTES_MAX};
use super::head::seconds_after;
use super::link::{KEYS_MAX, Written};
use super::names;
use super::values::{Spread, gather, parts, spread};
use crate::error::StoreError;
use crate::memory::shelf::{Kept, MemoryShelf};
use crate::records::{Answer, Applied, Batch, Query, Records, logic};
use crate::rooms::Rooms as _;
use crate::shapes::{Key, Value};
use async_trait::async_trait;
use parlor_rules::time::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// How often a batch is decided anew because somebody else was faster.
const TRIES_MAX: u32 = 16;
const VERSION: &str = "version";
const NAME: &str = "name";

/// A key as it was read: whatever lies there, and what of it is live.
#[derive(Clone, Default)]
struct Held {
    /// Which writing of the item it was; nothing when there is no item.
    version: Option<String>,
    value: Option<Value>,
    deadline: Option<Millis>,
    parts: usize,
}

#[async_trait]
impl Records for DynamoDb {
    async fn read(&self, _tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let keys = queries.iter().map(|query| query.key().clone()).collect();
        let held = self.held(&keys).await?;
        let mut map = live(&held);
        let shelf = MemoryShelf::new(&mut map, self.clock.now());
        queries.iter().map(|query| logic::ask(&shelf, query)).collect()
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.limits().check_batch(&batch)?;
        self.run_batch(batch).await
    }
}

impl DynamoDb {
    pub(super) async fn run_batch(&self, batch: Batch) -> Result<Applied, StoreError> {
        let named = batch.conditions.iter().map(|condition| condition.key());
        let keys: BTreeSet<Key> = named.chain(batch.operations.iter().map(|operation| operation.key())).cloned().collect();
        let _turn = self.locks.hold(&batch.tag, &keys).await;
        for tried in 0..TRIES_MAX {
            let held = self.held(&keys).await?;
            let mut map = live(&held);
            let mut shelf = MemoryShelf::new(&mut map, self.clock.now());
            let replies = match logic::apply(&mut shelf, &batch)? {
                Applied::Done(replies) => replies,
                refused @ Applied::Refused(_) => return Ok(refused),
            };
            let touched = shelf.touched();
            let version = format!("{:016x}", self.link.dice.roll());
            match self.write_records(&held, &map, &touched, &version).await? {
                true => return Ok(Applied::Done(replies)),
                false => self.link.wait(tried).await,
            }
        }
        Err(StoreError::Busy)
    }

    /// All these keys as they were at one moment.
    async fn held(&self, keys: &BTreeSet<Key>) -> Result<BTreeMap<Key, Held>, StoreError> {
        if keys.len() > KEYS_MAX {
            return Err(StoreError::TooLarge { bytes: 0, writes: keys.len() });
        }
        let ids: Vec<Id> = keys.iter().map(|key| names::record(key)).collect();
        for tried in 0..TRIES_MAX {
            let found = match &ids[..] {
                [] => Vec::new(),
                [id] => vec![self.link.get(id).await?],
                ids => self.link.get_together(ids).await?,
            };
            let mut held = BTreeMap::new();
            for (key, item) in keys.iter().zip(found) {
                let Some(whole) = self.whole(key, item).await? else { break };
                held.insert(key.clone(), whole);
            }
            if held.len() == keys.len() {
                return Ok(held);
            }
            // The rest of a large one was written anew while it was read.
            self.link.wait(tried).await;
        }
        Err(StoreError::Busy)
    }

    /// A key with the rest of it; nothing when the parts are of another writing.
    async fn whole(&self, key: &Key, item: Option<Attributes>) -> Result<Option<Held>, StoreError> {
        let Some(main) = item else { return Ok(Some(Held::default())) };
        let version = |attributes: &Attributes| attributes.get(VERSION).and_then(Attribute::as_text).map(str::to_owned);
        let mine = version(&main).ok_or_else(|| StoreError::Damaged(format!("the record {key} has no version")))?;
        let count = parts(&main);
        let mut pieces = Vec::new();
        if count > 0 {
            let ids: Vec<Id> = (0..count).map(|part| names::record_part(key, part)).collect();
            let found = self.link.get_together(&ids).await?;
            pieces = found.into_iter().flatten().filter(|part| version(part).as_ref() == Some(&mine)).collect();
            if pieces.len() != count {
                return Ok(None);
            }
        }
        let deadline = main.get("endsAt").and_then(Attribute::as_u64).map(Millis);
        let value = gather(&main, &pieces.iter().collect::<Vec<_>>())?;
        Ok(Some(Held { version: Some(mine), value: Some(value), deadline, parts: count }))
    }

    /// Writes what changed, if all that was read is still as it was. Answers whether it is written.
    async fn write_records(
        &self,
        held: &BTreeMap<Key, Held>,
        map: &BTreeMap<Key, Kept>,
        touched: &BTreeSet<Key>,
        version: &str,
    ) -> Result<bool, StoreError> {
        let mut actions = Vec::new();
        for key in touched {
            let was = held.get(key).cloned().unwrap_or_default();
            actions.extend(record_actions(key, &was, map.get(key), version));
        }
        if actions.is_empty() {
            return Ok(true);
        }
        for (key, was) in held.iter().filter(|(key, _)| !touched.contains(*key)) {
            actions.push(unchanged(Action::check(names::record(key)), was));
        }
        let bytes = actions.iter().map(Action::bytes).sum();
        if actions.len() > ACTIONS_MAX || bytes > TRANSACTION_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes, writes: actions.len() });
        }
        // Alone it costs half, but has no token: what a lost answer meant is then seen by the version.
        let alone = matches!(&actions[..], [Action { what: What::Put(_), .. }]);
        let written = match alone {
            true => self.link.alone(actions.remove(0)).await?,
            false => self.link.transact(actions).await?,
        };
        match written {
            Written::Done => Ok(true),
            Written::Refused { again: false, .. } => Ok(false),
            Written::Refused { .. } if !alone => Ok(false),
            Written::Refused { refusals, .. } => {
                let item = refusals.into_iter().next().and_then(|refusal| refusal.item);
                let is = item.as_ref().and_then(|item| item.get(VERSION)).and_then(Attribute::as_text);
                let was = held.values().next().and_then(|was| was.version.as_deref());
                match is {
                    Some(is) if is == version => Ok(true),
                    // Nobody has written since it was read, so neither have we.
                    is if is == was => Ok(false),
                    _ => Err(StoreError::Unavailable("an answer was lost, and somebody else has written since".into())),
                }
            }
        }
    }
}

/// What makes a key hold what it is to hold now.
fn record_actions(key: &Key, was: &Held, is: Option<&Kept>, version: &str) -> Vec<Action> {
    let own = ("version".to_owned(), Attribute::text(version));
    let mut actions = Vec::new();
    let mut has = 0;
    match is {
        Some(kept) => {
            let Spread { mut main, parts } = spread(&kept.value());
            has = parts.len();
            main.extend([own.clone()]);
            if let Some(deadline) = kept.deadline {
                main.insert("endsAt".into(), Attribute::number(deadline.0));
                main.insert("ttl".into(), Attribute::number(seconds_after(deadline)));
            }
            if !names::is_short(key) {
                main.insert(NAME.into(), Attribute::text(&**key));
            }
            let ttl = main.get("ttl").cloned();
            actions.push(unchanged(Action::put(names::record(key), main), was));
            for (part, mut attributes) in parts.into_iter().enumerate() {
                attributes.extend([own.clone()]);
                attributes.extend(ttl.iter().map(|ttl| ("ttl".to_owned(), ttl.clone())));
                actions.push(Action::put(names::record_part(key, part), attributes));
            }
        }
        None if was.version.is_none() => return actions,
        None => actions.push(unchanged(Action::delete(names::record(key)), was)),
    }
    actions.extend((has..was.parts).map(|part| Action::delete(names::record_part(key, part))));
    actions
}

/// On the condition that the item is still the one that was read.
fn unchanged(action: Action, was: &Held) -> Action {
    action.when(|words| match &was.version {
        Some(version) => format!("{} = {}", words.name(VERSION), words.value(Attribute::text(&**version))),
        None => format!("attribute_not_exists({})", words.name("pk")),
    })
}

fn live(held: &BTreeMap<Key, Held>) -> BTreeMap<Key, Kept> {
    // What is past its deadline is left out by the shelf itself.
    held.iter().filter_map(|(key, held)| Some((key.clone(), Kept::new(held.value.clone()?, held.deadline)))).collect()
}

/// A key as a listing sees it: its whole name, and when it ends.
pub(super) fn listed(cut: &str, attributes: &Attributes) -> (Key, Option<Millis>) {
    let name = attributes.get(NAME).and_then(Attribute::as_text).unwrap_or(cut);
    (name.into(), attributes.get("endsAt").and_then(Attribute::as_u64).map(Millis))
}
