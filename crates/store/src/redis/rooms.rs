//! Rooms on the server: one script a commit, one round trip.

use super::news::{hint, place};
use super::values::{bytes, document, many, name, number, score_text, strange, text, value, words};
use super::{Redis, news};
use crate::error::StoreError;
use crate::hints::Watch;
use crate::limits::{Limits, TAIL_BYTES_MAX, TAIL_COUNT_MAX};
use crate::rooms::{Announced, Commit, Entry, Loaded, NodeId, RoomKey, Rooms, Since, Wake, entry_bytes};
use crate::shapes::{Field, Key, Value, Write};
use async_trait::async_trait;
use bytes::Bytes;
use parlor_rules::position::{Place, Position};
use parlor_rules::time::{Millis, Span};
use redis::{Cmd, Value as Raw};
use std::collections::BTreeMap;

/// How often a load begins anew because its parts did not fit together.
pub(super) const LOADS_MAX: usize = 8;
/// Items of a large collection that are read at once.
pub(super) const PART: usize = 1000;

/// How often a commit looks whether the tail has become too long in bytes, unless it is large itself: in between it may
/// be too long by that many commits of that many bytes.
const LOOK_EVERY: u64 = 16;
const LARGE_BYTES: usize = 16 * 1024;

#[async_trait]
impl Rooms for Redis {
    async fn load(&self, room: &RoomKey) -> Result<Option<Loaded>, StoreError> {
        for _ in 0..LOADS_MAX {
            let Some((mut loaded, large)) = self.load_at_once(room).await? else { return Ok(None) };
            if large.is_empty() {
                return Ok(Some(loaded));
            }
            for (key, kind) in large {
                if let Some(value) = self.load_in_parts(room, &key, &kind).await? {
                    loaded.records.push((key, value));
                }
            }
            loaded.records.sort_by(|one, two| one.0.cmp(&two.0));
            // Parts are from different moments: what came in between is told with them.
            match self.since(room, loaded.place).await? {
                Since::Entries(after) => return Ok(Some(Loaded { after, ..loaded })),
                Since::Lost | Since::Absent => {}
            }
        }
        Err(StoreError::Busy)
    }

    async fn append(&self, room: &RoomKey, at: Option<Place>, commit: Commit) -> Result<Place, StoreError> {
        self.limits().check_commit(room, &commit)?;
        let names = self.names;
        let spine = names.spine(room);
        let position = at.map_or_else(|| Position::first(self.clock.now()), |at| at.position.next());
        let mark = commit.mark;
        let size = entry_bytes(&commit.entry);
        let looks = position.seq.is_multiple_of(LOOK_EVERY) || size > LARGE_BYTES;
        let channel = names.channel(room);
        // With nobody but this node listening there is nobody to tell but its own watchers.
        let listeners = usize::from(self.news.hears(&channel));
        let mut keys = Keys::of(self, room);
        let places: Vec<usize> = commit.writes.iter().map(|write| keys.place(self, room, write.key())).collect();
        let ran = self.link.run(&self.scripts.append, &spine, |script| {
            script.arg(keys.names.len()).arg(&keys.names);
            script.arg(at.map(|at| at.position.to_string()).unwrap_or_default());
            script.arg(at.map(|at| at.mark.to_string()).unwrap_or_default());
            script.arg(position.to_string()).arg(mark.to_string());
            script.arg(commit.deadline.map(|deadline| deadline.0.to_string()).unwrap_or_default());
            script.arg(&channel).arg(hint('m', commit.by)).arg(listeners);
            script.arg(room.records.len()).arg(size).arg(u8::from(looks)).arg(2 * (commit.entry.len() + 2));
            for (field, value) in &commit.entry {
                script.arg(&**field).arg(&**value);
            }
            script.arg("bytes").arg("").arg("mark").arg(mark.to_string());
            for (write, place) in commit.writes.iter().zip(&places) {
                add_write(script, write, *place);
            }
        });
        let mut answer = many(ran.await?.value)?.into_iter();
        let what = words(answer.next().unwrap_or(Raw::Nil))?;
        match (&*what, answer.next()) {
            ("kept", Some(id)) => {
                let position = words(id)?.parse().map_err(|_| strange("a position", "something else"))?;
                let place = Place { position, mark };
                if let Some(Raw::Int(0)) = answer.next() {
                    self.news.tell_own(&channel, commit.by, &Wake::Moved(place));
                }
                Ok(place)
            }
            ("conflict", _) => Err(StoreError::Conflict),
            ("shape", Some(at)) => {
                let at = number(at)? as usize;
                let write = places.iter().position(|place| *place == at).map(|index| commit.writes[index].key());
                Err(StoreError::Shape(write.map(|key| key.to_string()).unwrap_or_default()))
            }
            _ => Err(strange("what came of a commit", &what)),
        }
    }

