//! One script of sessions over every door, with the token in a header, a message or a cookie, on every store.
//!
//! `ana logs in as Ana => ok`: people are named by who holds the token; `again` shows the earlier one. An answer is
//! `ok`, what was asked for, or the error's code. All runs must give the same answers.

use super::http::Answer;
use super::inside::{Inside, Store, user_key};
use super::shelves::Shelves;
use super::socket::{Socket, code};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Door {
    Ws,
    WsCookie,
    Rest,
    RestCookie,
    Grpc,
}

async fn check(script: &str) {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        for door in [Door::Ws, Door::WsCookie, Door::Rest, Door::RestCookie, Door::Grpc] {
            shelves.clear().await;
            let mut play = Play::new(store, door).await;
            for line in script.lines().filter(|line| !line.trim().is_empty()) {
                let (asked, expected) = line.split_once("=>").unwrap_or((line, ""));
                let answer = play.line(&asked.split_whitespace().collect::<Vec<_>>()).await;
                assert_eq!(answer, expected.trim(), "{door:?} on {store:?}: {}", asked.trim());
            }
        }
    }
}

struct Play {
    door: Door,
    server: Option<Inside>,
    room: String,
    people: BTreeMap<String, Person>,
}

#[derive(Clone)]
struct Person {
    id: String,
    token: String,
}

/// What came of these lines by REST, whatever it was.
pub(crate) async fn improvise(store: Store, lines: &[String]) -> Vec<String> {
    let mut play = Play::new(store, Door::Rest).await;
    let mut transcript = Vec::new();
    for line in lines {
        let answer = play.line(&line.split_whitespace().collect::<Vec<_>>()).await;
        transcript.push(format!("{line} => {answer}"));
    }
    transcript
}

impl Play {
    async fn new(store: Store, door: Door) -> Play {
        let server = Inside::start(store, &[]).await;
        let (room, _) = server.room("sessions").await;
        Play { door, server: Some(server), room, people: BTreeMap::new() }
    }

    fn server(&self) -> &Inside {
        self.server.as_ref().expect("it runs between lines")
    }

