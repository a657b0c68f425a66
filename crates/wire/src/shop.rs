//! The words of the shop (document 004). REST alone speaks them. A token is said once, in the answer that makes it.

use crate::ask::{Fault, shallow, words};
use crate::secret::Secret;
use parlor_rules::Millis;
use parlor_rules::shop::cart::CHANGE_ID_BYTES_MAX;
use parlor_rules::shop::{Cart, Change, Item, Lifetimes, Merge, Shopper, Visit};
use serde::Deserialize;
use serde_json::{Value, json};

/// `{"item":"7"}`: a visit looks at an item, or is only used.
pub fn touch(with: Option<&str>) -> Result<Option<Item>, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        item: Option<String>,
    }
    shallow(with)?;
    words::<Words>(with)?.item.map(|item| self::item(&item)).transpose()
}

/// `{"user":"ana","merge":"sum"}`
pub fn login(with: Option<&str>) -> Result<(Shopper, Merge), Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        user: String,
        merge: Option<String>,
    }
    shallow(with)?;
    let Words { user, merge } = words(with)?;
    let merge = merge.map(|merge| merge.parse().map_err(|why| Fault::bad(format!("merge: {why}")))).transpose()?;
    Ok((shopper(&user)?, merge.unwrap_or_default()))
}

/// A change of a cart and its client's id for it, by verb.
pub fn change(verb: &str, with: Option<&str>) -> Result<(Change, Option<String>), Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Counted {
        item: String,
        quantity: i64,
        id: Option<String>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Named {
        item: String,
        id: Option<String>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {
        id: Option<String>,
    }
    shallow(with)?;
    let (change, id) = match verb {
        "set" => words(with).and_then(|Counted { item, quantity, id }| Ok((Change::Set(self::item(&item)?, quantity), id)))?,
        "add" => words(with).and_then(|Counted { item, quantity, id }| Ok((Change::Add(self::item(&item)?, quantity), id)))?,
        "remove" => words(with).and_then(|Named { item, id }| Ok((Change::Remove(self::item(&item)?), id)))?,
        "clear" => words(with).map(|Nothing { id }| (Change::Clear, id))?,
        _ => return Err(Fault::bad("a cart knows set, add, remove and clear")),
    };
    let fits = |id: &String| !id.is_empty() && id.len() <= CHANGE_ID_BYTES_MAX && id.bytes().all(|byte| byte.is_ascii_graphic());
    if id.as_ref().is_some_and(|id| !fits(id)) {
        return Err(Fault::bad(format!("an id is 1 to {CHANGE_ID_BYTES_MAX} visible ASCII characters")));
    }
    Ok((change, id))
}

/// `{"delay":10.0}`
pub fn delay(with: Option<&str>) -> Result<f64, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        delay: f64,
    }
    shallow(with)?;
    words::<Words>(with).map(|words| words.delay)
}

/// What is to leave the page cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purged {
    Url(String),
    Group(String),
    SurrogateKey(String),
    Row(String),
    All,
}

/// `{"url":"https://…"}`, `{"group":"…"}`, `{"surrogate_key":"…"}`, `{"row":"…"}` or `{"all":true}`; with `"soft":true` what is
/// kept may still be served while it is fetched anew.
pub fn purge(with: Option<&str>) -> Result<(Purged, bool), Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        url: Option<String>,
        group: Option<String>,
        surrogate_key: Option<String>,
        row: Option<String>,
        #[serde(default)]
        all: bool,
        #[serde(default)]
        soft: bool,
    }
    shallow(with)?;
    let Words { url, group, surrogate_key, row, all, soft } = words(with)?;
    let said = [
        url.map(Purged::Url),
        group.map(Purged::Group),
        surrogate_key.map(Purged::SurrogateKey),
        row.map(Purged::Row),
        all.then_some(Purged::All),
    ];
    let mut said = said.into_iter().flatten();
    match (said.next(), said.next()) {
        (Some(purged), None) => Ok((purged, soft)),
        _ => Err(Fault::bad("say what to purge, one of: url, group, surrogate_key, row, \"all\": true")),
    }
}

