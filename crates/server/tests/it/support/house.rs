//! A real `parlor serve` on a loopback address of its own and, unless told otherwise, in a folder of its own.
//!
//! It is killed when dropped, and a house that panicked anywhere fails the test that lived in it.

use super::table;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Long enough for a slow machine under other load; what takes longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How a house is to be started.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// `None`: a temporary folder that goes when the house does.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) flags: Vec<String>,
    /// A program and its arguments that run the server, such as strace. It must keep the process number (`strace -D`).
    pub(crate) under: Vec<String>,
}

pub(crate) struct House {
    plan: Plan,
    folder: PathBuf,
    _temporary: Option<TempDir>,
    address: SocketAddr,
    running: Option<Running>,
    said: Arc<Mutex<Said>>,
}

/// How a process ended, and everything it said.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

#[derive(Default)]
struct Said {
    stdout: String,
    stderr: String,
}

struct Running {
    child: Child,
    readers: Vec<JoinHandle<()>>,
}

impl House {
    /// Starts with these flags of `parlor serve` and waits until it listens.
    pub(crate) fn start(flags: &[&str]) -> House {
        House::open(Plan { flags: owned(flags), ..Plan::default() })
    }

    /// The same on a folder that outlives the house.
    pub(crate) fn start_in(folder: &Path, flags: &[&str]) -> House {
        House::open(Plan { folder: Some(folder.to_owned()), flags: owned(flags), ..Plan::default() })
    }

    pub(crate) fn open(plan: Plan) -> House {
        House::try_open(plan).unwrap_or_else(|ended| panic!("the server did not start: {ended:?}"))
    }

    /// Gives how it ended when it ends before it listens.
    pub(crate) fn try_open(plan: Plan) -> Result<House, Ended> {
        let (temporary, folder) = match &plan.folder {
            Some(folder) => (None, folder.clone()),
            None => {
                let temporary = tempfile::tempdir().unwrap();
                let folder = temporary.path().join("store");
                (Some(temporary), folder)
            }
        };
        // Each house has an address of 127.0.0.0/8 for itself, so that nobody takes its port while it is restarted.
        let [a, b, c, ..] = RandomState::new().hash_one("house").to_le_bytes();
        let address = SocketAddr::from((Ipv4Addr::new(127, a, b, c | 2), 0));
        let mut house = House { plan, folder, _temporary: temporary, address, running: None, said: Arc::default() };
        house.begin()?;
        Ok(house)
    }

