//! What the server says: replies, which carry the request's id, and pushes, which come by themselves.

use crate::ask::Fault;
use crate::secret::Secret;
use crate::session;
use crate::status::Status;
use bytes::Bytes;
use parlor_rules::{Address, Ending, Kind, Member, Millis, Place, Position, Right, UserId};
use serde_json::{Value, json};

/// The protocol's number; it changes when an old client would misunderstand.
pub const PROTOCOL: u32 = 1;

pub fn error(id: u64, fault: &Fault) -> Bytes {
    let mut body = error_body(fault);
    body["id"] = id.into();
    text(&body)
}

/// The body of an error on doors that have no ids.
pub fn error_body(fault: &Fault) -> Value {
    let Status { name, retry, .. } = fault.code.into();
    let mut error = json!({ "code": name, "message": fault.message, "retry": retry });
    if let Some(reason) = fault.reason {
        error["reason"] = reason.into();
    }
    json!({ "error": error })
}

/// The answer to hello. The key is in it only if it was made just now.
pub fn hello(id: u64, made: Option<&Secret>) -> Bytes {
    let mut ok = json!({ "protocol": PROTOCOL });
    if let Some(secret) = made {
        ok["user_key"] = secret.expose().into();
    }
    text(&json!({ "id": id, "ok": ok }))
}

/// The answer to hello for somebody who is logged in.
pub fn hello_member(id: u64, member: &Member, expires: Millis) -> Bytes {
    let mut ok = session::session_body(member, expires);
    ok["protocol"] = PROTOCOL.into();
    text(&json!({ "id": id, "ok": ok }))
}

/// The answer to create, with what the kind of room has to say of it.
pub fn created_body(room: &Address, host_key: &Secret, place: Place, about: &Value) -> Value {
    let mut body = json!({
        "room": room.to_string(),
        "room_id": room.id.as_str(),
        "host_key": host_key.expose(),
        "at": place.position.to_string(),
        "mark": place.mark.to_string(),
    });
    // As document 002 calls them.
    if room.kind == Kind::Reels {
        (body["code"], body["master_key"]) = (room.id.as_str().into(), host_key.expose().into());
    }
    about.as_object().into_iter().flatten().for_each(|(name, value)| body[name] = value.clone());
    body
}

pub fn ok(id: u64, body: &Value) -> Bytes {
    text(&json!({ "id": id, "ok": body }))
}

/// An act is kept, at this position; `again` when it had been before.
pub fn acted_body(position: Position, again: bool) -> Value {
    if again { json!({ "at": position.to_string(), "again": true }) } else { json!({ "at": position.to_string() }) }
}

pub fn acted(id: u64, position: Position, again: bool) -> Bytes {
    // The commonest reply, so it is written without building a tree.
    let again = if again { r#","again":true"# } else { "" };
    format!(r#"{{"id":{id},"ok":{{"at":"{position}"{again}}}}}"#).into()
}

pub fn done(id: u64) -> Bytes {
    format!(r#"{{"id":{id},"ok":{{}}}}"#).into()
}

/// The answer to enter; the view follows as a push. Rights are said where a room gives any.
pub fn entered(id: u64, room: &Address, place: Place, resumed: bool, (user, right): (Option<&UserId>, Right)) -> Bytes {
    let mut reply = json!({ "id": id, "ok": {
        "room": room.to_string(),
        "at": place.position.to_string(),
        "mark": place.mark.to_string(),
        "resumed": resumed,
        "user_id": user.map(UserId::as_str),
    } });
    if right > Right::None {
        reply["ok"]["rights"] = rights(right).into();
    }
    text(&reply)
}

/// A right and those it includes.
pub fn rights(right: Right) -> Vec<&'static str> {
    Right::ALL.into_iter().filter(|other| *other <= right).map(Right::name).collect()
}

/// The answer to look: a view frame inside a reply.
pub fn looked(id: u64, view: &Bytes) -> Bytes {
    let mut reply = format!(r#"{{"id":{id},"ok":"#).into_bytes();
    reply.extend_from_slice(view);
    reply.push(b'}');
    reply.into()
}

/// One message of the ephemeral lane; its data stands in it as it was sent.
pub fn now(from: Option<&UserId>, data: &Bytes) -> Bytes {
    let mut message = Vec::with_capacity(data.len() + 40);
    message.extend_from_slice(br#"{"from":"#);
    match from {
        Some(user) => {
            message.push(b'"');
            message.extend_from_slice(user.as_str().as_bytes());
            message.push(b'"');
        }
        None => message.extend_from_slice(b"null"),
    }
    message.extend_from_slice(br#","data":"#);
    message.extend_from_slice(data);
    message.push(b'}');
    message.into()
}

pub fn gathered(room: &Address, messages: &[Bytes]) -> Bytes {
    let size: usize = messages.iter().map(|message| message.len() + 1).sum();
    let mut frame = Vec::with_capacity(size + 64);
    frame.extend_from_slice(format!(r#"{{"push":"now","room":"{room}","messages":["#).as_bytes());
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            frame.push(b',');
        }
        frame.extend_from_slice(message);
    }
    frame.extend_from_slice(b"]}");
    frame.into()
}

pub fn closing(room: &Address, expires: Millis) -> Bytes {
    text(&json!({ "push": "closing", "room": room.to_string(), "expires_at": expires.0 }))
}

/// You are out of the room, or the room is no more.
pub fn ended(room: &Address, ending: Ending) -> Bytes {
    text(&json!({ "push": "ended", "room": room.to_string(), "reason": reason(ending) }))
}

/// This server stopped serving the room; enter it again.
pub fn come_back(room: &Address) -> Bytes {
    text(&json!({ "push": "come_back", "room": room.to_string() }))
}

/// The session this connection belongs to is over; log in again.
pub fn session_ended() -> Bytes {
    Bytes::from_static(br#"{"push":"bye","reason":"session_ended"}"#)
}

/// The server is going; connect again, not all at once.
pub fn bye(reason: &str, retry_ms_max: u64) -> Bytes {
    text(&json!({ "push": "bye", "reason": reason, "retry_ms_max": retry_ms_max }))
}

pub fn pong(id: u64, now: Millis) -> Bytes {
    text(&json!({ "id": id, "ok": { "now": now.0 } }))
}

pub fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Kicked => "kicked",
        Ending::Deleted => "deleted",
        Ending::Expired => "expired",
    }
}

fn text(value: &Value) -> Bytes {
    value.to_string().into()
}
