//! What a simulated client makes of what it is told; anything it should not have been told is a failure.

use super::seat::Stage;
use super::{Asked, Client};
use crate::history::Ack;
use crate::trace::Check;
use crate::words;
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Place, Position};
use serde_json::Value;
use std::sync::PoisonError;

impl Client {
    pub(super) fn hear(&mut self, said: &Value) {
        if said["push"].is_string() {
            return self.told(said);
        }
        let Some(asked) = said["id"].as_u64().and_then(|id| self.asked.remove(&id)) else { return };
        let error = &said["error"];
        if error["code"] == "internal" {
            return self.world.trace.fail(Check::Broken, format!("{} is answered {said}", self.name));
        }
        let outcome = if error.is_null() { Ok(&said["ok"]) } else { Err(error) };
        match asked {
            Asked::Hello => self.greeted(outcome),
            Asked::Create => self.created(outcome),
            Asked::Enter(room) => self.entered(&room, outcome),
            Asked::WrongKey(room) => {
                if outcome.is_ok() {
                    self.world.trace.fail(Check::Secret, format!("{} came into {room} with a wrong host key", self.name));
                }
                self.seats.get_mut(&room).into_iter().for_each(|seat| seat.stage = Stage::Outside);
            }
            Asked::Act(room, number) => self.acted(&room, number, outcome),
            Asked::Plain => {}
        }
    }

    fn greeted(&mut self, outcome: Result<&Value, &Value>) {
        match outcome {
            Ok(ok) => {
                self.greeted = true;
                if let Some(key) = ok["user_key"].as_str() {
                    *self.key.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.to_owned());
                }
            }
            Err(_) => self.lose(),
        }
    }

    fn created(&mut self, outcome: Result<&Value, &Value>) {
        self.creating = false;
        let Ok(ok) = outcome else { return };
        let (Some(room), Some(key)) = (ok["room"].as_str().and_then(|room| room.parse().ok()), ok["host_key"].as_str()) else {
            return;
        };
        let known = words::place(ok).is_some_and(|place| self.world.history().at(&room, place).is_some());
        if !known {
            self.world.trace.fail(Check::Lost, format!("{} was told of {room}, which is not kept", self.name));
        }
        self.world.board().rooms.push((room, key.to_owned()));
    }

    fn entered(&mut self, room: &Address, outcome: Result<&Value, &Value>) {
        let rest = self.dice.between(20, 300);
        let Some(seat) = self.seats.get_mut(room) else { return };
        match outcome {
            Ok(ok) => {
                if seat.ended {
                    self.world.trace.fail(Check::Gone, format!("{room} had ended and lets {} in", self.name));
                }
                if ok["resumed"] == true && seat.place.is_none() {
                    self.world.trace.fail(Check::Order, format!("{} resumes {room} and never was there", self.name));
                }
                if ok["resumed"] == true {
                    self.world.count(|tally| tally.resumed += 1);
                } else {
                    seat.place = None; // Told so: what comes now is a fresh snapshot.
                }
                seat.stage = Stage::Inside;
            }
            Err(error) if error["code"] == "room_not_found" => {
                seat.stage = Stage::Gone;
                seat.under_way = None;
                self.not_there(room);
            }
            Err(error) if error["retry"] == true => {
                seat.stage = Stage::Outside;
                seat.rest(rest);
            }
            Err(error) => self.world.trace.fail(Check::Alive, format!("{} is not let into {room}: {error}", self.name)),
        }
    }

    fn acted(&mut self, room: &Address, number: Option<u64>, outcome: Result<&Value, &Value>) {
        let rest = self.dice.between(20, 300);
        let Some(seat) = self.seats.get_mut(room) else { return };
        let under_way = seat.under_way.as_mut().filter(|act| Some(act.number) == number);
        match outcome {
            Ok(ok) => {
                self.world.count(|tally| {
                    tally.acks += 1;
                    tally.again += u64::from(ok["again"] == true);
                });
                let Some(position) = ok["at"].as_str().and_then(|at| at.parse::<Position>().ok()) else {
                    return self.world.trace.fail(Check::Broken, format!("an ack without a position: {ok}"));
                };
                // An older answer, to a number that was answered since, says nothing about this one.
                if let (Some(number), true) = (number, under_way.is_some()) {
                    seat.under_way = None;
                    let user = self.credential().user_id(&room.id);
                    let client = self.name.parse().expect("a client's name is an id");
                    let ack = Ack { room: room.clone(), holder: Holder { user, client }, number, position };
                    self.world.history().acks.push(ack);
                }
                let gone = self.world.history().is_gone(room, self.world.now());
                let tip = self.world.history().tip(room).map(|step| step.place.position);
                if !gone && tip.is_none_or(|tip| position > tip) {
                    self.world
                        .trace
                        .fail(Check::Lost, format!("{} is acked at {position} of {room}, which is at {tip:?}", self.name));
                }
            }
            Err(error) if error["retry"] == true => {
                if let Some(act) = under_way {
                    act.sent = false;
                    seat.rest(rest);
                }
            }
            Err(error) => {
                self.world.count(|tally| tally.refusals += 1);
                if under_way.is_some() {
                    seat.under_way = None;
                }
                if error["code"] == "room_not_found" {
                    seat.stage = if seat.stage == Stage::Gone { Stage::Gone } else { Stage::Doubting };
                    seat.under_way = None;
                    self.not_there(room);
                }
            }
        }
    }

    fn told(&mut self, said: &Value) {
        let Some(room) = said["room"].as_str().and_then(|room| room.parse::<Address>().ok()) else { return };
        let rest = self.dice.between(1, 400);
        let Some(seat) = self.seats.get_mut(&room) else { return };
        match said["push"].as_str().unwrap_or_default() {
            kind @ ("view" | "patch") => {
                let Some(place) = words::place(said) else { return };
                let table = match kind {
                    "view" => Some(said["view"].clone()),
                    _ => seat.table.as_ref().and_then(|table| words::patched(table, said)),
                };
                if let Some(last) = seat.place.filter(|last| !follows(*last, place)) {
                    let what = format!("{} was at {} of {room} and is shown {}", self.name, last.position, place.position);
                    self.world.trace.fail(Check::Order, what);
                }
                seat.place = Some(place);
                seat.table = table;
            }
            "ended" => {
                self.world.count(|tally| tally.ended += 1);
                if said["reason"] == "kicked" {
                    seat.stage = Stage::Outside;
                    seat.rest(rest);
                    return;
                }
                seat.stage = Stage::Doubting;
                seat.ended = true;
                seat.under_way = None;
                self.not_there(&room);
            }
            "come_back" if seat.stage == Stage::Inside => seat.stage = Stage::Outside,
            _ => {}
        }
    }

    fn not_there(&self, room: &Address) {
        self.world.judge(self.world.history().absent(room, self.world.now(), &self.name));
    }
}

/// The same place, or a later one of the same room.
fn follows(last: Place, next: Place) -> bool {
    last == next || (last.position.epoch == next.position.epoch && last.position.seq < next.position.seq)
}
