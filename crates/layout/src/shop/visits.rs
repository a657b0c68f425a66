//! Visits, what they viewed, what is popular, and carts.
//!
//! Everything of one visit lies under one tag, that of its token; a shopper's visits and cart lie under the shopper's, because
//! a login draws tokens until one falls there.

use super::SHARDS;
use crate::damage::{Damaged, damaged};
use crate::text::{json, parse, read};
use bytes::Bytes;
use parlor_rules::shop::{Cart, Item, Quantity, Shopper, Visit};
use parlor_rules::{Millis, SecretHash};
use parlor_store::{Answer, Field, Key, Query, RoomKey, Score, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tag that all keys of one visit, shopper or item lie under.
pub fn tag(shard: usize) -> String {
    format!("shop-{shard:x}")
}

pub fn shard_of_token(token: &SecretHash) -> usize {
    token.part_of(SHARDS)
}

/// Of a shopper or an item: the same on every node and in every version.
pub fn shard_of_name(name: &str) -> usize {
    SecretHash::of(name.as_bytes()).part_of(SHARDS)
}

/// `login:` token → user
pub fn login() -> Key {
    "login:".into()
}

/// `recent:` token → when it was last used, in seconds since 1970
pub fn recent() -> Key {
    "recent:".into()
}

/// `viewed:{uuid_session_token}`, the newest last
pub fn viewed(token: &SecretHash) -> Key {
    format!("viewed:{}", token.hex()).into()
}

/// `viewed:` item → minus its views
pub fn popular() -> Key {
    "viewed:".into()
}

/// `cart:{uuid_session_token}` item → quantity
pub fn cart(token: &SecretHash) -> Key {
    format!("cart:{}", token.hex()).into()
}

/// Token → when the visit began, in seconds since 1970.
pub fn born() -> Key {
    "born:".into()
}

/// Token → under which token the cart of a visit rests that has none of its own.
pub fn home() -> Key {
    "home:".into()
}

/// The visits of one shopper: token → when it logged in, in seconds since 1970.
pub fn visits_of(shopper: &Shopper) -> Key {
    format!("visits:{shopper}").into()
}

/// Under which token a shopper's cart rests.
pub fn cart_of(shopper: &Shopper) -> Key {
    format!("cart-of:{shopper}").into()
}

/// The changes that a cart has seen, by their clients' ids; the newest have the lowest score.
pub fn changes(token: &SecretHash) -> Key {
    format!("cart-changes:{}", token.hex()).into()
}

/// How often a cart has changed, in the one field of a hash.
pub fn version(token: &SecretHash) -> Key {
    format!("cart-version:{}", token.hex()).into()
}

pub const VERSION: &str = "version";

/// The carts that nobody has been told of as abandoned: token → when it last changed, in seconds since 1970.
pub fn carts() -> Key {
    "carts:".into()
}

/// What a guest left behind who has logged in, until it has arrived.
pub fn left(token: &SecretHash) -> Key {
    format!("left:{}", token.hex()).into()
}

/// Which halving of the popular items is done, and how far.
pub fn halved() -> Key {
    "halved:".into()
}

/// Uses and views that are safe but not yet in their places: number → a group of them. Only on a store of one process.
pub fn notes() -> Key {
    "notes:".into()
}

/// Where nodes tell each other which carts have changed and which visits have ended; nothing is kept there.
pub fn bulletin() -> RoomKey {
    let key = Key::from("parlor_shop");
    RoomKey { tag: key.clone(), spine: key, records: Vec::new().into(), below: None }
}

/// What is told there: the token's hash.
pub fn told(token: &SecretHash) -> Bytes {
    token.hex().into()
}

pub fn read_told(word: &[u8]) -> Option<SecretHash> {
    SecretHash::from_hex(std::str::from_utf8(word).ok()?)
}

/// What is told there of pages that are to leave every node's memory.
pub fn told_purge(words: &str) -> Bytes {
    format!("{PURGE}{words}").into()
}

pub fn read_purge(word: &[u8]) -> Option<&str> {
    std::str::from_utf8(word).ok()?.strip_prefix(PURGE)
}

const PURGE: &str = "purge ";

/// How a token is written as a field or a member.
pub fn field(token: &SecretHash) -> Field {
    token.hex().into()
}

pub fn token(field: &str) -> Option<SecretHash> {
    SecretHash::from_hex(field)
}

pub fn item(item: &Item) -> Field {
    item.shared().clone()
}

/// Document 004 writes moments as seconds with a fraction.
pub fn seconds(at: Millis) -> Score {
    Score::new(at.0 as f64 / 1000.0).expect("a number of milliseconds is a number")
}

pub fn millis(score: Score) -> Millis {
    Millis((score.get() * 1000.0).round().max(0.0) as u64)
}

/// What to ask for to know a visit.
pub fn asked(token: &SecretHash) -> Vec<Query> {
    let field = field(token);
    vec![
        Query::Score(recent(), field.clone()),
        Query::Score(born(), field.clone()),
        Query::Field(login(), field.clone()),
        Query::Field(home(), field),
    ]
}

/// The visit that the answers to `asked` tell of. Without a last use there is none.
pub fn wake(token: SecretHash, answers: &[Answer]) -> Result<Option<Visit>, Damaged> {
    let [used, born, login, home] = answers else { return Err(damaged("a visit", "its answers are not four")) };
    let Answer::Score(used) = used else { return Ok(None) };
    let last_used = millis(*used);
    let since = if let Answer::Score(born) = born { millis(*born) } else { last_used };
    let shopper = if let Answer::Bytes(name) = login { Some(read("login:", text("login:", name)?)?) } else { None };
    let cart = match home {
        Answer::Bytes(home) => self::token(text("home:", home)?).ok_or_else(|| damaged("home:", "not a hash"))?,
        _ => token,
    };
    Ok(Some(Visit { token, shopper, cart, since, last_used }))
}

/// A cart's lines as they rest. What is no item or no quantity is left out: somebody else wrote it.
pub fn wake_cart(record: Option<&Value>) -> Cart {
    let Some(Value::Hash(fields)) = record else { return Cart::default() };
    let line = |(field, value): (&Field, &Bytes)| {
        let count: i64 = std::str::from_utf8(value).ok()?.parse().ok()?;
        Some((field.parse().ok()?, Quantity::of(count)?))
    };
    Cart { lines: fields.iter().filter_map(line).collect() }
}

pub fn cart_record(cart: &Cart) -> Value {
    Value::Hash(cart.lines.iter().map(|(item, quantity)| (self::item(item), quantity.get().to_string().into())).collect())
}

/// The items of `viewed:{token}`, the newest first.
pub fn wake_viewed(record: Option<&Value>) -> Vec<Item> {
    let Some(Value::List(items)) = record else { return Vec::new() };
    let item = |item: &Bytes| std::str::from_utf8(item).ok()?.parse().ok();
    items.iter().rev().filter_map(item).collect()
}

/// How a visit stood when its holder logged in: what is still to be taken from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// The cart and what was viewed.
    Guest,
    /// What was viewed: the cart is the shopper's.
    Shopper,
}

