//! The items of a DynamoDB table, for the schema page: the tables of documents 001 and 003, and what is additive.

use super::example::Example;
use super::{Part, REELS, Shape, matches, part};
use parlor_store::items::form::OWN;
use parlor_store::items::{Attribute, Attributes};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// One kind of item. `(word)` stands for any one id, as in keys.
#[derive(Clone, Copy, Debug)]
pub struct ItemRow {
    pub pk: &'static str,
    pub sk: &'static str,
    pub from: &'static str,
    pub holds: &'static str,
    /// Its attributes, but for the store's own.
    pub parts: &'static [Part],
}

const OURS: &str = "additive";

const fn ours(path: &'static str, holds: &'static str) -> Part {
    part(path, OURS, holds)
}

const CLIENTS: Part = ours(
    "client:(client)",
    "what a program of this person was last answered: `n`, `seq` and `at`, as in the hash of clients; at most 256 of them",
);

pub const POKER_ITEMS: &[ItemRow] = &[
    ItemRow {
        pk: "ROOM:(room_id)",
        sk: "ROOM",
        from: "003, line 5",
        holds: "the table without its seats, stories and history; every commit writes it, for the place where the room stands",
        parts: &[
            part("hostKey", "003, line 11", "`sha256:<hex>` of the key"),
            part("validSizes", "003, line 12", "the deck, space-delimited"),
            part(
                "isRevealed",
                "003, line 13",
                "true or false, never a text; the same as `isVoteRevealed` in the document's operations",
            ),
            part("createdOn", "003, line 14", "in milliseconds since 1970, as all times"),
            part("updatedOn", "003, line 15", "when an attribute of this table last changed; for people, nothing depends on it"),
            ours("round", "1, and one more for every reset, deck or story picked: a vote counts only with this number"),
            ours("adminUserId", "first to join or made so, then longest there; empty when nobody is"),
            ours("sealed", "whether the cards of this round have been seen"),
            ours("timerEnds", "when the timer ends; absent without a timer"),
            ours("timerIsQuiet", "true when the end of the timer does not show the cards; absent otherwise"),
            ours("storyId", "the story that is being estimated; absent without one"),
            ours("banned", "user ids that may not join again, the newest last, at most 200; absent without any"),
            ours("name", "what the room is called; absent without a name"),
            ours("autoReveal", "true when the cards open once every voter has voted; absent otherwise"),
            ours("revealBy", "`host` or `everyone`"),
            ours("lifeMinutes", "how long the room lives after it was last used"),
        ],
    },
    ItemRow {
        pk: "ROOM:(room_id)",
        sk: "USER:(user_id?)",
        from: "003, line 6",
        holds: "a person, by public id, since the document's userKey is a secret; without a username one who does not sit. Nothing after the colon: programs without a user key",
        parts: &[
            part("userId", "003, line 17", "the person's public id in this room"),
            part("username", "003, line 18", "the name shown; absent for who does not sit"),
            part(
                "vote",
                "003, line 19",
                "the card's text; it counts only while `round` is the room's, and goes when the seat is next written",
            ),
            part("createdOn", "003, line 14", "when the person first acted here"),
            part("updatedOn", "003, line 15", "when the item last changed"),
            part("userKey", "003, line 16", "`sha256:<hex>` of the key, or `session` for who is logged in"),
            ours("round", "the round that the vote was cast in; absent without a vote"),
            ours("observer", "true for who watches from a seat and does not vote; absent otherwise"),
            ours("arrival", "the place in line: the lowest present inherits the table"),
            CLIENTS,
        ],
    },
    ItemRow {
        pk: "ROOM:(room_id)",
        sk: "STORIES",
        from: OURS,
        holds: "the order of the stories; no item when there never was one",
        parts: &[ours("made", "how many were ever made"), ours("storyIds", "the stories in their order")],
    },
    ItemRow {
        pk: "ROOM:(room_id)",
        sk: "STORIES:(page)",
        from: OURS,
        holds: "stories, at most 200; those whose numbers are the same when divided by 8 and rounded down are on one page",
        parts: &[ours("story:(story_id)", "`title`, `link` and `estimate`, as in the hash of stories")],
    },
    ItemRow {
        pk: "ROOM:(room_id)",
        sk: "ROUNDS:(page)",
        from: OURS,
        holds: "rounds that were shown with votes, the newest 100; two on a page",
        parts: &[ours(
            "round:(round)",
            "`shownOn`, `validSizes`, `storyId` and `title` of the story, and `votes`: `userId`, `username` and `vote` of each, in the order they came",
        )],
    },
];

