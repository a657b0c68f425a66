//! What a simulated client feels like doing.

use super::seat::{Stage, UnderWay};
use super::{Asked, Client};
use crate::words;
use parlor_rules::Address;
use serde_json::{Value, json};

/// Stories in a room.
const STORIES_MAX: usize = 4;
/// Rooms ever made in one run.
const ROOMS_EVER_MAX: usize = 6;

impl Client {
    pub(super) fn act(&mut self) {
        if !self.greeted {
            return;
        }
        if self.dice.per_mille(self.world.plan.cut) {
            return self.cut();
        }
        if self.index == 0 && self.lacks_rooms() {
            return self.create();
        }
        if self.dice.per_mille(30)
            && let Some(frame) = self.stale.pop()
        {
            return self.send(frame);
        }
        let Some(room) = self.dice.pick(&self.seats.keys().cloned().collect::<Vec<_>>()).cloned() else { return };
        match self.dice.between(0, 99) {
            0..=2 => self.ask(Asked::Plain, "ping", None, None, None),
            3..=5 => self.ask(Asked::Plain, "look", Some(&room), None, None),
            6..=9 => self.say(&room),
            10 => self.send("{\"id\":1,\"do\":".to_owned()),
            11 => self.try_a_wrong_key(&room),
            12 => self.exit(&room),
            _ => self.command(&room),
        }
    }

    fn lacks_rooms(&self) -> bool {
        let board = self.world.board();
        let now = self.world.now();
        let live = board.rooms.iter().filter(|(room, _)| !self.world.history().is_gone(room, now)).count();
        !self.creating && live < self.world.plan.rooms && board.rooms.len() < ROOMS_EVER_MAX
    }

    fn create(&mut self) {
        self.creating = true;
        if let Some((_, ear)) = &self.link {
            ear.creates();
        }
        let (auto, by) = (self.dice.per_mille(500), if self.dice.per_mille(300) { "everyone" } else { "host" });
        let with = json!({ "kind": "poker", "valid_sizes": self.new_deck(), "auto_reveal": auto, "reveal_by": by });
        self.ask(Asked::Create, "create", None, None, Some(&with));
    }

    fn new_deck(&self) -> String {
        let cards = words::deck(self.world.plan.clients, &self.dice);
        self.world.board().cards.extend(cards.iter().cloned());
        cards.join(" ")
    }

    fn say(&mut self, room: &Address) {
        let data = json!({ "waves": self.dice.between(0, 9), "shouts": "a".repeat(self.dice.between(0, 500) as usize) });
        if self.dice.per_mille(500) {
            return self.ask(Asked::Plain, "say", Some(room), None, Some(&data));
        }
        self.send(words::ask(0, "say", Some(&room.to_string()), None, Some(&data)));
    }

    fn try_a_wrong_key(&mut self, room: &Address) {
        let Some(seat) = self.seats.get_mut(room) else { return };
        // Inside, another entrance would replace the first.
        if seat.stage != Stage::Outside {
            return;
        }
        seat.knock();
        let with = json!({ "host_key": format!("hk_wrong{:016x}{:016x}", self.dice.bits(), self.dice.bits()) });
        self.ask(Asked::WrongKey(room.clone()), "enter", Some(room), None, Some(&with));
    }

    fn exit(&mut self, room: &Address) {
        let Some(seat) = self.seats.get_mut(room) else { return };
        if seat.stage == Stage::Inside {
            seat.stage = Stage::Outside;
            seat.rest(self.dice.between(1, 300));
            self.ask(Asked::Plain, "exit", Some(room), None, None);
        }
    }

