//! Records that have been damaged wake as an error or as some room; they never bring a task down.

use crate::histories::{History, batches};
use bytes::Bytes;
use parlor_layout::shelf::Shelf;
use parlor_layout::{Damaged, creation, entry_commit, wake};
use parlor_rules::Credential;
use parlor_store::{Field, Key, Score, Value};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(crate) enum Harm {
    Flip {
        record: Index,
        leaf: Index,
        byte: Index,
        bit: u8,
    },
    Cut {
        record: Index,
        leaf: Index,
        at: Index,
    },
    /// Another number where one was: JSON stays JSON, sense may go.
    Number {
        record: Index,
        leaf: Index,
        digits: Index,
        instead: &'static str,
    },
    Garbage {
        record: Index,
        leaf: Index,
        bytes: Vec<u8>,
    },
    Rename {
        record: Index,
        leaf: Index,
        field: String,
    },
    Missing {
        record: Index,
    },
    Reshape {
        record: Index,
        shape: u8,
    },
}

pub(crate) fn harm() -> impl Strategy<Value = Harm> {
    let number = prop::sample::select(
        &["0", "-1", "3", "18446744073709551615", "18446744073709551616", "1e400", "null", "\"\"", "[]"][..],
    );
    let at = || (any::<Index>(), any::<Index>());
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        6 => (at(), any::<Index>(), 0u8..8).prop_map(|((record, leaf), byte, bit)| Harm::Flip { record, leaf, byte, bit }),
        1 => (at(), any::<Index>()).prop_map(|((record, leaf), at)| Harm::Cut { record, leaf, at }),
        4 => (at(), any::<Index>(), number)
            .prop_map(|((record, leaf), digits, instead)| Harm::Number { record, leaf, digits, instead }),
        1 => (at(), bytes()).prop_map(|((record, leaf), bytes)| Harm::Garbage { record, leaf, bytes }),
        1 => (at(), "\\PC{0,5}|[a-z/]{0,4}").prop_map(|((record, leaf), field)| Harm::Rename { record, leaf, field }),
        1 => any::<Index>().prop_map(|record| Harm::Missing { record }),
        1 => (any::<Index>(), 0u8..5).prop_map(|(record, shape)| Harm::Reshape { record, shape }),
    ]
}

