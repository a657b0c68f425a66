//! What everyone must see at every position: the rules, replayed from the stream.

use super::super::guest::user_key;
use super::super::shelf::Entry;
use crate::support::player::Table;
use parlor_rules::poker::{Deck, Poker};
use parlor_rules::{Address, Credential, Here, Kept, Mark, Place, Position, SecretHash, State};
use parlor_wire::view;
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) struct Model {
    address: Address,
    host_key: String,
    rooms: BTreeMap<Position, (Mark, Kept)>,
}

impl Model {
    /// The room after each of these commits, the first of which made it with this deck.
    pub(crate) fn replay(table: &Table, deck: &str, entries: &[Entry]) -> Model {
        let address: Address = table.room.parse().unwrap();
        let deck: Deck = deck.parse().unwrap();
        let born = Poker::new(address.id.clone(), SecretHash::of(table.host_key.as_bytes()), deck);
        let mut rooms = BTreeMap::new();
        let mut kept: Option<Kept> = None;
        for entry in entries {
            let commit = parlor_layout::entry_commit(&address, &entry.fields).unwrap();
            let room = kept.get_or_insert_with(|| Kept::new(State::Poker(born.clone()), commit.at));
            room.apply(entry.at.seq, &commit);
            let mark = Mark(u64::from_str_radix(&entry.mark, 16).unwrap());
            rooms.insert(entry.at, (mark, room.clone()));
        }
        Model { address, host_key: table.host_key.clone(), rooms }
    }

    /// The frame that this listener is pushed at a position.
    pub(crate) fn view(&self, listener: &str, is_host: bool, at: Position) -> Option<Value> {
        let (mark, kept) = self.rooms.get(&at)?;
        let mut credential = Credential::guest(user_key(listener).as_bytes());
        credential.host = is_host.then(|| SecretHash::of(self.host_key.as_bytes()));
        let viewer = kept.state.recognise(&credential).ok()?;
        let shared = kept.state.shared(&viewer, &Here::default());
        let place = Place { position: at, mark: *mark };
        let shared = view::shared(&self.address, place, kept.expires, &shared);
        let frame = view::splice(&shared, &view::mine(&kept.state.mine(&viewer)));
        Some(without_here(serde_json::from_slice(&frame).unwrap()))
    }
}

/// Who is connected is no part of the history.
pub(crate) fn without_here(mut frame: Value) -> Value {
    for user in frame["view"]["users"].as_array_mut().into_iter().flatten() {
        user["here"] = Value::Null;
    }
    frame
}