const DATA: Part = part(
    "data",
    "001, line 318",
    "the keys and their values, as native attributes; an empty name, and one that begins with `%`, has one `%` more",
);
const ENTRIES: Part = ours(
    "entries",
    "by key: `version`, the commit that set it; in a list `order`; and `spelling` where attributes cannot say how the value was written",
);

pub const SPACE_ITEMS: &[ItemRow] = &[
    ItemRow {
        pk: "(room_id)",
        sk: "ROOM",
        from: "001, line 134",
        holds: "the space without its parts; every commit writes it, for the place where the space stands. The document's `connectionIds` are `MEMBER#` items, by its plan C",
        parts: &[
            ours("hostKey", "`sha256:<hex>` of the key that has every right"),
            ours("name", "what the space is called; absent without a name"),
            ours("guests", "what people with only a user key may do"),
            ours("members", "what people who are logged in may do"),
            ours("lifeMinutes", "how long the space lives after it was last changed; absent: for ever"),
            ours("createdOn", "in milliseconds since 1970"),
            ours("updatedOn", "when one of these last changed"),
            ours(
                "splits",
                "by the sort key of a part that is too large for one item: `cut`, which of all splits, and `tree`, two bits a bucket",
            ),
            ours("cuts", "how many parts were ever split"),
        ],
    },
    ItemRow {
        pk: "(room_id)",
        sk: "PARTS",
        from: OURS,
        holds: "which parts there are, written when one comes or goes",
        parts: &[
            ours("maps", "the names of the maps"),
            ours("lists", "the names of the lists"),
            ours("presences", "the presences that were made on purpose, and how many seconds a value of theirs holds"),
        ],
    },
    ItemRow {
        pk: "(room_id)",
        sk: "MAP#(part)",
        from: "001, line 136",
        holds: "a map, also an empty one; a key is set and removed by its path",
        parts: &[DATA, ENTRIES],
    },
    ItemRow {
        pk: "(room_id)",
        sk: "MAP#(part)#(cut).(bits)",
        from: OURS,
        holds: "a bucket of a map past 8 KB: the keys whose hash begins with these bits (and zeros), down to where the tree has a leaf. Of another cut than the head's: nothing",
        parts: &[DATA, ENTRIES],
    },
    ItemRow {
        pk: "(room_id)",
        sk: "LIST#(part)",
        from: "001, line 137",
        holds: "a list, by the ids of its items; they stand in the order of their `order`, byte by byte",
        parts: &[DATA, ENTRIES],
    },
    ItemRow {
        pk: "(room_id)",
        sk: "LIST#(part)#(cut).(bits)",
        from: OURS,
        holds: "a bucket of a list, as of a map",
        parts: &[DATA, ENTRIES],
    },
    ItemRow { pk: "(room_id)", sk: "CLIENT#(user_id?)", from: OURS, holds: "a person's receipts", parts: &[CLIENTS] },
];

pub const REELS_ITEMS: &[ItemRow] = &[
    ItemRow {
        pk: "REELS:(code)",
        sk: "ROOM",
        from: OURS,
        holds: "where the game stands; every commit writes it",
        parts: &[ours("code", "the game's code")],
    },
    ItemRow { pk: "REELS:(code)", sk: "CLIENT#(user_id?)", from: OURS, holds: "a person's receipts", parts: &[CLIENTS] },
];

impl ItemRow {
    pub fn is_for(&self, sk: &str) -> bool {
        matches(self.sk, sk)
    }

    pub fn part(&self, attribute: &str) -> Option<&'static Part> {
        self.parts.iter().find(|part| matches(part.path, attribute))
    }
}

