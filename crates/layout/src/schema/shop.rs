//! The shop's keys (document 004), for the schema page.

use super::example::{CREATED, value};
use super::{ADDITIVE, Row, Shape, part};
use crate::shop::{rows, visits as layout};
use parlor_rules::shop::{Cart, Quantity};
use parlor_rules::{Millis, SecretHash, Span};
use parlor_store::{Key, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const VISIT: &str = "that of the visit";
const CART: &str = "14 days from the last change for a guest, 90 for a shopper, or as set";
const NEVER: &str = "none";

pub const SHOP: &[Row] = &[
    Row {
        key: "login:",
        shape: Shape::Hash,
        lifetime: NEVER,
        from: "004, line 11",
        holds: "who is logged in: token → user; `(visit)` is its token's SHA-256, 64 hexadecimal digits, here and below",
        parts: &[part("(visit)", "004, line 38", "the user's name, as the shop gave it")],
    },
    Row {
        key: "recent:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: "004, line 12",
        holds: "all visits, guests too: token → when it was last used; a visit that is not here is over",
        parts: &[part("(visit)", "004, line 47", "seconds since 1970, with a fraction")],
    },
    Row {
        key: "viewed:(visit)",
        shape: Shape::List,
        lifetime: VISIT,
        from: "004, line 13",
        holds: "the newest 25 items that the visit looked at, once each, the newest last",
        parts: &[part("", "004, line 56", "an item")],
    },
    Row {
        key: "viewed:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: "004, line 14",
        holds: "what is popular: item → minus its views, halved every 300 s; the first 20,000 are kept",
        parts: &[part("(user_name)", "004, line 65", "the item; a visit counts once for it in half an hour")],
    },
    Row {
        key: "cart:(visit)",
        shape: Shape::Hash,
        lifetime: CART,
        from: "004, line 15",
        holds: "a cart: under a guest's own token, or under the token of a shopper's first login, whichever visit uses it",
        parts: &[part("(user_name)", "004, line 75", "item → quantity, 1 to 9,999")],
    },
    Row {
        key: "inv:(row_id)",
        shape: Shape::Document,
        lifetime: "four delays, at least 5 min, from the last reading",
        from: "004, line 22",
        holds: "a row of the shop's database",
        parts: &[part("(user_name)", "004, line 84", "a column and its value, as JSON")],
    },
    Row {
        key: "schedule:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: "004, line 23",
        holds: "when each row is read next; while one is read, when somebody else may read it",
        parts: &[part("(row_id)", "004, line 93", "seconds since 1970, with a fraction")],
    },
    Row {
        key: "delay:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: "004, line 24",
        holds: "how long to wait between two readings of each row",
        parts: &[part("(row_id)", "004, line 103", "seconds")],
    },
    Row {
        key: "row-state:(row_id)",
        shape: Shape::Text,
        lifetime: "that of the claim, or of what was read",
        from: ADDITIVE,
        holds: "whose reading of the row counts: a later claim makes an earlier one worthless",
        parts: &[part("", ADDITIVE, "the claim's number, 16 hexadecimal digits")],
    },
    Row {
        key: "row-read:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "when what is kept of each row was read",
        parts: &[part("(row_id)", ADDITIVE, "seconds since 1970, with a fraction")],
    },
    Row {
        key: "row-failing:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "rows whose last readings failed",
        parts: &[part("(row_id)", ADDITIVE, "how often in a row")],
    },
    Row {
        key: "row-missing:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "rows that the database does not have (any more)",
        parts: &[part("(row_id)", ADDITIVE, "since when, in seconds since 1970")],
    },
    Row {
        key: "cache:(visit)",
        shape: Shape::Text,
        lifetime: "as long as the page may be used",
        from: "004, line 31",
        holds: "a page of the origin; here `(visit)` is the SHA-256 of the page's key: scheme, host, path and query",
        parts: &[part("", "004, line 112", "its body, as the origin sent it")],
    },
    Row {
        key: "cache-head:(visit)",
        shape: Shape::Text,
        lifetime: "as `cache:`",
        from: ADDITIVE,
        holds: "what else belongs to that page",
        parts: &[part("", ADDITIVE, "its key, status, headers, times and variants")],
    },
    Row {
        key: "cache-purged:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "what was purged, the newest 1,000 names: pages that were kept before that are not used",
        parts: &[part("(visit)", ADDITIVE, "minus when, in milliseconds since 1970; here `(visit)` is the SHA-256 of the name")],
    },
    Row {
        key: "born:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "token → when the visit began, by which it ends however much it is used",
        parts: &[part("(visit)", ADDITIVE, "seconds since 1970, with a fraction")],
    },
    Row {
        key: "home:",
        shape: Shape::Hash,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "where the cart of a logged-in visit is, if not under its own token",
        parts: &[part("(visit)", ADDITIVE, "the other token's hash")],
    },
    Row {
        key: "visits:(user_name)",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "the visits of one user, at most 32",
        parts: &[part("(visit)", ADDITIVE, "when it logged in, in seconds since 1970")],
    },
    Row {
        key: "cart-of:(user_name)",
        shape: Shape::Text,
        lifetime: "as long as a visit or a cart of theirs can live",
        from: ADDITIVE,
        holds: "under which token a user's cart is",
        parts: &[part("", ADDITIVE, "the token's hash")],
    },
    Row {
        key: "owner:(visit)",
        shape: Shape::Text,
        lifetime: "as `cart-of:`",
        from: ADDITIVE,
        holds: "whose the cart under this token is",
        parts: &[part("", ADDITIVE, "the user's name")],
    },
    Row {
        key: "cart-changes:(visit)",
        shape: Shape::SortedSet,
        lifetime: "that of the cart",
        from: ADDITIVE,
        holds: "the newest 256 changes that had an id, and the logins that merged into it, so that each happens once",
        parts: &[part(
            "(user_name)",
            ADDITIVE,
            "`id:` and the client's id, or `login:` and the old token; minus when, in milliseconds",
        )],
    },
    Row {
        key: "cart-version:(visit)",
        shape: Shape::Hash,
        lifetime: "that of the cart",
        from: ADDITIVE,
        holds: "how often the cart has changed, so that whoever hears of two changes knows which is newer",
        parts: &[part("version", ADDITIVE, "a whole number")],
    },
    Row {
        key: "carts:",
        shape: Shape::SortedSet,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "carts that may be abandoned one day",
        parts: &[part("(visit)", ADDITIVE, "when it last changed, in seconds since 1970")],
    },
    Row {
        key: "abandoned:",
        shape: Shape::Hash,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "abandoned carts that nobody has heard of yet, at most 1,000",
        parts: &[
            part("(visit).user", ADDITIVE, "whose it is; null for a guest"),
            part("(visit).lines", ADDITIVE, "item → quantity"),
            part("(visit).changed", ADDITIVE, "when it last changed, in milliseconds since 1970"),
        ],
    },
    Row {
        key: "teller:",
        shape: Shape::Text,
        lifetime: "30 s",
        from: ADDITIVE,
        holds: "which node tells of abandoned carts, so that one does; only where several use the store",
        parts: &[part("", ADDITIVE, "the node's number of this run")],
    },
    Row {
        key: "left:(visit)",
        shape: Shape::Text,
        lifetime: "60 min",
        from: ADDITIVE,
        holds: "that the visit with this token was logged in, so that a login cut off in the middle can go on",
        parts: &[part("", ADDITIVE, "`guest` or `shopper`: what it was before")],
    },
    Row {
        key: "halved:",
        shape: Shape::Text,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "which period's halving of `viewed:` is done",
        parts: &[part("", ADDITIVE, "the period, seconds since 1970 divided by 300; then how many items, while it goes on")],
    },
    Row {
        key: "notes:",
        shape: Shape::Hash,
        lifetime: NEVER,
        from: ADDITIVE,
        holds: "uses and views that are safe and not yet in their places, in groups; only on memory and embedded",
        parts: &[part("(number)", ADDITIVE, "a group of notes: flags, token, time and item of each")],
    },
];

pub(super) const NOTES: &str = "
The shop's keys are document 004's. Its modules are these of ours:

| the document's module | here |
|---|---|
| `crate::session_cookie` | `crates/shop`: `visits.rs`, `login.rs`, `guestbook.rs`, `folding.rs`, `cleaning.rs` |
| `crate::shopping_cart` | `crates/shop`: `carts.rs`, `abandoned.rs` |
| `crate::analytics` | `crates/shop`: `popular.rs` |
| `crate::database_row_cache` | `crates/rows` |
| `crate::web_page_caching` | `crates/edge`, and `crates/server/src/shop` |

Logins, carts and ends of visits are kept before they are answered. Uses and views are noted in memory and kept within 100 ms, which
is what a crash may lose of them; after a crash a view may count twice. On a cluster everything of one visit, one user or one item lies under one of 16 tags,
`{shop-0}` to `{shop-f}`, and each global key is in 16 pieces: `{shop-3}:login:`, `{shop-3}:recent:`, and so on; a user's visits and
cart lie under the user's tag, because a login draws tokens until one falls there. Rows lie under 64 tags of their own, `{row-00}` to `{row-3f}`. `parlor move` carries the shop between stores of one place, not from or to a cluster.
";

fn token() -> SecretHash {
    SecretHash::of(b"a visit's token")
}

/// A visit of Ana's, a minute after she logged in with two things in her cart.
fn examples() -> Vec<(Key, Value)> {
    let at = CREATED + Span::minutes(1);
    let token = token();
    let field = layout::field(&token);
    let hash = |pairs: &[(&str, &str)]| -> Value {
        Value::Hash(pairs.iter().map(|(field, value)| ((*field).into(), value.as_bytes().to_vec().into())).collect())
    };
    let set = |pairs: &[(&str, Millis)]| -> Value {
        Value::SortedSet(pairs.iter().map(|(member, at)| ((*member).into(), layout::seconds(*at))).collect())
    };
    let score = |score: f64| parlor_store::Score::new(score).expect("a number");
    let text = |text: &str| Value::Text(text.as_bytes().to_vec().into());
    let line = |item: &str, count| (item.parse().expect("a name"), Quantity::of(count).expect("one at least"));
    let cart = Cart { lines: [line("item2", 10), line("item3", 3)].into() };
    let shopper = "ana".parse().expect("a name");
    let earlier = SecretHash::of(b"the token of her first visit");
    let abandoned = layout::Abandoned { shopper: Some("ana".parse().expect("a name")), cart: cart.clone(), changed: CREATED };
    let abandoned = Value::Hash(BTreeMap::from([(field.clone(), layout::abandoned_record(&abandoned))]));
    let popular = [("item2".into(), score(-23.0)), ("item3".into(), score(-1.0))];
    let changes = [("id:c1".into(), score(-(CREATED.0 as f64)))];
    vec![
        (layout::login(), hash(&[(&field, "ana")])),
        (layout::recent(), set(&[(&field, at)])),
        (layout::viewed(&token), Value::List(vec!["item3".into(), "item2".into()])),
        (layout::popular(), Value::SortedSet(popular.into())),
        (layout::cart(&token), layout::cart_record(&cart)),
        (rows::inv_key("237"), rows::inv(&bytes::Bytes::from_static(br#"{"id":"237","qty":629,"name":"GTab 7inch"}"#))),
        (rows::schedule_key(), set(&[("237", at)])),
        (rows::delay_key(), Value::SortedSet([("237".into(), score(10.0))].into())),
        (rows::state_key("237"), rows::state(0x1f)),
        (rows::read_key(), set(&[("237", at)])),
        (rows::failing_key(), Value::SortedSet([("238".into(), score(2.0))].into())),
        (rows::missing_key(), set(&[("239", at)])),
        (crate::shop::pages::body(token.bytes()), text("<html>…</html>")),
        (crate::shop::pages::head(token.bytes()), text("…")),
        (crate::shop::pages::purged(), Value::SortedSet([(field.clone(), score(-(CREATED.0 as f64)))].into())),
        (layout::born(), set(&[(&field, CREATED)])),
        (layout::home(), hash(&[(&field, &earlier.hex())])),
        (layout::visits_of(&shopper), set(&[(&field, CREATED)])),
        (layout::cart_of(&shopper), text(&token.hex())),
        (layout::owner(&token), text("ana")),
        (layout::changes(&token), Value::SortedSet(changes.into())),
        (layout::version(&token), hash(&[(layout::VERSION, "7")])),
        (layout::carts(), set(&[(&field, at)])),
        (layout::abandoned(), abandoned),
        (layout::teller(), text("7316273042113337")),
        (layout::left(&earlier), layout::left_record(layout::Left::Guest)),
        (layout::halved(), text("5890752")),
        (layout::notes(), hash(&[("17", "…")])),
    ]
}

/// The key of this row as `redis-cli` shows it.
pub(super) fn shown(row: &Row) -> String {
    let mut shown = String::new();
    for (key, held) in examples().iter().filter(|(key, _)| row.is_for(key)) {
        let command = match held {
            Value::Text(_) | Value::Document(_) => format!("GET {key}"),
            Value::Hash(_) => format!("HGETALL {key}"),
            Value::List(_) => format!("LRANGE {key} 0 -1"),
            Value::SortedSet(_) => format!("ZRANGE {key} 0 -1 WITHSCORES"),
        };
        let _ = writeln!(shown, "> {command}");
        value(&mut shown, held);
    }
    shown
}
