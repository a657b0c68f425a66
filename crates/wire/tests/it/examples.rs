//! One example of each thing that can be said, for the golden files and for the protocol's page.

use bytes::Bytes;
use parlor_rules::kinds::{Export, Mine, Shared};
use parlor_rules::poker::view::SeatView;
use parlor_rules::poker::{self, Ballot, Card, Deck, Hand, Round, Settings, Story, StoryId, Tally, Timer, Voter};
use parlor_rules::{Address, Code, Ending, Mark, Member, Millis, Place, Position, SecretHash, Session, UserId};
use parlor_wire::view::Seen;
use parlor_wire::{Fault, Secret, say, session, view};

/// When it is said, what its fields mean, and how it looks.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) frame: String,
}

pub(crate) fn room() -> Address {
    "poker/lusab-babad-gutih-tugad".parse().unwrap()
}

fn place() -> Place {
    Place { position: Position { epoch: 1_700_000_000_000, seq: 7 }, mark: Mark(0x0123_4567_89ab_cdef) }
}

fn ana() -> UserId {
    "k7wq2m9xdh3fpa4s".parse().unwrap()
}

fn bo() -> UserId {
    "c5tnb8r2yj6guz3e".parse().unwrap()
}

fn member() -> Member {
    Member { id: ana(), name: "Ana".parse().unwrap() }
}

fn logged_in() -> Session {
    Session::new(ana(), "Ana".parse().unwrap(), SecretHash::of(b"token"), Millis(1_700_000_000_000))
}

fn cy() -> UserId {
    "w3hg7vs5zk2rme9b".parse().unwrap()
}

fn secret(prefix: &str) -> Secret {
    Secret::new(format!("{prefix}{}", "0123456789abcdef".repeat(4)))
}

fn deck() -> Deck {
    Deck::default()
}

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

fn story(number: u64, title: &str, link: Option<&str>, estimate: Option<&str>) -> Story {
    let link = link.map(|link| link.parse().unwrap());
    Story { id: StoryId(number), title: title.parse().unwrap(), link, estimate: estimate.map(card) }
}

/// What was played before: the first story, on which all agreed, and a round without a story.
fn history() -> [Round; 2] {
    let ballot =
        |id: UserId, name: &str, text: &str| Ballot { by: Some(Voter { id, name: name.parse().unwrap() }), card: card(text) };
    let log_in = Some((StoryId(1), "Log in".parse().unwrap()));
    let first = vec![ballot(ana(), "Ana", "5"), ballot(bo(), "Bo", "5")];
    let second = vec![ballot(ana(), "Ana", "8"), Ballot { by: None, card: card("?") }];
    [
        Round::new(1, Millis(1_700_000_010_000), deck(), log_in, first),
        Round::new(2, Millis(1_700_000_020_000), deck(), None, second),
    ]
}

fn settings() -> Settings {
    Settings { name: "Sprint 42".parse().ok(), auto_reveal: true, ..Settings::default() }
}

fn stories() -> [Story; 2] {
    [story(1, "Log in", Some("https://example.org/1"), Some("5")), story(2, "Log out", None, None)]
}

pub(crate) fn export() -> Export {
    let (stories, rounds) = (stories().into_iter().collect(), history().into_iter().collect());
    Export::Poker(poker::Export { room: room().id, settings: settings(), stories, rounds })
}

/// The table the examples show: Ana and Bo, both with a card, and Cy, who observes.
pub(crate) fn shared(revealed: bool) -> Shared {
    let hand = |card: &str| if revealed { Hand::FaceUp(card.parse().unwrap()) } else { Hand::FaceDown };
    let seat = |user: UserId, name: &str, hand| SeatView {
        user,
        name: name.parse().unwrap(),
        observer: hand == Hand::Empty,
        guest: name != "Ana",
        here: name != "Bo",
        hand,
    };
    let cards = [card("5"), card("∞")];
    Shared::Poker(poker::Shared {
        room: room().id,
        settings: settings(),
        deck: deck(),
        admin: Some(ana()),
        revealed,
        sealed: revealed,
        round: 3,
        timer: (!revealed).then_some(Timer { ends: Millis(1_700_000_060_000), reveals: true }),
        seats: vec![seat(ana(), "Ana", hand("5")), seat(bo(), "Bo", hand("∞")), seat(cy(), "Cy", Hand::Empty)],
        result: revealed.then(|| Tally::of(&deck(), cards.iter())),
        story: Some(StoryId(2)),
        stories: stories().into_iter().collect(),
        history: history().into_iter().collect(),
    })
}

fn view_frame(revealed: bool) -> Bytes {
    let mine = Mine::Poker(poker::Mine {
        user: Some(ana()),
        name: "Ana".parse().ok(),
        seated: true,
        host: true,
        may_reveal: true,
        observer: false,
        vote: Some(card("5")),
    });
    view::splice(&view::shared(&room(), place(), Some(Millis(1_700_003_600_000)), &shared(revealed)), &view::mine(&mine))
}