    async fn since(&self, room: &RoomKey, place: Place) -> Result<Since, StoreError> {
        let spine = self.names.spine(room);
        let ran = self.link.run(&self.scripts.since, &spine, |script| {
            script.arg(1).arg(&spine).arg(place.position.to_string());
        });
        let found = match ran.await?.value {
            Raw::Nil => return Ok(Since::Absent),
            found => many(found)?.into_iter().map(entry).collect::<Result<Vec<Entry>, StoreError>>()?,
        };
        let mut entries = found.into_iter();
        let Some(first) = entries.next().filter(|first| first.place == place) else { return Ok(Since::Lost) };
        let entries: Vec<Entry> = entries.collect();
        // The server keeps somewhat more than the tail that every store promises; no client is to depend on that.
        let bytes = first.bytes() + entries.iter().map(Entry::bytes).sum::<usize>();
        let in_tail = entries.len() < TAIL_COUNT_MAX && bytes <= TAIL_BYTES_MAX;
        Ok(if in_tail || entries.is_empty() { Since::Entries(entries) } else { Since::Lost })
    }

    async fn close(&self, room: &RoomKey, at: Place, by: NodeId) -> Result<(), StoreError> {
        let names = self.names;
        let spine = names.spine(room);
        let ran = self.link.run(&self.scripts.close, &spine, |script| {
            script.arg(3 + room.records.len()).arg(&spine).arg(names.unnamed(room)).arg(names.here(room));
            for key in &*room.records {
                script.arg(names.record(room, key));
            }
            script.arg(at.position.to_string()).arg(at.mark.to_string());
            script.arg(names.channel(room)).arg(hint('c', by)).arg(self.publish());
        });
        let ran = ran.await?;
        match &*words(ran.value)? {
            "closed" => Ok(()),
            // The first answer was lost: whoever took it away, it is gone as was wished.
            "absent" if ran.again => Ok(()),
            _ => Err(StoreError::Conflict),
        }
    }

    async fn watch(&self, room: &RoomKey, node: NodeId) -> Result<Watch, StoreError> {
        self.news.watch(self.names.channel(room), node).await
    }

    async fn announce(&self, room: &RoomKey, node: NodeId, mut here: Vec<Field>) -> Result<Announced, StoreError> {
        let names = self.names;
        let spine = names.spine(room);
        here.sort_unstable();
        let word = if here.is_empty() {
            String::new()
        } else {
            serde_json::json!(here.iter().map(|who| &**who).collect::<Vec<_>>()).to_string()
        };
        let ran = self.link.run(&self.scripts.announce, &spine, |script| {
            script.arg(2).arg(&spine).arg(names.here(room));
            script.arg(format!("{:016x}", node.0)).arg(&word).arg(self.options.lease.0);
            script.arg(names.channel(room)).arg(hint('h', node)).arg(self.publish());
        });
        let mut answer = many(ran.await?.value)?.into_iter();
        let (id, mark) = (words(answer.next().unwrap_or(Raw::Nil))?, words(answer.next().unwrap_or(Raw::Nil))?);
        let mut others = Vec::new();
        for word in many(answer.next().unwrap_or(Raw::Nil))? {
            let who: Vec<String> = serde_json::from_slice(&bytes(word)?).map_err(|_| strange("who is here", "something else"))?;
            others.extend(who.into_iter().map(Field::from));
        }
        let holds_for = u64::try_from(number(answer.next().unwrap_or(Raw::Nil))?).ok().map(Span);
        Ok(Announced { others, holds_for, place: place(&id, &mark) })
    }

