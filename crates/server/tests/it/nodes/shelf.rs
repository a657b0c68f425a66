//! What a reader finds in Redis with plain commands, who knows the document and nothing of Parlor.

use bytes::Bytes;
use parlor_rules::Position;
use parlor_store::Field;
use parlor_testbed::{Redis, Reply};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// One entry of a room's stream.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) at: Position,
    pub(super) mark: String,
    pub(super) fields: Vec<(Field, Bytes)>,
}

impl Entry {
    fn read(reply: &Reply) -> Entry {
        let [id, fields] = reply.many() else { panic!("an entry is {reply:?}") };
        let bytes = |reply: &Reply| match reply {
            Reply::Bulk(bytes) => Bytes::from(bytes.clone()),
            other => panic!("a field is {other:?}"),
        };
        let fields: Vec<_> = fields.many().chunks(2).map(|pair| (Field::from(pair[0].text()), bytes(&pair[1]))).collect();
        let mut entry = Entry { at: id.text().parse().unwrap(), mark: String::new(), fields };
        entry.mark = entry.text("mark");
        entry
    }

    pub(super) fn text(&self, name: &str) -> String {
        let field = self.fields.iter().find(|(field, _)| &**field == name).unwrap_or_else(|| panic!("it has no {name}"));
        String::from_utf8(field.1.to_vec()).unwrap()
    }

    pub(super) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// The numbered commands of this commit: whose program, and which number.
    pub(super) fn tickets(&self) -> Vec<(String, u64)> {
        let commit = self.json("commit");
        let done = commit["done"].as_array().unwrap().iter();
        done.filter_map(|done| Some((done["client"].as_str()?.to_owned(), done["n"].as_u64()?))).collect()
    }
}

/// The id of a room's address.
pub(super) fn id_of(room: &str) -> &str {
    room.strip_prefix("poker/").unwrap()
}

/// The stream's key on a server that is no cluster.
pub(super) fn spine(room: &str) -> String {
    format!("room_condition:{}", id_of(room))
}

/// The entries that are in the stream now, from this id on.
pub(super) fn entries(redis: &Redis, key: &str, from: &str) -> Result<Vec<Entry>, String> {
    let found = redis.try_ask(&["XRANGE", key, from, "+"])?.accepted()?;
    Ok(found.many().iter().map(Entry::read).collect())
}

/// Everything that stood in the stream, collected while it goes on, because it is trimmed.
pub(super) fn collect(read: impl Fn(&str) -> Result<Vec<Entry>, String>, over: &AtomicBool) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    loop {
        // Looked at before the stream is, so that the last look sees everything.
        let last_look = over.load(Ordering::SeqCst);
        let from = all.last().map_or_else(|| "-".to_owned(), |last| format!("({}", last.at));
        // A server that is away for a moment is asked again.
        all.extend(read(&from).unwrap_or_default());
        if last_look {
            return all;
        }
        std::thread::park_timeout(Duration::from_millis(5)); // Between two looks, not instead of one.
    }
}

/// The newest entry.
#[track_caller]
pub(super) fn last(redis: &Redis, key: &str) -> Entry {
    let found = redis.ask(&["XREVRANGE", key, "+", "-", "COUNT", "1"]);
    Entry::read(found.many().first().unwrap_or_else(|| panic!("there is nothing in {key}: {found:?}")))
}

#[track_caller]
pub(super) fn deadline(redis: &Redis, key: &str) -> i64 {
    let Reply::Number(deadline) = redis.ask(&["PEXPIRETIME", key]) else { panic!("no number") };
    deadline
}

/// All keys with these letters in them and when they end; one that ends just now may be missing.
pub(super) fn keys(redis: &Redis, with: &str) -> BTreeMap<String, i64> {
    let found = redis.ask(&["KEYS", &format!("*{with}*")]);
    let with_deadline = found.many().iter().map(|key| (key.text(), deadline(redis, &key.text())));
    with_deadline.filter(|(_, deadline)| *deadline != -2).collect()
}

/// Everything a test leaves behind goes by itself.
#[track_caller]
pub(super) fn all_ends(redis: &Redis) {
    assert_eq!(redis.keys_without_deadline(), [""; 0], "these stay for ever");
}
