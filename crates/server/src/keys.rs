//! Making secrets and ids: 256 random bits for a key, 64 for a room's public id.

use parlor_engine::Dice;
use parlor_rules::{RoomId, SecretHash};
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

pub fn room_id(dice: &dyn Dice) -> RoomId {
    RoomId::from_bits(dice.bits())
}

/// The id and host key that belong to a creation's idempotency key: asking again gives the same room. Nothing
/// is stored for it; whoever knows the idempotency key could already have seen the answer.
pub fn derived(idempotency_key: &Secret) -> (RoomId, Secret) {
    let bits = idempotency_key.hash().derive("room", "")[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    let mut clear = String::from("hk_");
    clear.push_str(&SecretHash::of(format!("host {}", idempotency_key.expose()).as_bytes()).hex());
    (RoomId::from_bits(bits), Secret::new(clear))
}

fn key(prefix: &str, dice: &dyn Dice) -> Secret {
    let mut clear = String::with_capacity(prefix.len() + 64);
    clear.push_str(prefix);
    for _ in 0..4 {
        clear.push_str(&format!("{:016x}", dice.bits()));
    }
    Secret::new(clear)
}
