//! Rooms and records of servers, listed, taken and put whole.
//!
//! A room is put by one script. What is too large for that is staged first, piece by piece, beside the room's own names,
//! and the script moves it to them: before it there is no room, or the old one, and after it the new one.

use super::names::{Names, Whose};
use super::rooms::{LOADS_MAX, PART, add_collection, entry};
use super::values::{bytes, document, many, number, score_text, strange, text, words};
use super::{Redis, news};
use crate::carry::{At, CarriedRoom, Carry, Catalogue, Cursor, Loose, Over, Page, Put, Server, Thing, promised};
use crate::error::StoreError;
use crate::records::{Applied, Batch};
use crate::rooms::{CARRIER, Entry, RoomKey, Rooms};
use crate::shapes::{Key, Value};
use async_trait::async_trait;
use parlor_rules::time::{Millis, Span};
use redis::{Cmd, Value as Raw};
use std::sync::Arc;

/// Names that a server looks at for one page.
const PAGE: usize = 500;
/// Bytes of one piece that is staged, unless one item alone is more.
const PIECE_BYTES: usize = 256 * 1024;
/// How long what was staged for a room without a deadline waits.
const STAGED_FOR: Span = Span::minutes(60);

#[async_trait]
impl Carry for Redis {
    async fn list(&self, catalogue: &dyn Catalogue, after: Option<Cursor>) -> Result<Page, StoreError> {
        let (servers, index, cursor) = match after.map(|Cursor(at)| at) {
            None => (self.servers().await?, 0, b"0".to_vec()),
            Some(At::Scan { servers, index, cursor }) => (servers, index, cursor),
            Some(At::Room(_) | At::Record(_) | At::Item { .. }) => unreachable!("the cursor is another store's"),
        };
        let mut scan = redis::cmd("SCAN");
        scan.arg(&cursor).arg("COUNT").arg(PAGE);
        let answer = self.link.send_to(&servers[index].address, &scan).await?;
        let mut answer = many(answer)?.into_iter();
        let cursor = bytes(answer.next().unwrap_or(Raw::Nil))?;
        let mut page = Page::default();
        for name in many(answer.next().unwrap_or(Raw::Nil))? {
            note(&mut page, self.names, &bytes(name)?, catalogue);
        }
        let (index, cursor) = if cursor == b"0" { (index + 1, cursor) } else { (index, cursor) };
        if index < servers.len() {
            page.next = Some(Cursor(At::Scan { servers, index, cursor }));
        } else if *self.servers().await? != *servers {
            // Another server walks in another order: what was behind the cursor there may be before it here.
            let why = "another server took over while its keys were being listed; list them again";
            return Err(StoreError::Unavailable(why.into()));
        }
        Ok(page)
    }

    async fn take_room(&self, room: &RoomKey) -> Result<Option<CarriedRoom>, StoreError> {
        for _ in 0..LOADS_MAX {
            let Some(loaded) = self.load(room).await? else { return Ok(None) };
            let Some(tail) = self.tail(room).await? else { continue };
            // Of one place only if nothing was committed from the first look to the last.
            if loaded.after.is_empty() && tail.last().is_some_and(|last| last.place == loaded.place) {
                let (place, deadline, records) = (loaded.place, loaded.deadline, loaded.records);
                return Ok(Some(CarriedRoom { place, deadline, records, tail: promised(tail) }));
            }
        }
        Err(StoreError::Busy)
    }

    async fn put_room(&self, room: &RoomKey, carried: CarriedRoom, over: Over) -> Result<Put, StoreError> {
        carried.check()?;
        let stages = carried.bytes() > self.limits().bytes_max;
        if stages {
            // Looked at first, because what is refused need not be sent.
            match self.load_place(room).await? {
                Some((place, deadline)) if place == carried.place && deadline == carried.deadline => return Ok(Put::Same),
                Some((place, _)) if !over.allows(place) => return Ok(Put::Other),
                Some(_) | None => {}
            }
            for (key, value) in &carried.records {
                self.stage(room, key, value, carried.deadline).await?;
            }
        }
        let names = self.names;
        let spine = names.spine(room);
        let is_named = |key: &Key| room.records.contains(key);
        let named = room.records.iter().cloned();
        let unnamed = carried.records.iter().map(|(key, _)| key).filter(|key| !is_named(key)).cloned();
        let own: Vec<Key> = named.chain(unnamed).collect();
        let staged = if stages { &carried.records[..] } else { &[] };
        let place_of = |key: &Key| 3 + own.iter().position(|other| other == key).expect("every record is among them");
        let over_word = &match over {
            Over::Nothing => String::new(),
            Over::At(place) => format!("{} {}", place.position, place.mark),
            Over::Anything => "*".to_owned(),
        };
        let ran = self.link.run(&self.scripts.put, &spine, |script| {
            script.arg(2 + own.len() + staged.len()).arg(&spine).arg(names.unnamed(room));
            for key in &own {
                script.arg(names.record(room, key));
            }
            for (key, _) in staged {
                script.arg(names.staged(room, key));
            }
            script.arg(carried.place.position.to_string()).arg(carried.place.mark.to_string());
            script.arg(carried.deadline.map(|deadline| deadline.0.to_string()).unwrap_or_default());
            script.arg(over_word);
            script.arg(names.channel(room)).arg(news::hint('m', CARRIER)).arg(self.publish());
            script.arg(room.records.len()).arg(own.len()).arg(carried.tail.len());
            for entry in &carried.tail {
                add_entry(script, entry);
            }
            for (index, (key, value)) in carried.records.iter().enumerate() {
                match (stages, value) {
                    (true, _) => drop(script.arg("r").arg(place_of(key)).arg(3 + own.len() + index)),
                    (false, Value::Text(bytes)) => drop(script.arg("s").arg(place_of(key)).arg(&*text(bytes))),
                    (false, Value::Document(bytes)) => drop(script.arg("s").arg(place_of(key)).arg(&*document(bytes))),
                    (false, Value::Hash(_) | Value::List(_) | Value::SortedSet(_)) => {
                        add_collection(script, value, place_of(key), None);
                    }
                }
            }
        });
        let ran = ran.await?;
        match &*words(ran.value)? {
            "kept" => Ok(Put::Kept),
            // The first answer was lost: it is there because it was put.
            "same" if ran.again => Ok(Put::Kept),
            "same" => Ok(Put::Same),
            "other" => Ok(Put::Other),
            "ended" => Ok(Put::Ended),
            "lost" => Err(StoreError::Busy),
            other => Err(strange("what came of putting a room", other)),
        }
    }

