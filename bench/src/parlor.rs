//! Parlor's ephemeral lane: hello, enter and join first, then messages for those here now.

use crate::Result;
use crate::child::Server;
use crate::line::Line;
use crate::options::Options;
use crate::peer::{PAYLOAD_BYTES, Peer, Room};

#[derive(Clone)]
pub struct Parlor {
    pub options: Options,
}

/// A user key nobody would guess is not needed here; one that is long enough is.
pub fn hello(person: usize) -> String {
    format!(r#"{{"id":1,"do":"hello","with":{{"user_key":"bench-person-{person:022}","client":"bench-{person}"}}}}"#)
}

pub async fn create(line: &mut Line) -> Result<String> {
    let reply = line.ask(2, r#"{"id":2,"do":"create","with":{"kind":"poker"}}"#).await?;
    let reply: serde_json::Value = serde_json::from_str(&reply).map_err(|error| error.to_string())?;
    reply["ok"]["room"].as_str().map(str::to_owned).ok_or_else(|| format!("no room was made: {reply}"))
}

pub async fn enter_and_join(line: &mut Line, room: &str, person: usize) -> Result<()> {
    line.ask(3, &format!(r#"{{"id":3,"do":"enter","room":"{room}"}}"#)).await?;
    line.ask(4, &format!(r#"{{"id":4,"do":"join","room":"{room}","with":{{"user_name":"Person {person}"}}}}"#)).await?;
    Ok(())
}

impl Peer for Parlor {
    fn name(&self) -> String {
        "Parlor".to_owned()
    }

    fn start(&self) -> Result<Server> {
        Server::parlor(&self.options, "memory:")
    }

    fn path(&self) -> &'static str {
        "/v1/ws"
    }

    async fn gather(&self, lines: &mut [Line]) -> Result<Room> {
        for (person, line) in lines.iter_mut().enumerate() {
            line.ask(1, &hello(person)).await?;
        }
        let first = lines.first_mut().ok_or("there is nobody to make the room")?;
        let room = create(first).await?;
        for (person, line) in lines.iter_mut().enumerate() {
            enter_and_join(line, &room, person).await?;
        }
        Ok(Room(room))
    }

    fn say(&self, Room(room): &Room, payload: &str) -> String {
        format!(r#"{{"do":"say","room":"{room}","with":"{payload}"}}"#)
    }

    /// Messages stand one after the other, all of one length as long as names are; where that breaks, it is searched.
    fn hear(&self, frame: &[u8], each: &mut dyn FnMut(&[u8])) -> bool {
        const START: &[u8] = b"\"data\":\"";
        if !frame.starts_with(br#"{"push":"now""#) {
            return frame.starts_with(br#"{"push":"#);
        }
        let (mut at, mut stride) = (0, 0);
        while at < frame.len() {
            let here = &frame[at..];
            let offset = if stride > 0 && here.get(stride..).is_some_and(|next| next.starts_with(START)) {
                stride
            } else {
                match here.windows(START.len()).position(|window| window == START) {
                    Some(offset) => offset,
                    None => break,
                }
            };
            let from = at + offset + START.len();
            let Some(payload) = frame.get(from..from + PAYLOAD_BYTES) else { return false };
            each(payload);
            at = from + PAYLOAD_BYTES;
            // What lies between two payloads of equal messages.
            stride = r#""},{"from":"0123456789abcdef","#.len();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_of_a_gathered_frame_is_counted() {
        let payload = "x".repeat(PAYLOAD_BYTES);
        let message = |from: &str| format!(r#"{{"from":"{from}","data":"{payload}"}}"#);
        let messages = [message("0123456789abcdef"), message("0123456789abcdef"), message("short"), message("0123456789abcdef")];
        let frame = format!(r#"{{"push":"now","room":"poker/r","messages":[{}]}}"#, messages.join(","));
        let options = Options::read(["fanout".to_owned()].into_iter()).unwrap();
        let parlor = Parlor { options };
        let mut count = 0;
        assert!(parlor.hear(frame.as_bytes(), &mut |heard| {
            assert_eq!(heard, payload.as_bytes());
            count += 1;
        }));
        assert_eq!(count, 4);
        assert!(!parlor.hear(br#"{"error":{},"id":0}"#, &mut |_| {}));
    }
}