    async fn tell(&self, room: &RoomKey, by: NodeId, what: Bytes) -> Result<(), StoreError> {
        let mut command = redis::cmd(self.publish());
        command.arg(self.names.channel(room)).arg([news::hint('t', by).as_bytes(), &what].concat());
        self.link.send(&room.spine, &command).await.map(|_| ())
    }

    fn limits(&self) -> Limits {
        Limits { lease: Some(self.options.lease), ..Limits::default() }
    }
}

impl Redis {
    /// What is small, and the names and shapes of what is large.
    async fn load_at_once(&self, room: &RoomKey) -> Result<Option<(Loaded, Vec<(Key, String)>)>, StoreError> {
        let names = self.names;
        let spine = names.spine(room);
        let ran = self.link.run(&self.scripts.load, &spine, |script| {
            script.arg(2 + room.records.len()).arg(&spine).arg(names.unnamed(room));
            for key in &*room.records {
                script.arg(names.record(room, key));
            }
            script.arg(self.options.large);
        });
        let mut answer = match ran.await?.value {
            Raw::Nil => return Ok(None),
            answer => many(answer)?.into_iter(),
        };
        let (id, mark) = (words(answer.next().unwrap_or(Raw::Nil))?, words(answer.next().unwrap_or(Raw::Nil))?);
        let place = place(&id, &mark).ok_or_else(|| strange("a place", &format!("{id} {mark}")))?;
        let deadline = u64::try_from(number(answer.next().unwrap_or(Raw::Nil))?).ok().map(Millis);
        let (mut records, mut large) = (Vec::new(), Vec::new());
        for record in answer {
            let mut parts = many(record)?.into_iter();
            let (physical, kind) = (words(parts.next().unwrap_or(Raw::Nil))?, words(parts.next().unwrap_or(Raw::Nil))?);
            let key = names.key_of(room, &physical).ok_or_else(|| strange("a record of the room", &physical))?;
            match (kind.strip_prefix("large "), parts.next()) {
                (Some(kind), _) => large.push((Key::from(key), kind.to_owned())),
                (None, raw) => records.push((Key::from(&*key), value(&key, &kind, raw.unwrap_or(Raw::Nil))?)),
            }
        }
        records.sort_by(|one: &(Key, Value), two| one.0.cmp(&two.0));
        Ok(Some((Loaded { place, deadline, records, after: Vec::new() }, large)))
    }

    pub(super) async fn load_place(&self, room: &RoomKey) -> Result<Option<(Place, Option<Millis>)>, StoreError> {
        Ok(self.load_at_once(room).await?.map(|(loaded, _)| (loaded.place, loaded.deadline)))
    }

    /// One large record, with others served in between; nothing when it is gone meanwhile.
    async fn load_in_parts(&self, room: &RoomKey, key: &Key, kind: &str) -> Result<Option<Value>, StoreError> {
        let physical = self.names.record(room, key);
        let whole = match kind {
            "hash" => Value::Hash(
                self.scan("HSCAN", &physical)
                    .await?
                    .into_iter()
                    .map(|(field, value)| Ok((name(field)?, value.into())))
                    .collect::<Result<_, StoreError>>()?,
            ),
            "zset" => {
                let members = self.scan("ZSCAN", &physical).await?.into_iter();
                let members = members.map(|(member, score)| Ok((name(member)?, super::values::score(&score)?)));
                Value::SortedSet(members.collect::<Result<BTreeMap<_, _>, StoreError>>()?)
            }
            // A list has no stable places to stop at while others push: it is read whole.
            _ => {
                let mut command = redis::cmd("LRANGE");
                command.arg(&physical).arg(0).arg(-1);
                value(key, "list", self.link.send(&physical, &command).await?)?
            }
        };
        Ok(if whole.is_nothing() { None } else { Some(whole) })
    }

