//! What cannot be started says why in one sentence and touches nothing.

use crate::support::house::{House, Plan, parlor};
use crate::support::player::{EAGER, Part, Player, Table};
use std::net::TcpListener;
use std::path::Path;

/// Starts on a folder that must be refused; gives the sentence.
#[track_caller]
fn refused(folder: &Path) -> String {
    let plan = Plan { folder: Some(folder.to_owned()), ..Plan::default() };
    let ended = House::try_open(plan).err().expect("it should not start");
    ended.one_sentence().to_owned()
}

/// Runs `parlor` with words it must refuse; the sentence must hold these parts.
#[track_caller]
fn complains(words: &[&str], parts: &[&str]) {
    let ended = parlor(words);
    let sentence = ended.one_sentence();
    for part in parts {
        assert!(sentence.contains(part), "{words:?}: {part:?} is missing in {sentence:?}");
    }
    assert!(!ended.stdout.contains("listening"), "{ended:?}");
}

#[test]
fn a_second_process_is_turned_away_and_the_first_goes_on() {
    let mut house = House::start(EAGER);
    let url = house.ws_url();
    let mut ana = Player::new("ana", &Table::new(&url), Part::Voter);
    let mut line = ana.sit(&url).unwrap();
    ana.act(&mut line).unwrap();
    let sentence = refused(house.folder());
    assert!(sentence.contains(&format!("another parlor process (pid {})", house.pid())), "{sentence}");
    for _ in 0..3 {
        ana.act(&mut line).unwrap();
    }
    house.kill9();
    house.restart();
    ana.settle(&url);
}

#[test]
fn a_folder_of_a_newer_format_is_left_alone() {
    let mut house = House::start(EAGER);
    house.terminate();
    let format = house.folder().join("format");
    let ours = std::fs::read_to_string(&format).unwrap();
    std::fs::write(&format, ours.replace('1', "2")).unwrap();
    let sentence = refused(house.folder());
    assert!(sentence.contains("newer parlor") && sentence.contains("format 2"), "{sentence}");
    std::fs::write(&format, ours).unwrap();
    house.restart();
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let sentence = refused(folder.path());
    assert!(sentence.contains("holds something else"), "{sentence}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["letter.txt"]);
}

#[test]
fn a_folder_that_is_a_file_or_forbidden_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(refused(&file).contains("cannot be used"));
    // Nobody may make a folder there, not even root.
    assert!(refused(Path::new("/proc/self/parlor")).contains("cannot be used"));
}

#[test]
fn a_port_in_use_is_named() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    complains(&["serve", "--store", "memory:", "--listen", &address], &["something else listens on", &address, "--listen"]);
}

#[test]
fn a_store_of_an_unknown_kind_is_refused() {
    complains(&["serve", "--store", "redsi://localhost"], &["--store", "redsi://localhost", "memory:, embedded:PATH, redis://…"]);
    complains(&["serve", "--store", "embedded:"], &["--store", "needs a folder"]);
    complains(&["backup", "--from", "memory:", "/nowhere"], &["nothing to copy"]);
}

#[test]
fn a_table_that_cannot_be_used_is_said_in_one_sentence() {
    // Nobody listens on that port.
    complains(
        &["serve", "--store", "dynamodb://parlor?endpoint=http://127.0.0.1:1"],
        &["cannot be used", "nobody answers there"],
    );
    complains(&["dynamodb", "create-table", "dynamodb://parlor?endpoint=http://127.0.0.1:1"], &["nobody answers there"]);
    complains(&["dynamodb", "create-table", "dynamodb://p"], &["3 to 255"]);
    complains(&["dynamodb", "policy", "parlor"], &["no ARN"]);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    for (flag, value) in [
        ("--listen", "nowhere"),
        ("--listen", "127.0.0.1:99999"),
        ("--connections-max", "0"),
        ("--frame-bytes-max", "-1"),
        ("--message-rate-max", "many"),
        ("--drain-seconds-max", "1.5"),
        ("--free-bytes-min", "lots"),
        ("--trust-forwarded", "maybe"),
        ("--log-format", "xml"),
        ("--log", "parlor=loud"),
        ("--ping-seconds", "0"),
    ] {
        let given = format!("{flag}={value}");
        complains(&["serve", "--store=memory:", &given], &[flag, value]);
    }
}

#[test]
fn a_configuration_file_with_a_mistake_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("parlor.toml");
    let path = file.to_str().unwrap();
    complains(&["serve", "--config", path], &[path, "cannot be read"]);
    for (text, parts) in [
        ("listen = ", &["is not TOML"][..]),
        ("colour = \"red\"", &["colour", "no setting"]),
        ("connections-max = 0", &["connections-max", "configuration file", "at least 1"]),
        ("store = \"redsi:\"", &["store", "redsi:"]),
    ] {
        std::fs::write(&file, text).unwrap();
        complains(&["serve", "--config", path], parts);
    }
}