    /// `http://ADDRESS`
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn ws_url(&self) -> String {
        format!("ws://{}/v1/ws", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The folder of its store.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.as_ref().expect("it runs").child.id()
    }

    /// Everything it said on both outputs since its last start.
    pub(crate) fn logs(&self) -> String {
        let said = self.said.lock().unwrap();
        format!("{}{}", said.stdout, said.stderr)
    }

    /// SIGKILL; returns when the process is gone.
    pub(crate) fn kill9(&mut self) -> Ended {
        self.running.as_mut().expect("it runs").child.kill().unwrap();
        self.wait()
    }

    /// SIGTERM; returns when the process is gone.
    pub(crate) fn terminate(&mut self) -> Ended {
        self.ask_to_go();
        self.wait()
    }

    /// SIGTERM without waiting.
    pub(crate) fn ask_to_go(&self) {
        let pid = rustix::process::Pid::from_raw(self.pid() as i32).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits until it has ended by itself.
    pub(crate) fn wait(&mut self) -> Ended {
        let mut running = self.running.take().expect("it runs");
        let status = wait_for(&mut running.child);
        ended(status, running.readers, &self.said)
    }

    /// Whether the process has not ended yet.
    pub(crate) fn is_running(&mut self) -> bool {
        self.running.as_mut().is_some_and(|running| running.child.try_wait().unwrap().is_none())
    }

    /// Starts again on the same folder and address; a house that runs is terminated first.
    pub(crate) fn restart(&mut self) {
        if self.running.is_some() {
            self.terminate();
        }
        self.begin().unwrap_or_else(|ended| panic!("the server did not start again: {ended:?}"));
    }

    /// What a later start does differently.
    pub(crate) fn plan(&mut self) -> &mut Plan {
        &mut self.plan
    }

    fn begin(&mut self) -> Result<(), Ended> {
        let listen = self.address.to_string();
        let store = format!("embedded:{}", self.folder.display());
        let mut words = self.plan.under.clone();
        words.extend(owned(&[env!("CARGO_BIN_EXE_parlor"), "serve"]));
        if !self.plan.flags.iter().any(|flag| flag == "--listen") {
            words.extend(["--listen".to_owned(), listen]);
        }
        if !self.plan.flags.iter().any(|flag| flag == "--store") {
            words.extend(["--store".to_owned(), store]);
        }
        words.extend(self.plan.flags.clone());
        self.said = Arc::default();
        let (found, address) = mpsc::channel();
        let mut running = spawn(&words, &self.said, move |line| {
            if let Some((_, address)) = line.rsplit_once("listening on http://") {
                let _ = found.send(address.trim().parse().unwrap()); // Only the first is waited for.
            }
        });
        match address.recv_timeout(PATIENCE) {
            Ok(address) => {
                self.address = address;
                self.running = Some(running);
                Ok(())
            }
            Err(RecvTimeoutError::Disconnected) => Err(ended(wait_for(&mut running.child), running.readers, &self.said)),
            Err(RecvTimeoutError::Timeout) => {
                let _ = running.child.kill(); // It hangs; what it said is in the panic.
                panic!(
                    "the server neither listened nor ended: {:?}",
                    ended(wait_for(&mut running.child), running.readers, &self.said)
                );
            }
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill(); // It may be gone already.
            let _ = running.child.wait();
            for reader in running.readers {
                let _ = reader.join();
            }
        }
        let logs = self.logs();
        if std::thread::panicking() {
            eprintln!("what the server said:\n{logs}");
        } else {
            assert!(!logs.contains("panicked at"), "the server panicked:\n{logs}");
        }
    }
}

impl Ended {
    /// Ended by itself, unhappy, with one sentence for people and nothing of the machinery.
    #[track_caller]
    pub(crate) fn one_sentence(&self) -> &str {
        self.no_panic();
        assert!(self.code.is_some_and(|code| code != 0), "it should have failed by itself: {self:?}");
        let complaints: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("parlor: ")).collect();
        assert!(complaints.len() == 1, "there should be one sentence: {self:?}");
        complaints[0]
    }

    #[track_caller]
    pub(crate) fn no_panic(&self) {
        let machinery = ["panicked at", "stack backtrace", "RUST_BACKTRACE"];
        assert!(!machinery.iter().any(|word| self.stderr.contains(word)), "it panicked: {self:?}");
    }
}

/// Runs `parlor` with these words to its end.
pub(crate) fn parlor(words: &[&str]) -> Ended {
    run(&owned(&[&[env!("CARGO_BIN_EXE_parlor")], words].concat()))
}

/// Runs any program to its end.
pub(crate) fn run(words: &[String]) -> Ended {
    let said = Arc::default();
    let mut running = spawn(words, &said, |_| {});
    ended(wait_for(&mut running.child), running.readers, &said)
}

/// Waits until this holds; the name is for the failure.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::park_timeout(Duration::from_millis(2)); // Between two looks, not instead of one.
    }
}

fn spawn(words: &[String], said: &Arc<Mutex<Said>>, mut hear: impl FnMut(&str) + Send + 'static) -> Running {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOR_")) {
        command.env_remove(name);
    }
    command.env("RUST_BACKTRACE", "1").env("NO_COLOR", "1").envs(table::ENVIRONMENT);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{} cannot be started: {error}", words[0]));
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (out, err) = (said.clone(), said.clone());
    let readers = vec![
        std::thread::spawn(move || {
            each_line(stdout, |line| {
                out.lock().unwrap().stdout.push_str(line);
                hear(line);
            });
        }),
        std::thread::spawn(move || each_line(stderr, |line| err.lock().unwrap().stderr.push_str(line))),
    ];
    Running { child, readers }
}

fn each_line(from: impl Read, mut each: impl FnMut(&str)) {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        each(&String::from_utf8_lossy(&line));
        line.clear();
    }
}

fn wait_for(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill(); // Nothing may be left running.
            panic!("process {} did not end", child.id());
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

fn ended(status: ExitStatus, readers: Vec<JoinHandle<()>>, said: &Mutex<Said>) -> Ended {
    for reader in readers {
        reader.join().unwrap();
    }
    let said = said.lock().unwrap();
    Ended { code: status.code(), signal: status.signal(), stdout: said.stdout.clone(), stderr: said.stderr.clone() }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
