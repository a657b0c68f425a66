//! Each event's writes to a space, as a file, like those of a table.

use crate::space_histories::value;
use crate::support::{self, Desk, word};
use parlor_rules::receipts::Holder;
use parlor_rules::space::{Event, Life, Settings, Wish};
use parlor_rules::{Address, Done, Right, SecretHash, State, Ticket, UserId};
use std::collections::BTreeSet;

struct Board(Desk);

impl Board {
    fn created() -> (Board, String) {
        let settings = Settings { life: Life::minutes(60).ok(), ..Settings::default() };
        let wish = parlor_rules::Wish::Space(Wish { settings });
        let state = |address: &Address| State::create(address.id.clone(), SecretHash::of(b"host key"), wish);
        let (desk, writes) = Desk::created("space/12345", state);
        (Board(desk), writes)
    }

    fn commit(&mut self, events: Vec<Event>) -> String {
        let user: UserId = word("user_id_1");
        let holder = Holder { user: Some(user.clone()), client: word("tab") };
        let events = events.into_iter().map(parlor_rules::Event::Space).collect();
        let number = self.0.last.seq + 1;
        self.0.commit(true, vec![Done { by: Some(user), ticket: Some(Ticket { holder, number }), events }])
    }
}

fn golden(name: &str, writes: &str) {
    support::golden(&format!("space_{name}"), writes);
}

/// The compiler asks for a word for each event; the test below asks for a golden file for each word.
fn named(event: &Event) -> &'static str {
    match event {
        Event::MapCreated { .. } => "map_created",
        Event::MapSet { .. } => "map_set",
        Event::MapRemoved { .. } => "map_removed",
        Event::MapCleared { .. } => "map_cleared",
        Event::MapDeleted { .. } => "map_deleted",
        Event::ListCreated { .. } => "list_created",
        Event::ItemPut { .. } => "item_put",
        Event::ItemSet { .. } => "item_set",
        Event::ItemPlaced { .. } => "item_placed",
        Event::ItemRemoved { .. } => "item_removed",
        Event::ListCleared { .. } => "list_cleared",
        Event::ListDeleted { .. } => "list_deleted",
        Event::PresenceCreated { .. } => "presence_created",
        Event::PresenceDeleted { .. } => "presence_deleted",
        Event::Updated(_) => "updated",
        Event::Deleted => "deleted",
    }
}

const NAMES: usize = 16;

fn set(key: &str, text: &str) -> Event {
    Event::MapSet { map: word("board"), key: word(key), value: value(text) }
}

fn put(id: &str, order: &str) -> Event {
    Event::ItemPut { list: word("todo"), id: word(id), order: word(order), value: value(r#"{"text":"milk"}"#) }
}

#[test]
fn each_event_of_a_space_writes_what_its_golden_file_says() {
    let (mut board, created) = Board::created();
    golden("created", &created);
    let settings =
        Settings { name: Some(word("Plans")), guests: Right::Read, members: Right::Write, life: Life::minutes(1440).ok() };
    let history = [
        Event::MapCreated { map: word("board") },
        set("k1", r#"{"z":[1,2.50],"a":"é"}"#),
        set("a key", "null"),
        Event::MapRemoved { map: word("board"), key: word("k1") },
        Event::MapCleared { map: word("board") },
        Event::MapDeleted { map: word("board") },
        Event::ListCreated { list: word("todo") },
        put("i1", "V000000"),
        put("i2", "V000001"),
        Event::ItemSet { list: word("todo"), id: word("i1"), value: value("7") },
        Event::ItemPlaced { list: word("todo"), id: word("i1"), order: word("V000002") },
        Event::ItemRemoved { list: word("todo"), id: word("i1") },
        Event::ListCleared { list: word("todo") },
        Event::ListDeleted { list: word("todo") },
        Event::PresenceCreated { presence: word("cursors"), seconds: 60 },
        Event::PresenceDeleted { presence: word("cursors") },
        Event::Updated(settings),
        Event::Deleted,
    ];
    let mut shown = BTreeSet::new();
    for event in history {
        let name = named(&event);
        let writes = board.commit(vec![event]);
        if shown.insert(name) {
            golden(name, &writes);
        }
    }
    assert_eq!(shown.len(), NAMES);
}

#[test]
fn the_first_set_writes_the_settings_too_and_the_next_one_does_not() {
    let (mut board, _) = Board::created();
    golden("map_set_first", &board.commit(vec![set("k1", "1")]));
    golden("map_set_next", &board.commit(vec![set("k1", "2")]));
}

#[test]
fn what_is_cleared_and_set_in_one_commit_is_put_whole() {
    let (mut board, _) = Board::created();
    board.commit(vec![set("k1", "1"), set("k2", "2")]);
    let clear = Event::MapCleared { map: word("board") };
    golden("cleared_and_set", &board.commit(vec![set("k3", "3"), clear.clone(), set("k1", "4"), set("k4", "5")]));
    golden("set_and_cleared", &board.commit(vec![set("k9", "3"), clear]));
    board.commit(vec![put("i1", "V000000"), put("i2", "V000001")]);
    let again = vec![Event::ListDeleted { list: word("todo") }, put("i3", "V000000")];
    golden("deleted_and_put", &board.commit(again));
}
