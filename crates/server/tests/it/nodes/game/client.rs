//! A client as the protocol asks it to be: it numbers its commands, sends each until it is answered, comes back after every
//! cut with the place it knows, and keeps the books.

use super::super::guest::{position, user_key};
use super::checker::{Ack, Heard};
use super::model::without_here;
use crate::support::dice::Dice;
use crate::support::house::PATIENCE;
use crate::support::line::{Gone, Line};
use crate::support::player::{Table, card};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const REFUSALS_MAX: u64 = 500;

pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) is_host: bool,
    url: String,
    table: Table,
    line: Option<Line>,
    n: u64,
    /// Where it last was, to come back to.
    place: Option<(Value, Value)>,
    /// It was told that its place may be lost, and has seen nothing since.
    anew: bool,
    pub(crate) acks: Vec<Ack>,
    pub(crate) heard: Vec<Heard>,
    pub(crate) refused: u64,
    /// The last of them.
    refusal: Value,
    pub(crate) retries: u64,
    /// How often it was told that what it knew is not part of the room's history.
    pub(crate) begun_anew: u64,
}

impl Client {
    pub(crate) fn new(name: &str, url: &str, table: &Table, is_host: bool) -> Client {
        let (name, url, table) = (name.to_owned(), url.to_owned(), table.clone());
        let (acks, heard) = (Vec::new(), Vec::new());
        Client {
            name,
            is_host,
            url,
            table,
            line: None,
            n: 0,
            place: None,
            anew: false,
            acks,
            heard,
            refused: 0,
            refusal: Value::Null,
            retries: 0,
            begun_anew: 0,
        }
    }

    /// Votes only, until it is over.
    pub(crate) fn vote(&mut self, mut dice: Dice, clock: Instant, acked: &AtomicU64, over: &AtomicBool) {
        self.does("join", json!({ "user_name": self.name }), clock);
        let mut in_vain = 0;
        while !over.load(Ordering::Relaxed) {
            if self.does("vote", json!({ "card": card(dice.below(40)) }), clock) {
                acked.fetch_add(1, Ordering::Relaxed);
                in_vain = 0;
            } else {
                in_vain += 1;
                assert!(in_vain < REFUSALS_MAX, "{} is refused for ever: {}", self.name, self.refusal);
                // Its seat is lost with the history that it was taken in.
                self.does("join", json!({ "user_name": self.name }), clock);
            }
        }
        self.does("join", json!({ "user_name": self.name }), clock);
    }

    /// Whatever comes into its head, until it is over; `acked` counts what all together were acked.
    pub(crate) fn play(&mut self, mut dice: Dice, clock: Instant, acked: &AtomicU64, over: &AtomicBool) {
        self.does("join", json!({ "user_name": self.name }), clock);
        while !over.load(Ordering::Relaxed) {
            let (verb, with) = match dice.below(if self.is_host { 20 } else { 16 }) {
                0 => ("leave", json!({})),
                1..=3 => ("join", json!({ "user_name": self.name })),
                4 | 5 => ("take_back", json!({})),
                16 | 17 => ("show", json!({})),
                18.. => ("reset", json!({})),
                _ => ("vote", json!({ "card": card(dice.below(40)) })),
            };
            if self.does(verb, with, clock) {
                acked.fetch_add(1, Ordering::Relaxed);
            }
            // People think; and who reads the stream, which is trimmed, must keep up.
            std::thread::park_timeout(Duration::from_millis(dice.below(16)));
        }
        self.does("join", json!({ "user_name": self.name }), clock);
    }

    /// One command, sent until it is answered; says whether it was acked.
    pub(crate) fn does(&mut self, verb: &str, with: Value, clock: Instant) -> bool {
        self.n += 1;
        let sent = clock.elapsed();
        let reply = self.until_answered(&json!({ "do": verb, "room": self.table.room, "n": self.n, "with": with }));
        if reply["ok"].is_null() {
            self.refused += 1;
            self.refusal = reply["error"].clone();
            return false;
        }
        let at = position(&reply["ok"]["at"]);
        self.acks.push(Ack { client: self.name.clone(), n: self.n, at, sent, answered: clock.elapsed() });
        true
    }

    /// The room as it sees it now.
    pub(crate) fn looks(&mut self) -> Value {
        let room = self.table.room.clone();
        self.until_answered(&json!({ "do": "look", "room": room }))["ok"].clone()
    }

    fn until_answered(&mut self, request: &Value) -> Value {
        let began = Instant::now();
        loop {
            match self.ask(request) {
                Ok(reply) if reply["error"]["retry"] != true => return reply,
                Ok(reply) => assert!(began.elapsed() < PATIENCE, "{} waits for ever: {reply}", self.name),
                Err(gone) => {
                    self.line = None;
                    assert!(began.elapsed() < PATIENCE, "{} finds nobody: {gone:?}", self.name);
                }
            }
            self.retries += 1;
            std::thread::park_timeout(Duration::from_millis(5)); // So that a node that is in trouble is not stormed.
        }
    }

    /// Asks on the line there is, or on a new one.
    fn ask(&mut self, request: &Value) -> Result<Value, Gone> {
        let mut line = match self.line.take() {
            Some(line) => line,
            None => self.come_back()?,
        };
        let reply = line.ask(request.clone());
        for push in std::mem::take(&mut line.pushed) {
            self.hears(push);
        }
        if reply.is_ok() {
            self.line = Some(line);
        }
        reply
    }

    fn come_back(&mut self) -> Result<Line, Gone> {
        let mut line = Line::open(&self.url, &user_key(&self.name), &self.name)?;
        let mut with = json!({});
        if self.is_host {
            with["host_key"] = self.table.host_key.clone().into();
        }
        if let Some((at, mark)) = &self.place {
            (with["at"], with["mark"]) = (at.clone(), mark.clone());
        }
        let entered = line.ask(json!({ "do": "enter", "room": self.table.room, "with": with }))?;
        if entered["ok"].is_null() {
            return Err(Gone::Refused(entered));
        }
        self.begun_anew += u64::from(self.place.is_some() && entered["ok"]["resumed"] == false);
        self.anew |= entered["ok"]["resumed"] == false;
        for push in std::mem::take(&mut line.pushed) {
            self.hears(push);
        }
        Ok(line)
    }

    fn hears(&mut self, push: Value) {
        match push["push"].as_str() {
            Some("view") => {
                self.place = Some((push["at"].clone(), push["mark"].clone()));
                let (at, mark) = (position(&push["at"]), push["mark"].as_str().unwrap().to_owned());
                let anew = std::mem::take(&mut self.anew);
                self.heard.push(Heard { listener: self.name.clone(), at, mark, view: without_here(push), anew });
            }
            // The node lets go of the room; the next command would find nobody listening.
            Some("come_back") => self.line = None,
            _ => {}
        }
    }
}
