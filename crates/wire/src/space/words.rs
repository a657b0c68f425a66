//! A space's commands in words.

use super::wish::everybody;
use crate::ask::{Fault, one, words};
use crate::commands::{Verb, unknown};
use parlor_rules::json::{Json, NotJson, VALUE_BYTES_MAX};
use parlor_rules::space::limits::{BATCH_OPS_MAX, PRESENCE_SECONDS_DEFAULT};
use parlor_rules::space::{Change, Command, Op, Spot};
use parlor_rules::{Code, Kind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[rustfmt::skip]
pub const VERBS: &[Verb] = &[
    plain("map_create", "Make a map, if there is none of that name (write).", r#"{"map":"board"}"#),
    Verb {
        name: "map_set",
        help: "Set a key to any JSON value; the last writer wins. With if_version only if it is at that version, 0 meaning that it is not there. Makes the map if needed (write).",
        example: r#"{"map":"board","key":"note-1","value":{"text":"milk","x":1},"if_version":7}"#,
        optional: &["if_version", "x", "text"],
        nullable: &["value"],
    },
    Verb {
        name: "map_remove",
        help: "Remove a key; one that is not there is no mistake (write).",
        example: r#"{"map":"board","key":"note-1","if_version":7}"#,
        optional: &["if_version"],
        nullable: &[],
    },
    plain("map_clear", "Remove all keys of a map (write).", r#"{"map":"board"}"#),
    plain("map_delete", "Take a map away with all it holds (write).", r#"{"map":"board"}"#),
    plain("list_create", "Make a list, if there is none of that name (write).", r#"{"list":"todo"}"#),
    Verb {
        name: "list_insert",
        help: "Put a new item into a list: at the end, at a place counted from 0, or after another item (null: first). In case that is gone: order is the order it had when you saw it, and without one at counts. Without an id it gets one. Makes the list if needed (write).",
        example: r#"{"list":"todo","value":"milk","id":"i1","at":0,"after":"i0","order":"V000000"}"#,
        optional: &["id", "at", "after", "order"],
        nullable: &["value", "after"],
    },
    Verb {
        name: "list_set",
        help: "Give an item another value (write).",
        example: r#"{"list":"todo","id":"i1","value":"bread","if_version":7}"#,
        optional: &["if_version"],
        nullable: &["value"],
    },
    Verb {
        name: "list_move",
        help: "Put an item at another place: at the end, at the place it is to have, or after another item (null: first) (write).",
        example: r#"{"list":"todo","id":"i1","at":2,"after":"i0","order":"V000000"}"#,
        optional: &["at", "after", "order"],
        nullable: &["after"],
    },
    plain("list_remove", "Take an item out of a list; one that is not there is no mistake (write).", r#"{"list":"todo","id":"i1"}"#),
    plain("list_clear", "Take all items out of a list (write).", r#"{"list":"todo"}"#),
    plain("list_delete", "Take a list away with all it holds (write).", r#"{"list":"todo"}"#),
    Verb {
        name: "presence_create",
        help: "Say for how many seconds values of a presence hold (write).",
        example: r#"{"presence":"cursors","seconds":60}"#,
        optional: &["seconds"],
        nullable: &[],
    },
    plain("presence_delete", "Take a presence away with everybody's values (write).", r#"{"presence":"cursors"}"#),
    plain("batch", "Several of the above as one: all of them happen or none (write).", r#"{"ops":[{"do":"map_clear","with":{"map":"board"}},{"do":"list_clear","with":{"list":"todo"}}]}"#),
    Verb {
        name: "update_space",
        help: "Change how the space is run; at least one of them. A name that is null takes it away (admin).",
        example: r#"{"name":"Board","guests":"read","members":"write"}"#,
        optional: &["name", "guests", "members"],
        nullable: &["name"],
    },
    plain("delete", "End the space for everyone, with all it holds (admin).", "{}"),
];

const fn plain(name: &'static str, help: &'static str, example: &'static str) -> Verb {
    Verb { name, help, example, optional: &[], nullable: &[] }
}

pub(crate) fn read(verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    Ok(match verb {
        "batch" => {
            let Batch { ops } = words(with)?;
            if ops.is_empty() || ops.len() > BATCH_OPS_MAX {
                return Err(Fault::bad(format!("a batch has 1 to {BATCH_OPS_MAX} operations")));
            }
            let one = |(place, one): (usize, &One)| {
                op(&one.r#do, one.with.as_deref().map(RawValue::get))
                    .map_err(|fault| Fault::new(fault.code, format!("operation {place}: {}", fault.message)))
            };
            Command::Edit(ops.iter().enumerate().map(one).collect::<Result<_, _>>()?)
        }
        "update_space" => {
            let Update { name, guests, members } = words(with)?;
            let name = name.map(|name| name.map(|name| name.parse().map_err(Fault::bad)).transpose()).transpose()?;
            let (guests, members) =
                (guests.as_deref().map(everybody).transpose()?, members.as_deref().map(everybody).transpose()?);
            Command::Update(Change { name, guests, members })
        }
        "delete" => words::<Nothing>(with).map(|Nothing {}| Command::Delete)?,
        verb => Command::Edit(vec![op(verb, with)?]),
    })
}

fn op(verb: &str, with: Option<&str>) -> Result<Op, Fault> {
    Ok(match verb {
        "map_create" => Op::MapCreate { map: one(&words::<OfMap>(with)?.map)? },
        "map_set" => {
            let MapSet { map, key, value, if_version } = words(with)?;
            Op::MapSet { map: one(&map)?, key: one(&key)?, value: json(&value)?, if_version }
        }
        "map_remove" => {
            let MapRemove { map, key, if_version } = words(with)?;
            Op::MapRemove { map: one(&map)?, key: one(&key)?, if_version }
        }
        "map_clear" => Op::MapClear { map: one(&words::<OfMap>(with)?.map)? },
        "map_delete" => Op::MapDelete { map: one(&words::<OfMap>(with)?.map)? },
        "list_create" => Op::ListCreate { list: one(&words::<OfList>(with)?.list)? },
        "list_insert" => {
            let ListInsert { list, value, id, at, after, order } = words(with)?;
            let id = id.as_deref().map(one).transpose()?;
            Op::ListInsert { list: one(&list)?, id, value: json(&value)?, to: spot(at, after, order)? }
        }
        "list_set" => {
            let ListSet { list, id, value, if_version } = words(with)?;
            Op::ListSet { list: one(&list)?, id: one(&id)?, value: json(&value)?, if_version }
        }
        "list_move" => {
            let ListMove { list, id, at, after, order } = words(with)?;
            Op::ListMove { list: one(&list)?, id: one(&id)?, to: spot(at, after, order)? }
        }
        "list_remove" => {
            let ListRemove { list, id } = words(with)?;
            Op::ListRemove { list: one(&list)?, id: one(&id)? }
        }
        "list_clear" => Op::ListClear { list: one(&words::<OfList>(with)?.list)? },
        "list_delete" => Op::ListDelete { list: one(&words::<OfList>(with)?.list)? },
        "presence_create" => {
            let Presence { presence, seconds } = words(with)?;
            Op::PresenceCreate { presence: one(&presence)?, seconds: seconds.unwrap_or(PRESENCE_SECONDS_DEFAULT) }
        }
        "presence_delete" => Op::PresenceDelete { presence: one(&words::<OfPresence>(with)?.presence)? },
        other => return Err(unknown(Kind::Space, other)),
    })
}

fn spot(at: Option<usize>, after: Option<Option<String>>, order: Option<String>) -> Result<Spot, Fault> {
    let order = order.as_deref().map(one).transpose()?;
    match (at, after, order) {
        (at, Some(Some(id)), order) => Ok(Spot::After { id: one(&id)?, order, at }),
        (Some(_), Some(None), _) => Err(Fault::bad("\"after\" null is the beginning: leave \"at\" out")),
        (_, _, Some(_)) => Err(Fault::bad("\"order\" goes with the id of another item in \"after\"")),
        (Some(at), None, None) => Ok(Spot::At(at)),
        (None, Some(None), None) => Ok(Spot::First),
        (None, None, None) => Ok(Spot::Last),
    }
}

fn json(value: &RawValue) -> Result<Json, Fault> {
    Json::read(value.get(), VALUE_BYTES_MAX).map_err(|why| {
        let code = if why == NotJson::TooLarge { Code::TooLarge } else { Code::BadRequest };
        Fault::new(code, why)
    })
}

/// Tells null from nothing.
fn given<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMap {
    map: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapSet {
    map: String,
    key: String,
    value: Box<RawValue>,
    if_version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapRemove {
    map: String,
    key: String,
    if_version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfList {
    list: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListInsert {
    list: String,
    value: Box<RawValue>,
    id: Option<String>,
    at: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    after: Option<Option<String>>,
    order: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListSet {
    list: String,
    id: String,
    value: Box<RawValue>,
    if_version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListMove {
    list: String,
    id: String,
    at: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    after: Option<Option<String>>,
    order: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListRemove {
    list: String,
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Presence {
    presence: String,
    seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPresence {
    presence: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    ops: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    r#do: String,
    with: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    #[serde(default, deserialize_with = "given")]
    name: Option<Option<String>>,
    guests: Option<String>,
    members: Option<String>,
}
