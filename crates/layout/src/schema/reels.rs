//! A game's keys, for the schema page, in the order of document 002; then what is additive.

use super::{MARK, Part, Row, Shape, part};

const LIFE: &str = "12 h from the room's creation, never renewed";
const OURS: &str = "additive";

pub const REELS: &[Row] = &[
    Row {
        key: "room:(code):meta",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "002, section 1, line 40",
        holds: "what the room is; written when the phase changes",
        parts: &[
            part("code", "002, line 45", "the room's id: eight letters and digits"),
            part("created_at", "002, line 46", "in milliseconds since 1970"),
            part("expires_at", "002, line 47", "12 h later, the deadline of every key"),
            part("phase", "002, line 48", "`lobby`, `game` or `over`, as in `game`; both are written in one commit"),
            part("version", "002, line 49", "1, the number of this form"),
            part("master_key_hash", "002, lines 51, 57", "`sha256:<hex>` of the master key"),
        ],
    },
    Row {
        key: "room:(code):senders",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "002, section 2, line 66",
        holds: "those of the chat, a list of at most 100; written when a player who plays for one is renamed",
        parts: &[
            part("[].sender_id", "002, line 72", "the sender's id"),
            part("[].name", "002, line 72", "the name shown"),
            part("[].active", "002, line 72", "whether they can be named in a vote"),
            part("[].reels_count", "002, line 72", "how many reels of theirs were found"),
        ],
    },
    Row {
        key: "room:(code):players",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "002, section 3, line 83",
        holds: "the seats, a list of at most 100; who has one stands in `claims`",
        parts: &[
            part("[].player_id", "002, line 90", "the seat's id"),
            part("[].sender_id", "002, line 91", "who plays there; null for a seat that was added by hand"),
            part("[].is_sender_bound", "002, line 92", "whether there is a `sender_id`"),
            part("[].active", "002, line 93", "whether the seat is in the game"),
            part("[].name", "002, line 94", "the name shown"),
            part(
                "[].avatar_url",
                "002, line 95",
                "where the server has the face that rests in `avatar:(player_id)`; null without one",
            ),
        ],
    },
    Row {
        key: "room:(code):claims",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: "002, section 4, line 120",
        holds: "a field for every seat that somebody has; no key when nobody has one",
        parts: &[part(
            "(player_id)",
            "002, lines 124, 125",
            "`sha256:<hex>` of the device's key, where the document has the key itself, or `session:(user_id)` for who is logged in; each once",
        )],
    },
    Row {
        key: "room:(code):scores",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: "002, section 5, line 142",
        holds: "a field for every player",
        parts: &[part("(player_id)", "002, lines 146, 147", "the points so far: what the rounds add up to")],
    },
    Row {
        key: "room:(code):round_delta:(round_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: "002, section 6, line 159",
        holds: "a field for every player; there from the beginning of the round",
        parts: &[part("(player_id)", "002, lines 163, 164", "the points of that round")],
    },
    Row {
        key: "room:(code):game",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "002, section 7, line 185",
        holds: "where the game stands",
        parts: &[
            part("phase", "002, line 191", "`lobby`, `game` or `over`"),
            part("round_order", "002, line 192", "the rounds, at most 100"),
            part("current_round_id", "002, line 193", "null in the lobby"),
            part("current_item_index", "002, line 194", "from 0; the number of items after the last; null in the lobby"),
            part("status", "002, line 195", "`idle`, `vote`, `reveal_wait` or `round_recap`"),
            part("vote", "002, line 197", "from the opening of a reel until its item ends; null otherwise"),
            part("vote.round_id", "002, line 213", "as `current_round_id`"),
            part("vote.item_id", "002, line 214", "the item that is voted on"),
            part("vote.expected_player_ids", "002, line 215", "who had a seat then, less those who gave it up before they voted"),
            part("version", "002, line 199", "the number of the commit that wrote it"),
        ],
    },
    Row {
        key: "room:(code):round:(round_id)",
        shape: Shape::Document,
        lifetime: LIFE,
        from: "002, section 8, line 241",
        holds: "a round with its answers; written once, when the room is made",
        parts: &[
            part("round_id", "002, line 247", "the same id"),
            part("created_at", "002, line 248", "as in `meta`"),
            part("items", "002, line 249", "at most 100"),
            part("items[].item_id", "002, line 251", "the item's id, the only one in the round"),
            part("items[].reel.reel_id", "002, line 252", "what the reel is called where it comes from"),
            part("items[].reel.url", "002, line 252", "where it is, http or https; nobody here follows it"),
            part("items[].true_sender_ids", "002, line 253", "the answer"),
            part("items[].k", "002, line 254", "how many that are"),
        ],
    },
    Row {
        key: "room:(code):votes:(round_id):(item_id)",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: "002, section 9, line 266",
        holds: "a field for everyone who has voted; gone when the item ends, and no key before the first vote",
        parts: &[
            part("(player_id).selections", "002, line 271", "the senders who were named, at most `k`"),
            part("(player_id).ts", "002, line 271", "when, by the server's clock, in milliseconds since 1970"),
        ],
    },
    Row {
        key: "room:(code):commits",
        shape: Shape::Stream,
        lifetime: LIFE,
        from: OURS,
        holds: "one entry a commit; its id is the millisecond of the room's creation and the number of the commit",
        parts: &[
            ours("commit.at", "when, in milliseconds since 1970"),
            ours("commit.renews", "as in other rooms; nothing renews a game"),
            ours("commit.done", "the accepted acts, in order"),
            ours("commit.done[].by", "the author's user id; absent for the end of a countdown or a Master without a user key"),
            ours("commit.done[].client", "the program that sent the command, when it numbers its commands"),
            ours("commit.done[].n", "the command's number"),
            ours("commit.done[].events", "what came of it; empty when there was nothing to change"),
            ours("commit.done[].events[].taken", "`player`, `user`, `device` (`sha256:<hex>`, or `session`)"),
            ours("commit.done[].events[].released", "`player`; `reason` when it was by another's hand"),
            ours("commit.done[].events[].renamed", "`player`, `name`"),
            ours("commit.done[].events[].avatar_set", "`player`, `jpeg` in base64"),
            ours("commit.done[].events[].avatar_deleted", "`player`"),
            ours("commit.done[].events[].toggled", "`player`, `active`"),
            ours("commit.done[].events[].player_added", "`player`, `name`"),
            ours("commit.done[].events[].player_deleted", "`player`"),
            ours("commit.done[].events[].claims_reset", "nothing more"),
            ours("commit.done[].events[].started", "nothing more"),
            ours("commit.done[].events[].opened", "`round`, `item`, `expected`; `closes` when the vote ends by itself"),
            ours("commit.done[].events[].voted", "`player`, `selections`"),
            ours("commit.done[].events[].hurried", "`closes`, in milliseconds since 1970"),
            ours(
                "commit.done[].events[].scored",
                "`round`, `item`, `scores` (player, score, points of the round), `guesses` and `suspicions` as in `stats`; totals all of them",
            ),
            ours("commit.done[].events[].item_ended", "`round`, `item`"),
            ours("commit.done[].events[].round_started", "`round`"),
            ours("commit.done[].events[].game_ended", "nothing more"),
            ours("commit.done[].events[].closed", "nothing more; a closed room's keys are taken away, so no store shows it"),
            ours(MARK, "as in a poker room's stream"),
        ],
    },
    Row {
        key: "room:(code):avatar:(player_id)",
        shape: Shape::Text,
        lifetime: LIFE,
        from: OURS,
        holds: "a player's face; no key without one",
        parts: &[ours("", "a JPEG of 300 × 300 pixels and at most 40000 bytes")],
    },
    Row {
        key: "room:(code):stats",
        shape: Shape::Hash,
        lifetime: LIFE,
        from: OURS,
        holds: "what the document has no place for; the last command of every client that numbers them, at most 8192, as in a poker room, is here too",
        parts: &[
            ours("settings.title", "what the game is called; absent without a title"),
            ours(
                "settings.added",
                "the highest number of a seat that was added by hand: none is given twice; absent without any",
            ),
            ours("settings.vote_seconds", "after how long a vote closes by itself; absent: when everyone has voted"),
            ours(
                "vote.opened_at",
                "when the reel was opened, in milliseconds since 1970; the field is there as long as `vote` in `game`",
            ),
            ours("vote.closes_at", "when the vote closes by itself; absent when it does not, or is closed"),
            ours("vote.left", "seats whose voter gave them up after voting: the vote counts and is closed; absent without any"),
            ours("vote.forced", "true when the Master asked for that; absent otherwise"),
            ours("player:(player_id).asked", "how many senders there were to be found"),
            ours("player:(player_id).right", "how many of them were named"),
            ours("player:(player_id).votes", "how many votes were cast"),
            ours("player:(player_id).ms", "how long they took together"),
            ours("sender:(sender_id).chances", "how often others who voted could have named them rightly"),
            ours("sender:(sender_id).found", "how often they did"),
            ours("sender:(sender_id).accused", "how often they were named wrongly"),
            ours("lost:(user_id).player_id", "the seat that this device lost, which it is told until it takes another"),
            ours("lost:(user_id).reason", "`deactivated`, `released`, `reset` or `deleted`"),
            ours("(user_id?)/(client).n", "the number of the last accepted command"),
            ours("(user_id?)/(client).seq", "the commit it became part of"),
            ours("(user_id?)/(client).at", "when, in milliseconds since 1970"),
        ],
    },
];

pub(super) const NOTES: &str = "
A game's keys are those of document 002, and three additive ones: `commits`, `avatar:(player_id)` and `stats`. All lie under `room:(code):` and end
at `expires_at`, also those that come to life later: no key is ever written without the room's deadline. Where the document has a device's secret
(line 125) there is its hash. What the document does in several steps (RENAME_PLAYER, SUBMIT_VOTE with its scores, CREATE_ROOM) is one commit, and
ROOM_CLOSED takes all keys away in one. What the document counts up (`HINCRBY`) is written as the sum. A game's examples are one game after thirteen commits: it
is made, two phones take seats, one of them shows a face, the Master deletes a third seat that somebody had, starts the game and opens a reel,
both vote and it is scored, the Master ends the item and opens the next reel, and one phone votes.
";

const fn ours(path: &'static str, holds: &'static str) -> Part {
    part(path, OURS, holds)
}
