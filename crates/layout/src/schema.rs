//! What a store holds, key by key: the table that `docs/schema.md` shows, and the page itself.
//!
//! The table is checked against real writes and the examples are made by the rules and the layout, so the
//! page cannot say what the code does not do. A key or member that is written but not listed fails a test.

mod example;
pub mod items;
mod reels;
mod sessions;
mod shop;
mod spaces;

use example::Example;
use parlor_store::Value;
pub use reels::REELS;
pub use sessions::SESSIONS;
pub use shop::SHOP;
pub use spaces::{BELOW, SPACES};
use std::fmt::Write as _;

/// One kind of key.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// As the documents write it: `(room_id)` stands for any one id.
    pub key: &'static str,
    pub shape: Shape,
    pub lifetime: &'static str,
    pub from: &'static str,
    pub holds: &'static str,
    pub parts: &'static [Part],
}

/// One thing inside a key: a stream entry's or a hash's field, then the way through its JSON.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub path: &'static str,
    pub from: &'static str,
    pub holds: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Text,
    Document,
    Hash,
    List,
    SortedSet,
    Stream,
}

const ADDITIVE: &str = "additive";
const LIFE: &str = "60 min, or what the room was made with, from the last accepted command other than leaving";

pub const TABLE: &[Row] = &[
    Row {
        key: "room_condition:(room_id)",
        shape: Shape::Stream,
        lifetime: LIFE,
        from: "000, lines 22, 44, 104, 178, 201",
        holds: "one entry a commit; its id is the millisecond of the room's creation and the number of the commit",
        parts: &[
            part("room_condition_message.room_id", "000, line 27", "the room's id"),
            part(
                "room_condition_message.admin_user_id",
                "000, line 64",
                "first to join or made so, then longest there; empty when nobody is",
            ),
            part("room_condition_message.vote_state", "000, line 34", "1 (hide), 2 (open)"),
            part("room_condition_message.ballots", "000, line 54", "who sits at the table, in the order they came"),
            part("room_condition_message.ballots[].user_id", "000, line 57", "the person's public id in this room"),
            part("room_condition_message.ballots[].user_name", "000, line 58", "the name shown"),
            part(
                "room_condition_message.ballots[].point",
                "000, line 65",
                "0 not voted; a positive whole-number card is itself; any other is minus its place in the deck, from 1",
            ),
            part("room_condition_message.ballots[].vote", ADDITIVE, "the card's text, which is the truth; absent when not voted"),
            part("commit.at", ADDITIVE, "when, in milliseconds since 1970"),
            part("commit.renews", ADDITIVE, "whether it set the room's deadline anew"),
            part("commit.done", ADDITIVE, "the accepted acts, in order"),
            part("commit.done[].by", ADDITIVE, "the author's user id; absent for a timer or a host without a user key"),
            part("commit.done[].client", ADDITIVE, "the program that sent the command, when it numbers its commands"),
            part("commit.done[].n", ADDITIVE, "the command's number"),
            part("commit.done[].events", ADDITIVE, "what came of it; empty when there was nothing to change"),
            part(
                "commit.done[].events[].joined",
                ADDITIVE,
                "`user`, `key` (`sha256:<hex>`, or `session`), `name`, `observer` when true",
            ),
            part("commit.done[].events[].renamed", ADDITIVE, "`user`, `name`"),
            part("commit.done[].events[].observer_set", ADDITIVE, "`user`, `observer`"),
            part("commit.done[].events[].voted", ADDITIVE, "`user`, `vote`"),
            part("commit.done[].events[].took_back", ADDITIVE, "`user`"),
            part("commit.done[].events[].shown", ADDITIVE, "nothing more"),
            part("commit.done[].events[].hidden", ADDITIVE, "nothing more"),
            part("commit.done[].events[].reset", ADDITIVE, "nothing more"),
            part("commit.done[].events[].deck_set", ADDITIVE, "`valid_sizes`"),
            part(
                "commit.done[].events[].updated",
                ADDITIVE,
                "`name`, `auto_reveal`, `reveal_by`, `life_minutes`, as in the settings",
            ),
            part("commit.done[].events[].timer_started", ADDITIVE, "`ends`, in milliseconds since 1970; `is_quiet` when true"),
            part("commit.done[].events[].timer_stopped", ADDITIVE, "nothing more"),
            part("commit.done[].events[].handed_over", ADDITIVE, "`user`"),
            part("commit.done[].events[].kicked", ADDITIVE, "`user`; `ban` when true"),
            part("commit.done[].events[].left", ADDITIVE, "`user`"),
            part("commit.done[].events[].forgotten", ADDITIVE, "`user`; `cut` when it was by another's hand"),
            part(
                "commit.done[].events[].stories_added",
                ADDITIVE,
                "`stories` (each with `story_id`, `title`, `link`, `estimate`), `at`, the place of the first",
            ),
            part("commit.done[].events[].story_edited", ADDITIVE, "the story as it is now"),
            part("commit.done[].events[].story_moved", ADDITIVE, "`story_id`, `to`"),
            part("commit.done[].events[].story_removed", ADDITIVE, "`story_id`"),
            part("commit.done[].events[].story_picked", ADDITIVE, "`story_id`, or null"),
            part(
                "commit.done[].events[].deleted",
                ADDITIVE,
                "nothing more; a deleted room's keys are taken away, so no store shows it",
            ),
            part(
                MARK,
                ADDITIVE,
                "16 random hexadecimal digits: they tell two histories with the same ids apart; added by the store",
            ),
        ],
    },
    Row {
        key: "room_settings:(room_id)",
        shape: Shape::Document,
        lifetime: LIFE,
        from: ADDITIVE,
        holds: "the table without its seats, stories and history; written when one of these members changes",
        parts: &[
            part("host_key", ADDITIVE, "`sha256:<hex>` of document 003's hostKey"),
            part("valid_sizes", ADDITIVE, "the deck, as document 003 writes validSizes"),
            part("admin_user_id", ADDITIVE, "as in the room condition"),
            part("vote_state", ADDITIVE, "as in the room condition"),
            part("sealed", ADDITIVE, "whether the cards of this round have been seen; missing in old rooms: as open"),
            part("round", ADDITIVE, "1, and one more for every reset, deck or story picked"),
            part("timer_ends", ADDITIVE, "when the timer ends, in milliseconds since 1970; null without a timer"),
            part("timer_is_quiet", ADDITIVE, "true when the end of the timer does not show the cards; absent otherwise"),
            part("story_id", ADDITIVE, "the story that is being estimated; absent without one"),
            part("banned", ADDITIVE, "user ids that may not join again, the newest last, at most 200; absent without any"),
            part("name", ADDITIVE, "what the room is called; absent without a name"),
            part("auto_reveal", ADDITIVE, "true when the cards open once every voter has voted; absent otherwise"),
            part("reveal_by", ADDITIVE, "`host` or `everyone`; missing in old rooms: host"),
            part("life_minutes", ADDITIVE, "how long the room lives after it was last used; missing in old rooms: 60"),
            part("created_at", ADDITIVE, "in milliseconds since 1970"),
        ],
    },
    Row {
        key: "room_seats:(room_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: ADDITIVE,
        holds: "a field for everyone at the table; no key when nobody is",
        parts: &[
            part("(user_id).user_name", ADDITIVE, "the name shown"),
            part("(user_id).user_key", ADDITIVE, "`sha256:<hex>` of document 003's userKey, or `session` for who is logged in"),
            part("(user_id).observer", ADDITIVE, "true for who watches from a seat and does not vote; absent otherwise"),
            part("(user_id).arrival", ADDITIVE, "the place in line: the lowest present inherits the table"),
            part("(user_id).vote", ADDITIVE, "the card's text; absent when not voted"),
        ],
    },
    Row {
        key: "room_stories:(room_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: ADDITIVE,
        holds: "a field for every story, at most 200, and one for their order; no key when there never was a story",
        parts: &[
            part("order.made", ADDITIVE, "how many were ever made: the number of the newest"),
            part("order.story_ids", ADDITIVE, "the stories in their order"),
            part("(story_id).title", ADDITIVE, "what it is called"),
            part("(story_id).link", ADDITIVE, "where it is written down, http or https; absent without one"),
            part("(story_id).estimate", ADDITIVE, "the card that was agreed on; absent without one"),
        ],
    },
    Row {
        key: "room_history:(room_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: ADDITIVE,
        holds: "a field for every round that was shown with votes, the newest 100; no key when there is none",
        parts: &[
            part("(round).at", ADDITIVE, "when it was first shown, in milliseconds since 1970"),
            part("(round).valid_sizes", ADDITIVE, "the deck it was played with"),
            part("(round).story_id", ADDITIVE, "the story that was estimated; absent without one"),
            part("(round).title", ADDITIVE, "what that story was called then"),
            part(
                "(round).votes",
                ADDITIVE,
                "`user_id`, `user_name` and `vote` of each, in the order they came; the first two are taken away from who asks to be forgotten",
            ),
        ],
    },
    Row {
        key: "room_clients:(room_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: ADDITIVE,
        holds: "the last command of every client that numbers them, at most 8192, so that one sent twice is not applied twice",
        parts: &[
            part(
                "(user_id?)/(client).n",
                ADDITIVE,
                "the number of the last accepted command; nothing before the `/` is a client without a user key",
            ),
            part("(user_id?)/(client).seq", ADDITIVE, "the commit it became part of"),
            part(
                "(user_id?)/(client).at",
                ADDITIVE,
                "when, in milliseconds since 1970; may be pushed out 10 min later, when the record is full",
            ),
        ],
    },
];