    fn command(&mut self, room: &Address) {
        let Some(seat) = self.seats.get(room) else { return };
        let table = seat.table.clone().unwrap_or_default();
        let host = seat.host_key.is_some();
        let busy = seat.under_way.is_some();
        let Some((verb, with)) = self.choose(&table, host) else { return };
        if self.dice.per_mille(850) {
            if busy {
                return;
            }
            self.last_number += 1;
            let number = self.last_number;
            if let Some(seat) = self.seats.get_mut(room) {
                seat.under_way = Some(UnderWay { number, verb, with: with.clone(), sent: true });
            }
            self.ask(Asked::Act(room.clone(), Some(number)), verb, Some(room), Some(number), Some(&with));
        } else {
            self.ask(Asked::Act(room.clone(), None), verb, Some(room), None, Some(&with));
        }
    }

    fn choose(&self, table: &Value, host: bool) -> Option<(&'static str, Value)> {
        if self.only_watches && self.dice.per_mille(950) {
            return None;
        }
        let seated = table["users"].as_array().map(Vec::as_slice).unwrap_or_default();
        if self.dice.per_mille(self.world.plan.delete) && host {
            return Some(("delete", json!({})));
        }
        let somebody = || self.dice.pick(seated).map(|user| user["user_id"].clone());
        Some(match self.dice.between(0, 119) {
            0..=17 => ("join", json!({ "user_name": format!("{}{}", self.name, self.dice.between(0, 1)) })),
            18..=59 => ("vote", json!({ "card": self.card(table)? })),
            60..=65 => ("take_back", json!({})),
            66..=73 => ("show", json!({})),
            74..=84 => ("reset", json!({})),
            85..=87 => ("kick", json!({ "user_id": somebody()? })),
            88 => ("delete_user", if self.dice.per_mille(500) { json!({}) } else { json!({ "user_id": somebody()? }) }),
            89..=91 => ("leave", json!({})),
            92..=93 => ("set_valid_sizes", json!({ "valid_sizes": self.new_deck() })),
            94..=97 => ("start_timer", json!({ "seconds": self.dice.between(1, 4), "reveal": self.dice.per_mille(700) })),
            98..=99 => ("stop_timer", json!({})),
            100..=102 => ("set_revealed", json!({ "is_revealed": self.dice.per_mille(300) })),
            103..=105 => ("set_observer", json!({ "observer": self.dice.per_mille(400) })),
            106 => ("set_observer", json!({ "observer": self.dice.per_mille(400), "user_id": somebody()? })),
            107..=108 => ("update_room", json!({ "auto_reveal": self.dice.per_mille(600) })),
            109 => ("hand_over", json!({ "user_id": somebody()? })),
            _ => self.story(table)?,
        })
    }

    /// Few stories: every view shows them all, and the weather's outboxes are small.
    fn story(&self, table: &Value) -> Option<(&'static str, Value)> {
        let stories = table["stories"].as_array().map(Vec::as_slice).unwrap_or_default();
        let one = || self.dice.pick(stories).map(|story| story["story_id"].clone());
        Some(match self.dice.between(0, 9) {
            0..=2 if stories.len() < STORIES_MAX => ("add_stories", json!({ "stories": [{ "title": self.name }], "at": 0 })),
            3 if stories.len() < STORIES_MAX => ("import_stories", json!({ "csv": format!("title\r\n{}\r\n", self.name) })),
            4 => ("edit_story", json!({ "story_id": one()?, "estimate": "5" })),
            5 => ("move_story", json!({ "story_id": one()?, "to": self.dice.between(0, 3) })),
            0..=3 | 6 => ("remove_story", json!({ "story_id": one()? })),
            7..=8 => ("pick_story", json!({ "story_id": one()? })),
            _ => ("pick_story", json!({ "story_id": null })),
        })
    }

    /// A card of its own, another one each round.
    fn card(&self, table: &Value) -> Option<String> {
        let deck: Vec<&str> = table["valid_sizes"].as_str()?.split(' ').collect();
        let own: Vec<&str> = deck.iter().copied().filter(|card| words::is_of(card, self.slot)).collect();
        let round = table["round"].as_u64()?;
        let card = if self.dice.per_mille(900) { own.get(round as usize % own.len().max(1)) } else { self.dice.pick(&deck) };
        card.map(|card| (*card).to_owned())
    }
}
