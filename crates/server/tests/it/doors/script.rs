//! One script over every door and every store: `bo votes 5 => ok`, one line after the other.
//!
//! People are named by their user key. `ana+key` also shows the room's host key, `ana+wrong` another one; `host`
//! holds the host key and no seat, `nobody` holds nothing. An answer is `ok`, `ok again` or the error's code. `#3`
//! after an act is its number: the same number sent again is done once. All runs must give the same answers
//! and the same views, byte for byte except for the marks, which are random, and for who is connected.

use super::grpc::{Grpc, Hearing};
use super::inside::{Inside, Store, user_key};
use super::shelves::Shelves;
use super::socket::{Socket, code};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Door {
    Ws,
    Rest,
    Grpc,
}

/// Plays a script on a fresh room over each door and store, and panics at the first line that answers otherwise.
pub(crate) async fn check(script: &str) {
    let mut transcripts: Vec<(String, Vec<String>)> = Vec::new();
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        for door in [Door::Ws, Door::Rest, Door::Grpc] {
            let mut play = Play::new(store, door).await;
            play.script(script).await;
            transcripts.push((format!("{door:?} on {store:?}"), play.transcript));
            shelves.clear().await;
        }
    }
    for pair in transcripts.windows(2) {
        for (one, other) in pair[0].1.iter().zip(&pair[1].1) {
            assert_eq!(one, other, "{} and {} differ", pair[0].0, pair[1].0);
        }
    }
}

/// What came of these lines by REST, whatever it was.
pub(crate) async fn improvise(store: Store, lines: &[String]) -> Vec<String> {
    let mut play = Play::new(store, Door::Rest).await;
    for line in lines {
        let answer = play.line(&line.split_whitespace().collect::<Vec<_>>()).await;
        play.transcript.push(format!("{line} => {answer}"));
    }
    play.transcript
}

struct Play {
    door: Door,
    server: Option<Inside>,
    room: String,
    host_key: String,
    sockets: BTreeMap<String, Line>,
    grpc: Option<Grpc>,
    /// Of those who joined by gRPC.
    hearing: BTreeMap<String, Hearing>,
    transcript: Vec<String>,
}

struct Line {
    socket: Socket,
    /// What entering the room was answered with; a wrong host key is refused there.
    entered: String,
    out: bool,
}

impl Play {
    async fn new(store: Store, door: Door) -> Play {
        let server = Inside::start(store, &[]).await;
        let (room, host_key) = server.room("script").await;
        let grpc = if door == Door::Grpc { Some(server.grpc().await) } else { None };
        let (sockets, hearing) = (BTreeMap::new(), BTreeMap::new());
        Play { door, server: Some(server), room, host_key, sockets, grpc, hearing, transcript: Vec::new() }
    }

    fn server(&self) -> &Inside {
        self.server.as_ref().expect("it runs between lines")
    }

