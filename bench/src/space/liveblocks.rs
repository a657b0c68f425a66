//! Liveblocks' rooms on Bun, kept in memory: the package its development server is made of, without the SQLite below it.
//! A write sets a key of the root LiveObject, the cheapest write there is.

use super::rival::{Chair, Heard, Rival, count, numbered, value, wait_for};
use crate::bun::Bun;
use crate::child::Server;
use crate::line::{Line, push_frame};
use crate::{Result, npm};
use std::net::SocketAddr;
use std::path::PathBuf;

const SCRIPT: &str = include_str!("../../peers/liveblocks.js");
const VERSION: &str = "1.9.0";

pub struct Liveblocks {
    bun: Bun,
    script: PathBuf,
}

impl Liveblocks {
    pub fn ready() -> Result<Liveblocks> {
        let folder = npm::folder("liveblocks")?;
        // Its server is a package of its own; the version of both is one.
        npm::install_once(&folder, &[&format!("liveblocks@{VERSION}"), &format!("@liveblocks/server@{VERSION}")])?;
        Ok(Liveblocks { bun: Bun::ready()?, script: npm::script(&folder, "server.mjs", SCRIPT)? })
    }
}

impl Rival for Liveblocks {
    fn name(&self) -> String {
        format!("Liveblocks {VERSION} on Bun {}, memory", self.bun.version())
    }

    fn start(&self) -> Result<Server> {
        Server::start(self.bun.command().arg("run").arg(&self.script))
    }

    async fn rooms(&self, _address: SocketAddr, count: usize) -> Result<Vec<String>> {
        Ok(numbered(count))
    }

    async fn sit(&self, address: SocketAddr, room: &str, _person: usize) -> Result<Line> {
        let mut line = Line::open(address, &format!("/?roomId={room}")).await?;
        // The storage is asked for, as its client does; 211 says that it was sent.
        line.send(r#"[{"type":200}]"#).await?;
        wait_for(&mut line, |frame| frame == br#"{"type":211}"#).await?;
        Ok(line)
    }

    fn write(&self, chair: &mut Chair, frames: &mut Vec<u8>) {
        chair.number += 1;
        let Chair { person, number, .. } = chair;
        let value = value(*number);
        let text = format!(
            r#"[{{"type":201,"ops":[{{"type":3,"opId":"{person}:{number}","id":"root","data":{{"k{person}":"{value}"}}}}]}}]"#
        );
        push_frame(frames, text.as_bytes());
    }

    /// An operation with its id is the answer to its author, one without is news.
    fn hear(&self, _chair: &Chair, frame: &[u8], heard: &mut Heard) -> bool {
        heard.acks += count(frame, br#"{"type":3,"opId":"#);
        heard.changes += count(frame, br#"{"type":3,"id":"#);
        frame.starts_with(br#"[{"type":201"#) || frame.starts_with(br#"{"type":1"#) || frame.starts_with(br#"[{"type":1"#)
    }
}
