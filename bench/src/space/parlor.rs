//! Parlor's maps: every write is acknowledged after it is kept, with an fsync where the store is a folder.

use super::join;
use super::rival::{Chair, Heard, Rival, count, value};
use crate::Result;
use crate::child::Server;
use crate::idle::clear;
use crate::line::{Line, push_frame};
use crate::options::Options;
use std::net::SocketAddr;

pub struct Parlor {
    pub options: Options,
    /// In a folder, or in memory as the others do.
    pub durable: bool,
}

impl Rival for Parlor {
    fn name(&self) -> String {
        if self.durable { "Parlor, embedded, fsync" } else { "Parlor, memory" }.to_owned()
    }

    fn start(&self) -> Result<Server> {
        if !self.durable {
            return Server::parlor(&self.options, "memory:");
        }
        let folder = self.options.scratch.join("space-writes");
        clear(&folder)?;
        Server::parlor(&self.options, &format!("embedded:{}", folder.display()))
    }

    async fn rooms(&self, address: SocketAddr, count: usize) -> Result<Vec<String>> {
        let mut line = join::open(address, 0).await?;
        let mut rooms = Vec::with_capacity(count);
        for _ in 0..count {
            rooms.push(join::create(&mut line).await?);
        }
        Ok(rooms)
    }

    async fn sit(&self, address: SocketAddr, room: &str, person: usize) -> Result<Line> {
        let mut line = join::open(address, person).await?;
        join::enter(&mut line, room).await?;
        Ok(line)
    }

    fn write(&self, chair: &mut Chair, frames: &mut Vec<u8>) {
        chair.number += 1;
        let Chair { room, person, number } = chair;
        let (id, value) = (*number + 10, value(*number));
        let text = format!(
            r#"{{"id":{id},"do":"map_set","room":"{room}","with":{{"map":"board","key":"k{person}","value":"{value}"}}}}"#
        );
        push_frame(frames, text.as_bytes());
    }

    fn hear(&self, _chair: &Chair, frame: &[u8], heard: &mut Heard) -> bool {
        if frame.starts_with(br#"{"push":"changes""#) {
            heard.changes += count(frame, br#"{"map":"#);
            return true;
        }
        if frame.starts_with(br#"{"push":"#) {
            return !frame.starts_with(br#"{"push":"bye""#);
        }
        heard.acks += 1;
        let head = &frame[..frame.len().min(32)];
        frame.starts_with(br#"{"id":"#) && memchr::memmem::find(head, br#","ok":"#).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_others_and_answers_to_oneself_are_told_apart() {
        let parlor = Parlor { options: Options::read(["fanout".to_owned()].into_iter()).unwrap(), durable: false };
        let chair = Chair { room: "space/r".to_owned(), person: 1, number: 0 };
        let mut heard = Heard::default();
        let change = r#"{"map":"board","key":"k1","value":"x","version":7}"#;
        let told = format!(
            r#"{{"push":"changes","room":"r","base":"1-6","at":"1-7","mark":"0","done":[{{"by":"a","changes":[{change},{change}]}}]}}"#
        );
        assert!(parlor.hear(&chair, told.as_bytes(), &mut heard));
        let answer = format!(r#"{{"id":12,"ok":{{"at":"1-7","mark":"0","changes":[{change}]}}}}"#);
        assert!(parlor.hear(&chair, answer.as_bytes(), &mut heard));
        assert_eq!((heard.acks, heard.changes), (1, 2));
        assert!(!parlor.hear(&chair, br#"{"id":12,"error":{"code":"too_fast"}}"#, &mut heard));
    }
}
