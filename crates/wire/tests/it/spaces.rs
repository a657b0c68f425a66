//! docs/spaces.md is true: its table and its frames are what the code says.

use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::space::{self, Event, Item, List, Map, Mine, Settings, Shared};
use parlor_rules::{Address, Done, Here, Json, Kind, Mark, Place, Position, Right, UserId};
use parlor_wire::commands::{showings, verbs};
use parlor_wire::space::people::{self, People};
use parlor_wire::space::snapshot::{self, Bookmark};
use parlor_wire::space::told;
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spaces.md");

fn room() -> Address {
    "space/2f1c8a90-5b5e-4c5e-9d43-3f0a1c7f9b21".parse().unwrap()
}

fn place() -> Place {
    Place { position: Position { epoch: 1_700_000_000_000, seq: 7 }, mark: Mark(0x0123_4567_89ab_cdef) }
}

fn ana() -> UserId {
    "k7wq2m9xdh3fpa4s".parse().unwrap()
}

fn part(name: &str) -> space::PartName {
    name.parse().unwrap()
}

fn json(text: &str) -> Json {
    Json::read(text, 1000).unwrap()
}

fn shared() -> Shared {
    let entry = space::Entry { value: json(r#"{"x":1,"text":"milk"}"#), version: 5 };
    let mut list = List::default();
    let order: space::Order = "V000000".parse().unwrap();
    list.items.insert("i1".parse().unwrap(), Item { order: order.clone(), value: json(r#""bread""#), version: 6 });
    list.in_order.insert((order, "i1".parse().unwrap()));
    Shared {
        settings: Settings { name: "Board".parse().ok(), guests: Right::Write, ..Settings::default() },
        maps: [("board".parse().unwrap(), Map { entries: [("note-1".parse().unwrap(), entry)].into_iter().collect() })]
            .into_iter()
            .collect(),
        lists: [("todo".parse().unwrap(), list)].into_iter().collect(),
        presences: [("cursors".parse().unwrap(), 60u64)].into_iter().collect(),
        here: Here::default(),
    }
}

fn changes() -> Vec<(&'static str, Event)> {
    let (board, todo) = (|| "board".parse().unwrap(), || "todo".parse().unwrap());
    let (key, id, order) = (|| "note-1".parse().unwrap(), || "i1".parse().unwrap(), || "V0000005".parse().unwrap());
    vec![
        ("a key was set", Event::MapSet { map: board(), key: key(), value: json(r#"{"x":2}"#) }),
        ("a key was removed", Event::MapRemoved { map: board(), key: key() }),
        ("a map was made", Event::MapCreated { map: board() }),
        ("a map was cleared", Event::MapCleared { map: board() }),
        ("a map was taken away", Event::MapDeleted { map: board() }),
        ("a new item", Event::ItemPut { list: todo(), id: id(), order: order(), value: json("1") }),
        ("an item's value", Event::ItemSet { list: todo(), id: id(), value: json("2") }),
        ("an item's place", Event::ItemPlaced { list: todo(), id: id(), order: order() }),
        ("an item was taken out", Event::ItemRemoved { list: todo(), id: id() }),
        ("a list was made", Event::ListCreated { list: todo() }),
        ("a list was cleared", Event::ListCleared { list: todo() }),
        ("a list was taken away", Event::ListDeleted { list: todo() }),
        ("a presence was made", Event::PresenceCreated { presence: "cursors".parse().unwrap(), seconds: 60 }),
        ("a presence was taken away", Event::PresenceDeleted { presence: "cursors".parse().unwrap() }),
        ("how the space is run", Event::Updated(Settings { name: "Board".parse().ok(), ..Settings::default() })),
    ]
}

fn piece(events: Vec<Event>, number: Option<u64>) -> Bytes {
    let events = events.into_iter().map(parlor_rules::Event::Space).collect();
    let done = Done { by: Some(ana()), ticket: None, events };
    told::done(7, &done, Class::Space(space::Class::Reader), number).unwrap()
}

fn frames() -> String {
    let Place { position, mark } = place();
    let base = Position { seq: 6, ..position };
    let mine = Mine { user: Some(ana()), right: Right::Write };
    let read = snapshot::frame(&room(), place(), None, (&shared(), &mine), &mut Bookmark::Start, 10_000);
    let set = || changes().swap_remove(0).1;
    let told_frame =
        told::frame(&room(), base, position, Some(mark), None, &[piece(vec![set()], None), piece(vec![set()], Some(5))]);
    let acted = told::acted(9, position, Some(mark), &[parlor_rules::Event::Space(set())]);
    let cursors = "cursors".parse().unwrap();
    let (who, shown) =
        ([(1, ana(), Some(json(r#"{"name":"Ana"}"#)))], [(1, json(r#"{"x":10,"y":20}"#)), (4, json(r#""hello""#))]);
    let people = People { whole: true, who: &who, gone: &[3], of: vec![(&cursors, &shown, &[5])] };
    let mut text = String::new();
    for (name, frame) in [
        ("The space, read to you", read),
        ("What others did", told_frame),
        ("The reply to your own command", acted),
        ("Who is here, and what they show", people::frame(&room(), &people)),
    ] {
        // Writing to a String cannot fail.
        let _ = write!(text, "**{name}**\n\n```json\n{}\n```\n\n", String::from_utf8(frame.to_vec()).unwrap());
    }
    text += "| a change | how it is said |\n|---|---|\n";
    for (what, event) in changes() {
        let mut frame = Vec::new();
        parlor_wire::space::change::append(&mut frame, &event, 7);
        let _ = writeln!(text, "| {what} | `{}` |", String::from_utf8(frame).unwrap());
    }
    text
}

fn commands() -> String {
    let mut text =
        String::from("| `do`, or `POST /v1/rooms/space/{id}/…` | `with`, or the body | what it does |\n|---|---|---|\n");
    for verb in verbs(Kind::Space) {
        let _ = writeln!(text, "| `{}` | `{}` | {} |", verb.name, verb.example, verb.help);
    }
    text += "| — | — | *not kept:* |\n";
    for verb in showings(Kind::Space) {
        let _ = writeln!(text, "| `{}` | `{}` | {} |", verb.name, verb.example, verb.help);
    }
    text
}

#[test]
fn docs_spaces_is_true() {
    let docs = std::fs::read_to_string(PAGE).unwrap();
    let mut page = docs.clone();
    for (name, body) in [("commands", commands()), ("frames", frames())] {
        let (begin, end) = (format!("<!-- {name}: written by a test -->\n"), format!("<!-- end of {name} -->"));
        let from = page.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
        let to = page.find(&end).unwrap_or_else(|| panic!("no {end}"));
        page.replace_range(from..to, &format!("\n{}\n\n", body.trim_end()));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let there = std::fs::read_to_string(PAGE).unwrap();
    assert!(there == page, "docs/spaces.md is stale; UPDATE_DOCS=1 cargo test -p parlor-wire docs_spaces_is_true rewrites it");
}

/// Every frame is JSON, and a reading in the smallest pieces says the same as one in a single piece.
#[test]
fn a_space_read_in_small_pieces_is_the_same_space() {
    let mine = Mine { user: None, right: Right::Read };
    let mut shared = shared();
    for n in 0..20 {
        let entry = space::Entry { value: json(&n.to_string()), version: n };
        shared.maps.get_mut(&part("board")).unwrap().entries.insert(format!("k\"{n}").parse().unwrap(), entry);
        let item = Item { order: format!("V{n:06}").parse().unwrap(), value: json("[]"), version: n };
        shared.lists.get_mut(&part("todo")).unwrap().items.insert(format!("j{n}").parse().unwrap(), item);
    }
    shared.maps.insert("an-empty-one".parse().unwrap(), Map::default());
    shared.lists.insert("another".parse().unwrap(), List::default());
    let read = |bytes: usize| {
        let (mut bookmark, mut all, mut pieces) = (Bookmark::Start, serde_json::json!({ "maps": {}, "lists": {} }), 0);
        while bookmark != Bookmark::End {
            let frame = snapshot::frame(&room(), place(), None, (&shared, &mine), &mut bookmark, bytes);
            let frame: serde_json::Value = serde_json::from_slice(&frame).unwrap();
            assert_eq!(frame["first"] == true, pieces == 0);
            assert_eq!(frame["last"] == true, bookmark == Bookmark::End);
            for (name, entries) in frame["maps"].as_object().unwrap() {
                let map = all["maps"].as_object_mut().unwrap().entry(name).or_insert_with(|| serde_json::json!({}));
                map.as_object_mut().unwrap().extend(entries.as_object().unwrap().clone());
            }
            for (name, items) in frame["lists"].as_object().unwrap() {
                let list = all["lists"].as_object_mut().unwrap().entry(name).or_insert_with(|| serde_json::json!([]));
                list.as_array_mut().unwrap().extend(items.as_array().unwrap().clone());
            }
            pieces += 1;
        }
        (all, pieces)
    };
    let (whole, one) = read(100_000);
    assert_eq!(
        (one, whole["maps"]["board"].as_object().unwrap().len(), whole["lists"]["todo"].as_array().unwrap().len()),
        (1, 21, 21)
    );
    for bytes in [1, 200, 333, 500, 1000] {
        let (pieced, count) = read(bytes);
        assert_eq!(pieced, whole, "{bytes}");
        assert!(count > 1);
    }
}