    async fn scan(&self, command: &str, physical: &str) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StoreError> {
        let mut found = BTreeMap::new(); // A scan may show an item twice.
        let mut cursor = b"0".to_vec();
        loop {
            let mut scan = redis::cmd(command);
            scan.arg(physical).arg(&cursor).arg("COUNT").arg(PART);
            let mut answer = many(self.link.send(physical, &scan).await?)?.into_iter();
            cursor = bytes(answer.next().unwrap_or(Raw::Nil))?;
            let mut items = many(answer.next().unwrap_or(Raw::Nil))?.into_iter();
            while let (Some(item), Some(value)) = (items.next(), items.next()) {
                found.insert(bytes(item)?, bytes(value)?);
            }
            if cursor == b"0" {
                return Ok(found.into_iter().collect());
            }
        }
    }

    pub(super) fn publish(&self) -> &'static str {
        if self.names.cluster { "SPUBLISH" } else { "PUBLISH" }
    }
}

/// The keys of a commit: the spine, the list of unnamed records, all named records, the unnamed ones it writes.
struct Keys {
    names: Vec<String>,
    unnamed: BTreeMap<Key, usize>,
}

impl Keys {
    fn of(redis: &Redis, room: &RoomKey) -> Keys {
        let names = redis.names;
        let named = room.records.iter().map(|key| names.record(room, key));
        Keys { names: [names.spine(room), names.unnamed(room)].into_iter().chain(named).collect(), unnamed: BTreeMap::new() }
    }

    /// Where a key stands, counted from 1 as Lua does.
    fn place(&mut self, redis: &Redis, room: &RoomKey, key: &Key) -> usize {
        if let Some(index) = room.records.iter().position(|named| named == key) {
            return index + 3;
        }
        *self.unnamed.entry(key.clone()).or_insert_with(|| {
            self.names.push(redis.names.record(room, key));
            self.names.len()
        })
    }
}

fn add_write(script: &mut Cmd, write: &Write, place: usize) {
    match write {
        Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => {
            script.arg("f").arg(place).arg(&**field).arg(&**value);
        }
        Write::DropField { field, .. } => drop(script.arg("x").arg(place).arg(&**field)),
        Write::Drop { .. } => drop(script.arg("d").arg(place)),
        Write::Put { value: Value::Text(bytes), .. } => drop(script.arg("s").arg(place).arg(&*text(bytes))),
        Write::Put { value: Value::Document(bytes), .. } => drop(script.arg("s").arg(place).arg(&*document(bytes))),
        Write::Put { value, .. } => add_collection(script, value, place, None),
    }
}

/// A collection as the scripts take it: its letter, its place, what it ends at if that is asked, how many values follow.
pub(super) fn add_collection(script: &mut Cmd, value: &Value, place: usize, deadline: Option<&str>) {
    let head = |letter: &str, count: usize, script: &mut Cmd| {
        script.arg(letter).arg(place);
        if let Some(deadline) = deadline {
            script.arg(deadline);
        }
        script.arg(count);
    };
    match value {
        Value::Hash(fields) => {
            head("h", fields.len() * 2, script);
            for (field, value) in fields {
                script.arg(&**field).arg(&**value);
            }
        }
        Value::List(items) => {
            head("l", items.len(), script);
            for item in items {
                script.arg(&**item);
            }
        }
        Value::SortedSet(members) => {
            head("z", members.len() * 2, script);
            for (member, score) in members {
                script.arg(score_text(score.get())).arg(&**member);
            }
        }
        Value::Text(_) | Value::Document(_) => unreachable!("a string is no collection"),
    }
}

/// One entry of the stream; the last two of its fields are the store's own.
pub(super) fn entry(raw: Raw) -> Result<Entry, StoreError> {
    let mut parts = many(raw)?.into_iter();
    let id = words(parts.next().unwrap_or(Raw::Nil))?;
    let mut values = many(parts.next().unwrap_or(Raw::Nil))?.into_iter();
    let mut fields: Vec<(Field, Bytes)> = Vec::new();
    while let (Some(field), Some(value)) = (values.next(), values.next()) {
        fields.push((name(bytes(field)?)?, bytes(value)?.into()));
    }
    let mark = fields.pop().filter(|(field, _)| &**field == "mark");
    fields.pop();
    let mark = mark.and_then(|(_, mark)| String::from_utf8(mark.to_vec()).ok());
    let place = mark.and_then(|mark| place(&id, &mark)).ok_or_else(|| strange("an entry with its mark", &id))?;
    Ok(Entry { place, fields })
}
