//! One connection through the proxy: two ways, and on each a thread that reads and a thread that hands over.
//!
//! Two threads, because who sleeps through a delay cannot note when the next bytes came. All that they decide, they decide
//! under the one lock of the switches; none of them holds it while it reads or writes.

use std::collections::BTreeMap;
use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is read at once, and how many such pieces wait before the reader does.
const PIECE: usize = 64 * 1024;
const PIECES_MAX: usize = 256;
/// The longest word that is found although it came in two pieces.
const WORD_MAX: usize = 64;

pub(super) struct State {
    pub(super) switches: Mutex<Switches>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct Switches {
    pub(super) ended: bool,
    pub(super) cut: bool,
    pub(super) frozen: bool,
    pub(super) swallow: bool,
    pub(super) delay: Duration,
    /// The word of the request whose reply shall be lost.
    pub(super) lose: Option<Vec<u8>>,
    pub(super) lost: usize,
    pub(super) lines: BTreeMap<u64, Line>,
    pub(super) threads: Vec<JoinHandle<()>>,
    opened: u64,
}

pub(super) struct Line {
    client: TcpStream,
    server: TcpStream,
    ways: usize,
    /// The request whose reply shall be lost has gone through here.
    doomed: bool,
    /// Replies vanished here, so no later one may be handed over.
    pub(super) swallowed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Requests,
    Replies,
}

type Piece = (Instant, Vec<u8>);

impl Line {
    pub(super) fn new(client: TcpStream, server: TcpStream) -> Result<Line> {
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        Ok(Line { client, server, ways: 2, doomed: false, swallowed: false })
    }

    fn close(&self) {
        // It may be closed from the other side already.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}

impl Switches {
    /// Closes these lines; what they had under way is lost.
    pub(super) fn close(&mut self, which: impl Fn(&Line) -> bool) {
        self.lines.retain(|_, line| {
            let close = which(line);
            if close {
                line.close();
            }
            !close
        });
    }
}

impl State {
    pub(super) fn lock(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Switches)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Starts to carry both ways of a line.
    pub(super) fn open(self: &Arc<State>, line: Line) -> Result<()> {
        let ways = [
            (Way::Requests, line.client.try_clone()?, line.server.try_clone()?),
            (Way::Replies, line.server.try_clone()?, line.client.try_clone()?),
        ];
        let mut switches = self.lock();
        if switches.cut || switches.ended {
            return Ok(()); // Thrown while we connected; the line is dropped, and thereby closed.
        }
        let id = switches.opened;
        switches.opened += 1;
        switches.lines.insert(id, line);
        switches.threads.retain(|thread| !thread.is_finished());
        for (way, from, to) in ways {
            let (pieces, queue) = sync_channel(PIECES_MAX);
            let state = Arc::clone(self);
            switches.threads.push(thread::spawn(move || read(from, &pieces)));
            switches.threads.push(thread::spawn(move || state.hand_over(id, way, &queue, to)));
        }
        Ok(())
    }

    fn hand_over(&self, id: u64, way: Way, queue: &Receiver<Piece>, mut to: TcpStream) {
        let mut tail = Vec::new();
        let mut carry = || {
            for (arrived, piece) in queue {
                self.wait_for_turn(id, arrived)?;
                let pass = match way {
                    Way::Requests => {
                        self.note_request(id, &mut tail, &piece);
                        true
                    }
                    Way::Replies => self.passes_reply(id)?,
                };
                if pass {
                    to.write_all(&piece).ok()?;
                }
            }
            Some(())
        };
        let whole = carry().is_some();
        // The end of one way is handed over like its bytes; the other way may still have something to say.
        let _ = to.shutdown(if whole { Shutdown::Write } else { Shutdown::Both });
        let mut switches = self.lock();
        if let Some(line) = switches.lines.get_mut(&id) {
            line.ways -= 1;
            if !whole || line.ways == 0 {
                line.close();
                switches.lines.remove(&id);
            }
        }
        drop(switches);
        self.changed.notify_all();
    }

    /// Waits out delay and frost; nothing when the line was closed meanwhile.
    fn wait_for_turn(&self, id: u64, arrived: Instant) -> Option<()> {
        let mut switches = self.lock();
        while switches.lines.contains_key(&id) {
            let left = (arrived + switches.delay).saturating_duration_since(Instant::now());
            switches = match (switches.frozen, left.is_zero()) {
                (false, true) => return Some(()),
                (true, _) => self.changed.wait(switches).unwrap_or_else(PoisonError::into_inner),
                (false, false) => self.changed.wait_timeout(switches, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        None
    }

    /// A request with the word dooms its line before it passes. `tail` is the end of what passed before.
    fn note_request(&self, id: u64, tail: &mut Vec<u8>, piece: &[u8]) {
        let mut switches = self.lock();
        let found = switches.lose.as_ref().is_some_and(|word| {
            let before = tail.len().min(word.len().saturating_sub(1));
            let text = [&tail[tail.len() - before..], piece].concat().to_ascii_uppercase();
            word.is_empty() || text.windows(word.len()).any(|part| part == word.as_slice())
        });
        if found && let Some(line) = switches.lines.get_mut(&id) {
            line.doomed = true;
            switches.lose = None;
        }
        tail.extend_from_slice(piece);
        tail.drain(..tail.len().saturating_sub(WORD_MAX));
    }

    /// Whether a reply is handed over; nothing when its line was closed meanwhile.
    fn passes_reply(&self, id: u64) -> Option<bool> {
        let mut switches = self.lock();
        let swallow = switches.swallow;
        let line = switches.lines.get_mut(&id)?;
        let first = line.doomed && !line.swallowed;
        line.swallowed |= line.doomed || swallow;
        let pass = !line.swallowed;
        if first {
            // Only the client's side: what it has already sent must still reach the server, which a reset would undo.
            let _ = line.client.shutdown(Shutdown::Both);
            switches.lost += 1;
        }
        Some(pass)
    }
}

fn read(mut from: TcpStream, pieces: &SyncSender<Piece>) {
    let mut buffer = vec![0; PIECE];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if pieces.send((Instant::now(), buffer[..count].to_vec())).is_err() {
            return;
        }
    }
}
