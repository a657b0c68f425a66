//! What a token gives in which space, and that nothing else gives more.

use super::app::Signer;
use super::*;
use crate::doors::sessions::{login, member};

/// The code of the answer to a request on a socket.
async fn asks(socket: &mut Socket, verb: &str, room: &str, with: Value) -> String {
    code(&socket.ask(verb, Some(room), None, Some(with)).await)
}

#[tokio::test]
async fn each_right_allows_what_it_says_and_what_is_less() {
    let server = guarded(Store::Memory, &[]).await;
    // Generous to everybody, which means nothing to those with tokens.
    let (room, _) = space(&server, json!({ "guests": "write", "members": "write" })).await;
    let set = json!({ "map": "board", "key": "k", "value": 1 });
    for (right, may) in [("none", 0), ("read", 1), ("presence", 2), ("write", 3), ("admin", 4)] {
        let token = token(&format!("with-{right}"), json!({ id(&room): right }));
        let mut socket = visitor(&server, &token).await;
        let allowed = |needs| if may >= needs { "ok" } else { "forbidden" };
        assert_eq!(asks(&mut socket, "look", &room, json!({})).await, allowed(1), "{right}");
        assert_eq!(asks(&mut socket, "enter", &room, json!({})).await, allowed(1), "{right}");
        assert_eq!(asks(&mut socket, "say", &room, json!("hello")).await, allowed(2), "{right}");
        assert_eq!(asks(&mut socket, "map_set", &room, set.clone()).await, allowed(3), "{right}");
        assert_eq!(asks(&mut socket, "update_space", &room, json!({ "name": right })).await, allowed(4), "{right}");
        let headers = [("authorization", &*bearer(&token))];
        let by_rest = |method: &'static str, path: String, body: Option<String>| {
            let (server, headers) = (&server, &headers);
            async move { server.ask(method, &path, headers, body.as_deref()).await.code() }
        };
        assert_eq!(by_rest("GET", format!("/v1/rooms/{room}"), None).await, allowed(1), "{right}");
        let said = by_rest("POST", format!("/v1/rooms/{room}/say"), Some("1".to_owned())).await;
        assert_eq!(said, allowed(2), "{right}");
        assert_eq!(by_rest("POST", format!("/v1/rooms/{room}/map_set"), Some(set.to_string())).await, allowed(3), "{right}");
    }
    for (right, answer) in [("write", "forbidden"), ("admin", "ok")] {
        let headers = [("authorization", &*bearer(&token("x", json!({ id(&room): right }))))];
        assert_eq!(server.ask("DELETE", &format!("/v1/rooms/{room}"), &headers, None).await.code(), answer);
    }
    let headers = [("authorization", &*bearer(&token("x", json!({ "*": "admin" }))))];
    assert_eq!(server.ask("GET", &format!("/v1/rooms/{room}"), &headers, None).await.code(), "room_not_found");
}

#[tokio::test]
async fn x23_a_token_for_one_space_opens_no_other() {
    let server = guarded(Store::Memory, &[]).await;
    let (one, _) = space(&server, json!({ "guests": "write", "members": "write" })).await;
    let (other, _) = space(&server, json!({ "guests": "write", "members": "write" })).await;
    let beginning = &id(&one)[..id(&one).len() - 1];
    for (spaces, here, there) in [
        (json!({ id(&one): "read" }), "ok", "forbidden"),
        (json!({ format!("{beginning}*"): "read" }), "ok", "forbidden"),
        (json!({ one.as_str(): "read" }), "ok", "forbidden"),
        (json!({ id(&one).to_uppercase(): "admin" }), "forbidden", "forbidden"),
        (json!({ beginning: "admin" }), "forbidden", "forbidden"),
        (json!({ "*": "read", id(&other): "none" }), "ok", "ok"),
        (json!({}), "forbidden", "forbidden"),
    ] {
        let mut socket = visitor(&server, &token("ana", spaces.clone())).await;
        for (room, expected) in [(&one, here), (&other, there)] {
            for verb in ["look", "enter"] {
                assert_eq!(asks(&mut socket, verb, room, json!({})).await, expected, "{verb} {spaces}");
            }
        }
    }
    // A token without the claim is somebody, who may go nowhere.
    let nowhere = Signer::secret(SECRET).token(&json!({ "sub": "ana", "exp": NOW + 60 }));
    assert_eq!(asks(&mut visitor(&server, &nowhere).await, "enter", &one, json!({})).await, "forbidden");
}

#[tokio::test]
async fn h69_knowing_a_spaces_id_opens_nothing() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, host_key) = space(&server, json!({ "guests": "write", "members": "write" })).await;
    let session = login(&server, "Ana").await;
    let mut people = [server.person("guest").await, member(&server, &session).await];
    for socket in &mut people {
        for verb in ["look", "enter", "delete"] {
            assert_eq!(asks(socket, verb, &room, json!({})).await, "forbidden", "{verb}");
        }
        assert_eq!(asks(socket, "say", &room, json!(1)).await, "forbidden");
    }
    let guest = ("parlor-user-key", "uk_some_guests_private_key");
    for headers in [&[][..], &[guest], &[("authorization", &*bearer(&session))]] {
        let answer = server.ask("GET", &format!("/v1/rooms/{room}"), headers, None).await;
        assert_eq!(answer.code(), "forbidden", "{headers:?}");
        assert!(!answer.body.contains(id(&room)), "{answer:?}");
    }
    // The host key is a key to this space, whoever shows it.
    let [mut guest, _] = people;
    assert_eq!(asks(&mut guest, "enter", &room, json!({ "host_key": host_key })).await, "ok");
}