/// The one field of an entry that the store adds and layout never sees.
pub const MARK: &str = "mark";

const fn part(path: &'static str, from: &'static str, holds: &'static str) -> Part {
    Part { path, from, holds }
}

impl Row {
    pub fn is_for(&self, key: &str) -> bool {
        matches(self.key, key)
    }

    /// The part that a path inside such a key belongs to.
    pub fn part(&self, path: &str) -> Option<&'static Part> {
        self.parts.iter().find(|part| matches(part.path, path))
    }
}

impl Shape {
    /// A stream is a room's spine and never a value.
    pub fn of(value: &Value) -> Shape {
        match value {
            Value::Text(_) => Shape::Text,
            Value::Document(_) => Shape::Document,
            Value::Hash(_) => Shape::Hash,
            Value::List(_) => Shape::List,
            Value::SortedSet(_) => Shape::SortedSet,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Document => "document (JSON)",
            Shape::Hash => "hash",
            Shape::List => "list",
            Shape::SortedSet => "sorted set",
            Shape::Stream => "stream",
        }
    }
}

/// `(word)` stands for one id, `(word?)` for one or none; no id holds what separates them. `(user_name)` and `(row_id)` are any text, `(key)` any
/// text before what follows it, `(part)` may have dots, `(visit)` is 64
/// hexadecimal digits.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((literal, rest)) = pattern.split_once('(') else { return pattern == text };
    let (word, pattern) = rest.split_once(')').expect("every pattern of the table closes what it opens");
    let Some(text) = text.strip_prefix(literal) else { return false };
    // A name may hold what separates others, but nothing follows it.
    if (word == "user_name" || word == "row_id") && pattern.is_empty() {
        return !text.is_empty();
    }
    if word == "key" {
        return text.char_indices().skip(1).any(|(end, _)| matches(pattern, &text[end..]));
    }
    // The hash of a visit's token.
    if word == "visit" {
        let is_hash = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        return text.split_at_checked(64).is_some_and(|(hash, rest)| is_hash(hash) && matches(pattern, rest));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || (c == '.' && word == "part");
    let end = text.find(|c: char| !plain(c)).unwrap_or(text.len());
    (end > 0 || word.ends_with('?')) && matches(pattern, &text[end..])
}

