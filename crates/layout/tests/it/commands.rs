//! Writes as the commands a reader would type in `redis-cli`.

use crate::support::Step;
use parlor_layout::room_key;
use parlor_rules::{Address, Position};
use parlor_store::{Key, RoomKey, Value, Write};

/// One commit: the entry, the records, then the room's deadline on every key that is there after it.
pub(crate) fn typed(address: &Address, at: Position, step: &Step) -> String {
    let Step { kept, entry, writes, shelf, .. } = step;
    let key = room_key(address);
    let only_if_there = if at.seq == 1 { "" } else { "NOMKSTREAM " };
    let fields: Vec<String> = entry.iter().map(|(field, value)| format!("{field} {}", quoted(value))).collect();
    let mut lines = vec![format!("XADD {} {only_if_there}{at} {}", key.spine, fields.join(" "))];
    lines.extend(writes.iter().map(|one| write(&key, one)));
    if let Some(expires) = kept.expires {
        let present = key.records.iter().filter(|key| shelf.0.contains_key(*key)).cloned();
        let below = shelf.0.keys().filter(|record| !key.records.contains(record)).map(|record| named(&key, record));
        let all = std::iter::once(key.spine.clone()).chain(present).chain(below);
        lines.extend(all.map(|key| format!("PEXPIREAT {key} {expires}")));
    }
    lines.join("\n")
}

/// What a record is called on Redis: what has no name of its own lies below the stream.
fn named(room: &RoomKey, key: &Key) -> Key {
    if room.names(key) { key.clone() } else { format!("{}/{key}", room.spine).into() }
}

fn write(room: &RoomKey, write: &Write) -> String {
    let key = named(room, write.key());
    match write {
        Write::Put { value: Value::Document(text) | Value::Text(text), .. } => format!("SET {key} {}", quoted(text)),
        Write::Put { value: Value::Hash(fields), .. } => {
            let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{} {}", name(field), quoted(value))).collect();
            format!("DEL {key}\nHSET {key} {}", fields.join(" "))
        }
        Write::Put { value, .. } => panic!("{key} is put whole as {value:?}, for which no command is known here"),
        Write::Drop { .. } => format!("DEL {key}"),
        Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => {
            format!("HSET {key} {} {}", name(field), quoted(value))
        }
        Write::DropField { field, .. } => format!("HDEL {key} {}", name(field)),
    }
}

fn name(field: &str) -> String {
    if field.contains([' ', '"', '\'']) { quoted(field.as_bytes()) } else { field.to_owned() }
}

fn quoted(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => format!("'{}'", text.replace('\'', "\\'")),
        // A picture; `redis-cli` reads these escapes between double quotes.
        Err(_) => format!("\"{}\"", value.escape_ascii()),
    }
}
