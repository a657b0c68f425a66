//! Who may enter a space where an app says so: tokens that it signs, keys that it publishes, and what it is asked.

mod app;
mod keys;
mod makers;
mod outside;
mod quiet;
mod rights;
mod signed;
mod webhook;

use super::inside::{BEGAN, Inside, Store};
use super::socket::{Socket, code};
use app::Signer;
use serde_json::{Value, json};

/// The house's clock, in seconds.
const NOW: u64 = BEGAN / 1000;

const SECRET: &str = "the secret that this app shares with its parlor";

/// What a token says of somebody for an hour, with these rights.
fn claims(sub: &str, spaces: Value) -> Value {
    json!({ "sub": sub, "exp": NOW + 3600, "spaces": spaces })
}

/// A token of the app that shares `SECRET`.
fn token(sub: &str, spaces: Value) -> String {
    Signer::secret(SECRET).token(&claims(sub, spaces))
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// The code of the answer to a hello with this token, and the whole of it.
async fn hello(server: &Inside, token: &str) -> (String, Value, Socket) {
    let mut socket = server.socket().await;
    let reply = socket.ask("hello", None, None, Some(json!({ "token": token, "client": "tab" }))).await;
    (code(&reply), reply, socket)
}

/// A socket of somebody who is let in.
async fn visitor(server: &Inside, token: &str) -> Socket {
    let (code, reply, socket) = hello(server, token).await;
    assert_eq!(code, "ok", "{reply}");
    socket
}

/// A server whose people come with tokens signed with `SECRET`.
async fn guarded(store: Store, flags: &[&str]) -> Inside {
    Inside::start(store, &[&["--jwt-secret", SECRET], flags].concat()).await
}

/// A space that an app's server has made: its address and host key.
async fn space(server: &Inside, with: Value) -> (String, String) {
    let mut wish = json!({ "kind": "space" });
    wish.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    let headers = [("authorization", &*bearer(&token("backend", json!({ "*": "admin" }))))];
    let made = server.ask("POST", "/v1/rooms", &headers, Some(&wish.to_string())).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    (made["room"].as_str().unwrap().to_owned(), made["host_key"].as_str().unwrap().to_owned())
}

fn id(room: &str) -> &str {
    room.strip_prefix("space/").unwrap()
}
