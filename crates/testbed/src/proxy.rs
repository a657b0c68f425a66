//! A proxy before one server that cuts, delays, freezes, and loses replies when told to, and is honest otherwise.
//!
//! It does only what a network can do: bytes of one connection are never left out in the middle, so a connection that lost
//! some is closed and never carries later ones. It reads nothing of what passes, save to find the request that a test named.

mod line;

use crate::ports;
use line::{Line, State, Switches};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(5);
const BINDS_MAX: usize = 20;

pub struct Proxy {
    addr: SocketAddr,
    state: Arc<State>,
    listening: Option<JoinHandle<()>>,
}

impl Proxy {
    /// A proxy that hands everything on to the server at this address; the server need not be there yet.
    pub fn before(server: SocketAddr) -> Proxy {
        let bind = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, ports::free())).ok();
        let listener = (0..BINDS_MAX).find_map(bind).expect("a free port can be listened on");
        let addr = listener.local_addr().expect("who listens has an address");
        let state = Arc::new(State { switches: Mutex::new(Switches::default()), changed: Condvar::new() });
        let shared = Arc::clone(&state);
        Proxy { addr, state, listening: Some(thread::spawn(move || listen(&listener, server, &shared))) }
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn url(&self) -> String {
        format!("redis://{}", self.addr)
    }

    /// Closes all connections, and each new one at once, until `mend`.
    pub fn cut(&self) {
        self.state.change(|switches| {
            switches.cut = true;
            switches.close(|_| true);
        });
    }

    /// New connections are served again.
    pub fn mend(&self) {
        self.state.change(|switches| switches.cut = false);
    }

    /// Each byte arrives so much later, both ways, in order; zero ends it.
    pub fn delay(&self, delay: Duration) {
        self.state.change(|switches| switches.delay = delay);
    }

    /// Holds all bytes both ways, also those of new connections, without closing anything.
    pub fn freeze(&self) {
        self.state.change(|switches| switches.frozen = true);
    }

    /// Hands over what was held, and goes on.
    pub fn thaw(&self) {
        self.state.change(|switches| switches.frozen = false);
    }

    /// While on, requests go through and replies vanish; when switched off, connections that lost any are closed.
    pub fn drop_replies(&self, on: bool) {
        self.state.change(|switches| {
            switches.swallow = on;
            if !on {
                switches.close(|line| line.swallowed);
            }
        });
    }

    /// The next request goes through, and its connection is closed instead of handing the reply over.
    pub fn lose_next_reply(&self) {
        self.lose_next_reply_to("");
    }

    /// The same for the next request that has this word in it, such as `EXEC`, in either case. All that was under way on its
    /// connection is lost with it; a request of more than 64 KiB may be cut in the middle if others are under way.
    pub fn lose_next_reply_to(&self, word: &str) {
        self.state.change(|switches| switches.lose = Some(word.to_ascii_uppercase().into_bytes()));
    }

    /// How many connections lost a reply because `lose_next_reply` asked for it.
    pub fn lost(&self) -> usize {
        self.state.lock().lost
    }

    /// How many connections there are now.
    pub fn connections(&self) -> usize {
        self.state.lock().lines.len()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.change(|switches| {
            switches.ended = true;
            switches.close(|_| true);
        });
        // The listener waits for a connection, so it is given one.
        let _ = TcpStream::connect(self.addr);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
        let threads = std::mem::take(&mut self.state.lock().threads);
        threads.into_iter().for_each(|thread| _ = thread.join());
    }
}

fn listen(listener: &TcpListener, server: SocketAddr, state: &Arc<State>) {
    while let Ok((client, _)) = listener.accept() {
        let Switches { ended, cut, .. } = *state.lock();
        if ended {
            return;
        }
        if cut {
            continue; // Dropped, and thereby closed.
        }
        if let Ok(line) = TcpStream::connect_timeout(&server, CONNECT).and_then(|server| Line::new(client, server)) {
            // A line that cannot be opened is dropped, and thereby closed, like one of a broken network.
            let _ = state.open(line);
        }
    }
}
