//! A space's keys, for the schema page.

use super::{MARK, Part, Row, Shape, part};

const LIFE: &str = "for ever, or what the space was made with, from the last accepted command";
const OURS: &str = "additive";

pub const SPACES: &[Row] = &[
    Row {
        key: "space:(room_id)",
        shape: Shape::Stream,
        lifetime: LIFE,
        from: OURS,
        holds: "one entry a commit; its id is the millisecond of the space's creation and the number of the commit, which is the version of what it set",
        parts: &[
            ours("commit.at", "when, in milliseconds since 1970"),
            ours("commit.renews", "whether it set the space's deadline anew"),
            ours("commit.done", "the accepted acts, in order"),
            ours("commit.done[].by", "the author's user id; absent for a host without a user key"),
            ours("commit.done[].client", "the program that sent the command, when it numbers its commands"),
            ours("commit.done[].n", "the command's number"),
            ours("commit.done[].events", "what came of it; empty when there was nothing to change"),
            ours("commit.done[].events[].map_created", "`map`"),
            ours("commit.done[].events[].map_set", "`map`, `key`, `value`; makes the map if there is none"),
            ours("commit.done[].events[].map_removed", "`map`, `key`"),
            ours("commit.done[].events[].map_cleared", "`map`"),
            ours("commit.done[].events[].map_deleted", "`map`"),
            ours("commit.done[].events[].list_created", "`list`"),
            ours("commit.done[].events[].item_put", "`list`, `id`, `order`, `value`; makes the list if there is none"),
            ours("commit.done[].events[].item_set", "`list`, `id`, `value`"),
            ours("commit.done[].events[].item_placed", "`list`, `id`, `order`"),
            ours("commit.done[].events[].item_removed", "`list`, `id`"),
            ours("commit.done[].events[].list_cleared", "`list`"),
            ours("commit.done[].events[].list_deleted", "`list`"),
            ours("commit.done[].events[].presence_created", "`presence`, `seconds`"),
            ours("commit.done[].events[].presence_deleted", "`presence`"),
            ours("commit.done[].events[].updated", "`name`, `guests`, `members`, `life_minutes`, as in the settings"),
            ours("commit.done[].events[].deleted", "nothing more; a deleted space's keys are taken away, so no store shows it"),
            ours(MARK, "as in a poker room's stream"),
        ],
    },
    Row {
        key: "space_settings:(room_id)",
        shape: Shape::Document,
        lifetime: LIFE,
        from: OURS,
        holds: "the space without what its parts hold; written when one of these members changes",
        parts: &[
            ours("host_key", "`sha256:<hex>` of the key that has every right"),
            ours("name", "what the space is called; absent without a name"),
            ours("guests", "what people with only a user key may do: `none`, `read`, `presence`, `write` or `admin`"),
            ours("members", "what people who are logged in may do, in the same words"),
            ours("life_minutes", "how long the space lives after it was last changed; absent: for ever"),
            ours("parts.maps", "the names of the maps, also of empty ones"),
            ours("parts.lists", "the names of the lists, also of empty ones"),
            ours("parts.presences", "the presences that were made on purpose, and how many seconds a value of theirs holds"),
            ours("created_at", "in milliseconds since 1970"),
        ],
    },
    Row {
        key: "space_clients:(room_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: OURS,
        holds: "the last command of every client that numbers them, at most 8192, as in a poker room",
        parts: &[
            ours("(user_id?)/(client).n", "the number of the last accepted command"),
            ours("(user_id?)/(client).seq", "the commit it became part of"),
            ours("(user_id?)/(client).at", "when, in milliseconds since 1970"),
        ],
    },
];

/// Records below a space's stream, under names that a store makes of these.
pub const BELOW: &[Row] = &[
    Row {
        key: "map:(part)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: OURS,
        holds: "a field for every key of the map, at most 200000; no key when it is empty. On Redis `space:(room_id)/map:(part)`",
        parts: &[
            ours("(key).version", "the commit that set it"),
            ours("(key).value", "the JSON that was set, without white space and otherwise as it was sent"),
        ],
    },
    Row {
        key: "list:(part)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: OURS,
        holds: "a field for every item of the list, by its id, at most 200000; no key when it is empty. On Redis `space:(room_id)/list:(part)`",
        parts: &[
            ours("(item_id).order", "where it stands: items are in the order of these texts, compared byte by byte"),
            ours("(item_id).version", "the commit that set its value"),
            ours("(item_id).value", "the JSON that was set, as in a map"),
        ],
    },
];

pub(super) const NOTES: &str = "
A space's examples are one space after seven commits: it is created, somebody sets two keys of a map, then another adds an item to a list
and one after it, a batch moves the second up and clears the map but for one key, and an empty map and a presence are made. What is in a presence is
never here. Every event of a space says what is there now, so a large space is read in pieces while others write to it: the commits
after the place where reading began make it exact.
";

const fn ours(path: &'static str, holds: &'static str) -> Part {
    part(path, OURS, holds)
}
