//! How far a move is, on the error output: a line that is rewritten on a terminal; elsewhere a line for every tenth of the
//! work, and every few seconds.

use super::copying::Names;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const REWRITE_EVERY: Duration = Duration::from_millis(100);
const SAY_EVERY: Duration = Duration::from_secs(5);

pub(super) struct Progress {
    what: &'static str,
    rooms: (usize, usize),
    records: (usize, usize),
    bytes: usize,
    began: Instant,
    said: Instant,
    /// How many of them make the next tenth.
    next: usize,
    is_terminal: bool,
}

impl Progress {
    pub(super) fn new(what: &'static str, names: &Names) -> Progress {
        let (rooms, records, now) = ((0, names.rooms.len()), (0, names.records.len()), Instant::now());
        let next = (rooms.1 + records.1).div_ceil(10);
        Progress { what, rooms, records, bytes: 0, began: now, said: now, next, is_terminal: stderr().is_terminal() }
    }

    pub(super) fn step(&mut self, is_room: bool, bytes: usize) {
        let done = if is_room { &mut self.rooms } else { &mut self.records };
        done.0 += 1;
        self.bytes += bytes;
        let all = self.rooms.1 + self.records.1;
        let is_tenth = self.rooms.0 + self.records.0 >= self.next;
        if is_tenth {
            self.next += all.div_ceil(10);
        }
        let due = if self.is_terminal { REWRITE_EVERY } else { SAY_EVERY };
        if self.said.elapsed() >= due || (is_tenth && !self.is_terminal) {
            self.said = Instant::now();
            self.say();
        }
    }

    pub(super) fn end(self) {
        if self.is_terminal {
            self.say();
        }
    }

    fn say(&self) {
        let line = self.line();
        let mut out = stderr().lock();
        // Whoever closed the output wants to hear nothing.
        let _ = if self.is_terminal { write!(out, "\r\x1b[2K{line}") } else { writeln!(out, "{line}") };
        let _ = out.flush();
    }

    fn line(&self) -> String {
        let (rooms, records) = (self.rooms, self.records);
        let rate = (rooms.0 + records.0) as f64 / self.began.elapsed().as_secs_f64().max(0.001);
        let megabytes = self.bytes as f64 / 1e6;
        let what = self.what;
        format!(
            "{what} {} of {} rooms and {} of {} records, {megabytes:.1} MB, {rate:.0} a second",
            rooms.0, rooms.1, records.0, records.1
        )
    }
}

/// However it ends, what is said next begins a line.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal {
            eprintln!();
        }
    }
}