pub(crate) fn damage(shelf: &mut Shelf, harm: &Harm) {
    let keys: Vec<Key> = shelf.0.keys().cloned().collect();
    let (Harm::Flip { record, .. }
    | Harm::Cut { record, .. }
    | Harm::Number { record, .. }
    | Harm::Garbage { record, .. }
    | Harm::Rename { record, .. }
    | Harm::Missing { record }
    | Harm::Reshape { record, .. }) = harm;
    if keys.is_empty() {
        return;
    }
    let key = record.get(&keys);
    match harm {
        Harm::Missing { .. } => {
            shelf.0.remove(key);
        }
        Harm::Reshape { shape, .. } => {
            shelf.0.insert(key.clone(), other_shape(*shape));
        }
        Harm::Rename { leaf, field, .. } => {
            if let Some(Value::Hash(fields)) = shelf.0.get_mut(key)
                && !fields.is_empty()
            {
                let old: Field = leaf.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
                let value = fields.remove(&old).unwrap();
                fields.insert(field.as_str().into(), value);
            }
        }
        Harm::Flip { leaf, byte, bit, .. } => change(shelf, key, leaf, |bytes| {
            if !bytes.is_empty() {
                let at = byte.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
        }),
        Harm::Cut { leaf, at, .. } => change(shelf, key, leaf, |bytes| bytes.truncate(at.index(bytes.len() + 1))),
        Harm::Garbage { leaf, bytes: garbage, .. } => change(shelf, key, leaf, |bytes| garbage.clone_into(bytes)),
        Harm::Number { leaf, digits, instead, .. } => change(shelf, key, leaf, |bytes| renumber(bytes, digits, instead)),
    }
}

fn other_shape(shape: u8) -> Value {
    match shape {
        0 => Value::Text(Bytes::from_static(b"{}")),
        1 => Value::Document(Bytes::from_static(b"{}")),
        2 => Value::Hash(BTreeMap::from([("a".into(), Bytes::from_static(b"{}"))])),
        3 => Value::List(vec![Bytes::new()]),
        _ => Value::SortedSet(BTreeMap::from([("a".into(), Score::new(1.0).unwrap())])),
    }
}

fn change(shelf: &mut Shelf, key: &Key, leaf: &Index, how: impl FnOnce(&mut Vec<u8>)) {
    let value = match shelf.0.get_mut(key) {
        Some(Value::Text(bytes) | Value::Document(bytes)) => bytes,
        Some(Value::Hash(fields)) if !fields.is_empty() => {
            let at = leaf.index(fields.len());
            fields.values_mut().nth(at).unwrap()
        }
        _ => return,
    };
    let mut bytes = value.to_vec();
    how(&mut bytes);
    *value = bytes.into();
}

fn renumber(bytes: &mut Vec<u8>, which: &Index, instead: &str) {
    let begins = |at: &usize| *at == 0 || bytes[at - 1] == b':';
    let starts: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit() && begins(at)).collect();
    if !starts.is_empty() {
        let start = *which.get(&starts);
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        bytes.splice(start..start + length, instead.bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]
    #[test]
    fn damaged_records_never_panic(batches in batches(), harms in prop::collection::vec(harm(), 1..4)) {
        let history = History::play(&batches);
        let mut shelf = history.last().shelf.clone();
        harms.iter().for_each(|harm| damage(&mut shelf, harm));
        if let Ok(kept) = wake(&history.address, &shelf.records()) {
            // Whatever woke can be looked at and written down again.
            let viewer = kept.state.recognise(&Credential::guest(b"anyone")).unwrap();
            kept.state.shared(&viewer, &parlor_rules::Here::default());
            kept.state.mine(&viewer);
            let rest = creation(&history.address, &kept, &history.last().commit);
            let mut again = Shelf::default();
            again.lay(&rest.writes);
            let woken = wake(&history.address, &again.records());
            prop_assert!(woken.is_ok_and(|woken| woken.state == kept.state && woken.receipts == kept.receipts));
        }
    }

    #[test]
    fn a_damaged_entry_never_panics(
        batches in batches(),
        which: Index,
        field: Index,
        byte: Index,
        bit in 0u8..8,
        cut: Option<Index>,
    ) {
        let history = History::play(&batches);
        let mut entry = which.get(&history.steps).entry.clone();
        let at = field.index(entry.len());
        let mut bytes = entry[at].1.to_vec();
        let place = byte.index(bytes.len());
        bytes[place] ^= 1 << bit;
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        entry[at].1 = bytes.into();
        let _ = entry_commit(&history.address, &entry);
    }
}

fn asleep(records: &[(&str, Value)]) -> Result<(), Damaged> {
    let records: Vec<(Key, Value)> = records.iter().map(|(key, value)| ((*key).into(), value.clone())).collect();
    wake(&"poker/12345".parse().unwrap(), &records).map(|_| ())
}

fn document(text: &str) -> Value {
    Value::Document(Bytes::copy_from_slice(text.as_bytes()))
}

fn hash(field: &str, text: &str) -> Value {
    Value::Hash(BTreeMap::from([(field.into(), Bytes::copy_from_slice(text.as_bytes()))]))
}

/// A sound table with one seat; each case breaks one thing and names the words that must be said about it.
#[test]
fn damage_is_named() {
    let hex = "a".repeat(64);
    // As it was before it had more members, `arrivals` among them.
    let settings = |more: &str| {
        let keys = format!(r#""host_key":"sha256:{hex}","valid_sizes":"1 2","admin_user_id":"ana""#);
        format!(r#"{{{keys},"vote_state":1,"round":1,"timer_ends":null,"arrivals":1{more},"created_at":5}}"#)
    };
    let seat = |vote: &str, arrival: u64| {
        format!(r#"{{"user_name":"Ana","user_key":"sha256:{hex}","arrival":{arrival},"vote":"{vote}"}}"#)
    };
    let check = |settings: Option<Value>, seats: Option<Value>, clients: Option<Value>, says: &str| {
        let keys = ["room_settings:12345", "room_seats:12345", "room_clients:12345"];
        let records: Vec<_> =
            keys.into_iter().zip([settings, seats, clients]).filter_map(|(key, value)| Some((key, value?))).collect();
        let said = asleep(&records).map_or_else(|damaged| damaged.to_string(), |()| String::from("sound"));
        assert!(said.contains(says), "{said:?} does not say {says:?}");
    };
    let good = Some(document(&settings("")));
    let sat = Some(hash("ana", &seat("1", 1)));
    check(good.clone(), sat.clone(), None, "sound");
    check(good.clone(), sat.clone(), Some(hash("ana/tab", r#"{"n":1,"seq":1,"at":1}"#)), "sound");
    check(None, sat.clone(), None, "missing");
    check(Some(Value::Text(Bytes::new())), sat.clone(), None, "should be a document");
    check(Some(document("{")), sat.clone(), None, "room_settings:12345");
    check(Some(document(&settings("").replace("\"vote_state\":1", "\"vote_state\":3"))), sat.clone(), None, "vote_state 3");
    check(Some(document(&settings("").replace("sha256:", ""))), sat.clone(), None, "sha256");
    check(Some(document(&settings("").replace("1 2", ""))), sat.clone(), None, "deck");
    check(good.clone(), Some(Value::List(vec![])), None, "should be a hash");
    check(good.clone(), Some(hash("a b", &seat("1", 1))), None, "user id");
    check(good.clone(), sat.clone(), Some(hash("tab", "{}")), "no client");
    check(good.clone(), sat.clone(), Some(hash("ana/tab", "{}")), "receipt");
    // A store that lost the seats alone must not wake as an empty table.
    check(good.clone(), None, None, "admin");
    check(good.clone(), Some(hash("ana", &seat("3", 1))), None, "deck");
    check(Some(document(&settings("").replace(r#""ana""#, r#""""#))), sat.clone(), None, "no admin");
    let two = BTreeMap::from(["ana", "bo"].map(|user| (user.into(), Bytes::from(seat("1", 1)))));
    check(good.clone(), Some(Value::Hash(two)), None, "same arrival");
    check(Some(document(&settings(r#","reveal_by":"me""#))), sat.clone(), None, "reveal_by");
    check(Some(document(&settings(r#","life_minutes":1"#))), sat.clone(), None, "minutes");
    check(Some(document(&settings(r#","story_id":"s1""#))), sat.clone(), None, "not in the list");
    check(Some(document(&settings(r#","sealed":false"#).replace("state\":1", "state\":2"))), sat.clone(), None, "sealed");
    let stories = |fields: &[(&str, &str)], says: &str| {
        let fields = fields.iter().map(|(field, text)| ((*field).into(), Bytes::copy_from_slice(text.as_bytes())));
        let all = [("room_stories:12345", Value::Hash(fields.collect())), ("room_settings:12345", good.clone().unwrap())];
        let said = asleep(&[&all[..], &[("room_seats:12345", sat.clone().unwrap())]].concat());
        let said = said.map_or_else(|damaged| damaged.to_string(), |()| String::from("sound"));
        assert!(said.contains(says), "{said:?} does not say {says:?}");
    };
    let one = ("s1", r#"{"title":"A"}"#);
    stories(&[one, ("order", r#"{"made":1,"story_ids":["s1"]}"#)], "sound");
    stories(&[one], "no place in the order");
    stories(&[("order", r#"{"made":1,"story_ids":["s1"]}"#)], "not there");
    stories(&[one, ("order", r#"{"made":1,"story_ids":["s1","s1"]}"#)], "twice");
    stories(&[one, ("order", r#"{"made":0,"story_ids":["s1"]}"#)], "above");
    stories(&[("s1", r#"{"title":"A","link":"javascript:x"}"#), ("order", r#"{"made":1,"story_ids":["s1"]}"#)], "link");
}

#[test]
fn half_a_ticket_is_damage() {
    let commit = r#"{"at":1,"renews":true,"done":[{"by":"ana","client":"tab","events":[]}]}"#;
    let entry = [(Field::from("commit"), Bytes::from_static(commit.as_bytes()))];
    assert!(entry_commit(&"poker/12345".parse().unwrap(), &entry).is_err());
}
