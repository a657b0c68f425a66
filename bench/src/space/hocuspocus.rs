//! Hocuspocus with no store: a write sets a key of a Y.Map, as the update that Yjs itself would send, byte for byte.

use super::rival::{Chair, Heard, Rival, numbered, value, wait_for};
use crate::child::Server;
use crate::line::{Line, push_binary};
use crate::{Result, npm};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

const SCRIPT: &str = include_str!("../../peers/hocuspocus.js");
const VERSION: &str = "4.7.0";

/// Kinds of messages, and of the messages of the sync protocol within.
const SYNC: u64 = 0;
const AUTH: u64 = 2;
const SYNC_STATUS: u64 = 8;
const UPDATE: u64 = 2;
/// How Yjs marks an item: what it holds, and which of its neighbours and keys follow.
const ANY: u8 = 8;
const GONE: u8 = 0;
const DELETED: u8 = 1;
const SKIPPED: u8 = 10;
const HAS_KEY: u8 = 0x20;
const HAS_RIGHT: u8 = 0x40;
const HAS_LEFT: u8 = 0x80;
const STRING: u8 = 119;

pub struct Hocuspocus {
    script: PathBuf,
}

impl Hocuspocus {
    pub fn ready() -> Result<Hocuspocus> {
        let folder = npm::folder("hocuspocus")?;
        npm::install_once(&folder, &[&format!("@hocuspocus/server@{VERSION}"), "yjs@13", "y-protocols@1"])?;
        Ok(Hocuspocus { script: npm::script(&folder, "server.mjs", SCRIPT)? })
    }
}

impl Rival for Hocuspocus {
    fn name(&self) -> String {
        format!("Hocuspocus {VERSION}, memory")
    }

    fn start(&self) -> Result<Server> {
        Server::start(Command::new("node").arg(&self.script))
    }

    async fn rooms(&self, _address: SocketAddr, count: usize) -> Result<Vec<String>> {
        Ok(numbered(count))
    }

    async fn sit(&self, address: SocketAddr, room: &str, _person: usize) -> Result<Line> {
        let mut line = Line::open(address, "/").await?;
        let mut message = Vec::new();
        string(&mut message, room);
        [AUTH, 0].into_iter().for_each(|number| varint(&mut message, number));
        string(&mut message, "anybody");
        let mut frame = Vec::new();
        push_binary(&mut frame, &message);
        line.write(&frame).await?;
        wait_for(&mut line, |frame| {
            let mut reader = Reader(frame);
            reader.skip_string().is_some() && reader.varint() == Some(AUTH)
        })
        .await?;
        Ok(line)
    }

    fn write(&self, chair: &mut Chair, frames: &mut Vec<u8>) {
        let update = update(client(chair), chair.number, &format!("k{}", chair.person), &value(chair.number));
        chair.number += 1;
        let mut message = Vec::with_capacity(update.len() + 32);
        string(&mut message, &chair.room);
        [SYNC, UPDATE, update.len() as u64].into_iter().for_each(|number| varint(&mut message, number));
        message.extend(update);
        push_binary(frames, &message);
    }

    /// Updates also come back to their author, and several may come as one.
    fn hear(&self, chair: &Chair, frame: &[u8], heard: &mut Heard) -> bool {
        let mut reader = Reader(frame);
        let mut read = || -> Option<()> {
            reader.skip_string()?;
            match reader.varint()? {
                SYNC_STATUS => heard.acks += reader.varint()?,
                SYNC if reader.varint()? == UPDATE => {
                    reader.varint()?;
                    heard.changes += reader.changes_but_of(client(chair))?;
                }
                _ => {}
            }
            Some(())
        };
        read().is_some()
    }
}

fn client(chair: &Chair) -> u64 {
    chair.person as u64 + 1
}

