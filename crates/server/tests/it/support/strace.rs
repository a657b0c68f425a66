//! strace as a witness, and as the one who strikes: starting it, attaching it, reading what it saw.

use super::house::{PATIENCE, until};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// One system call, in the order in which strace saw calls begin. Between `began` and `ended`, counted in lines, others
/// may have run; a call that ended before another began did so in truth, because strace holds each process at both.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// Everything from the first argument to the result.
    pub(crate) text: String,
    pub(crate) began: usize,
    /// `None`: it never returned, because its process was killed.
    pub(crate) ended: Option<usize>,
}

/// An strace attached to a running process.
pub(crate) struct Tracer {
    child: Child,
    output: PathBuf,
    _folder: TempDir,
}

/// strace and its arguments, to run something under it as if it were not there. Not following threads unless told to.
pub(crate) fn under(output: &Path, arguments: &[&str]) -> Vec<String> {
    require();
    let fixed = ["strace", "-D", "-yy", "-s", "65536", "-o", output.to_str().unwrap()];
    fixed.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

/// What an strace started by `under` saw; waits until it has seen the end of the process.
pub(crate) fn seen(output: &Path, pid: u32) -> Vec<Call> {
    let over = |line: &str| line.contains("+++ exited with") || line.contains("+++ killed by");
    // Without -f lines have no process number in front.
    let last = format!("{pid} ");
    until("strace has written everything", || {
        let text = std::fs::read(output).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.lines().any(|line| over(line) && (line.starts_with("+++") || line.starts_with(&last)))
    });
    read(&String::from_utf8_lossy(&std::fs::read(output).unwrap()))
}

impl Tracer {
    /// Attaches to all threads of a process, also those to come; returns when it holds them all.
    pub(crate) fn attach(pid: u32, arguments: &[&str]) -> Tracer {
        let pid_word = pid.to_string();
        Tracer::start(&[&["-f", "-p", &pid_word], arguments].concat(), || threads(pid))
    }

    /// Attaches to those threads of a process that have this name.
    pub(crate) fn attach_to(pid: u32, name: &str, arguments: &[&str]) -> Tracer {
        let named = |thread: &PathBuf| std::fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim() == name);
        let chosen = || -> Vec<PathBuf> { threads(pid).into_iter().filter(named).collect() };
        // A thread takes its name when it first runs.
        until(&format!("a thread is called {name}"), || !chosen().is_empty());
        let chosen = chosen();
        let tids: Vec<&str> = chosen.iter().filter_map(|thread| thread.file_name()?.to_str()).collect();
        let words: Vec<&str> = tids.iter().flat_map(|tid| ["-p", *tid]).chain(arguments.iter().copied()).collect();
        Tracer::start(&words, || chosen.clone())
    }

    fn start(words: &[&str], threads: impl Fn() -> Vec<PathBuf>) -> Tracer {
        require();
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("trace");
        let mut command = Command::new("strace");
        command.args(["-yy", "-s", "65536", "-o"]).arg(&output).args(words);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("strace holds all threads", || {
            let gone = child.try_wait().unwrap();
            assert!(
                gone.is_none(),
                "strace could not attach ({gone:?}); may this user trace processes? ptrace_scope must be 0, or be root"
            );
            threads().iter().all(|thread| is_traced(thread))
        });
        Tracer { child, output, _folder: folder }
    }

    /// How much it has written: it stays the same while nothing is seen.
    pub(crate) fn bytes(&self) -> u64 {
        std::fs::metadata(&self.output).map_or(0, |file| file.len())
    }

    /// Whether it has struck already.
    pub(crate) fn has_struck(&self) -> bool {
        let text = std::fs::read(&self.output).unwrap_or_default();
        String::from_utf8_lossy(&text).contains("(INJECTED)")
    }

    /// What it saw, when the process has ended.
    pub(crate) fn seen(mut self) -> Vec<Call> {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "strace outlives what it traced");
            std::thread::yield_now();
        }
        read(&String::from_utf8_lossy(&std::fs::read(&self.output).unwrap()))
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        let _ = self.child.kill(); // It may be gone already.
        let _ = self.child.wait();
    }
}