    async fn line(&mut self, words: &[&str]) -> String {
        match *words {
            ["after", millis] => {
                self.server().step(millis.parse().unwrap());
                String::new()
            }
            ["a", "second", "passes"] => {
                self.server().step(1000);
                self.server().doors.sessions.write_renewals().await; // As the house does, twice a second.
                String::new()
            }
            ["restart"] => {
                self.server = Some(self.server.take().expect("it runs").restart().await);
                String::new()
            }
            [who, "logs", "in", "as", ref name @ ..] => self.login(who, &name.join(" "), false).await,
            [who, "again", "as", ref name @ ..] => self.login(who, &name.join(" "), true).await,
            [who, "verifies"] => match self.ask(who, "verify", "GET", "/v1/session", None, json!({})).await {
                Ok(ok) => {
                    let now = self.server().now.load(std::sync::atomic::Ordering::SeqCst);
                    assert_eq!(ok["expires_at"], now + 3_600_000);
                    assert_eq!(ok["user_id"], self.people[who].id);
                    assert!(ok.get("token").is_none(), "{ok}");
                    ok["user_name"].as_str().unwrap().to_owned()
                }
                Err(code) => code,
            },
            [who, "finds", whom] => {
                let id = self.people.get(whom).map_or(whom.to_owned(), |person| person.id.clone());
                let path = format!("/v1/users/{id}");
                match self.ask(who, "user", "GET", &path, None, json!({ "user_id": id })).await {
                    Ok(ok) => {
                        assert_eq!(ok.as_object().unwrap().len(), 2, "{ok}");
                        ok["user_name"].as_str().unwrap().to_owned()
                    }
                    Err(code) => code,
                }
            }
            [who, "logs", "out"] => answer(self.ask(who, "logout", "POST", "/v1/logout", None, json!({})).await),
            [who, "joins"] => self.join(who, json!({})).await,
            [who, "joins", "as", ref name @ ..] => self.join(who, json!({ "user_name": name.join(" ") })).await,
            ["guest", who, "joins", "as", ref name @ ..] => {
                let with = json!({ "user_name": name.join(" ") });
                if matches!(self.door, Door::Ws | Door::WsCookie) {
                    let mut socket = self.server().person(who).await;
                    return code(&socket.ask("join", Some(&self.room), None, Some(with)).await);
                }
                let path = format!("/v1/rooms/{}/join", self.room);
                let key = user_key(who);
                if self.door == Door::Grpc {
                    return self.server().grpc().await.act(&self.room, "join", &with, &[("parlor-user-key", &key)]).await;
                }
                self.server().ask("POST", &path, &[("parlor-user-key", &key)], Some(&with.to_string())).await.code()
            }
            [who, "sees"] => {
                let path = format!("/v1/rooms/{}", self.room);
                let room = self.room.clone();
                match self.ask(who, "look", "GET", &path, Some(&room), Value::Null).await {
                    Ok(view) => {
                        let users = view["view"]["users"].as_array().unwrap().iter();
                        users.map(|user| user["user_name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
                    }
                    Err(code) => code,
                }
            }
            ref other => panic!("the script does not know what {other:?} means"),
        }
    }

    async fn join(&self, who: &str, with: Value) -> String {
        let path = format!("/v1/rooms/{}/join", self.room);
        answer(self.ask(who, "join", "POST", &path, Some(&self.room), with).await)
    }

    async fn login(&mut self, who: &str, name: &str, again: bool) -> String {
        let earlier = self.people.get(who).filter(|_| again).map(|person| person.token.clone());
        let ok = match self.door {
            Door::Ws | Door::WsCookie => {
                let with = match earlier {
                    Some(token) => json!({ "user_name": name, "token": token }),
                    None => json!({ "user_name": name }),
                };
                outcome(self.server().socket().await.ask("login", None, None, Some(with)).await)
            }
            Door::Rest | Door::RestCookie => {
                let body = json!({ "user_name": name }).to_string();
                let headers = earlier.map(|token| self.shown(&token)).unwrap_or_default();
                let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let made = self.server().ask("POST", "/v1/login", &headers, Some(&body)).await;
                if made.status == 201 {
                    let cookie = format!("parlor_session={};", made.json()["token"].as_str().unwrap());
                    assert!(made.header("set-cookie").unwrap().starts_with(&cookie), "{made:?}");
                }
                body_outcome(made)
            }
            Door::Grpc => {
                let headers = earlier.map(|token| self.shown(&token)).unwrap_or_default();
                let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let made = self.server().grpc().await.ask("Sessions/Login", &headers, json!({ "user_name": name })).await;
                made.map_err(|status| super::grpc::code(&status))
            }
        };
        match ok {
            Ok(ok) => {
                assert_eq!(ok.as_object().unwrap().keys().collect::<Vec<_>>(), ["expires_at", "token", "user_id", "user_name"]);
                let text = |name: &str| ok[name].as_str().unwrap().to_owned();
                self.people.insert(who.to_owned(), Person { id: text("user_id"), token: text("token") });
                "ok".to_owned()
            }
            Err(code) => code,
        }
    }

    /// The headers that show a token by this door.
    fn shown(&self, token: &str) -> Vec<(&'static str, String)> {
        match self.door {
            Door::Ws | Door::Rest | Door::Grpc => vec![("authorization", format!("Bearer {token}"))],
            Door::WsCookie | Door::RestCookie => {
                let ours = format!("http://{}", self.server().address);
                vec![("cookie", format!("theme=dark; parlor_session={token}")), ("origin", ours)]
            }
        }
    }

    async fn ask(
        &self,
        who: &str,
        verb: &str,
        method: &str,
        path: &str,
        room: Option<&str>,
        with: Value,
    ) -> Result<Value, String> {
        let token = self.people.get(who).map_or("tk_made_up_and_long_enough_to_be_one".to_owned(), |person| person.token.clone());
        let headers = self.shown(&token);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let hello = match self.door {
            Door::Rest | Door::RestCookie => {
                let body = (method == "POST" && verb != "logout").then(|| with.to_string());
                return body_outcome(self.server().ask(method, path, &headers, body.as_deref()).await);
            }
            Door::Grpc => return self.by_grpc(verb, room, &headers, with).await,
            Door::Ws => json!({ "token": token }),
            Door::WsCookie => json!({ "cookie": true }),
        };
        let headers = if self.door == Door::WsCookie { &headers[..] } else { &[] };
        let mut socket = Socket::open(self.server().address, headers).await.unwrap();
        outcome(socket.ask("hello", None, None, Some(hello)).await)?;
        outcome(socket.ask(verb, room, None, (!with.is_null()).then_some(with)).await)
    }
}

impl Play {
    async fn by_grpc(&self, verb: &str, room: Option<&str>, headers: &[(&str, &str)], with: Value) -> Result<Value, String> {
        let grpc = self.server().grpc().await;
        let call = match (verb, room) {
            ("look", Some(room)) => return grpc.look(room, headers).await.map_err(|status| super::grpc::code(&status)),
            (verb, Some(room)) => {
                let code = grpc.act(room, verb, &with, headers).await;
                return if code == "ok" { Ok(json!({})) } else { Err(code) };
            }
            ("verify", None) => "Sessions/VerifyUser",
            ("user", None) => "Sessions/GetUser",
            ("logout", None) => "Sessions/Logout",
            (other, None) => panic!("no call for {other}"),
        };
        grpc.ask(call, headers, with).await.map_err(|status| super::grpc::code(&status))
    }
}

fn outcome(mut reply: Value) -> Result<Value, String> {
    match code(&reply).as_str() {
        "ok" => Ok(reply["ok"].take()),
        code => Err(code.to_owned()),
    }
}

fn body_outcome(answer: Answer) -> Result<Value, String> {
    if (200..300).contains(&answer.status) { Ok(answer.json()) } else { Err(answer.code()) }
}

fn answer(outcome: Result<Value, String>) -> String {
    outcome.map_or_else(|code| code, |_| "ok".to_owned())
}

#[tokio::test]
async fn in_and_out_and_in_again() {
    check(
        "eve verifies                => unauthenticated
         ana logs in as Ana Lucía    => ok
         ana verifies                => Ana Lucía
         bo  logs in as ANA LUCÍA    => name_taken
         bo  logs in as Ana\u{a0}lucı\u{301}a => ok
         bo  logs in as \u{202e}evil => bad_request
         bo  logs in as              => bad_request
         bo  logs in as Bo           => ok
         ana finds bo                => Bo
         ana finds nobody-of-that-id => not_found
         eve finds bo                => unauthenticated
         bo  logs out                => ok
         bo  verifies                => unauthenticated
         bo  logs out                => unauthenticated
         ana finds bo                => not_found
         cy  logs in as bo           => ok
         bo  verifies                => unauthenticated
         cy  verifies                => bo",
    )
    .await;
}

#[tokio::test]
async fn sixty_minutes_after_the_last_command_to_the_millisecond() {
    check(
        "ana logs in as Ana => ok
         bo  logs in as Bo  => ok
         after 3599999
         ana verifies       => Ana
         after 1
         bo  verifies       => unauthenticated
         ana finds bo       => not_found
         cy  logs in as bo  => ok
         a second passes
         after 3598999
         ana finds cy       => bo
         cy  verifies       => bo
         after 3600000
         ana verifies       => unauthenticated
         cy  verifies       => unauthenticated
         cy  logs in as Ana => ok",
    )
    .await;
}

#[tokio::test]
async fn a_session_outlives_the_server() {
    check(
        "ana logs in as Ana => ok
         ana joins          => ok
         after 1000
         restart
         bo  logs in as ana => name_taken
         ana verifies       => Ana
         ana sees           => Ana
         ana logs out       => ok
         restart
         ana verifies       => unauthenticated
         bo  logs in as ana => ok",
    )
    .await;
}

#[tokio::test]
async fn whoever_logs_in_again_has_another_token_and_the_same_seat() {
    check(
        "ana logs in as Ana => ok
         ana joins          => ok
         ana again as ANA   => ok
         ana verifies       => ANA
         ana joins          => ok
         ana sees           => ANA
         ana again as Bo    => ok
         ana verifies       => Bo
         cy  logs in as ana => ok
         ana again as Ana   => name_taken
         ana verifies       => Bo",
    )
    .await;
}

#[tokio::test]
async fn a_guest_may_not_pass_for_somebody_who_is_logged_in() {
    check(
        "ana logs in as Zoë            => ok
         guest eve joins as zoe\u{308} => name_taken
         guest eve joins as ＺＯË      => name_taken
         guest eve joins as Zoe        => ok
         ana joins                     => ok
         ana joins as Eve              => bad_request
         ana sees                      => Zoe Zoë
         ana logs out                  => ok
         guest eve joins as zoë        => ok
         bo logs in as ZOË             => ok
         bo sees                       => zoë Zoë",
    )
    .await;
}