    async fn script(&mut self, script: &str) {
        for (number, line) in script.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (asked, expected) = line.split_once("=>").unwrap_or((line, ""));
            let answer = self.line(&asked.split_whitespace().collect::<Vec<_>>()).await;
            assert_eq!(answer, expected.trim(), "{:?}, line {}: {}", self.door, number + 1, asked.trim());
            self.transcript.push(answer);
        }
    }

    async fn line(&mut self, words: &[&str]) -> String {
        match *words {
            ["after", length] => {
                self.server().step(millis(length));
                String::new()
            }
            ["restart"] => {
                self.sockets.clear();
                self.hearing.clear();
                let by_grpc = self.grpc.take().is_some();
                let server = self.server.take().expect("it runs").restart().await;
                self.grpc = if by_grpc { Some(server.grpc().await) } else { None };
                self.server = Some(server);
                String::new()
            }
            [who, "sees"] => match self.look(who).await {
                Ok(view) => {
                    let picture = picture(&view);
                    self.transcript.push(comparable(view));
                    picture
                }
                Err(code) => code,
            },
            [who, "is"] => match self.look(who).await {
                Ok(view) => role(&view["me"]),
                Err(code) => code,
            },
            [who, "says", ref data @ ..] => self.act(who, "say", json!(data.join(" ")), None).await,
            [who, ref wish @ ..] => {
                let (wish, number) = match wish.split_last() {
                    Some((last, wish)) if last.starts_with('#') => (wish, Some(last[1..].parse().unwrap())),
                    _ => (wish, None),
                };
                let (verb, with) = self.words(who, wish).await;
                self.act(who, verb, with, number).await
            }
            [] => String::new(),
        }
    }

    async fn words(&mut self, who: &str, wish: &[&str]) -> (&'static str, Value) {
        match *wish {
            ["joins"] => ("join", json!({ "user_name": who.split('+').next() })),
            ["joins", "as", ref name @ ..] => ("join", json!({ "user_name": name.join(" ") })),
            ["votes", card] => ("vote", json!({ "card": card })),
            ["takes", "back"] => ("take_back", json!({})),
            ["shows"] => ("show", json!({})),
            ["resets"] => ("reset", json!({})),
            ["deals", ref cards @ ..] => ("set_valid_sizes", json!({ "valid_sizes": cards.join(" ") })),
            ["starts", seconds] => ("start_timer", json!({ "seconds": seconds.parse::<u64>().unwrap() })),
            ["stops"] => ("stop_timer", json!({})),
            ["kicks", whom] => ("kick", json!({ "user_id": self.id(whom).await })),
            ["leaves"] => ("leave", json!({})),
            ["deletes"] => ("delete", json!({})),
            ref other => panic!("the script does not know what {other:?} means"),
        }
    }

    async fn act(&mut self, who: &str, verb: &str, with: Value, number: Option<u64>) -> String {
        match self.door {
            Door::Rest => {
                let key = number.map(|number| format!("the-idempotency-key-of-{who}-number-{number}"));
                let mut headers = self.headers(who);
                headers.extend(key.map(|key| ("idempotency-key", key)));
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let path = format!("/v1/rooms/{}/{verb}", self.room);
                let answer = self.server().ask("POST", &path, &headers, Some(&with.to_string())).await;
                let again = answer.status == 200 && answer.json()["again"] == true;
                if again { "ok again".to_owned() } else { answer.code() }
            }
            Door::Grpc => {
                let key = number.map(|number| format!("the-idempotency-key-of-{who}-number-{number}"));
                let mut headers = self.headers(who);
                headers.extend(key.map(|key| ("idempotency-key", key)));
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let grpc = self.grpc.as_ref().expect("it is open");
                if verb != "join" {
                    return grpc.act(&self.room, verb, &with, &headers).await;
                }
                let mut message = with;
                message["room_id"] = self.room.trim_start_matches("poker/").into();
                match grpc.hear("Poker/JoinRoom", &headers, message).await {
                    Ok(hearing) => {
                        let again = hearing.again;
                        self.hearing.insert(who.to_owned(), hearing);
                        if again { "ok again".to_owned() } else { "ok".to_owned() }
                    }
                    Err(status) => super::grpc::code(&status),
                }
            }
            Door::Ws => {
                let room = self.room.clone();
                let line = self.socket(who).await;
                if line.entered != "ok" {
                    return line.entered.clone();
                }
                code(&line.socket.ask(verb, Some(&room), number, Some(with)).await)
            }
        }
    }

    /// The whole frame a person sees; on the socket it must also have been pushed.
    async fn look(&mut self, who: &str) -> Result<Value, String> {
        match self.door {
            Door::Rest => {
                let headers = self.headers(who);
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let answer = self.server().ask("GET", &format!("/v1/rooms/{}", self.room), &headers, None).await;
                if answer.status == 200 { Ok(answer.json()) } else { Err(answer.code()) }
            }
            Door::Grpc => {
                let headers = self.headers(who);
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let seen = self.grpc.as_ref().expect("it is open").look(&self.room, &headers).await;
                let view = seen.map_err(|status| super::grpc::code(&status))?;
                while let Some(hearing) = self.hearing.get_mut(who) {
                    match hearing.view().await {
                        Some(heard) if heard["at"] == view["at"] => {
                            assert_eq!(heard, view, "what was said is not what is seen");
                            hearing.unread(&heard);
                            break;
                        }
                        Some(_) => {}
                        None => drop(self.hearing.remove(who)),
                    }
                }
                Ok(view)
            }
            Door::Ws => {
                let room = self.room.clone();
                let line = self.socket(who).await;
                if line.entered != "ok" {
                    return Err(line.entered.clone());
                }
                let mut reply = line.socket.ask("look", Some(&room), None, None).await;
                if reply.get("error").is_some() {
                    return Err(code(&reply));
                }
                let view = reply["ok"].take();
                while !line.out {
                    let push = line.socket.push().await;
                    line.out = push["push"] == "ended";
                    if push["push"] == "view" && push["at"] == view["at"] {
                        assert_eq!(push, view, "what was pushed is not what is seen");
                        line.socket.unread(push);
                        break;
                    }
                }
                Ok(view)
            }
        }
    }

    fn headers(&self, who: &str) -> Vec<(&'static str, String)> {
        let (name, key) = who.split_once('+').unwrap_or((who, ""));
        let mut headers = Vec::new();
        if name != "nobody" && name != "host" {
            headers.push(("parlor-user-key", user_key(name)));
        }
        headers.extend(self.shown_key(name, key).map(|key| ("parlor-host-key", key)));
        headers
    }

    fn shown_key(&self, name: &str, key: &str) -> Option<String> {
        match (name, key) {
            ("host", "") | (_, "key") => Some(self.host_key.clone()),
            (_, "wrong") => Some("hk_the_host_key_of_another_room".to_owned()),
            _ => None,
        }
    }

    async fn socket(&mut self, who: &str) -> &mut Line {
        if !self.sockets.contains_key(who) {
            let (name, key) = who.split_once('+').unwrap_or((who, ""));
            let mut socket = self.server().person(name).await;
            let enter = self.shown_key(name, key).map_or_else(|| json!({}), |key| json!({ "host_key": key }));
            let entered = code(&socket.ask("enter", Some(&self.room), None, Some(enter)).await);
            self.sockets.insert(who.to_owned(), Line { socket, entered, out: false });
        }
        self.sockets.get_mut(who).expect("it is there now")
    }

    /// Somebody's public id, as they learn it themselves.
    async fn id(&mut self, who: &str) -> String {
        let view = self.look(who).await.unwrap();
        view["me"]["user_id"].as_str().unwrap_or("user_id_1").to_owned()
    }
}

