//! Making secrets and ids: 256 random bits for a key, 64 for a table's public id, 40 for a code that is typed from a big screen.

use parlor_engine::Dice;
use parlor_rules::{Kind, RoomId, SecretHash};
use parlor_wire::Secret;

pub fn user_key(dice: &dyn Dice) -> Secret {
    key("uk_", dice)
}

pub fn host_key(dice: &dyn Dice) -> Secret {
    key("hk_", dice)
}

pub fn token(dice: &dyn Dice) -> Secret {
    key("tk_", dice)
}

/// Of a visit to the shop.
pub fn visit(dice: &dyn Dice) -> Secret {
    key("vt_", dice)
}

/// Tables have ids that can be read aloud; spaces, as document 001 says, UUIDs; games codes as in document 002.
pub fn room_id(kind: Kind, dice: &dyn Dice) -> RoomId {
    match kind {
        Kind::Poker => RoomId::from_bits(dice.secret()),
        Kind::Space => RoomId::uuid(dice.secret(), dice.secret()),
        Kind::Reels => RoomId::code(dice.secret()),
    }
}

/// The id and host key that belong to a creation's idempotency key: asking again gives the same room. Nothing
/// is stored for it; whoever knows the idempotency key could already have seen the answer.
pub fn derived(kind: Kind, idempotency_key: &Secret) -> (RoomId, Secret) {
    let bits = |what| {
        let bytes = idempotency_key.hash().derive(what, "");
        bytes[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    };
    let id = match kind {
        Kind::Poker => RoomId::from_bits(bits("room")),
        Kind::Space => RoomId::uuid(bits("room"), bits("space")),
        Kind::Reels => RoomId::code(bits("room")),
    };
    let mut clear = String::from("hk_");
    clear.push_str(&SecretHash::of(format!("host {}", idempotency_key.expose()).as_bytes()).hex());
    (id, Secret::new(clear))
}

fn key(prefix: &str, dice: &dyn Dice) -> Secret {
    let mut clear = String::with_capacity(prefix.len() + 64);
    clear.push_str(prefix);
    for _ in 0..4 {
        clear.push_str(&format!("{:016x}", dice.secret()));
    }
    Secret::new(clear)
}