pub(super) fn section(page: &mut String) {
    page.push_str(HEAD);
    page.push_str("\n| pk | sk | from document | holds |\n|---|---|---|---|\n");
    for ItemRow { pk, sk, from, holds, .. } in POKER_ITEMS.iter().chain(SPACE_ITEMS).chain(REELS_ITEMS) {
        let _ = writeln!(page, "| `{pk}` | `{sk}` | {from} | {holds} |");
    }
    for row in REELS.iter().filter(|row| row.shape != Shape::Stream) {
        let sk = row.key.trim_start_matches("room:(code):");
        let as_what = match row.shape {
            Shape::Document => "`json`, the document",
            Shape::Text => "`bytes`, the picture",
            Shape::Hash | Shape::List | Shape::SortedSet | Shape::Stream => "an attribute `field:(field)` for every field",
        };
        let _ = writeln!(page, "| `REELS:(code)` | `{sk}` | {} | {as_what} of `{}` |", row.from, row.key);
    }
    let _ = writeln!(
        page,
        "\nThe store's own attributes, in whichever items need them: `{}`. No form has one of these names.",
        OWN.join("`, `")
    );
    page.push_str(BESIDE);
    page.push_str(NOTES);
    let examples =
        [(Example::of_poker(), POKER_ITEMS), (Example::of_a_space(), SPACE_ITEMS), (Example::of_a_game(), REELS_ITEMS)];
    for (example, rows) in examples {
        for row in rows {
            let _ = write!(page, "\n### `{}` / `{}`\n\n| attribute | from document | holds |\n|---|---|---|\n", row.pk, row.sk);
            for Part { path, from, holds } in row.parts {
                let _ = writeln!(page, "| `{path}` | {from} | {holds} |");
            }
            let table = example.table();
            if let Some((sk, item)) = table.0.iter().find(|(sk, _)| row.is_for(sk)) {
                let _ = write!(page, "\n```json\n{}\n```\n", shown(&example.partition(), sk, item));
            }
        }
    }
}

/// As the service's own tools show an item.
fn shown(pk: &str, sk: &str, item: &Attributes) -> String {
    let mut lines = vec![format!("  \"pk\": {},\n  \"sk\": {}", json!({ "S": pk }), json!({ "S": sk }))];
    lines.extend(item.iter().map(|(name, value)| format!("  {}: {}", json!(name), typed(value))));
    format!("{{\n{}\n}}", lines.join(",\n"))
}

fn typed(attribute: &Attribute) -> Value {
    match attribute {
        Attribute::Text(text) => json!({ "S": text }),
        Attribute::Number(number) => json!({ "N": number }),
        Attribute::Bool(is) => json!({ "BOOL": is }),
        Attribute::Null => json!({ "NULL": true }),
        Attribute::Bytes(bytes) => {
            use base64::Engine as _;
            json!({ "B": base64::engine::general_purpose::STANDARD.encode(bytes) })
        }
        Attribute::List(list) => json!({ "L": list.iter().map(typed).collect::<Vec<_>>() }),
        Attribute::Map(map) => {
            let members = map.iter().map(|(name, value)| (name.clone(), typed(value)));
            json!({ "M": members.collect::<serde_json::Map<_, _>>() })
        }
    }
}

const HEAD: &str = "
## What a DynamoDB table has instead

One table with `pk` and `sk`. A room is one partition, and its stream another, `(pk)#EVENTS`. What the keys above hold is the same here, laid down in the
items of documents 003 and 001; names that are additive are spelt as the document spells its own.
";

/// What the store itself puts beside a room, which no form makes.
const BESIDE: &str = "
Two kinds of items are beside a room and never part of a commit. `MEMBER#node-(node)` (document 001, plan C) is a node that serves the
room: `here`, the ids of those who are here through it; `until`, when its word lapses unless it is given again; `address`, where it takes
letters, if it does. `PRESENCE#(part)` (001, line 135) mirrors what people show in a space, at most once a second: `data`, everybody's value
under their id, as native attributes; `updatedOn`.
";

const NOTES: &str = "
A vote carries the round it was cast in, so a reset, a new deck and a story that is picked write the room's item alone.

A value in `data` is what was said, as native attributes. They keep numbers but not how they are written, maps but not the order of
their names, texts but not their escapes; so where these are not the plain ones, `spelling` has the JSON text without all that is: `{\"b\":,\"a\":2.50}` for
`{\"b\":[1],\"a\":2.50}`. The plain way of writing is: names in the order of their bytes, numbers without an exponent and without zeros that say nothing,
nothing escaped that need not be. A number that the service does not keep (none that a room takes) stands in `data` as text.

A part past 8 KB is split in two by the next bit of its keys' hashes (SHA-256 of the key and the hashed host key, so that nobody can choose keys which all lie in one
bucket), in the commit that finds it too large; the other buckets stay. Nobody counts what is in a bucket: a commit that writes into one looks
at it about once for every KB, drawn by a hash of what it writes. A part that is cleared keeps its first item alone; its buckets are of a cut that no head
names any more, hold nothing, and are swept away at leisure.
";
