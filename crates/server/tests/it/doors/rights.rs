//! Who may do what: every role × every command × every door. A command without a row here fails the test.

use super::http::Answer;
use super::inside::{Inside, Store, user_key};
use super::socket::{Socket, code};
use parlor_rules::Kind;
use parlor_wire::commands::{Verb, verbs};
use serde_json::{Value, json};

const ROLES: [&str; 7] = ["stranger", "watcher", "seated", "admin", "host key", "kicked", "wrong key"];

/// What each role is answered, in the order of `ROLES`. A stranger has no key at all; on the socket, where one is
/// somebody only after hello, that is `unauthenticated` throughout.
#[rustfmt::skip]
fn rule(verb: &str) -> [&'static str; 7] {
    match verb {
        "join"            => ["unauthenticated", "ok", "ok", "ok", "unauthenticated", "ok", "bad_key"],
        "vote"            => ["not_seated", "not_seated", "ok", "ok", "not_seated", "not_seated", "bad_key"],
        "take_back"       => ["not_seated", "not_seated", "ok", "ok", "not_seated", "not_seated", "bad_key"],
        "leave"           => ["not_seated", "not_seated", "ok", "ok", "not_seated", "not_seated", "bad_key"],
        "set_revealed"    => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "set_observer"    => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "update_room"     => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "hand_over"       => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "delete_user"     => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "add_stories"     => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "import_stories"  => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "edit_story"      => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "move_story"      => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "remove_story"    => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "pick_story"      => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        // About oneself: the same commands without a user_id.
        "set_observer oneself" => ["not_seated", "not_seated", "ok", "ok", "not_seated", "not_seated", "bad_key"],
        "delete_user oneself"  => ["not_seated", "not_found", "ok", "ok", "not_seated", "not_found", "bad_key"],
        "show"            => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "reset"           => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "set_valid_sizes" => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "start_timer"     => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "stop_timer"      => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "kick"            => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "delete"          => ["forbidden", "forbidden", "forbidden", "ok", "ok", "forbidden", "bad_key"],
        "say"             => ["not_seated", "not_seated", "ok", "ok", "ok", "not_seated", "bad_key"],
        other => panic!("nobody has said who may {other}: add a row"),
    }
}

/// A table with everyone at it: ana the admin, bo and dee seated, cy kicked, and one story.
struct Cell {
    room: String,
    host_key: String,
    dee: String,
}

impl Cell {
    async fn new(server: &Inside, name: &str) -> Cell {
        let (room, host_key) = server.room(name).await;
        for who in ["ana", "bo", "cy", "dee"] {
            assert_eq!(
                act(server, &room, "join", json!({ "user_name": who }), &[("parlor-user-key", &user_key(who))]).await.code(),
                "ok"
            );
        }
        let view = server.look(&room, &host_key).await;
        let id = |n: usize| view["view"]["users"][n]["user_id"].as_str().unwrap().to_owned();
        let kick = act(server, &room, "kick", json!({ "user_id": id(2) }), &[("parlor-host-key", &host_key)]).await;
        assert_eq!(kick.code(), "ok");
        let story = json!({ "stories": [{ "title": "A story" }] });
        assert_eq!(act(server, &room, "add_stories", story, &[("parlor-host-key", &host_key)]).await.code(), "ok");
        Cell { room, host_key, dee: id(3) }
    }

    /// The example of the list, except where it names somebody: that must be one who is here.
    fn words(&self, verb: &Verb) -> Value {
        let mut with: Value = serde_json::from_str(verb.example).unwrap();
        if let Some(user) = with.get_mut("user_id") {
            *user = json!(self.dee);
        }
        with
    }

    fn keys(&self, role: &str) -> (Option<String>, Option<String>) {
        let key = |name| Some(user_key(name));
        match role {
            "stranger" => (None, None),
            "watcher" => (key("wim"), None),
            "seated" => (key("bo"), None),
            "admin" => (key("ana"), None),
            "host key" => (None, Some(self.host_key.clone())),
            "kicked" => (key("cy"), None),
            "wrong key" => (key("bo"), Some("hk_the_host_key_of_another_room".to_owned())),
            other => panic!("nobody is a {other}"),
        }
    }
}

async fn act(server: &Inside, room: &str, verb: &str, with: Value, headers: &[(&str, &str)]) -> Answer {
    server.ask("POST", &format!("/v1/rooms/{room}/{verb}"), headers, Some(&with.to_string())).await
}

fn all_verbs() -> Vec<Verb> {
    let say = Verb { name: "say", help: "", example: r#"{"any":"json"}"#, optional: &[], nullable: &[] };
    let oneself = [("set_observer oneself", r#"{"observer":true}"#), ("delete_user oneself", "{}")];
    let oneself = oneself.map(|(name, example)| Verb { name, example, ..say });
    verbs(Kind::Poker).iter().copied().chain([say]).chain(oneself).collect()
}

/// The verb as it is said.
fn spoken(verb: &Verb) -> &'static str {
    verb.name.split(' ').next().unwrap_or_default()
}

#[tokio::test]
async fn h17_h121_every_role_gets_its_answer_to_every_command_by_rest() {
    let server = Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "1000"]).await;
    for verb in all_verbs() {
        for (role, expected) in ROLES.iter().zip(rule(verb.name)) {
            let cell = Cell::new(&server, &format!("{}-{role}-by-rest", verb.name).replace(' ', "-")).await;
            let (user, host) = cell.keys(role);
            let mut headers = Vec::new();
            headers.extend(user.as_deref().map(|key| ("parlor-user-key", key)));
            headers.extend(host.as_deref().map(|key| ("parlor-host-key", key)));
            let before = server.look(&cell.room, &cell.host_key).await;
            let answer = act(&server, &cell.room, spoken(&verb), cell.words(&verb), &headers).await;
            assert_eq!(answer.code(), expected, "{role} asks to {}: {answer:?}", verb.name);
            if expected != "ok" {
                assert_eq!(
                    server.look(&cell.room, &cell.host_key).await,
                    before,
                    "{role} was refused to {} and changed something",
                    verb.name
                );
            }
        }
    }
}

