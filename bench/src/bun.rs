//! Bun's native pub/sub, the fastest peer we know: the npm package's own binary running a script of ours.

use crate::child::Server;
use crate::line::Line;
use crate::peer::{PAYLOAD_BYTES, Peer, Room};
use crate::{Result, npm};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SCRIPT: &str = include_str!("../peers/bun.js");
const PACKAGE: &str = "bun@1";
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct Bun {
    binary: PathBuf,
    script: PathBuf,
    version: String,
}

impl Bun {
    /// Finds the package in the user's cache, or installs it there.
    pub fn ready() -> Result<Bun> {
        let folder = npm::folder("bun")?;
        let script = npm::script(&folder, "server.js", SCRIPT)?;
        let found = match running(&folder) {
            Some(found) => Some(found),
            None => {
                npm::install(&folder, &[PACKAGE])?;
                running(&folder)
            }
        };
        let (binary, version) = found.ok_or("npm installed bun, but no binary of it runs here")?;
        Ok(Bun { binary, script, version })
    }

    /// To run another script.
    pub fn command(&self) -> Command {
        Command::new(&self.binary)
    }

    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The real binary, wherever the package's install step left it: its processor time is what is measured.
fn running(folder: &Path) -> Option<(PathBuf, String)> {
    let modules = folder.join("node_modules");
    let builds = std::fs::read_dir(modules.join("@oven")).ok()?.filter_map(std::result::Result::ok);
    let moved = std::iter::once(modules.join("bun").join("bin").join("bun.exe"));
    moved.chain(builds.map(|build| build.path().join("bin").join("bun"))).find_map(|binary| {
        let version = npm::output(Command::new(&binary).arg("--version"), ANSWER_WITHIN).ok()?;
        Some((binary, version.trim().to_owned()))
    })
}

impl Peer for Bun {
    fn name(&self) -> String {
        format!("Bun {}", self.version)
    }

    fn start(&self) -> Result<Server> {
        Server::start(Command::new(&self.binary).arg("run").arg(&self.script))
    }

    fn path(&self) -> &'static str {
        "/"
    }

    /// Its script subscribes each socket as it opens.
    async fn gather(&self, _lines: &mut [Line]) -> Result<Room> {
        Ok(Room(String::new()))
    }

    fn say(&self, _room: &Room, payload: &str) -> String {
        payload.to_owned()
    }

    fn hear(&self, frame: &[u8], each: &mut dyn FnMut(&[u8])) -> bool {
        each(frame);
        frame.len() == PAYLOAD_BYTES
    }
}
