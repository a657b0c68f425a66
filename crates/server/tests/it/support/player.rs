//! A player who keeps the books: what it sent, what was acked and where, and afterwards what must be there.
//!
//! Its commands are such that the room shows how many of them it has done: a voter's n-th command lays a card only the
//! n-th lays (within the last forty), a counter's n-th command is the n-th reset of its room, which counts its rounds.

use super::line::{Gone, Line};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CARDS: u64 = 40;

/// Limits that a load from one address needs; the log without its chatter.
pub(crate) const EAGER: &[&str] = &[
    "--message-rate-max",
    "1000000",
    "--creates-per-minute-max",
    "1000000",
    "--connections-per-address-max",
    "10000",
    "--log",
    "warn",
];

/// A room and the key of its host.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) room: String,
    pub(crate) host_key: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Joins with command 1 and votes with all others.
    Voter,
    /// Resets with every command. The only one in its room who does.
    Counter,
}

#[derive(Clone)]
pub(crate) struct Player {
    name: String,
    table: Table,
    part: Part,
    /// The highest number that was sent.
    pub(crate) sent: u64,
    /// The highest number that was acked, and the position it was acked with.
    pub(crate) acked: u64,
    acked_at: Option<Value>,
    /// The server's farewell, if it said one.
    pub(crate) bye: Option<Value>,
}

impl Table {
    pub(crate) fn new(url: &str) -> Table {
        let mut line = Line::open(url, "a-guest-who-only-opens-rooms", "opener").expect("the house is open");
        Table::ask(&mut line).expect("the house is open").expect("a new room is allowed")
    }

    /// The room, or the reply that refuses it.
    pub(crate) fn ask(line: &mut Line) -> Result<Result<Table, Value>, Gone> {
        let deck = (0..CARDS).map(card).collect::<Vec<_>>().join(" ");
        let reply = line.ask(json!({ "do": "create", "with": { "valid_sizes": deck } }))?;
        let text = |name: &str| reply["ok"][name].as_str().map(str::to_owned);
        Ok(match (text("room"), text("host_key")) {
            (Some(room), Some(host_key)) => Ok(Table { room, host_key }),
            _ => Err(reply),
        })
    }
}

impl Player {
    pub(crate) fn new(name: &str, table: &Table, part: Part) -> Player {
        Player { name: name.to_owned(), table: table.clone(), part, sent: 0, acked: 0, acked_at: None, bye: None }
    }

    /// Opens a line and comes to the table.
    pub(crate) fn sit(&self, url: &str) -> Result<Line, Gone> {
        let mut line = Line::open(url, &format!("{}-and-nobody-else-has-it", self.name), &self.name)?;
        let with = match self.part {
            Part::Voter => json!({}),
            Part::Counter => json!({ "host_key": self.table.host_key }),
        };
        let reply = line.ask(json!({ "do": "enter", "room": self.table.room, "with": with }))?;
        // A house that goes may close the door before it closes the line.
        if reply["error"]["retry"] == true {
            return Err(Gone::Refused(reply));
        }
        assert!(reply["ok"].is_object(), "{} could not enter: {reply}", self.name);
        Ok(line)
    }

    /// Sends one command after the other, with up to `window` waiting for their answers, until the line is gone. `acked`
    /// sees the books after each ack.
    pub(crate) fn play(&mut self, url: &str, window: usize, mut acked: impl FnMut(&Player)) -> Gone {
        self.bye = None;
        let mut line = match self.sit(url) {
            Ok(line) => line,
            Err(gone) => return gone,
        };
        let mut waiting = BTreeMap::new();
        loop {
            while waiting.len() < window {
                match line.send(self.next_command()) {
                    Ok(id) => waiting.insert(id, self.sent),
                    Err(_) => return self.hear_out(line, waiting), // Why is told by what can still be read.
                };
            }
            match line.hear() {
                Ok(frame) => {
                    let Some(number) = frame["id"].as_u64().and_then(|id| waiting.remove(&id)) else {
                        self.overhear(frame);
                        continue;
                    };
                    if frame["error"]["retry"] == true {
                        return self.hear_out(line, waiting); // A house that goes takes nothing more.
                    }
                    self.note(number, &frame);
                    acked(self);
                }
                Err(gone) => return gone,
            }
        }
    }

    /// Sends the next command and waits for its answer, which is noted when it is an ack.
    pub(crate) fn act(&mut self, line: &mut Line) -> Result<Value, Gone> {
        let command = self.next_command();
        let number = self.sent;
        let reply = line.ask(command)?;
        if reply["ok"].is_object() {
            self.note(number, &reply);
        }
        Ok(reply)
    }