    async fn apply_any_size(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.run_batch(batch).await
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }
}

impl Redis {
    async fn servers(&self) -> Result<Arc<[Server]>, StoreError> {
        let mut info = redis::cmd("INFO");
        info.arg("server");
        let told = self.link.each_primary(&info).await?;
        let mut servers = Vec::new();
        for (address, answer) in told {
            let text = words(answer)?;
            let run = text.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap_or_default().to_owned();
            servers.push(Server { address, run });
        }
        servers.sort();
        Ok(servers.into())
    }

    /// Every commit that the server has, which may be more than the promised tail.
    async fn tail(&self, room: &RoomKey) -> Result<Option<Vec<Entry>>, StoreError> {
        let spine = self.names.spine(room);
        let ran = self.link.run(&self.scripts.since, &spine, |script| {
            script.arg(1).arg(&spine).arg("-");
        });
        match ran.await?.value {
            Raw::Nil => Ok(None),
            found => many(found)?.into_iter().map(entry).collect::<Result<Vec<Entry>, StoreError>>().map(Some),
        }
    }

    async fn stage(&self, room: &RoomKey, key: &Key, value: &Value, deadline: Option<Millis>) -> Result<(), StoreError> {
        let staged = self.names.staged(room, key);
        let until = deadline.unwrap_or_else(|| self.clock.now() + STAGED_FOR).0;
        let (letter, items) = items(value);
        let mut before = 0;
        for piece in pieces(&items) {
            let ran = self.link.run(&self.scripts.stage, &staged, |script| {
                script.arg(1).arg(&staged).arg(letter).arg(before).arg(until);
                for item in piece {
                    for word in item {
                        script.arg(&**word);
                    }
                }
            });
            if number(ran.await?.value)? != 1 {
                return Err(StoreError::Busy);
            }
            before += piece.len();
        }
        Ok(())
    }
}

fn note(page: &mut Page, names: Names, physical: &[u8], catalogue: &dyn Catalogue) {
    let Ok(name) = std::str::from_utf8(physical) else {
        page.foreign.push(String::from_utf8_lossy(physical).into_owned());
        return;
    };
    match names.whose(name, catalogue) {
        Whose::Known(_, Thing::Spine(room)) => page.rooms.push(room),
        Whose::Known(key, Thing::Record { tag }) => page.records.push(Loose { tag, key: key.into() }),
        Whose::Known(_, Thing::Part(_)) | Whose::Part => {}
        Whose::Foreign => page.foreign.push(name.to_owned()),
    }
}

fn add_entry(script: &mut Cmd, entry: &Entry) {
    script.arg(entry.place.position.to_string()).arg(entry.place.mark.to_string());
    script.arg(entry.bytes()).arg(entry.fields.len());
    for (field, value) in &entry.fields {
        script.arg(&**field).arg(&**value);
    }
}

type Item = Vec<bytes::Bytes>;

/// A value in the words that its command takes for each item.
fn items(value: &Value) -> (&'static str, Vec<Item>) {
    let word = |text: &str| bytes::Bytes::copy_from_slice(text.as_bytes());
    match value {
        Value::Text(bytes) => ("s", vec![vec![text(bytes)]]),
        Value::Document(bytes) => ("s", vec![vec![document(bytes)]]),
        Value::Hash(fields) => ("h", fields.iter().map(|(field, value)| vec![word(field), value.clone()]).collect()),
        Value::List(items) => ("l", items.iter().map(|item| vec![item.clone()]).collect()),
        Value::SortedSet(members) => {
            ("z", members.iter().map(|(member, score)| vec![word(&score_text(score.get())), word(member)]).collect())
        }
    }
}

/// Runs of items that are sent together, bounded in bytes and in number.
fn pieces(items: &[Item]) -> impl Iterator<Item = &[Item]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |item: &&Item| {
            bytes += item.iter().map(|word| word.len()).sum::<usize>();
            bytes <= PIECE_BYTES
        };
        let count = rest.iter().take(PART).take_while(fits).count().max(1);
        let (piece, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(piece)
    })
}
