//! The same table of CSV texts that the page's reader is tested with: what it sends, and the text itself, are the same
//! stories to the server.

use parlor_rules::{Command, Kind};
use parlor_wire::{commands, poker};
use serde_json::{Value, json};

const VECTORS: &str = include_str!("csv-vectors.json");

fn stories(csv: &str) -> Value {
    let with = json!({ "csv": csv }).to_string();
    let Command::Poker(command) = commands::read(Kind::Poker, "import_stories", Some(&with)).unwrap() else {
        unreachable!("a table")
    };
    poker::write(&command).1["stories"].take()
}

#[test]
fn the_page_and_the_server_read_the_same_stories() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.len() > 5);
    for vector in vectors {
        let name = &vector["name"];
        // Nothing is sent of a text without stories, and the server refuses one.
        let Some(sent) = vector["sent"].as_str() else { continue };
        assert_eq!(stories(vector["text"].as_str().unwrap()), vector["stories"], "{name}");
        assert_eq!(stories(sent), vector["stories"], "{name}, as the page sends it");
    }
}
