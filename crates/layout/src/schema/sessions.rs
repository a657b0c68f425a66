//! A session's keys, for the schema page, and the session that the page shows.

use super::example::{CREATED, value, word};
use super::{Row, Shape, part};
use crate::session::records;
use parlor_rules::{SecretHash, Session};
use std::fmt::Write as _;

const LIFE: &str = "60 min from the last authenticated command";

pub const SESSIONS: &[Row] = &[
    Row {
        key: "token:(token)",
        shape: Shape::Text,
        lifetime: LIFE,
        from: "000, line 11",
        holds: "the id of whoever is logged in with that token; `(token)` is the token's SHA-256, 64 hexadecimal digits",
        parts: &[part("", "000, line 11", "the user id")],
    },
    Row {
        key: "user_id:(user_id)",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "000, line 12",
        holds: "who has that id",
        parts: &[
            part("user_id", "000, line 12", "the same id"),
            part("user_name", "000, line 12", "the name as it was given"),
            part("token", "000, line 12", "`sha256:<hex>` of the token"),
        ],
    },
    Row {
        key: "user_name:(user_name)",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "000, line 13",
        holds: "who is logged in under that name; `(user_name)` is what all spellings of it share: NFKC, case folded, nothing unseen",
        parts: &[part("user_id", "000, line 13", "the holder's id")],
    },
];

pub(super) const NOTES: &str = "
A session's three keys are written, renewed and taken away in one batch, on the condition that they are as they were
read, and always with the same deadline. Each points at another; a session is honoured only if all three are there and
agree, and a name whose session is half gone is taken over by comparing. Renewal is exact and written at most once a
second: `docs/decisions/0007-sessions.md`.
";

/// The key of this row as `redis-cli` shows it.
pub(super) fn shown(row: &Row) -> String {
    let session = Session::new(word("user_id_1"), word("Ana"), SecretHash::of(b"ana's token"), CREATED);
    let mut shown = String::new();
    for (key, held) in records(&session).iter().filter(|(key, _)| row.is_for(key)) {
        let _ = writeln!(shown, "> GET {key}");
        value(&mut shown, held);
        let _ = writeln!(shown, "> PEXPIRETIME {key}\n{}", session.expires);
    }
    shown
}
