//! The connection as a pure machine: `step` takes what happened and says what to do. It never waits, reads no
//! clock and throws no dice; both come in from `socket`.
//!
//! One act of a room is under way at a time. The server remembers only the last number of a client, so a
//! second one sent before the first is answered would make a lost first one look done.

mod seat;

#[cfg(test)]
mod scripts;

use crate::backoff::{backoff, spread};
use crate::error::ClientError;
use crate::frame::{self, Frame};
use crate::update::{Acted, Entered, Status, Update};
use parlor_rules::{Address, ClientId};
use parlor_wire::Secret;
use seat::{Pending, Seat, Stage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Acts of one room that may wait for their turn.
pub const ACTS_WAITING_MAX: usize = 1024;

/// A connection that says nothing for two of these is given up.
pub const BEAT: Duration = Duration::from_secs(15);

/// Names who waits for an answer; `socket` knows how to reach them.
pub type Token = u64;

pub enum Input {
    Start(Token),
    Opened,
    /// The socket closed, broke, or could not be opened.
    Lost(String),
    Heard(String),
    Rang(Alarm),
    /// One question, one answer; not repeated after a cut.
    Ask {
        token: Token,
        verb: &'static str,
        room: Option<Address>,
        with: Option<Value>,
    },
    Enter {
        token: Token,
        room: Address,
        host_key: Option<Arc<Secret>>,
    },
    Exit(Address),
    Act {
        token: Token,
        room: Address,
        verb: &'static str,
        with: Value,
    },
    Say {
        room: Address,
        data: Value,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alarm {
    Reopen,
    /// Try the room's entrance or its first act again.
    Retry(Address),
    /// Of the so-many-eth connection.
    Beat(u64),
}

#[derive(Debug, PartialEq)]
pub enum Effect {
    Open,
    Close,
    Send(String),
    Ring(Duration, Alarm),
    Answer(Token, Result<Answer, ClientError>),
    Tell(Address, Update),
    /// There was never a connection and there will be none.
    GiveUp,
}

#[derive(Debug, PartialEq)]
pub enum Answer {
    Hello,
    Entered(Entered),
    Acted(Acted),
    Other(Value),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Down,
    Opening,
    Greeting,
    Online,
}

/// What a reply with some id will be the answer to.
enum Asked {
    Hello,
    Enter(Address),
    Act(Address, u64),
    Plain(Token),
    Nobody,
}

pub struct Connection {
    /// Of a session; whoever is logged in needs no user key.
    token: Option<Arc<Secret>>,
    user_key: Option<Arc<Secret>>,
    client: ClientId,
    retries_max: u32,
    phase: Phase,
    /// Who waits for the first hello.
    starting: Option<Token>,
    /// How often connecting failed since it last worked.
    failures: u32,
    /// Set by the server's bye: come back somewhere within this time.
    spread_over: Option<Duration>,
    connections: u64,
    heard_since_beat: bool,
    last_id: u64,
    next_number: u64,
    asked: BTreeMap<u64, Asked>,
    seats: BTreeMap<Address, Seat>,
}

type Effects = Vec<Effect>;

impl Connection {
    pub fn new(user_key: Option<Arc<Secret>>, client: ClientId, next_number: u64, retries_max: u32) -> Connection {
        Connection {
            token: None,
            user_key,
            client,
            retries_max,
            phase: Phase::Down,
            starting: None,
            failures: 0,
            spread_over: None,
            connections: 0,
            heard_since_beat: false,
            last_id: 0,
            next_number,
            asked: BTreeMap::new(),
            seats: BTreeMap::new(),
        }
    }

    /// Says hello as whoever is logged in with this token.
    pub fn with_token(self, token: Option<Arc<Secret>>) -> Connection {
        Connection { token, ..self }
    }

    /// The key of an earlier visit, or the one the server made at the first hello.
    pub fn user_key(&self) -> Option<&Arc<Secret>> {
        self.user_key.as_ref()
    }

    pub fn step(&mut self, input: Input, dice: u64) -> Effects {
        let mut out = Vec::new();
        match input {
            Input::Start(token) => {
                self.starting = Some(token);
                self.phase = Phase::Opening;
                out.push(Effect::Open);
            }
            Input::Opened => self.greet(&mut out),
            Input::Lost(why) => self.lost(&why, dice, &mut out),
            Input::Heard(text) => self.heard(&text, dice, &mut out),
            Input::Rang(alarm) => self.rang(alarm, dice, &mut out),
            Input::Ask { token, verb, room, with } => {
                if self.phase != Phase::Online {
                    out.push(Effect::Answer(token, Err(ClientError::offline("connecting again"))));
                    return out;
                }
                self.send(Asked::Plain(token), verb, room.as_ref(), None, with.as_ref(), &mut out);
            }
            Input::Enter { token, room, host_key } => self.enter(token, room, host_key, &mut out),
            Input::Exit(room) => self.exit(&room, &mut out),
            Input::Act { token, room, verb, with } => self.act(token, room, verb, with, &mut out),
            Input::Say { room, data } => {
                // What is said now is for those here now: nothing waits for a better moment.
                if self.phase == Phase::Online && self.seats.get(&room).is_some_and(|seat| seat.stage == Stage::Inside) {
                    out.push(Effect::Send(frame::say(&room, &data)));
                }
            }
        }
        out
    }

    fn greet(&mut self, out: &mut Effects) {
        self.phase = Phase::Greeting;
        self.connections += 1;
        let mut with = json!({ "client": self.client.as_str() });
        match (&self.token, &self.user_key) {
            (Some(token), _) => with["token"] = token.expose().into(),
            (None, Some(key)) => with["user_key"] = key.expose().into(),
            (None, None) => {}
        }
        self.send(Asked::Hello, "hello", None, None, Some(&with), out);
        self.heard_since_beat = true;
        out.push(Effect::Ring(BEAT, Alarm::Beat(self.connections)));
    }

    fn lost(&mut self, why: &str, dice: u64, out: &mut Effects) {
        if let Some(token) = self.starting.take() {
            out.push(Effect::Answer(token, Err(ClientError::offline(why))));
            out.push(Effect::GiveUp);
            return;
        }
        if self.phase == Phase::Down {
            return; // We closed it ourselves.
        }
        let was_online = self.phase == Phase::Online;
        self.phase = Phase::Down;
        for (_, asked) in std::mem::take(&mut self.asked) {
            if let Asked::Plain(token) = asked {
                out.push(Effect::Answer(token, Err(ClientError::interrupted())));
            }
        }
        for (room, seat) in &mut self.seats {
            seat.cut(out);
            if was_online && seat.entering.is_none() && seat.stage == Stage::Outside {
                out.push(Effect::Tell(room.clone(), Update::Status(Status::Connecting)));
            }
        }
        self.seats.retain(|_, seat| seat.stage != Stage::Over);
        let wait = match self.spread_over.take() {
            Some(most) => spread(most, dice),
            None => backoff(self.failures, dice),
        };
        self.failures = self.failures.saturating_add(1);
        out.push(Effect::Ring(wait, Alarm::Reopen));
    }

    fn heard(&mut self, text: &str, dice: u64, out: &mut Effects) {
        self.heard_since_beat = true;
        match frame::read(text) {
            Frame::Reply { id, result } => match self.asked.remove(&id) {
                Some(Asked::Hello) => self.greeted(result, dice, out),
                Some(Asked::Enter(room)) => self.entered(room, result, dice, out),
                Some(Asked::Act(room, number)) => self.acted(&room, number, result, dice, out),
                Some(Asked::Plain(token)) => out.push(Effect::Answer(token, result.map(Answer::Other))),
                Some(Asked::Nobody) => {}
                None => {} // A reply said twice, or to what was given up.
            },
            Frame::Room(room, update) => self.told(room, update, out),
            Frame::ComeBack(room) => {
                if let Some(seat) = self.seats.get_mut(&room)
                    && seat.stage == Stage::Inside
                {
                    seat.stage = Stage::Outside;
                    out.push(Effect::Tell(room.clone(), Update::Status(Status::Connecting)));
                    self.knock(&room, out);
                }
            }
            Frame::Bye { retry_max } => self.spread_over = Some(retry_max),
            Frame::Other => {}
        }
    }

    fn greeted(&mut self, result: Result<Value, ClientError>, dice: u64, out: &mut Effects) {
        let ok = match result {
            Ok(ok) => ok,
            Err(error) => {
                out.push(Effect::Close);
                match self.starting.take() {
                    Some(token) => out.extend([Effect::Answer(token, Err(error)), Effect::GiveUp]),
                    // No hello will ever be answered otherwise: a session that has ended does not come back.
                    None if self.token.is_some() && !error.retry => self.end(error, out),
                    None => self.lost(&error.message, dice, out),
                }
                return;
            }
        };
        if let Some(key) = ok["user_key"].as_str() {
            self.user_key = Some(Arc::new(Secret::new(key.to_owned())));
        }
        self.phase = Phase::Online;
        self.failures = 0;
        if let Some(token) = self.starting.take() {
            out.push(Effect::Answer(token, Ok(Answer::Hello)));
        }
        for room in self.seats.keys().cloned().collect::<Vec<_>>() {
            self.knock(&room, out);
        }
    }

    fn end(&mut self, error: ClientError, out: &mut Effects) {
        self.phase = Phase::Down;
        for (room, mut seat) in std::mem::take(&mut self.seats) {
            if seat.entering.is_none() && seat.stage != Stage::Over {
                out.push(Effect::Tell(room, Update::Ended("session_ended".to_owned())));
            }
            seat.fail(error.clone(), out);
        }
        out.push(Effect::GiveUp);
    }

    fn rang(&mut self, alarm: Alarm, dice: u64, out: &mut Effects) {
        match alarm {
            Alarm::Reopen if self.phase == Phase::Down => {
                self.phase = Phase::Opening;
                out.push(Effect::Open);
            }
            Alarm::Reopen => {}
            Alarm::Retry(room) => {
                if let Some(seat) = self.seats.get_mut(&room) {
                    seat.resting = false;
                    self.knock(&room, out);
                    self.pump(&room, out);
                }
            }
            Alarm::Beat(connection)
                if connection == self.connections && matches!(self.phase, Phase::Greeting | Phase::Online) =>
            {
                if !std::mem::take(&mut self.heard_since_beat) {
                    out.push(Effect::Close);
                    self.lost("the server has gone silent", dice, out);
                    return;
                }
                if self.phase == Phase::Online {
                    self.send(Asked::Nobody, "ping", None, None, None, out);
                }
                out.push(Effect::Ring(BEAT, Alarm::Beat(connection)));
            }
            Alarm::Beat(_) => {}
        }
    }

    fn enter(&mut self, token: Token, room: Address, host_key: Option<Arc<Secret>>, out: &mut Effects) {
        if self.seats.get(&room).is_some_and(|seat| seat.stage != Stage::Over) {
            out.push(Effect::Answer(token, Err(ClientError::inside())));
            return;
        }
        self.forget(&room);
        let left = self.seats.insert(room.clone(), Seat::new(token, host_key));
        if let Some(mut left) = left {
            left.fail(ClientError::ended("entered anew"), out);
        }
        self.knock(&room, out);
    }

    /// Asks to be let in, if that is what the seat needs now.
    fn knock(&mut self, room: &Address, out: &mut Effects) {
        if self.phase != Phase::Online {
            return;
        }
        let Some(seat) = self.seats.get_mut(room) else { return };
        if seat.stage != Stage::Outside || seat.resting {
            return;
        }
        seat.stage = Stage::Knocking;
        let with = seat.credentials();
        self.send(Asked::Enter(room.clone()), "enter", Some(room), None, Some(&with), out);
    }

    fn entered(&mut self, room: Address, result: Result<Value, ClientError>, dice: u64, out: &mut Effects) {
        let Some(seat) = self.seats.get_mut(&room) else { return };
        match result.and_then(|ok| frame::entered(&ok)) {
            Ok(entered) => {
                seat.stage = Stage::Inside;
                seat.tries = 0;
                // Whoever is about to be read a space has no place yet to go on from.
                seat.place = Some(entered.place).filter(|_| entered.resumed || !room.kind.tells());
                match seat.entering.take() {
                    Some(token) => out.push(Effect::Answer(token, Ok(Answer::Entered(entered)))),
                    None => out.push(Effect::Tell(room.clone(), Update::Status(Status::Online { resumed: entered.resumed }))),
                }
                self.pump(&room, out);
            }
            Err(error) if error.retry && seat.tries < self.retries_max => {
                seat.stage = Stage::Outside;
                seat.rest(&room, dice, out);
            }
            Err(error) => {
                match seat.entering.take() {
                    Some(token) => out.push(Effect::Answer(token, Err(error.clone()))),
                    None => out.push(Effect::Tell(room.clone(), Update::Ended(error.code.to_string()))),
                }
                seat.fail(error, out);
                self.seats.remove(&room);
            }
        }
    }

    fn exit(&mut self, room: &Address, out: &mut Effects) {
        let Some(mut seat) = self.seats.remove(room) else { return };
        self.forget(room);
        if self.phase == Phase::Online && matches!(seat.stage, Stage::Inside | Stage::Knocking) {
            self.send(Asked::Nobody, "exit", Some(room), None, None, out);
        }
        seat.fail(ClientError::closed(), out);
    }

    /// Replies to an earlier visit are not taken for replies to the next one.
    fn forget(&mut self, room: &Address) {
        self.asked.retain(|_, asked| !matches!(asked, Asked::Enter(of) | Asked::Act(of, _) if of == room));
    }

    fn act(&mut self, token: Token, room: Address, verb: &'static str, with: Value, out: &mut Effects) {
        let refusal = match self.seats.get(&room) {
            None => Some(ClientError::outside()),
            Some(seat) if seat.stage == Stage::Over => Some(ClientError::ended("it ended")),
            Some(seat) if seat.acts.len() >= ACTS_WAITING_MAX => Some(ClientError::too_many()),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            out.push(Effect::Answer(token, Err(refusal)));
            return;
        }
        let number = self.next_number;
        self.next_number += 1;
        if let Some(seat) = self.seats.get_mut(&room) {
            seat.acts.push_back(Pending { token, number, verb, with, sent: false });
        }
        self.pump(&room, out);
    }

    /// Sends the first act that waits, if none is under way.
    fn pump(&mut self, room: &Address, out: &mut Effects) {
        if self.phase != Phase::Online {
            return;
        }
        let Some(seat) = self.seats.get_mut(room) else { return };
        if seat.stage != Stage::Inside || seat.resting {
            return;
        }
        let Some(act) = seat.acts.front_mut().filter(|act| !act.sent) else { return };
        act.sent = true;
        let (verb, number, with) = (act.verb, act.number, act.with.clone());
        self.send(Asked::Act(room.clone(), number), verb, Some(room), Some(number), Some(&with), out);
    }

    fn acted(&mut self, room: &Address, number: u64, result: Result<Value, ClientError>, dice: u64, out: &mut Effects) {
        let Some(seat) = self.seats.get_mut(room) else { return };
        if seat.acts.front().is_none_or(|act| act.number != number) {
            return; // The answer to an act of an earlier visit.
        }
        let again = matches!(&result, Err(error) if error.retry) && seat.tries < self.retries_max && seat.stage != Stage::Over;
        if again {
            if let Some(act) = seat.acts.front_mut() {
                act.sent = false;
            }
            seat.rest(room, dice, out);
            return;
        }
        seat.tries = 0;
        if let Some(act) = seat.acts.pop_front() {
            out.push(Effect::Answer(act.token, result.and_then(|ok| frame::acted(&ok)).map(Answer::Acted)));
        }
        if seat.stage == Stage::Over && seat.acts.is_empty() {
            self.seats.remove(room);
            return;
        }
        self.pump(room, out);
    }

    fn told(&mut self, room: Address, update: Update, out: &mut Effects) {
        let Some(seat) = self.seats.get_mut(&room).filter(|seat| seat.stage != Stage::Over) else { return };
        match &update {
            Update::View(view) => seat.place = Some(view.place),
            Update::Screen(screened) => seat.place = Some(screened.place),
            Update::Told(told) => seat.place = frame::place_after(told, seat.place),
            Update::Ended(reason) => {
                // The answer to the act that ended it may still be on its way; what was not sent never will be.
                seat.stage = Stage::Over;
                seat.fail_unsent(&ClientError::ended(reason), out);
                if let Some(token) = seat.entering.take() {
                    out.push(Effect::Answer(token, Err(ClientError::ended(reason))));
                }
                if seat.acts.is_empty() {
                    self.seats.remove(&room);
                }
            }
            Update::Now(_) | Update::Closing { .. } | Update::Status(_) => {}
        }
        out.push(Effect::Tell(room, update));
    }

    fn send(
        &mut self,
        asked: Asked,
        verb: &str,
        room: Option<&Address>,
        number: Option<u64>,
        with: Option<&Value>,
        out: &mut Effects,
    ) {
        self.last_id += 1;
        self.asked.insert(self.last_id, asked);
        out.push(Effect::Send(frame::ask(self.last_id, verb, room, number, with)));
    }
}
