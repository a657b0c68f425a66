//! Frames as the connection reads and writes them: the client's side of `wire`.

use crate::error::ClientError;
use crate::update::{Acted, Entered, Heard, Screened, Update, View};
use parlor_rules::{Address, Kind, Millis, Place};
use serde_json::{Value, json};
use std::time::Duration;

/// What a frame from the server says.
#[derive(Debug, PartialEq)]
pub enum Frame {
    Reply {
        id: u64,
        result: Result<Value, ClientError>,
    },
    Room(Address, Update),
    /// The server stopped serving the room; enter it again.
    ComeBack(Address),
    /// The server is going; connect again within this time.
    Bye {
        retry_max: Duration,
    },
    /// Something a later server says; not for us.
    Other,
}

pub fn read(text: &str) -> Frame {
    let Ok(mut frame) = serde_json::from_str::<Value>(text) else { return Frame::Other };
    if let Some(id) = frame["id"].as_u64() {
        let result = match frame.get("error") {
            Some(error) => Err(refusal(error)),
            None => Ok(frame["ok"].take()),
        };
        return Frame::Reply { id, result };
    }
    push(frame).unwrap_or(Frame::Other)
}

fn push(mut frame: Value) -> Option<Frame> {
    let address = || frame["room"].as_str().and_then(|room| room.parse::<Address>().ok());
    Some(match frame["push"].as_str()? {
        "view" => {
            let room = address()?;
            let update = match room.kind {
                Kind::Reels => Update::Screen(Box::new(screened(frame)?)),
                Kind::Poker | Kind::Space => Update::View(Box::new(view(frame)?)),
            };
            Frame::Room(room, update)
        }
        "snapshot" | "changes" | "presence" => Frame::Room(address()?, Update::Told(Box::new(frame))),
        "now" => {
            let room = address()?;
            let Value::Array(messages) = frame["messages"].take() else { return None };
            Frame::Room(room, Update::Now(messages.into_iter().map(heard).collect()))
        }
        "closing" => Frame::Room(address()?, Update::Closing { expires_at: Millis(frame["expires_at"].as_u64()?) }),
        "ended" => Frame::Room(address()?, Update::Ended(frame["reason"].as_str().unwrap_or("unknown").to_owned())),
        "come_back" => Frame::ComeBack(address()?),
        "bye" => Frame::Bye { retry_max: Duration::from_millis(frame["retry_ms_max"].as_u64().unwrap_or(0)) },
        _ => return None,
    })
}

pub fn view(mut frame: Value) -> Option<View> {
    Some(View {
        place: place(&frame)?,
        expires_at: frame["expires_at"].as_u64().map(Millis),
        table: serde_json::from_value(frame["view"].take()).ok()?,
        me: serde_json::from_value(frame["me"].take()).ok()?,
    })
}

fn screened(mut frame: Value) -> Option<Screened> {
    Some(Screened {
        place: place(&frame)?,
        expires_at: frame["expires_at"].as_u64().map(Millis),
        screen: serde_json::from_value(frame["view"].take()).ok()?,
        me: serde_json::from_value(frame["me"].take()).ok()?,
    })
}

fn heard(mut message: Value) -> Heard {
    Heard { from: message["from"].as_str().map(str::to_owned), data: message["data"].take() }
}

fn refusal(error: &Value) -> ClientError {
    ClientError {
        code: error["code"].as_str().unwrap_or("unknown").to_owned().into(),
        message: error["message"].as_str().unwrap_or("the server gave no reason").to_owned(),
        retry: error["retry"].as_bool().unwrap_or(false),
    }
}

pub fn place(value: &Value) -> Option<Place> {
    Some(Place { position: value["at"].as_str()?.parse().ok()?, mark: value["mark"].as_str()?.parse().ok()? })
}

/// Where somebody stands who was told this. Half of a space is no place to go on from.
pub fn place_after(told: &Value, before: Option<Place>) -> Option<Place> {
    match told["push"].as_str() {
        Some("snapshot") => place(told).filter(|_| told["last"] == true),
        Some("changes") => before.and_then(|before| place(told).or(Some(before))),
        _ => before,
    }
}

pub fn acted(ok: &Value) -> Result<Acted, ClientError> {
    let at = ok["at"].as_str().and_then(|at| at.parse().ok()).ok_or_else(|| ClientError::odd("a position"))?;
    Ok(Acted { at, again: ok["again"].as_bool().unwrap_or(false) })
}

pub fn entered(ok: &Value) -> Result<Entered, ClientError> {
    Ok(Entered {
        place: place(ok).ok_or_else(|| ClientError::odd("a place"))?,
        resumed: ok["resumed"].as_bool().unwrap_or(false),
        user_id: ok["user_id"].as_str().map(str::to_owned),
    })
}

/// A request in its envelope; what is absent is left out.
pub fn ask(id: u64, verb: &str, room: Option<&Address>, number: Option<u64>, with: Option<&Value>) -> String {
    let mut envelope = json!({ "id": id, "do": verb });
    if let Some(room) = room {
        envelope["room"] = room.to_string().into();
    }
    if let Some(number) = number {
        envelope["n"] = number.into();
    }
    if let Some(with) = with {
        envelope["with"] = with.clone();
    }
    envelope.to_string()
}

/// A message for those here now; without an id there is no reply.
pub fn say(room: &Address, data: &Value) -> String {
    format!(r#"{{"do":"say","room":"{room}","with":{data}}}"#)
}
