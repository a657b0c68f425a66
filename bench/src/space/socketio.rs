//! Socket.IO with a map in each room, over WebSocket alone: Engine.IO 4 packets in text frames.

use super::rival::{Chair, Heard, Rival, numbered, value, wait_for};
use crate::child::Server;
use crate::line::{Line, push_frame};
use crate::{Result, npm};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

const SCRIPT: &str = include_str!("../../peers/socketio.js");
const VERSION: &str = "4.8.4";

pub struct SocketIo {
    script: PathBuf,
}

impl SocketIo {
    pub fn ready() -> Result<SocketIo> {
        let folder = npm::folder("socketio")?;
        npm::install_once(&folder, &[&format!("socket.io@{VERSION}")])?;
        Ok(SocketIo { script: npm::script(&folder, "server.mjs", SCRIPT)? })
    }
}

impl Rival for SocketIo {
    fn name(&self) -> String {
        format!("Socket.IO {VERSION}, memory")
    }

    fn start(&self) -> Result<Server> {
        Server::start(Command::new("node").arg(&self.script))
    }

    async fn rooms(&self, _address: SocketAddr, count: usize) -> Result<Vec<String>> {
        Ok(numbered(count))
    }

    async fn sit(&self, address: SocketAddr, room: &str, _person: usize) -> Result<Line> {
        let mut line = Line::open(address, &format!("/socket.io/?EIO=4&transport=websocket&room={room}")).await?;
        wait_for(&mut line, |frame| frame.starts_with(b"0{")).await?;
        line.send("40").await?;
        wait_for(&mut line, |frame| frame.starts_with(b"40{")).await?;
        Ok(line)
    }

    fn write(&self, chair: &mut Chair, frames: &mut Vec<u8>) {
        chair.number += 1;
        let Chair { person, number, .. } = chair;
        let value = value(*number);
        push_frame(frames, format!(r#"42{number}["set","k{person}","{value}"]"#).as_bytes());
    }

    fn hear(&self, _chair: &Chair, frame: &[u8], heard: &mut Heard) -> bool {
        match frame {
            [b'4', b'2', ..] => heard.changes += 1,
            [b'4', b'3', ..] => heard.acks += 1,
            [b'2'] => push_frame(&mut heard.answer, b"3"), // It asks whether we are there.
            _ => return false,
        }
        true
    }
}
