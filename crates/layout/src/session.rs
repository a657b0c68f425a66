//! A session at rest: document 000's three keys, one function each, in the document's order.
//!
//! Each points at another, and a session is there only if all three are and agree: `wake` takes back what
//! `records` gives and nothing else. The token is known by its hash alone, also in its own key.

use crate::text::{hashed, json, parse, read, unhashed};
use bytes::Bytes;
use parlor_rules::{FoldedName, Member, Millis, SecretHash, Session, UserId};
use parlor_store::{Key, RoomKey, Value};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct User {
    user_id: String,
    user_name: String,
    token: String,
}

#[derive(Serialize, Deserialize)]
struct NameHolder {
    user_id: String,
}

/// `token:(token)`, with the token's hash for the token.
pub fn token_key(token: &SecretHash) -> Key {
    format!("token:{}", token.hex()).into()
}

/// `user_id:(user_id)`
pub fn user_key(user: &UserId) -> Key {
    format!("user_id:{user}").into()
}

/// `user_name:(user_name)`, with what all spellings of the name share for the name.
pub fn name_key(name: &FoldedName) -> Key {
    format!("user_name:{}", name.as_str()).into()
}

/// Where nodes tell each other which sessions have ended; nothing is kept there.
pub fn bulletin() -> RoomKey {
    let key = Key::from("parlor_sessions");
    RoomKey { tag: key.clone(), spine: key, records: Vec::new().into(), below: None }
}

/// What is told there of a session that has ended: its token's hash.
pub fn ended(token: &SecretHash) -> Bytes {
    hashed(token).into()
}

pub fn read_ended(word: &[u8]) -> Option<SecretHash> {
    unhashed("a notice", std::str::from_utf8(word).ok()?).ok()
}

/// All that a session is: each key with what it holds.
pub fn records(session: &Session) -> [(Key, Value); 3] {
    let Member { id, name } = &session.member;
    let user = User { user_id: id.to_string(), user_name: name.to_string(), token: hashed(&session.token) };
    [
        (token_key(&session.token), Value::Text(Bytes::copy_from_slice(id.as_str().as_bytes()))),
        (user_key(id), Value::Document(json(&user))),
        (name_key(&session.holds()), Value::Document(json(&NameHolder { user_id: id.to_string() }))),
    ]
}

/// Whom a token's record names.
pub fn token_holder(record: &Value) -> Option<UserId> {
    let Value::Text(text) = record else { return None };
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whom a name's record names.
pub fn name_holder(record: &Value) -> Option<UserId> {
    let Value::Document(text) = record else { return None };
    let holder: NameHolder = parse("a name", text).ok()?;
    holder.user_id.parse().ok()
}

/// The session that a user's record tells of; whether the two others agree is still to be seen.
pub fn told(record: &Value) -> Option<Session> {
    let Value::Document(text) = record else { return None };
    let what = "a user";
    let user: User = parse(what, text).ok()?;
    let member = Member { id: read(what, &user.user_id).ok()?, name: read(what, &user.user_name).ok()? };
    Some(Session { member, token: unhashed(what, &user.token).ok()?, expires: Millis(0) })
}

/// The session that was told of, if these are its three records, each with the time it ends.
pub fn wake(told: Session, found: &[Option<(Value, Millis)>; 3]) -> Option<Session> {
    let mut expires = Millis(u64::MAX);
    for ((_, expected), found) in records(&told).iter().zip(found) {
        let (value, deadline) = found.as_ref()?;
        if value != expected {
            return None;
        }
        expires = expires.min(*deadline);
    }
    Some(Session { expires, ..told })
}