/// The same words again, for another node.
pub fn purge_words(purged: &Purged, soft: bool) -> String {
    let (name, value) = match purged {
        Purged::Url(url) => ("url", Value::from(url.as_str())),
        Purged::Group(name) => ("group", name.as_str().into()),
        Purged::SurrogateKey(name) => ("surrogate_key", name.as_str().into()),
        Purged::Row(row) => ("row", row.as_str().into()),
        Purged::All => ("all", true.into()),
    };
    json!({ name: value, "soft": soft }).to_string()
}

pub fn item(text: &str) -> Result<Item, Fault> {
    text.parse().map_err(|why| Fault::bad(format!("this is no item's name: {why}")))
}

pub fn shopper(text: &str) -> Result<Shopper, Fault> {
    text.parse().map_err(|why| Fault::bad(format!("this is no user's name: {why}")))
}

pub fn visit_body(visit: &Visit, lifetimes: &Lifetimes) -> Value {
    json!({
        "user": visit.shopper.as_ref().map(Shopper::as_str),
        "since": visit.since.0,
        "last_used": visit.last_used.0,
        "idle_until": visit.idle_until(lifetimes).0,
        "ends": visit.ends(lifetimes).0,
    })
}

/// By which an operator can name a visit or a cart without being able to open it.
pub fn short_id(token: &parlor_rules::SecretHash) -> String {
    token.hex()[..16].to_owned()
}

pub fn listed_visit_body(visit: &Visit, lifetimes: &Lifetimes) -> Value {
    let mut body = visit_body(visit, lifetimes);
    body["id"] = short_id(&visit.token).into();
    body
}

/// The answer that makes a token, the only place it is ever said.
pub fn new_visit_body(visit: &Visit, lifetimes: &Lifetimes, token: &Secret) -> Value {
    json!({ "token": token.expose(), "visit": visit_body(visit, lifetimes) })
}

pub fn cart_body(cart: &Cart, expires: Option<Millis>, version: i64) -> Value {
    let lines = cart.lines.iter().map(|(item, quantity)| json!({ "item": item.as_str(), "quantity": quantity.get() }));
    json!({
        "lines": lines.collect::<Vec<_>>(),
        "items": cart.lines.len(),
        "count": cart.count(),
        "expires_at": expires.map(|at| at.0),
        "version": version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_what_is_wrong_with_it() {
        let bad = |verb, with| change(verb, Some(with)).map(drop).unwrap_err().message;
        assert!(bad("add", "{}").contains("item"));
        assert!(bad("add", r#"{"item":"7"}"#).contains("quantity"));
        assert!(bad("add", r#"{"item":"7","quantity":1e309}"#).contains("number"));
        assert!(bad("add", r#"{"item":"7","quantity":1.5}"#).contains("i64"));
        assert!(bad("add", r#"{"item":"","quantity":1}"#).contains("empty"));
        assert!(bad("set", r#"{"item":"a\nb","quantity":1}"#).contains("cannot be seen"));
        assert!(bad("clear", r#"{"item":"7"}"#).contains("unknown field"));
        assert!(bad("add", r#"{"item":"7","quantity":1,"id":""}"#).contains("an id is"));
        assert!(bad("steal", "{}").contains("knows set, add"));
        assert!(change("clear", None).is_ok());
    }

    #[test]
    fn one_thing_is_purged_at_a_time() {
        assert_eq!(purge(Some(r#"{"url":"/x","soft":true}"#)).unwrap(), (Purged::Url("/x".into()), true));
        assert_eq!(purge(Some(r#"{"all":true}"#)).unwrap(), (Purged::All, false));
        for purged in [
            Purged::All,
            Purged::Url("/x".into()),
            Purged::Group("g".into()),
            Purged::Row("7".into()),
            Purged::SurrogateKey("k".into()),
        ] {
            assert_eq!(purge(Some(&purge_words(&purged, true))).unwrap(), (purged, true));
        }
        for wrong in ["{}", r#"{"all":false}"#, r#"{"url":"/x","group":"y"}"#] {
            assert!(purge(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