#[tokio::test]
async fn h17_h121_every_role_gets_the_same_answer_to_every_command_on_the_socket() {
    let server = Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "1000"]).await;
    for verb in all_verbs() {
        for (role, expected) in ROLES.iter().zip(rule(verb.name)) {
            let cell = Cell::new(&server, &format!("{}-{role}-on-the-socket", verb.name).replace(' ', "-")).await;
            let before = server.look(&cell.room, &cell.host_key).await;
            let answer = on_the_socket(&server, &cell, role, &verb).await;
            let expected = match (*role, verb.name) {
                ("stranger", _) => "unauthenticated",
                // On the socket everyone who said hello has a user key.
                ("host key", "join") => "ok",
                ("host key", "delete_user oneself") => "not_found",
                _ => expected,
            };
            assert_eq!(answer, expected, "{role} asks to {}", verb.name);
            if expected != "ok" {
                assert_eq!(
                    server.look(&cell.room, &cell.host_key).await,
                    before,
                    "{role} was refused to {} and changed something",
                    verb.name
                );
            }
        }
    }
}

#[tokio::test]
async fn h17_h121_every_role_gets_the_same_answer_to_every_command_by_grpc() {
    let server = Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "1000"]).await;
    let grpc = server.grpc().await;
    for verb in all_verbs() {
        for (role, expected) in ROLES.iter().zip(rule(verb.name)) {
            let cell = Cell::new(&server, &format!("{}-{role}-by-grpc", verb.name).replace(' ', "-")).await;
            let (user, host) = cell.keys(role);
            let mut headers = Vec::new();
            headers.extend(user.as_deref().map(|key| ("parlor-user-key", key)));
            headers.extend(host.as_deref().map(|key| ("parlor-host-key", key)));
            let before = server.look(&cell.room, &cell.host_key).await;
            let answer = grpc.act(&cell.room, spoken(&verb), &cell.words(&verb), &headers).await;
            assert_eq!(answer, expected, "{role} asks to {}", verb.name);
            if expected != "ok" {
                let after = server.look(&cell.room, &cell.host_key).await;
                assert_eq!(after, before, "{role} was refused to {} and changed something", verb.name);
            }
        }
    }
}

async fn on_the_socket(server: &Inside, cell: &Cell, role: &str, verb: &Verb) -> String {
    let mut socket: Socket = server.socket().await;
    let (user, host) = cell.keys(role);
    if role != "stranger" {
        let hello = user.map_or_else(|| json!({}), |key| json!({ "user_key": key }));
        assert_eq!(code(&socket.ask("hello", None, None, Some(hello)).await), "ok");
    }
    if let Some(key) = host {
        let entered = code(&socket.ask("enter", Some(&cell.room), None, Some(json!({ "host_key": key }))).await);
        if entered != "ok" {
            return entered; // With a wrong key one does not get in; nothing else can be asked with it.
        }
    }
    code(&socket.ask(spoken(verb), Some(&cell.room), None, Some(cell.words(verb))).await)
}

#[tokio::test]
async fn h23_who_acts_is_never_read_from_the_message() {
    let server = Inside::start(Store::Memory, &[]).await;
    let cell = Cell::new(&server, "forged").await;
    let (room, key) = (cell.room.as_str(), user_key("bo"));
    let mut bo = server.person("bo").await;
    let before = server.look(room, &cell.host_key).await;
    for field in ["user_id", "user", "by", "author", "user_key", "admin", "host_key"] {
        // Without a user_id these two are about oneself; with one they are another command of the list.
        for verb in all_verbs().iter().filter(|verb| verb.name != "say" && !verb.name.contains(' ')) {
            let mut with = cell.words(verb);
            if with.get(field).is_some() {
                continue; // Some commands are about somebody: `kick` names its victim so.
            }
            with[field] = json!(cell.dee);
            let rest = act(&server, room, spoken(verb), with.clone(), &[("parlor-user-key", &key)]).await;
            assert_eq!((rest.status, rest.code()), (400, "bad_request".to_owned()), "{} with {field}", verb.name);
            assert_eq!(
                code(&bo.ask(spoken(verb), Some(room), None, Some(with)).await),
                "bad_request",
                "{} with {field}",
                verb.name
            );
        }
        bo.send(&json!({ "id": 99, "do": "vote", "room": room, "with": { "card": "5" }, field: cell.dee }).to_string()).await;
        assert_eq!(code(&bo.reply(99).await), "bad_request", "{field} beside the verb");
    }
    assert_eq!(server.look(room, &cell.host_key).await, before);
}
