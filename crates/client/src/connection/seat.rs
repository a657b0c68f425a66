//! One room as the connection knows it: whether we are in, where it stood, and the acts that wait.

use super::{Alarm, Effect, Token};
use crate::backoff::backoff;
use crate::error::ClientError;
use parlor_rules::{Address, Place};
use parlor_wire::Secret;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Outside,
    Knocking,
    Inside,
    /// Sent out, or the room ended; only the answer to an act already sent may still come.
    Over,
}

pub(super) struct Seat {
    host_key: Option<Arc<Secret>>,
    /// Who waits to be let in for the first time.
    pub(super) entering: Option<Token>,
    pub(super) stage: Stage,
    pub(super) place: Option<Place>,
    /// How often the server said to try again, in a row.
    pub(super) tries: u32,
    /// Waiting before trying again.
    pub(super) resting: bool,
    pub(super) acts: VecDeque<Pending>,
}

pub(super) struct Pending {
    pub(super) token: Token,
    pub(super) number: u64,
    pub(super) verb: &'static str,
    pub(super) with: Value,
    pub(super) sent: bool,
}

impl Seat {
    pub(super) fn new(token: Token, host_key: Option<Arc<Secret>>) -> Seat {
        Seat {
            host_key,
            entering: Some(token),
            stage: Stage::Outside,
            place: None,
            tries: 0,
            resting: false,
            acts: VecDeque::new(),
        }
    }

    pub(super) fn credentials(&self) -> Value {
        let mut with = json!({});
        if let Some(key) = &self.host_key {
            with["host_key"] = key.expose().into();
        }
        if let Some(place) = self.place {
            with["at"] = place.position.to_string().into();
            with["mark"] = place.mark.to_string().into();
        }
        with
    }

    pub(super) fn rest(&mut self, room: &Address, dice: u64, out: &mut Vec<Effect>) {
        out.push(Effect::Ring(backoff(self.tries, dice), Alarm::Retry(room.clone())));
        self.tries += 1;
        self.resting = true;
    }

    /// The connection is gone: what was under way is sent again, with its number, when we are back.
    pub(super) fn cut(&mut self, out: &mut Vec<Effect>) {
        if self.stage == Stage::Over {
            self.fail(ClientError::interrupted(), out);
            return;
        }
        self.stage = Stage::Outside;
        for act in &mut self.acts {
            act.sent = false;
        }
    }

    pub(super) fn fail(&mut self, error: ClientError, out: &mut Vec<Effect>) {
        if let Some(token) = self.entering.take() {
            out.push(Effect::Answer(token, Err(error.clone())));
        }
        out.extend(self.acts.drain(..).map(|act| Effect::Answer(act.token, Err(error.clone()))));
    }

    pub(super) fn fail_unsent(&mut self, error: &ClientError, out: &mut Vec<Effect>) {
        let (sent, unsent) = std::mem::take(&mut self.acts).into_iter().partition(|act| act.sent);
        self.acts = sent;
        let unsent: VecDeque<Pending> = unsent;
        out.extend(unsent.into_iter().map(|act| Effect::Answer(act.token, Err(error.clone()))));
    }
}
