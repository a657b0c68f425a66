//! A server as a child process, pinned to its core, ended when dropped.

use crate::line;
use crate::options::Options;
use crate::{Result, machine};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const START_WITHIN: Duration = Duration::from_secs(60);

pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// From the start of the process until it answered.
    pub started_in: Duration,
}

impl Server {
    /// Starts a program that prints `… http://ADDRESS` when it listens, on the server's core.
    pub fn start(command: &mut Command) -> Result<Server> {
        let begun = Instant::now();
        machine::pin(machine::SERVER)?;
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        machine::pin(machine::GENERATOR)?;
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = spawned.map_err(|error| format!("{program} does not start: {error}"))?;
        let (found, address) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // Read to the end, so that the child never waits for a full pipe.
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
                    if let Some((_, address)) = line.rsplit_once("http://")
                        && let Ok(address) = address.trim().trim_end_matches('/').parse::<SocketAddr>()
                    {
                        let _ = found.send(address); // Only the first is waited for.
                    }
                }
            });
        }
        let mut server = Server { child, address: ([127, 0, 0, 1], 0).into(), started_in: Duration::ZERO };
        server.address = address.recv_timeout(START_WITHIN).map_err(|_| format!("{program} did not say where it listens"))?;
        server.started_in = begun.elapsed();
        Ok(server)
    }

    /// Starts a program that was told where to listen and says nothing, on the server's core.
    pub fn listening(command: &mut Command, address: SocketAddr) -> Result<Server> {
        let begun = Instant::now();
        machine::pin(machine::SERVER)?;
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        machine::pin(machine::GENERATOR)?;
        let program = command.get_program().to_string_lossy().into_owned();
        let child = spawned.map_err(|error| format!("{program} does not start: {error}"))?;
        let mut server = Server { child, address, started_in: Duration::ZERO };
        while std::net::TcpStream::connect(address).is_err() {
            if begun.elapsed() > START_WITHIN || server.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err(format!("{program} does not listen on {address}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        server.started_in = begun.elapsed();
        Ok(server)
    }

    /// Parlor with limits that a load generator on one address needs.
    pub fn parlor(options: &Options, store: &str) -> Result<Server> {
        let begun = Instant::now();
        let mut command = Command::new(&options.parlor);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--store", store]);
        command.args([
            "--connections-per-address-max",
            "20000",
            "--creates-per-minute-max",
            "1000000",
            "--message-rate-max",
            "1000000",
        ]);
        command.args(&options.serve);
        let mut server = Server::start(&mut command)?;
        line::healthy(server.address)?;
        server.started_in = begun.elapsed();
        Ok(server)
    }

    /// Tells it to go and waits until it has gone.
    pub fn stop(mut self) -> Result<()> {
        let failed = |error: std::io::Error| format!("the server does not go: {error}");
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).map_err(|error| failed(error.into()))?;
        self.child.wait().map(|_| ()).map_err(failed)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn cpu(&self) -> Result<Duration> {
        machine::cpu(self.pid())
    }

    pub fn resident_kib(&self) -> Result<u64> {
        machine::resident_kib(self.pid())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already; either way it is waited for, so that its folder is free.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