pub fn left_record(left: Left) -> Value {
    Value::Text(Bytes::from_static(match left {
        Left::Guest => b"guest",
        Left::Shopper => b"shopper",
    }))
}

pub fn wake_left(record: &Value) -> Option<Left> {
    match record {
        Value::Text(text) if text == "guest" => Some(Left::Guest),
        Value::Text(text) if text == "shopper" => Some(Left::Shopper),
        _ => None,
    }
}

/// Names the change of a cart that a login is, so that it happens once.
pub fn login_change(guest: &SecretHash) -> Field {
    format!("login:{}", guest.hex()).into()
}

/// Names a change by its client's id.
pub fn client_change(id: &str) -> Field {
    format!("id:{id}").into()
}

/// A cart that was told of as abandoned, until whoever wants to know has heard it.
pub fn abandoned() -> Key {
    "abandoned:".into()
}

/// Which node tells of abandoned carts now.
pub fn teller() -> Key {
    "teller:".into()
}

/// Whose a cart is that belongs to a shopper.
pub fn owner(cart: &SecretHash) -> Key {
    format!("owner:{}", cart.hex()).into()
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abandoned {
    pub shopper: Option<Shopper>,
    pub cart: Cart,
    pub changed: Millis,
}

#[derive(Serialize, Deserialize)]
struct AbandonedForm {
    user: Option<String>,
    lines: BTreeMap<String, i64>,
    changed: u64,
}

pub fn abandoned_record(abandoned: &Abandoned) -> Bytes {
    let lines = abandoned.cart.lines.iter().map(|(item, quantity)| (item.to_string(), quantity.get())).collect();
    json(&AbandonedForm { user: abandoned.shopper.as_ref().map(ToString::to_string), lines, changed: abandoned.changed.0 })
}

pub fn wake_abandoned(record: &[u8]) -> Result<Abandoned, Damaged> {
    let form: AbandonedForm = parse("abandoned:", record)?;
    let line = |(item, count): (String, i64)| Some((item.parse().ok()?, Quantity::of(count)?));
    Ok(Abandoned {
        shopper: form.user.map(|name| read("abandoned:", &name)).transpose()?,
        cart: Cart { lines: form.lines.into_iter().filter_map(line).collect() },
        changed: Millis(form.changed),
    })
}

fn text<'a>(what: &str, bytes: &'a [u8]) -> Result<&'a str, Damaged> {
    std::str::from_utf8(bytes).map_err(|error| damaged(what, error))
}