fn patch_frame() -> Bytes {
    let (from, to) = (shared(false), shared(true));
    patch_between(&from, &to)
}

fn patch_of_lists() -> Bytes {
    let from = shared(false);
    let Shared::Poker(mut to) = shared(false) else { unreachable!("a table") };
    let moved = to.stories.remove(0);
    to.stories.push_back(story(3, "Search", None, None));
    to.stories.push_back(moved);
    to.history.remove(0);
    patch_between(&from, &Shared::Poker(to))
}

fn patch_between(from: &Shared, to: &Shared) -> Bytes {
    let base = Place { position: Position { seq: 6, ..place().position }, mark: place().mark };
    let from = Seen { place: base, expires: Some(Millis(1_700_003_590_000)), shared: from };
    let to = Seen { place: place(), expires: Some(Millis(1_700_003_600_000)), shared: to };
    view::bare(&view::patch(&room(), &from, &to))
}

fn watched_frame() -> Bytes {
    let mine = Mine::Poker(poker::Mine {
        user: None,
        name: None,
        seated: false,
        host: false,
        may_reveal: false,
        observer: false,
        vote: None,
    });
    view::splice(&view::shared(&room(), place(), None, &shared(false)), &view::mine(&mine))
}

fn example(name: &'static str, about: &'static str, frame: impl AsRef<[u8]>) -> Example {
    Example { name, about, frame: String::from_utf8(frame.as_ref().to_vec()).unwrap() }
}

pub(crate) fn replies() -> Vec<Example> {
    let created = say::created_body(&room(), &secret("hk_"), place(), &serde_json::json!({ "valid_sizes": Deck::DEFAULT }));
    let fault = Fault::new(Code::TooFast, "too many messages; slow down and send it again");
    vec![
        example("hello, new", "A key was made for you: keep it, it is said only here.", say::hello(1, Some(&secret("uk_")))),
        example("hello, known", "You brought your own key.", say::hello(1, None)),
        example(
            "hello, logged in",
            "You brought a token, or asked for your cookie's session. `user_id` is who you are in every room; `expires_at` is when the session ends unless you send a command.",
            say::hello_member(1, &member(), Millis(1_700_003_600_000)),
        ),
        example(
            "login",
            "You are logged in, on this socket and wherever you show the token. It is said only here.",
            say::ok(10, &session::login_body(&logged_in(), &secret("tk_"))),
        ),
        example(
            "logout",
            "The session is over, and its name is free. A `bye` follows on all its sockets, this one too.",
            say::done(11),
        ),
        example(
            "verify",
            "Who you are, and until when that lasts unless you send another command.",
            say::ok(12, &session::session_body(&member(), Millis(1_700_003_600_000))),
        ),
        example("user", "Somebody who is logged in.", say::ok(13, &session::user_body(&member()))),
        example("ping", "The server's time, in milliseconds since 1970.", say::pong(2, Millis(1_700_000_000_000))),
        example(
            "create",
            "The room, and the host key that makes whoever holds it its host. It is said only here.",
            say::ok(3, &created),
        ),
        example(
            "enter",
            "You listen now; a view follows. `resumed` is true when the place you named is part of the room's history, so that you have missed nothing; otherwise what you knew may belong to a history that was lost. `user_id` is who you are in this room.",
            say::entered(4, &room(), place(), true, (Some(&ana()), parlor_rules::Right::None)),
        ),
        example("exit", "You no longer listen. You keep your seat.", say::done(5)),
        example("look", "A view inside a reply; nothing is pushed.", say::looked(6, &view_frame(false))),
        example("an act", "It is kept, as part of the commit at this position.", say::acted(7, place().position, false)),
        example(
            "an act sent before",
            "It had been kept already, there; it was not done again.",
            say::acted(7, place().position, true),
        ),
        example(
            "say",
            "It will be heard by everyone listening now except your own connection. Without an `id` there is no reply.",
            say::done(8),
        ),
        example(
            "any request that failed",
            "Nothing changed. Branch on `code` and `retry`; `message` is for people.",
            say::error(9, &fault),
        ),
    ]
}

