//! A PostgreSQL server of its own: Debian's package, a database in a folder that goes when it goes.
//!
//! It refuses to run as root, so root starts it as `nobody`. Nothing is synced to disk; it can be stopped and started again.

use crate::child::Child;
use crate::ports;
use crate::wait::within;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

const STARTS_MAX: usize = 5;
const START: Duration = Duration::from_secs(60);
const NOBODY: u32 = 65534;
const NEEDED: &str = "the tests need PostgreSQL; on Debian: apt-get install postgresql";

pub struct Postgres {
    port: u16,
    // The child before the folder: who is still writing must end before what it writes to goes.
    child: Mutex<Option<Child>>,
    dir: TempDir,
}

impl Postgres {
    /// An empty server; everybody on this machine is trusted.
    pub fn start() -> Postgres {
        let dir = TempDir::with_prefix("parlor-testbed-").expect("a temporary folder can be made");
        if is_root() {
            chown(dir.path(), Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
        }
        init(dir.path());
        let mut failures = Vec::new();
        let mut postgres = Postgres { port: 0, child: Mutex::new(None), dir };
        for _ in 0..STARTS_MAX {
            postgres.port = ports::free();
            match postgres.try_run() {
                Ok(()) => return postgres,
                Err(failure) => failures.push(failure),
            }
        }
        panic!("PostgreSQL did not start {STARTS_MAX} times: {}", failures.join("\n\nand then: "));
    }

    pub fn url(&self) -> String {
        format!("postgres://parlor@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    /// Ends the server at once; what it had is still there.
    pub fn stop(&self) {
        if let Some(mut child) = self.child().take() {
            child.quit();
        }
    }

    /// Starts it again where it was.
    pub fn restart(&self) {
        self.stop();
        self.try_run().expect("it ran before");
    }

    fn try_run(&self) -> Result<(), String> {
        let mut command = program("postgres", self.dir.path());
        let port = self.port.to_string();
        command.arg("-D").arg(self.dir.path().join("data")).args(["-p", &port]);
        let settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
        for setting in settings.iter().chain(&["full_page_writes=off", "shared_buffers=16MB", "max_connections=40"]) {
            command.args(["-c", setting]);
        }
        let child = Child::spawn(command, &self.dir.path().join("log")).map_err(|error| error.to_string())?;
        *self.child() = Some(child);
        let ready = within(START, || {
            if !self.child().as_mut().is_some_and(Child::runs) {
                return Ok(Err("it ended"));
            }
            let mut ready = program("pg_isready", self.dir.path());
            ready.args(["-q", "-h", "127.0.0.1", "-p", &port]);
            if ready.status().is_ok_and(|status| status.success()) { Ok(Ok(())) } else { Err("it is not ready".to_string()) }
        });
        let log_end = || self.child().as_ref().map(Child::log_end).unwrap_or_default();
        match ready {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(format!("port {port}: {why}; its log ends:\n{}", log_end())),
            Err(why) => Err(format!("port {port}: {why}; its log ends:\n{}", log_end())),
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        // A test that failed while it held the child still has to end it.
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

fn init(dir: &Path) {
    let mut command = program("initdb", dir);
    command.arg("-D").arg(dir.join("data")).args(["-U", "parlor", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
    let made = command.output().unwrap_or_else(|error| panic!("{NEEDED} ({error})"));
    assert!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
}

/// One of its programs, to be run as somebody who is not root.
fn program(name: &str, dir: &Path) -> Command {
    let mut command = Command::new(programs().join(name));
    command.current_dir(dir);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Where Debian puts the newest of them.
fn programs() -> PathBuf {
    let versions = Path::new("/usr/lib/postgresql").read_dir().unwrap_or_else(|_| panic!("{NEEDED}"));
    let newest = versions.flatten().max_by_key(|version| version.file_name().to_string_lossy().parse::<u32>().unwrap_or(0));
    newest.unwrap_or_else(|| panic!("{NEEDED}")).path().join("bin")
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
