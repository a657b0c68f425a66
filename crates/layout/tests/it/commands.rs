//! Writes as the commands a reader would type in `redis-cli`.

use parlor_layout::Rest;
use parlor_layout::room_key;
use parlor_layout::shelf::Shelf;
use parlor_rules::{Address, Kept, Position};
use parlor_store::{Value, Write};

/// One commit: the entry, the records, then the room's deadline on every key that is there after it.
pub(crate) fn typed(address: &Address, at: Position, kept: &Kept, rest: &Rest, shelf: &Shelf) -> String {
    let key = room_key(address);
    let only_if_there = if at.seq == 1 { "" } else { "NOMKSTREAM " };
    let fields: Vec<String> = rest.entry.iter().map(|(field, value)| format!("{field} {}", quoted(value))).collect();
    let mut lines = vec![format!("XADD {} {only_if_there}{at} {}", key.spine, fields.join(" "))];
    lines.extend(rest.writes.iter().map(write));
    if let Some(expires) = kept.expires {
        let present = key.records.iter().filter(|key| shelf.0.contains_key(*key));
        lines.extend(std::iter::once(&key.spine).chain(present).map(|key| format!("PEXPIREAT {key} {expires}")));
    }
    lines.join("\n")
}

fn write(write: &Write) -> String {
    match write {
        Write::Put { key, value: Value::Document(text) | Value::Text(text) } => format!("SET {key} {}", quoted(text)),
        Write::Put { key, value } => panic!("{key} is put whole as {value:?}, for which no command is known here"),
        Write::Drop { key } => format!("DEL {key}"),
        Write::SetField { key, field, value } => format!("HSET {key} {field} {}", quoted(value)),
        Write::DropField { key, field } => format!("HDEL {key} {field}"),
    }
}

fn quoted(value: &[u8]) -> String {
    format!("'{}'", std::str::from_utf8(value).unwrap().replace('\'', "\\'"))
}