/// `ana:_ bo:? cy:(5)`: no card, a card face down, and one's own card face down.
fn picture(view: &Value) -> String {
    let (table, me) = (&view["view"], &view["me"]);
    let seats = table["users"].as_array().unwrap().iter().map(|user| {
        let hand = match (user["has_vote"] == true, user["vote"].as_str(), me["vote"].as_str()) {
            (false, None, _) => "_".to_owned(),
            (true, Some(card), _) => card.to_owned(),
            (true, None, Some(mine)) if user["user_id"] == me["user_id"] => format!("({mine})"),
            (true, None, _) => "?".to_owned(),
            (false, Some(_), _) => panic!("a card nobody laid: {view}"),
        };
        format!("{}:{hand}", user["user_name"].as_str().unwrap())
    });
    let seats: Vec<_> = seats.collect();
    if seats.is_empty() { "an empty table".to_owned() } else { seats.join(" ") }
}

fn role(me: &Value) -> String {
    match (me["seated"] == true, me["host"] == true) {
        (true, true) => "seated host",
        (true, false) => "seated",
        (false, true) => "host",
        (false, false) => "watching",
    }
    .to_owned()
}

/// The frame without what differs for a reason: marks are random, and only on the socket has everyone a user key and
/// is anyone here.
fn comparable(mut view: Value) -> String {
    view["mark"] = Value::Null;
    if view["me"]["seated"] == false {
        view["me"]["user_id"] = Value::Null;
    }
    for user in view["view"]["users"].as_array_mut().into_iter().flatten() {
        user["here"] = Value::Null;
    }
    without_nulls(view).to_string()
}

/// What JSON says as null, protobuf does not say.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let said = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(said.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

fn millis(text: &str) -> u64 {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let number: u64 = digits.parse().unwrap();
    match &text[digits.len()..] {
        "ms" => number,
        "s" => number * 1000,
        "m" => number * 60_000,
        unit => panic!("no such unit of time: {unit:?}"),
    }
}
