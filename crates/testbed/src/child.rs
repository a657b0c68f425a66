//! A process that does not outlive its owner, and the end of its log for whoever must explain a failure.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LINES_SHOWN: usize = 30;

pub(crate) struct Child {
    process: std::process::Child,
    log: PathBuf,
    paused: bool,
}

impl Child {
    /// What the process prints goes to the end of `log`, beside what it writes there itself.
    pub(crate) fn spawn(mut command: Command, log: &Path) -> std::io::Result<Child> {
        let file = std::fs::File::options().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        Ok(Child { process: command.spawn()?, log: log.into(), paused: false })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn runs(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Runs and is not paused: it can be expected to answer.
    pub(crate) fn awake(&mut self) -> bool {
        !self.paused && self.runs()
    }

    /// SIGKILL, and gone when this returns.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself; then there is nothing to kill and nothing to wait for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// SIGQUIT, for those that must end others of their own first; gone when this returns.
    pub(crate) fn quit(&mut self) {
        if self.runs() {
            // It may be quicker; then there is nothing to end.
            let _ = kill_process(self.pid(), Signal::QUIT);
            let _ = self.process.wait();
        }
    }

    /// SIGSTOP; when this returns it does nothing any more.
    pub(crate) fn pause(&mut self) {
        kill_process(self.pid(), Signal::STOP).expect("a child that was not waited for can be signalled");
        // The signal is only on its way; what the child still does in between would make a test a matter of luck.
        let stopped = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid()), stopped).expect("a child can be waited for");
        self.paused = true;
    }

    pub(crate) fn resume(&mut self) {
        kill_process(self.pid(), Signal::CONT).expect("a child that was not waited for can be signalled");
        self.paused = false;
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    pub(crate) fn log_end(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}