pub(crate) fn pushes() -> Vec<Example> {
    let said =
        [say::now(Some(&ana()), &Bytes::from_static(br#"{"cursor":[3,4]}"#)), say::now(None, &Bytes::from_static(b"\"hi\""))];
    vec![
        example(
            "view, cards face down",
            "The room as you may see it now. It replaces any older one; at most 20 a second come. `expires_at` is when the room ends unless somebody uses it.",
            view_frame(false),
        ),
        example("view, cards open", "After `show`, or when the timer ran out.", view_frame(true)),
        example("view, watching", "`me` of somebody who has no seat.", watched_frame()),
        example(
            "patch",
            "To whoever asked for patches: what changed since the view or patch before it, which was at `base`. `view` has the fields that changed; `users` those who changed or are new, whole, new ones at the end; `gone` the ids of those who left (who is in both came back, and sits at the end now). `me` is there if it changed, as is `expires_at`.",
            patch_frame(),
        ),
        example(
            "patch, stories and history",
            "Of these lists too only what changed comes: `set` has items that changed or are new, whole; `gone` the `story_id`s, or numbers of rounds, that are no more; `order` all of them in their order, if that is not the old one with new items at the end.",
            patch_of_lists(),
        ),
        example(
            "now",
            "What others said, oldest first, several to a frame. `from` is null for a host without a user key. Not kept, and the first to be dropped when you read slowly.",
            say::gathered(&room(), &said),
        ),
        example(
            "closing",
            "Nobody has used the room for a while: it ends at that time unless somebody does.",
            say::closing(&room(), Millis(1_700_003_600_000)),
        ),
        example(
            "ended, kicked",
            "You are out of the room. Nothing more of it comes until you enter again.",
            say::ended(&room(), Ending::Kicked),
        ),
        example("ended, deleted", "The host ended the room.", say::ended(&room(), Ending::Deleted)),
        example("ended, expired", "Nobody used the room for as long as it lives without.", say::ended(&room(), Ending::Expired)),
        example("come_back", "This server stopped serving the room; nothing ended. Enter it again.", say::come_back(&room())),
        example(
            "bye",
            "The server is going. Connect again at a random moment within this time, and resume.",
            say::bye("restart", 3000),
        ),
        example(
            "bye, session ended",
            "You logged out somewhere, logged in again, or sent no command for an hour. The socket is closed; log in again.",
            say::session_ended(),
        ),
    ]
}

/// The requests that are no command of a room.
pub(crate) fn requests() -> Vec<Example> {
    let room = room();
    vec![
        example(
            "hello",
            "The first thing on a socket. `user_key` is who you are, from an earlier visit; without one a new one is made. `client` names this running program (a tab, a process), so that its commands can be numbered. Both may be left out.",
            r#"{"id":1,"do":"hello","with":{"user_key":"uk_…","client":"tab-1"}}"#,
        ),
        example(
            "hello, logged in",
            "With the `token` of a login; it wins over a user key. A page whose socket was opened with the session's cookie says `\"cookie\":true` instead.",
            r#"{"id":1,"do":"hello","with":{"token":"tk_…","client":"tab-1"}}"#,
        ),
        example(
            "login",
            "Instead of hello: log in under a name that nobody holds. With the `token` of an earlier session that one ends in the same step. Only `user_name` is needed.",
            r#"{"id":10,"do":"login","with":{"user_name":"Ana","token":"tk_…","client":"tab-1"}}"#,
        ),
        example("logout", "End your session.", r#"{"id":11,"do":"logout"}"#),
        example("verify", "Who you are. It renews the session, as every command does.", r#"{"id":12,"do":"verify"}"#),
        example(
            "user",
            "Who has this id, as long as they are logged in. Needs a session.",
            r#"{"id":13,"do":"user","with":{"user_id":"k7wq2m9xdh3fpa4s"}}"#,
        ),
        example("ping", "May be asked at any time.", r#"{"id":2,"do":"ping"}"#),
        example(
            "create",
            "A new room. `kind` is poker. The deck is one that has a name (`deck`) or any cards with spaces between (`valid_sizes`). Everything may be left out.",
            r#"{"id":3,"do":"create","with":{"kind":"poker","deck":"fibonacci","name":"Sprint 42","auto_reveal":true,"reveal_by":"everyone","life_minutes":1440}}"#,
        ),
        example(
            "enter",
            "Listen to a room. `host_key` if you hold it; `at` and `mark`, both or neither, from the last view if you have been there; `patch` to be told what changed, as patches, instead of everything. All may be left out. Entering again replaces the earlier entrance.",
            format!(
                r#"{{"id":4,"do":"enter","room":"{room}","with":{{"host_key":"hk_…","at":"1700000000000-7","mark":"0123456789abcdef","patch":true}}}}"#
            ),
        ),
        example("exit", "Stop listening.", format!(r#"{{"id":5,"do":"exit","room":"{room}"}}"#)),
        example("look", "One view, without listening.", format!(r#"{{"id":6,"do":"look","room":"{room}"}}"#)),
        example(
            "a command",
            "One of the table below. `n`, if there is one, is your client's number for it: the same or a lower number sent again is answered and not done again.",
            format!(r#"{{"id":7,"do":"vote","room":"{room}","n":3,"with":{{"card":"5"}}}}"#),
        ),
        example(
            "say",
            "Tell everyone who listens now; not kept. `with` is any JSON. Leave out `id` to get no reply.",
            format!(r#"{{"do":"say","room":"{room}","with":{{"cursor":[3,4]}}}}"#),
        ),
    ]
}