/// `docs/schema.md`.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    page.push_str("| key | shape | lifetime | from document | holds |\n|---|---|---|---|---|\n");
    for Row { key, shape, lifetime, from, holds, .. } in
        SESSIONS.iter().chain(TABLE).chain(SPACES).chain(BELOW).chain(REELS).chain(SHOP)
    {
        let _ = writeln!(page, "| `{key}` | {} | {lifetime} | {from} | {holds} |", shape.name());
    }
    page.push_str(sessions::NOTES);
    page.push_str(NOTES);
    page.push_str(spaces::NOTES);
    page.push_str(reels::NOTES);
    page.push_str(shop::NOTES);
    for row in SESSIONS {
        section(&mut page, row, &sessions::shown(row));
    }
    let examples =
        [(Example::of_poker(), vec![TABLE]), (Example::of_a_space(), vec![SPACES, BELOW]), (Example::of_a_game(), vec![REELS])];
    for (example, rows) in examples {
        rows.into_iter().flatten().for_each(|row| section(&mut page, row, &example.shown(row)));
    }
    for row in SHOP {
        section(&mut page, row, &shop::shown(row));
    }
    page.push_str(SERVER);
    items::section(&mut page);
    page
}

fn section(page: &mut String, row: &Row, shown: &str) {
    let _ = write!(page, "\n## `{}`\n\n| {} | from document | holds |\n|---|---|---|\n", row.key, inside(row.shape));
    for Part { path, from, holds } in row.parts {
        let path = if path.is_empty() { "the text".to_owned() } else { format!("`{path}`") };
        let _ = writeln!(page, "| {path} | {from} | {holds} |");
    }
    let _ = write!(page, "\n```\n{shown}```\n");
}

