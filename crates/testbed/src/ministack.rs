//! A server that speaks DynamoDB, of its own: `ministack`, a program in Python, with everything in memory.
//!
//! Left to itself it listens on all addresses and on ports of other services; here it hears this machine alone, and one port.

use crate::child::Child;
use crate::ports;
use crate::wait::within;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

const STARTS_MAX: usize = 5;
const START: Duration = Duration::from_secs(60);
const NEEDED: &str = "the tests need ministack; `cargo xtask test tools` installs it";

pub struct Ministack {
    port: u16,
    // The child before the folder: who is still writing must end before what it writes to goes.
    child: Mutex<Child>,
    _dir: TempDir,
}

impl Ministack {
    /// A server without tables.
    pub fn start() -> Ministack {
        let mut failures = Vec::new();
        for _ in 0..STARTS_MAX {
            let (port, dir) = (ports::free(), TempDir::with_prefix("parlor-testbed-").expect("a temporary folder can be made"));
            let child = Child::spawn(command(port, dir.path()), &dir.path().join("log"));
            let child = Mutex::new(child.unwrap_or_else(|error| panic!("{NEEDED} ({error})")));
            let server = Ministack { port, child, _dir: dir };
            match server.ready() {
                Ok(()) => return server,
                Err(failure) => failures.push(failure),
            }
        }
        panic!("ministack did not start {STARTS_MAX} times: {}", failures.join("\n\nand then: "));
    }

    /// Where it is asked. Any credentials will do.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr())
    }

    pub fn addr(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The end of its log, for a failure's explanation.
    pub fn log_end(&self) -> String {
        self.child().log_end()
    }

    fn ready(&self) -> Result<(), String> {
        let ready = within(START, || {
            if !self.child().runs() {
                return Ok(Err("it ended".to_owned()));
            }
            self.health().map(Ok)
        });
        match ready {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) | Err(why) => Err(format!("port {}: {why}; its log ends:\n{}", self.port, self.log_end())),
        }
    }

    fn health(&self) -> Result<(), String> {
        let said = |error: std::io::Error| error.to_string();
        let mut stream = TcpStream::connect_timeout(&self.addr(), Duration::from_secs(1)).map_err(said)?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).map_err(said)?;
        stream.write_all(b"GET /_ministack/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").map_err(said)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(said)?;
        if answer.contains(" 200 ") && answer.contains("dynamodb") { Ok(()) } else { Err(answer) }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        // A test that failed while it held the child still has to end it.
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn command(port: u16, dir: &Path) -> Command {
    let home = home().unwrap_or_else(|| panic!("{NEEDED}"));
    let own = home.join("bin/python");
    let mut command = Command::new(if own.exists() { own } else { "python3".into() });
    command.args(["-m", "ministack"]).current_dir(dir);
    command.env("PYTHONPATH", home.join("packages")).env("PYTHONDONTWRITEBYTECODE", "1").env("TMPDIR", dir);
    command.env("GATEWAY_PORT", port.to_string()).env("BIND_HOST", "127.0.0.1").env("SERVICES", "dynamodb");
    command.env("IOT_MTLS_ENABLED", "0").env("LOG_LEVEL", "WARNING").env("PERSIST_STATE", "0");
    command
}

/// Where `cargo xtask test tools` puts it: in the user's cache.
fn home() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))?;
    Some(cache.join("parlor/ministack")).filter(|home| home.join("packages/ministack").exists())
}