/// The so-many-eth value that this client gives its key in the map `board`: it replaces the one before.
fn update(client: u64, clock: u64, key: &str, value: &str) -> Vec<u8> {
    let mut update = vec![1, 1];
    varint(&mut update, client);
    varint(&mut update, clock);
    match clock.checked_sub(1) {
        None => {
            update.extend([ANY | HAS_KEY, 1]);
            string(&mut update, "board");
            string(&mut update, key);
        }
        Some(before) => {
            update.push(ANY | HAS_KEY | HAS_LEFT);
            varint(&mut update, client);
            varint(&mut update, before);
        }
    }
    update.extend([1, STRING]);
    string(&mut update, value);
    match clock.checked_sub(1) {
        None => update.push(0),
        Some(before) => {
            update.push(1);
            varint(&mut update, client);
            update.push(1);
            varint(&mut update, before);
            update.push(1);
        }
    }
    update
}

fn varint(into: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        into.push(128 | number as u8 & 127);
        number >>= 7;
    }
    into.push(number as u8);
}

fn string(into: &mut Vec<u8>, text: &str) {
    varint(into, text.len() as u64);
    into.extend_from_slice(text.as_bytes());
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return Some(number);
            }
        }
    }

    fn skip_string(&mut self) -> Option<()> {
        let length = self.varint()? as usize;
        self.0 = self.0.get(length..)?;
        Some(())
    }

    fn skip_id(&mut self) -> Option<()> {
        self.varint().and(self.varint()).map(|_| ())
    }

    /// Values set by others; what was deleted again before it could be told is none.
    fn changes_but_of(&mut self, own: u64) -> Option<u64> {
        let mut changes = 0;
        for _ in 0..self.varint()? {
            let (items, client, _clock) = (self.varint()?, self.varint()?, self.varint()?);
            for _ in 0..items {
                let values = self.item()?;
                changes += if client == own { 0 } else { values };
            }
        }
        Some(changes)
    }

    fn item(&mut self) -> Option<u64> {
        let info = self.byte()?;
        if matches!(info & 31, GONE | SKIPPED) {
            self.varint()?;
            return Some(0);
        }
        if info & HAS_LEFT != 0 {
            self.skip_id()?;
        }
        if info & HAS_RIGHT != 0 {
            self.skip_id()?;
        }
        if info & (HAS_LEFT | HAS_RIGHT) == 0 {
            match self.varint()? {
                1 => self.skip_string()?,
                _ => self.skip_id()?,
            }
            if info & HAS_KEY != 0 {
                self.skip_string()?;
            }
        }
        let length = self.varint()?;
        match info & 31 {
            DELETED => return Some(0),
            ANY => {}
            _ => return None,
        }
        for _ in 0..length {
            if self.byte()? != STRING {
                return None;
            }
            self.skip_string()?;
        }
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What yjs 13.6 makes of a client 5 that sets `k` of a map `board` to v0 and v1.
    #[test]
    fn updates_are_those_of_yjs() {
        let first = [1, 1, 5, 0, 40, 1, 5, 98, 111, 97, 114, 100, 1, 107, 1, 119, 2, 118, 48, 0];
        let second = [1, 1, 5, 1, 168, 5, 0, 1, 119, 2, 118, 49, 1, 5, 1, 0, 1];
        assert_eq!(update(5, 0, "k", "v0"), first);
        assert_eq!(update(5, 1, "k", "v1"), second);
        assert_eq!(Reader(&first).changes_but_of(4), Some(1));
        assert_eq!(Reader(&second).changes_but_of(4), Some(1));
        assert_eq!(Reader(&second).changes_but_of(5), Some(0));
    }

    /// As the server sent it after it had gathered three.
    #[test]
    fn gathered_updates_are_counted_one_by_one() {
        let gathered = [
            1, 3, 232, 7, 0, 40, 1, 1, 109, 2, 107, 97, 1, 119, 2, 120, 48, 136, 232, 7, 0, 1, 119, 2, 120, 49, 136, 232, 7, 1,
            1, 119, 2, 120, 50, 1, 232, 7, 1, 0, 2,
        ];
        assert_eq!(Reader(&gathered).changes_but_of(1), Some(3));
        assert_eq!(Reader(&gathered).changes_but_of(1000), Some(0));
    }
}