#[tokio::test]
async fn h60_who_speaks_is_whom_the_token_says_and_never_the_message() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = space(&server, json!({})).await;
    let mut ana = visitor(&server, &token("ana", json!({ "*": "write" }))).await;
    let mut mallory = visitor(&server, &token("mallory", json!({ "*": "write" }))).await;
    for socket in [&mut ana, &mut mallory] {
        let entered = socket.ask("enter", Some(&room), None, None).await;
        assert_eq!(code(&entered), "ok", "{entered}");
    }
    for forged in [
        json!({ "do": "say", "room": room, "with": 1, "user_id": "ana" }),
        json!({ "do": "say", "room": room, "with": 1, "from": "ana" }),
        json!({ "do": "map_set", "room": room, "with": { "map": "m", "key": "k", "value": 1, "user_id": "ana" } }),
        json!({ "do": "map_set", "room": room, "with": { "map": "m", "key": "k", "value": 1, "by": "ana" } }),
        json!({ "do": "presence_set", "room": room, "with": { "presence": "p", "value": 1, "user_id": "ana" } }),
        json!({ "do": "hello", "with": { "token": token("ana", json!({ "*": "write" })) } }),
        json!({ "do": "enter", "room": room, "with": { "user_id": "ana" } }),
    ] {
        let mut request = forged.clone();
        request["id"] = 77.into();
        mallory.send(&request.to_string()).await;
        assert_eq!(code(&mallory.reply(77).await), "bad_request", "{forged}");
    }
    // What a message holds is passed on; who it is from stands beside it.
    assert_eq!(asks(&mut mallory, "say", &room, json!({ "from": "ana", "user_id": "ana" })).await, "ok");
    let heard = ana.push_of("now").await;
    assert_eq!(heard["messages"][0]["from"], "mallory", "{heard}");
    // A header that names somebody names nobody.
    let headers = [
        ("authorization", &*bearer(&token("mallory", json!({ "*": "write" })))),
        ("x-user-id", "ana"),
        ("parlor-user-id", "ana"),
    ];
    assert_eq!(server.ask("POST", &format!("/v1/rooms/{room}/say"), &headers, Some("2")).await.code(), "ok");
    let heard = ana.push_of("now").await;
    assert_eq!(heard["messages"][0]["from"], "mallory", "{heard}");
}

#[tokio::test]
async fn what_a_token_says_of_somebody_is_shown_to_the_others() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = space(&server, json!({})).await;
    let mut said = claims("ana", json!({ "*": "presence" }));
    (said["name"], said["info"]) = ("Ana".into(), json!({ "colour": "red", "id": "mallory" }));
    let mut ana = visitor(&server, &Signer::secret(SECRET).token(&said)).await;
    assert_eq!(asks(&mut ana, "enter", &room, json!({})).await, "ok");
    let mut bo = visitor(&server, &token("bo", json!({ "*": "presence" }))).await;
    assert_eq!(asks(&mut bo, "enter", &room, json!({})).await, "ok");
    let whole = bo.push_of("presence").await;
    let who = whole["who"].as_array().unwrap();
    let of = |user: &str| who.iter().find(|entry| entry[1] == user).map(|entry| entry[2].clone());
    assert_eq!(of("ana"), Some(said["info"].clone()), "{whole}");
    assert_eq!(of("bo"), Some(json!({ "name": "bo" })), "{whole}");
    assert_eq!(who.len(), 2, "{whole}");
}

#[tokio::test]
async fn a_cookie_holds_no_token_of_the_apps() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = space(&server, json!({})).await;
    let cookie = format!("parlor_session={}", token("ana", json!({ "*": "admin" })));
    let headers = [("cookie", &*cookie), ("sec-fetch-site", "same-origin")];
    for (method, path) in [("GET", format!("/v1/rooms/{room}")), ("DELETE", format!("/v1/rooms/{room}"))] {
        assert_eq!(server.ask(method, &path, &headers, None).await.code(), "unauthenticated");
    }
}

#[tokio::test]
async fn parlors_own_sessions_go_on_beside_tokens() {
    let server = guarded(Store::Memory, &[]).await;
    let session = login(&server, "Ana").await;
    let mut ana = member(&server, &session).await;
    let (room, _) = server.room("beside").await;
    assert_eq!(asks(&mut ana, "enter", &room, json!({})).await, "ok");
    assert_eq!(asks(&mut ana, "join", &room, json!({})).await, "ok");
    // Logging out is for sessions; a token ends by itself.
    let mut bo = visitor(&server, &token("bo", json!({}))).await;
    assert_eq!(code(&bo.ask("logout", None, None, None).await), "unauthenticated");
    assert_eq!(code(&bo.ask("user", None, None, Some(json!({ "user_id": "x" }))).await), "unauthenticated");
    assert_eq!(code(&bo.ask("verify", None, None, None).await), "ok");
}
