//! Who may do what: every role × every command × every door, where the host reveals and where everyone does.
//! A command without a row here fails the test.

use super::grpc::Grpc;
use super::http::Answer;
use super::inside::{Inside, Store, user_key};
use super::socket::{Socket, code};
use parlor_rules::Kind;
use parlor_wire::commands::{Verb, verbs};
use serde_json::{Value, json};

const ROLES: [&str; 12] = [
    "stranger",
    "watcher",
    "seated",
    "observer",
    "admin",
    "host key",
    "kicked",
    "banned",
    "wrong key",
    "member",
    "member admin",
    "session ended",
];

/// What each role is answered, in the order of `ROLES`.
type Row = [&'static str; ROLES.len()];

const NO: &str = "forbidden";
const OUT: &str = "not_seated";
const BAD: &str = "bad_key";
/// A session that has ended proves nothing, whatever its seat may still be.
const WHO: &str = "unauthenticated";

// A stranger has no key at all; on the socket, where one is somebody only after hello, that is `unauthenticated`
// throughout.
#[rustfmt::skip]
mod rows {
    use super::*;
    //                             stranger watcher seated obs.  admin  host kicked banned wrong member m.admin ended
    pub(super) const HOST: Row   = [NO,     NO,     NO,   NO,   "ok", "ok", NO,    NO,    BAD,  NO,    "ok",  WHO];
    pub(super) const SEATED: Row = [OUT,    OUT,    "ok", "ok", "ok", OUT,  OUT,   OUT,   BAD,  "ok",  "ok",  WHO];
    pub(super) const VOTER: Row  = [OUT,    OUT,    "ok", NO,   "ok", OUT,  OUT,   OUT,   BAD,  "ok",  "ok",  WHO];
    pub(super) const JOIN: Row   = [WHO,    "ok",   "ok", "ok", "ok", WHO,  "ok",  NO,    BAD,  "ok",  "ok",  WHO];
    /// Whoever sits, and whoever holds the host key without a seat.
    pub(super) const TABLE: Row  = [OUT,    OUT,    "ok", "ok", "ok", "ok", OUT,   OUT,   BAD,  "ok",  "ok",  WHO];
    pub(super) const FORGET: Row = [OUT, "not_found", "ok", "ok", "ok", OUT, "not_found", "not_found", BAD, "ok", "ok", WHO];
}

fn rule(verb: &str, everyone_reveals: bool) -> Row {
    match verb {
        "join" => rows::JOIN,
        "vote" | "take_back" => rows::VOTER,
        "leave" => rows::SEATED,
        "say" => rows::TABLE,
        // About oneself: the same commands without a user_id.
        "set_observer oneself" => rows::SEATED,
        "delete_user oneself" => rows::FORGET,
        "show" | "set_revealed" | "reset" if everyone_reveals => rows::TABLE,
        "show" | "set_revealed" | "reset" => rows::HOST,
        "set_observer" | "update_room" | "hand_over" | "delete_user" | "kick" | "delete" => rows::HOST,
        "add_stories" | "import_stories" | "edit_story" | "move_story" | "remove_story" | "pick_story" => rows::HOST,
        "set_valid_sizes" | "start_timer" | "stop_timer" => rows::HOST,
        other => panic!("nobody has said who may {other}: add a row"),
    }
}

/// A table with everyone at it: ana the admin, bo, dee and the role's own person seated, and one story.
struct Cell {
    room: String,
    host_key: String,
    dee: String,
    /// Of the role, if it has a session or had one.
    token: Option<String>,
}

impl Cell {
    async fn new(server: &Inside, name: &str, role: &str, everyone_reveals: bool) -> Cell {
        let (room, host_key) = server.room(&name.replace(' ', "-")).await;
        let mut cell = Cell { room, host_key, dee: String::new(), token: None };
        for who in ["ana", "bo", "dee"] {
            cell.seats(server, who, json!({ "user_name": who })).await;
        }
        cell.dee = cell.id(server, "dee").await;
        cell.hosts(server, "add_stories", json!({ "stories": [{ "title": "A story" }] })).await;
        if everyone_reveals {
            cell.hosts(server, "update_room", json!({ "reveal_by": "everyone" })).await;
        }
        match role {
            "kicked" | "banned" => {
                cell.seats(server, "cy", json!({ "user_name": "cy" })).await;
                let cy = cell.id(server, "cy").await;
                cell.hosts(server, "kick", json!({ "user_id": cy, "ban": role == "banned" })).await;
            }
            "observer" => cell.seats(server, "ob", json!({ "user_name": "ob", "observer": true })).await,
            "member" | "member admin" | "session ended" => cell.member(server, role).await,
            _ => {}
        }
        cell
    }

    /// Mia logs in and sits down, whatever becomes of her then.
    async fn member(&mut self, server: &Inside, role: &str) {
        // Names are taken while their sessions live: each cell has its own.
        let name = format!("Mia {}", self.room.rsplit('/').next().unwrap_or_default());
        let login = server.ask("POST", "/v1/login", &[], Some(&json!({ "user_name": name }).to_string())).await;
        assert_eq!(login.status, 201, "{login:?}");
        let bearer = format!("Bearer {}", login.json()["token"].as_str().unwrap());
        let joined = act(server, &self.room, "join", json!({}), &[("authorization", &bearer)]).await;
        assert_eq!(joined.code(), "ok", "{joined:?}");
        match role {
            "member admin" => {
                let mia = self.id(server, &name).await;
                self.hosts(server, "hand_over", json!({ "user_id": mia })).await;
            }
            "session ended" => {
                let out = server.ask("POST", "/v1/logout", &[("authorization", &bearer)], None).await;
                assert_eq!(out.code(), "ok", "{out:?}");
            }
            _ => {}
        }
        self.token = Some(bearer);
    }

    async fn seats(&self, server: &Inside, who: &str, with: Value) {
        let joined = act(server, &self.room, "join", with, &[("parlor-user-key", &user_key(who))]).await;
        assert_eq!(joined.code(), "ok", "{joined:?}");
    }

    async fn hosts(&self, server: &Inside, verb: &str, with: Value) {
        let done = act(server, &self.room, verb, with, &[("parlor-host-key", &self.host_key)]).await;
        assert_eq!(done.code(), "ok", "{verb}: {done:?}");
    }

    async fn id(&self, server: &Inside, name: &str) -> String {
        let view = server.look(&self.room, &self.host_key).await;
        let users = view["view"]["users"].as_array().unwrap();
        let user = users.iter().find(|user| user["user_name"] == name).unwrap_or_else(|| panic!("no {name} in {view}"));
        user["user_id"].as_str().unwrap().to_owned()
    }

    /// The example of the list, except where it names somebody: that must be one who is here.
    fn words(&self, verb: &Verb) -> Value {
        let mut with: Value = serde_json::from_str(verb.example).unwrap();
        if let Some(user) = with.get_mut("user_id") {
            *user = json!(self.dee);
        }
        if self.token.is_some() && verb.name == "join" {
            with = json!({}); // Members have a name.
        }
        with
    }

    fn keys(&self, role: &str) -> (Option<String>, Option<String>) {
        let key = |name| Some(user_key(name));
        match role {
            "stranger" | "member" | "member admin" | "session ended" => (None, None),
            "watcher" => (key("wim"), None),
            "seated" => (key("bo"), None),
            "observer" => (key("ob"), None),
            "admin" => (key("ana"), None),
            "host key" => (None, Some(self.host_key.clone())),
            "kicked" | "banned" => (key("cy"), None),
            "wrong key" => (key("bo"), Some("hk_the_host_key_of_another_room".to_owned())),
            other => panic!("nobody is a {other}"),
        }
    }

    fn headers(&self, role: &str) -> Vec<(&'static str, String)> {
        let (user, host) = self.keys(role);
        let mut headers = Vec::new();
        headers.extend(user.map(|key| ("parlor-user-key", key)));
        headers.extend(host.map(|key| ("parlor-host-key", key)));
        headers.extend(self.token.clone().map(|bearer| ("authorization", bearer)));
        headers
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

enum Door {
    Rest,
    Socket,
    Grpc(Grpc),
}

impl Door {
    async fn answers(&self, server: &Inside, cell: &Cell, role: &str, verb: &Verb) -> String {
        let headers = cell.headers(role);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        match self {
            Door::Rest => act(server, &cell.room, spoken(verb), cell.words(verb), &headers).await.code(),
            Door::Grpc(grpc) => grpc.act(&cell.room, spoken(verb), &cell.words(verb), &headers).await,
            Door::Socket => on_the_socket(server, cell, role, verb).await,
        }
    }

    /// On the socket everyone who said hello is somebody, and nobody else can ask anything.
    fn expects(&self, role: &str, verb: &str, rule: &'static str) -> &'static str {
        match (self, role, verb) {
            (Door::Socket, "stranger", _) => WHO,
            (Door::Socket, "host key", "join") => "ok",
            (Door::Socket, "host key", "delete_user oneself") => "not_found",
            _ => rule,
        }
    }
}

async fn every_role_and_command(server: &Inside, door: &Door) {
    for verb in all_verbs() {
        for everyone in [false, true] {
            for (role, rule) in ROLES.iter().zip(rule(verb.name, everyone)) {
                let cell = Cell::new(server, &format!("{}-{role}-{everyone}", verb.name), role, everyone).await;
                let before = server.look(&cell.room, &cell.host_key).await;
                let expected = door.expects(role, verb.name, rule);
                let answer = door.answers(server, &cell, role, &verb).await;
                let asked = format!("{role} asks to {}, everyone reveals: {everyone}", verb.name);
                assert_eq!(answer, expected, "{asked}");
                if expected != "ok" {
                    let after = server.look(&cell.room, &cell.host_key).await;
                    assert_eq!(after, before, "{asked} was refused and changed something");
                }
            }
        }
    }
}

async fn server() -> Inside {
    Inside::start(Store::Memory, &["--bad-keys-per-minute-max", "1000"]).await
}

#[tokio::test]
async fn h17_h121_every_role_gets_its_answer_to_every_command_by_rest() {
    every_role_and_command(&server().await, &Door::Rest).await;
}

#[tokio::test]
async fn h17_h121_every_role_gets_the_same_answer_to_every_command_on_the_socket() {
    every_role_and_command(&server().await, &Door::Socket).await;
}

#[tokio::test]
async fn h17_h121_every_role_gets_the_same_answer_to_every_command_by_grpc() {
    let server = server().await;
    let grpc = server.grpc().await;
    every_role_and_command(&server, &Door::Grpc(grpc)).await;
}

async fn on_the_socket(server: &Inside, cell: &Cell, role: &str, verb: &Verb) -> String {
    let mut socket: Socket = server.socket().await;
    let (user, host) = cell.keys(role);
    if role != "stranger" {
        let token = cell.token.as_ref().map(|bearer| json!({ "token": bearer.trim_start_matches("Bearer ") }));
        let hello = token.or(user.map(|key| json!({ "user_key": key }))).unwrap_or_else(|| json!({}));
        let known = code(&socket.ask("hello", None, None, Some(hello)).await);
        if known != "ok" {
            return known; // Whom the house does not know can ask nothing else.
        }
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
    let cell = Cell::new(&server, "forged", "seated", false).await;
    let (room, key) = (cell.room.as_str(), user_key("bo"));
    let mut bo = server.person("bo").await;
    let poker = super::grpc::descriptors().get_service_by_name("parlor.v1.Poker").unwrap();
    let before = server.look(room, &cell.host_key).await;
    for field in ["user_id", "user", "by", "author", "user_key", "admin", "host_key"] {
        // Without a user_id these two are about oneself; with one they are another command of the list.
        for verb in all_verbs().iter().filter(|verb| verb.name != "say" && !verb.name.contains(' ')) {
            let mut with = cell.words(verb);
            if with.get(field).is_some() {
                continue; // Some commands are about somebody: `kick` names its victim so.
            }
            let (_, call) = parlor::grpc::CALLS.iter().find(|(known, _)| *known == verb.name).unwrap();
            let call = poker.methods().find(|method| method.name() == *call).unwrap();
            assert!(call.input().get_field_by_name(field).is_none(), "{} has a {field}", call.name());
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
    // Nor from what stands beside it.
    let grpc = server.grpc().await;
    for header in ["user-id", "x-user-id", "x-user", "parlor-user-id"] {
        let (with, headers) = (json!({ "card": "5" }), [(header, cell.dee.as_str())]);
        assert_eq!(act(&server, room, "vote", with.clone(), &headers).await.code(), OUT, "{header}");
        assert_eq!(grpc.act(room, "vote", &with, &headers).await, OUT, "{header}");
    }
    assert_eq!(server.look(room, &cell.host_key).await, before);
}