    /// Looks whether everything acked is there, exactly once, and everything else is whole or absent; then sends all that
    /// was not acked again, as a client does, after which everything ever sent is there exactly once.
    #[track_caller]
    pub(crate) fn settle(&mut self, url: &str) {
        let mut line = self.sit(url).expect("the house is open");
        let done = self.done(&mut line);
        assert!(done >= self.acked, "{}: command {} was acked, but only {done} are done", self.name, self.acked);
        assert!(done <= self.sent, "{}: {done} are done, but only {} were sent", self.name, self.sent);
        for number in self.acked.max(1)..=self.sent {
            let reply = line.ask(self.command(number)).expect("the house is open");
            assert!(reply["ok"].is_object(), "{}: command {number} was refused: {reply}", self.name);
            let again = reply["ok"]["again"] == true;
            assert_eq!(again, number <= done, "{}: {done} are done, and command {number} again: {reply}", self.name);
            if number == self.acked && number == done {
                assert_eq!(Some(&reply["ok"]["at"]), self.acked_at.as_ref(), "{}: command {number} again: {reply}", self.name);
            }
            self.acked_at = Some(reply["ok"]["at"].clone());
        }
        self.acked = self.sent;
        let done = self.done(&mut line);
        assert_eq!(done, self.sent, "{}: after sending all again, {done} of {} are done", self.name, self.sent);
    }

    /// Looks whether the last acked command is there, whatever else is.
    #[track_caller]
    pub(crate) fn is_kept(&self, url: &str) {
        let mut line = self.sit(url).expect("the house is open");
        let reply = line.ask(self.command(self.acked)).expect("the house is open");
        assert_eq!(reply["ok"]["again"], true, "{}: command {} was acked before: {reply}", self.name, self.acked);
    }

    /// The reply that says that the room cannot be read, if that is what the server says of it.
    pub(crate) fn is_told_of_damage(&self, url: &str) -> Option<Value> {
        let mut line = Line::open(url, "somebody-who-only-looks-on", "looker").expect("the house is open");
        let reply = line.ask(json!({ "do": "look", "room": self.table.room })).expect("the house is open");
        (reply["error"]["code"] == "internal").then_some(reply)
    }

    /// How many of the commands sent the room has done, as the room shows it.
    #[track_caller]
    fn done(&self, line: &mut Line) -> u64 {
        let seen = line.ask(json!({ "do": "look", "room": self.table.room })).expect("the house is open");
        match self.part {
            Part::Counter => seen["ok"]["view"]["round"].as_u64().unwrap() - 1,
            Part::Voter => {
                let me = &seen["ok"]["me"];
                let like = |number: u64| match number {
                    0 => me["seated"] == false,
                    1 => me["seated"] == true && me["vote"].is_null(),
                    number => me["vote"] == card(number),
                };
                let from = self.sent.saturating_sub(CARDS - 3);
                let found = (from..=self.sent).find(|number| like(*number));
                found.unwrap_or_else(|| {
                    panic!("{} sent {} and acked {}, but the room shows {me}", self.name, self.sent, self.acked)
                })
            }
        }
    }

    fn next_command(&mut self) -> Value {
        self.sent += 1;
        self.command(self.sent)
    }

    fn command(&self, number: u64) -> Value {
        let (verb, with) = match (self.part, number) {
            (Part::Counter, _) => ("reset", json!({})),
            (Part::Voter, 1) => ("join", json!({ "user_name": self.name })),
            (Part::Voter, _) => ("vote", json!({ "card": card(number) })),
        };
        json!({ "do": verb, "room": self.table.room, "n": number, "with": with })
    }

    fn overhear(&mut self, frame: Value) {
        if frame["push"] == "bye" {
            self.bye = Some(frame);
        }
    }

    fn note(&mut self, number: u64, reply: &Value) {
        assert!(reply["ok"].is_object(), "{}: command {number} was refused: {reply}", self.name);
        assert!(reply["ok"]["again"].is_null(), "{}: command {number} was sent once: {reply}", self.name);
        if number > self.acked {
            self.acked = number;
            self.acked_at = Some(reply["ok"]["at"].clone());
        }
    }

    /// Notes what is still answered, to the end of the line.
    fn hear_out(&mut self, mut line: Line, mut waiting: BTreeMap<u64, u64>) -> Gone {
        loop {
            match line.hear() {
                Ok(frame) => match frame["id"].as_u64().and_then(|id| waiting.remove(&id)) {
                    Some(number) if frame["ok"].is_object() => self.note(number, &frame),
                    Some(_) => {}
                    None => self.overhear(frame),
                },
                Err(gone) => return gone,
            }
        }
    }
}

pub(crate) fn card(number: u64) -> String {
    format!("card-{:02}", number % CARDS)
}