impl Call {
    /// The path behind its first argument, when that is an open file.
    pub(crate) fn path(&self) -> Option<&str> {
        let (number, rest) = self.text.split_once('<')?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // A path ends at `>` before the next argument; paths of tests hold neither.
        rest.split_once('>').map(|(path, _)| path)
    }

    /// Whether it is about something in this folder, by descriptor or by name.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        let folder = folder.to_str().unwrap();
        match self.path() {
            Some(path) => path.starts_with(folder),
            None => self.name != "execve" && self.text.contains(&format!("\"{folder}")),
        }
    }

    pub(crate) fn is_on_tcp(&self) -> bool {
        let (_, rest) = self.text.split_once('<').unwrap_or_default();
        rest.starts_with("TCP") || rest.starts_with("socket:")
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.text.rsplit_once(" = ").is_some_and(|(_, result)| !result.starts_with('-') && !result.starts_with('?'))
    }

    pub(crate) fn was_injected(&self) -> bool {
        self.text.ends_with("(INJECTED)")
    }
}

/// Reads a trace, putting together the calls that were interrupted by others.
pub(crate) fn read(trace: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished: HashMap<u32, usize> = HashMap::new();
    for (at, line) in trace.lines().enumerate() {
        let (pid, rest) = match line.split_once(' ') {
            Some((pid, rest)) if pid.bytes().all(|byte| byte.is_ascii_digit()) => (pid.parse().unwrap(), rest.trim_start()),
            _ => (0, line),
        };
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let (Some(index), Some((_, end))) = (unfinished.remove(&pid), resumed.split_once(" resumed>")) else { continue };
            calls[index].text.push_str(end);
            calls[index].ended = Some(at);
            continue;
        }
        let Some((name, text)) = rest.split_once('(') else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue; // A signal, or the end of a process.
        }
        let (text, ended) = match text.strip_suffix("<unfinished ...>") {
            Some(text) => {
                unfinished.insert(pid, calls.len());
                (text.trim_end(), None)
            }
            None => (text, Some(at)),
        };
        calls.push(Call { pid, name: name.to_owned(), text: text.to_owned(), began: at, ended });
    }
    calls
}

fn require() {
    let there = Command::new("strace").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(there.is_ok_and(|status| status.success()), "this test needs strace; on Debian: apt-get install strace");
}

fn threads(pid: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    entries.filter_map(Result::ok).map(|entry| entry.path()).collect()
}

fn is_traced(thread: &Path) -> bool {
    let status = std::fs::read_to_string(thread.join("status")).unwrap_or_default();
    status.lines().any(|line| line.strip_prefix("TracerPid:").is_some_and(|tracer| tracer.trim() != "0"))
}

#[test]
fn a_trace_is_read_with_its_interruptions() {
    let calls = read(
        "7  write(3</a/0.jnl>, \"x\\\"\", 2) = 2\n\
                      7  fdatasync(3</a/0.jnl> <unfinished ...>\n\
                      8  write(9<TCP:[1->2]>, \"(\", 1) = 1\n\
                      8  --- SIGTERM {si_signo=SIGTERM} ---\n\
                      7  <... fdatasync resumed>) = -1 EIO (Input/output error) (INJECTED)\n\
                      8  mkdir(\"/a/b\", 0777 <unfinished ...>\n\
                      8  +++ killed by SIGKILL +++\n",
    );
    let names: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.began, call.ended)).collect();
    assert_eq!(names, [("write", 0, Some(0)), ("fdatasync", 1, Some(4)), ("write", 2, Some(2)), ("mkdir", 5, None)]);
    assert_eq!(calls[1].path(), Some("/a/0.jnl"));
    assert!(calls[0].succeeded() && !calls[1].succeeded() && calls[1].was_injected() && !calls[3].succeeded());
    assert!(calls[2].is_on_tcp() && calls[3].is_in(Path::new("/a")) && !calls[2].is_in(Path::new("/a")));
}
