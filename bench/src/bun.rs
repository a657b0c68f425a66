//! Bun's native pub/sub, the fastest peer we know: the npm package's own binary running a script of ours.

use crate::Result;
use crate::child::Server;
use crate::line::Line;
use crate::peer::{PAYLOAD_BYTES, Peer, Room};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("../peers/bun.js");
const PACKAGE: &str = "bun@1";
const INSTALL_WITHIN: Duration = Duration::from_secs(300);
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
        let home = std::env::var_os("HOME").map(PathBuf::from).ok_or("there is no home folder to keep bun in")?;
        let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
        let folder = cache.join("parlor").join("peers").join("bun");
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let script = folder.join("server.js");
        std::fs::write(&script, SCRIPT).map_err(failed)?;
        let found = match running(&folder) {
            Some(found) => Some(found),
            None => {
                eprintln!("installing {PACKAGE} with npm …");
                let mut npm = Command::new("npm");
                npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder).arg(PACKAGE);
                output(&mut npm, INSTALL_WITHIN)?;
                running(&folder)
            }
        };
        let (binary, version) = found.ok_or("npm installed bun, but no binary of it runs here")?;
        Ok(Bun { binary, script, version })
    }
}

/// The real binary, wherever the package's install step left it: its processor time is what is measured.
fn running(folder: &Path) -> Option<(PathBuf, String)> {
    let modules = folder.join("node_modules");
    let builds = std::fs::read_dir(modules.join("@oven")).ok()?.filter_map(std::result::Result::ok);
    let moved = std::iter::once(modules.join("bun").join("bin").join("bun.exe"));
    moved.chain(builds.map(|build| build.path().join("bin").join("bun"))).find_map(|binary| {
        let version = output(Command::new(&binary).arg("--version"), ANSWER_WITHIN).ok()?;
        Some((binary, version.trim().to_owned()))
    })
}

/// What a program prints, if it ends well and in time.
fn output(command: &mut Command, within: Duration) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{program}: {error}");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            let output = child.wait_with_output().map_err(failed)?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            return if status.success() { Ok(text) } else { Err(format!("{program} failed: {text}")) };
        }
        if begun.elapsed() > within {
            let _ = child.kill(); // It may have ended this moment.
            let _ = child.wait();
            return Err(format!("{program} took longer than {} s", within.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
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
