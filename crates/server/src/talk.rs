//! What a line asks of whoever talks on it.
//!
//! Clients hold conversations. There is a second talker, in `examples/echo.rs`, which only says back what it hears:
//! public suites try WebSockets that way, and so they try the very handshake and line that clients use.

use crate::conversation::{Conversation, Outcome, Waiting};
use bytes::Bytes;

pub trait Talk: Send + 'static {
    /// Whether the next message can be taken.
    fn may_hear(&self) -> bool;
    /// Whoever has not said hello in time is sent away.
    fn has_said_hello(&self) -> bool;
    fn hear(&mut self, text: &str) -> Option<Waiting>;
    fn settle(&mut self, outcome: Outcome) -> Option<Waiting>;

    /// The protocol is text: a line on which bytes come is closed, unless the talker has an answer to them.
    fn hear_bytes(&mut self, _bytes: Bytes) -> Option<Bytes> {
        None
    }
}

impl Talk for Conversation {
    fn may_hear(&self) -> bool {
        Conversation::may_hear(self)
    }
    fn has_said_hello(&self) -> bool {
        Conversation::has_said_hello(self)
    }
    fn hear(&mut self, text: &str) -> Option<Waiting> {
        Conversation::hear(self, text)
    }
    fn settle(&mut self, outcome: Outcome) -> Option<Waiting> {
        Conversation::settle(self, outcome)
    }
}
