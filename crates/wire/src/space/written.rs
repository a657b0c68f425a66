//! A space's commands as a client writes them.

use parlor_rules::json::Json;
use parlor_rules::space::{Change, Command, Op, Spot};
use serde_json::{Map, Value, json};

/// The name and the words of a command.
pub fn write(command: &Command) -> (&'static str, Value) {
    match command {
        Command::Edit(ops) => match ops.as_slice() {
            [one] => op(one),
            several => {
                let ops = several.iter().map(op).map(|(verb, with)| json!({ "do": verb, "with": with }));
                ("batch", json!({ "ops": ops.collect::<Vec<_>>() }))
            }
        },
        Command::Update(Change { name, guests, members }) => {
            let mut words = Map::new();
            if let Some(name) = name {
                words.insert("name".into(), name.as_ref().map_or(Value::Null, |name| name.to_string().into()));
            }
            words.extend(guests.map(|right| ("guests".into(), right.name().into())));
            words.extend(members.map(|right| ("members".into(), right.name().into())));
            ("update_space", words.into())
        }
        Command::Delete => ("delete", json!({})),
    }
}

fn op(op: &Op) -> (&'static str, Value) {
    match op {
        Op::MapCreate { map } => ("map_create", json!({ "map": map.as_str() })),
        Op::MapSet { map, key, value: set, if_version } => {
            ("map_set", only_if(*if_version, json!({ "map": map.as_str(), "key": key.as_str(), "value": value(set) })))
        }
        Op::MapRemove { map, key, if_version } => {
            ("map_remove", only_if(*if_version, json!({ "map": map.as_str(), "key": key.as_str() })))
        }
        Op::MapClear { map } => ("map_clear", json!({ "map": map.as_str() })),
        Op::MapDelete { map } => ("map_delete", json!({ "map": map.as_str() })),
        Op::ListCreate { list } => ("list_create", json!({ "list": list.as_str() })),
        Op::ListInsert { list, id, value: new, to } => {
            let mut words = json!({ "list": list.as_str(), "value": value(new) });
            if let Some(id) = id {
                words["id"] = id.as_str().into();
            }
            ("list_insert", at(to, words))
        }
        Op::ListSet { list, id, value: set, if_version } => {
            ("list_set", only_if(*if_version, json!({ "list": list.as_str(), "id": id.as_str(), "value": value(set) })))
        }
        Op::ListMove { list, id, to } => ("list_move", at(to, json!({ "list": list.as_str(), "id": id.as_str() }))),
        Op::ListRemove { list, id } => ("list_remove", json!({ "list": list.as_str(), "id": id.as_str() })),
        Op::ListClear { list } => ("list_clear", json!({ "list": list.as_str() })),
        Op::ListDelete { list } => ("list_delete", json!({ "list": list.as_str() })),
        Op::PresenceCreate { presence, seconds } => {
            ("presence_create", json!({ "presence": presence.as_str(), "seconds": seconds }))
        }
        Op::PresenceDelete { presence } => ("presence_delete", json!({ "presence": presence.as_str() })),
    }
}

fn only_if(version: Option<u64>, mut words: Value) -> Value {
    if let Some(version) = version {
        words["if_version"] = version.into();
    }
    words
}

fn at(to: &Spot, mut words: Value) -> Value {
    match to {
        Spot::Last => {}
        Spot::At(at) => words["at"] = (*at).into(),
        Spot::First => words["after"] = Value::Null,
        Spot::After { id, order, at } => {
            words["after"] = id.as_str().into();
            if let Some(at) = at {
                words["at"] = (*at).into();
            }
            if let Some(order) = order {
                words["order"] = order.as_str().into();
            }
        }
    }
    words
}

fn value(json: &Json) -> Value {
    serde_json::from_str(json.as_str()).expect("it was read as JSON")
}