fn inside(shape: Shape) -> &'static str {
    match shape {
        Shape::Stream => "field of an entry, and the way through its JSON",
        Shape::Hash => "field, and the way through its JSON",
        Shape::Document => "member",
        Shape::Text | Shape::List | Shape::SortedSet => "part",
    }
}

const HEAD: &str = "\
# What the store holds

Written by `crates/layout/src/schema.rs`, and compared with it by a test. To write it anew:
`UPDATE_DOCS=1 cargo test -p parlor-layout docs_schema_is_true`.

Every store holds the same keys in the same shapes. What comes from a founding document is named with its line and is
spelt as there; the rest is additive. `docs/decisions/` says why where we depart from a document.

";

const NOTES: &str = "
All keys of a room have one deadline, also those that come to life later; a renewal ends at the next full second. A commit writes one entry and every record it
changes, whole or not at all, and always what a record holds now, never a difference. The stream keeps its newest entries
only, bounded by count and by bytes (`crates/store/src/limits.rs`). Readers skip members they do not know. A secret is never here:
only `sha256:` and the hexadecimal hash of it. Document 000's `room_lock:(room_id)` (line 105) is never written.

The examples are one room after seven commits: it is created, two people join, the first one adds two stories and picks one,
both vote (one commit), the first one shows the votes.
";

const SERVER: &str = "
## What a Redis or Valkey server has besides

| key | shape | lifetime | holds |
|---|---|---|---|
| `(stream)#here` | hash | 30 s after the last word of any node | who is at the room through which node: `<until> [\"user_id\",…]` by node; a room that nobody is at has none |
| `(stream)#records` | set | that of the room | which records a room has besides those that every room of its kind may have: a space's maps and lists, a game's rounds, points, votes and faces, by their names; no poker room has one |
| `(record)#moving` | that of the record | that of the room | a piece of a room too large for one script, while `parlor move` brings it |
| `once:(random)` | text | half a minute | the answer to a batch of records, in case it was lost on its way |

A stream entry has one more field there, before the mark: `bytes`, what all entries of the room so far count for together, by which
the tail is trimmed. Channels are named `<db>:<stream>` and carry hints; nothing is kept in them. In a cluster a room's id stands
in braces: `room_condition:{12345}`, `room:{ABCD2345}:meta`; names of sessions' keys stay as they are.
";
