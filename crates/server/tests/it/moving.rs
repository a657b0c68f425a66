//! `parlor move` on real servers: a house goes on in another store as if it had never moved, whatever happens on the way.

mod stores;

use crate::support::house::{House, Plan, parlor};
use crate::support::line::Line;
use crate::support::player::{EAGER, Table};
use crate::support::table;
use parlor_store::{Carry, Over, Put, Rooms};
use parlor_testbed::{Cluster, Redis, Reply};
use serde_json::{Value, json};
use std::path::Path;
use stores::{Moving, commit, contents, dynamodb, embedded, fill, http, redis, room, wait};

fn embedded_at(folder: &Path) -> String {
    format!("embedded:{}", folder.display())
}

/// Moves, and says what was said of it when it went well.
#[track_caller]
fn moved(from: &str, to: &str) -> String {
    let ended = parlor(&["move", "--from", from, "--to", to]);
    ended.no_panic();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stdout
}

#[track_caller]
fn refused(from: &str, to: &str, more: &[&str]) -> String {
    parlor(&[&["move", "--from", from, "--to", to], more].concat()).one_sentence().to_owned()
}

/// What was played before a move, to be found after it.
struct Evening {
    table: Table,
    /// Where a client was that comes back later.
    place: Value,
    token: String,
    folder: std::path::PathBuf,
    _temporary: tempfile::TempDir,
}

fn sit(url: &str, name: &str, table: &Table, with: Value) -> (Line, Value) {
    let mut line = Line::open(url, &format!("{name}-and-nobody-else-has-it"), name).unwrap();
    let entered = line.ask(json!({ "do": "enter", "room": table.room, "with": with })).unwrap();
    assert!(entered["ok"].is_object(), "{entered}");
    (line, entered)
}

#[track_caller]
fn act(line: &mut Line, table: &Table, verb: &str, with: Value) {
    let reply = line.ask(json!({ "do": verb, "room": table.room, "with": with })).unwrap();
    assert!(reply["ok"].is_object(), "{verb}: {reply}");
}

/// Ana and Bo play one round and are in the middle of the next; Cleo is logged in.
fn evening() -> Evening {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    let mut house = House::start_in(&folder, EAGER);
    let url = house.ws_url();
    let table = Table::new(&url);
    let (mut ana, _) = sit(&url, "ana", &table, json!({ "host_key": table.host_key }));
    let (mut bo, _) = sit(&url, "bo", &table, json!({}));
    act(&mut ana, &table, "join", json!({ "user_name": "Ana" }));
    act(&mut bo, &table, "join", json!({ "user_name": "Bo" }));
    act(&mut ana, &table, "vote", json!({ "card": "card-01" }));
    act(&mut ana, &table, "show", json!({}));
    act(&mut ana, &table, "reset", json!({}));
    let (_, entered) = sit(&url, "bo", &table, json!({}));
    let place = json!({ "at": entered["ok"]["at"], "mark": entered["ok"]["mark"] });
    act(&mut ana, &table, "vote", json!({ "card": "card-07" }));
    let login = http(house.address(), "POST /v1/login", "", &json!({ "user_name": "Cleo" }).to_string());
    let token = login["token"].as_str().unwrap_or_else(|| panic!("{login}")).to_owned();
    assert_eq!(house.terminate().code, Some(0));
    Evening { table, place, token, folder, _temporary: temporary }
}

/// Served from this store, the evening goes on.
#[track_caller]
fn goes_on(evening: &Evening, store: &str) {
    let flags = EAGER.iter().chain(&["--store", store]).map(|flag| (*flag).to_owned()).collect();
    let mut house = House::open(Plan { flags, ..Plan::default() });
    let url = house.ws_url();
    let (mut bo, entered) = sit(&url, "bo", &evening.table, evening.place.clone());
    assert_eq!(entered["ok"]["resumed"], true, "{entered}");
    let look = bo.ask(json!({ "do": "look", "room": evening.table.room })).unwrap();
    assert_eq!(look["ok"]["me"]["seated"], true, "{look}");
    assert!(!look.to_string().contains(":\"card-07\""), "Ana's card is hidden: {look}");
    let (mut ana, _) = sit(&url, "ana", &evening.table, json!({ "host_key": evening.table.host_key }));
    let look = ana.ask(json!({ "do": "look", "room": evening.table.room })).unwrap();
    assert_eq!(look["ok"]["me"]["vote"], "card-07", "{look}");
    assert_eq!(look["ok"]["view"]["round"], 2, "{look}");
    let session = http(house.address(), "GET /v1/session", &evening.token, "");
    assert_eq!(session["user_name"], "Cleo", "{session}");
    assert_eq!(house.terminate().code, Some(0));
}

#[test]
fn an_evening_goes_on_at_redis_and_comes_home() {
    let evening = evening();
    let before = contents(&embedded(&evening.folder));
    assert_eq!((before.rooms.len(), before.records.len()), (1, 3));
    let server = Redis::start();
    server.ask(&["SET", "somebody:else", "1"]);
    let home = evening.folder.with_file_name("home");
    let dry = parlor(&["move", "--from", &embedded_at(&evening.folder), "--to", &embedded_at(&home), "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert!(dry.stdout.contains("1 room and 3 records would be copied") && !home.exists(), "{dry:?}");

    let said = moved(&embedded_at(&evening.folder), &server.url());
    assert!(said.contains(&format!("parlor serve --store {}", server.url())), "{said}");
    assert_eq!(contents(&redis(&server.url())), before);
    assert_eq!(server.ask(&["GET", "somebody:else"]).text(), "1");
    server.ask(&["DEL", "somebody:else"]);
    assert_eq!(server.keys_without_deadline(), Vec::<String>::new());
    let keys: Vec<String> = server.ask(&["KEYS", "*"]).many().iter().map(Reply::text).collect();
    // A batch's answer waits on the server for a moment, in case it got lost.
    for key in keys.into_iter().filter(|key| !key.starts_with("once:")) {
        let room = before.rooms.iter().find(|(spine, _)| key.ends_with(spine.split_once(':').unwrap().1));
        let deadline = room.map_or_else(|| before.records[&*key].deadline, |(_, room)| room.deadline).unwrap();
        assert_eq!(server.ask(&["PEXPIRETIME", &key]), Reply::Number(deadline.0 as i64), "{key}");
    }

    let said = moved(&server.url(), &embedded_at(&home));
    assert!(said.contains("1 room and 3 records copied"), "{said}");
    assert_eq!(contents(&embedded(&home)), before);
    goes_on(&evening, &server.url());
    goes_on(&evening, &embedded_at(&home));
}

#[test]
fn an_evening_goes_on_in_a_cluster() {
    let evening = evening();
    let before = contents(&embedded(&evening.folder));
    let (server, cluster) = (Redis::start(), Cluster::start());
    moved(&embedded_at(&evening.folder), &server.url());
    moved(&server.url(), &cluster.url());
    assert_eq!(contents(&redis(&cluster.url())), before);
    assert_eq!(cluster.keys_without_deadline(), Vec::<String>::new());
    let home = evening.folder.with_file_name("home");
    moved(&cluster.url(), &embedded_at(&home));
    assert_eq!(contents(&embedded(&home)), before);
    goes_on(&evening, &cluster.url());
}

#[test]
fn an_evening_goes_on_at_dynamodb_and_comes_home() {
    let evening = evening();
    let before = contents(&embedded(&evening.folder));
    let (server, tables) = (Redis::start(), table::Table::start());
    let [one, other] = wait(async { [tables.fresh().await, tables.fresh().await] });
    let said = moved(&embedded_at(&evening.folder), &one);
    assert!(said.contains(&format!("parlor serve --store {one}")), "{said}");
    assert_eq!(contents(&dynamodb(&one)), before);
    assert_eq!(wait(table::without_deadline(&one)), [""; 0]);
    assert!(moved(&embedded_at(&evening.folder), &one).contains("4 there already"));

    moved(&one, &server.url());
    assert_eq!(contents(&redis(&server.url())), before);
    moved(&server.url(), &other);
    assert_eq!(contents(&dynamodb(&other)), before);
    let home = evening.folder.with_file_name("home");
    moved(&other, &embedded_at(&home));
    assert_eq!(contents(&embedded(&home)), before);
    goes_on(&evening, &other);
    goes_on(&evening, &embedded_at(&home));
}

/// Enough for a move to be met in the middle.
const ROOMS: usize = 3000;

#[test]
fn a_move_that_was_killed_goes_on_and_ends_whole() {
    let temporary = tempfile::tempdir().unwrap();
    let (from, to) = (temporary.path().join("from"), temporary.path().join("to"));
    let server = Redis::start();
    fill(&embedded(&from), ROOMS);
    let before = contents(&embedded(&from));
    assert_eq!(before.rooms.len(), ROOMS);
    for (source, target) in [(embedded_at(&from), server.url()), (server.url(), embedded_at(&to))] {
        let mut moving = Moving::start(&source, &target);
        moving.until("copied");
        moving.kill();
        let arrived = match target.strip_prefix("embedded:") {
            Some(folder) => contents(&embedded(Path::new(folder))),
            None => contents(&redis(&target)),
        };
        assert!(
            !arrived.rooms.is_empty() && arrived.rooms.len() < ROOMS,
            "it was to be met in the middle: {}",
            arrived.rooms.len()
        );
        assert!(arrived.rooms.iter().all(|(spine, room)| before.rooms[spine] == *room), "something arrived half");
        let said = moved(&source, &target);
        assert!(said.contains(&format!("{} there already", arrived.rooms.len())), "{said}");
    }
    assert_eq!(contents(&redis(&server.url())), before);
    assert_eq!(contents(&embedded(&to)), before);
    assert_eq!(server.keys_without_deadline(), Vec::<String>::new());
}

#[test]
fn a_room_that_has_moved_on_is_overwritten_only_when_told() {
    let temporary = tempfile::tempdir().unwrap();
    let from = temporary.path().join("from");
    let server = Redis::start();
    let (source, target) = (embedded_at(&from), server.url());
    fill(&embedded(&from), 30);
    let before = contents(&embedded(&from));
    moved(&source, &target);
    let ahead: Vec<String> = (0..12).map(|number| room(number).spine.to_string()).collect();
    stores::wait(async {
        let store = stores::open_redis(&server.url()).await;
        for (number, spine) in ahead.iter().enumerate() {
            let place = before.rooms[spine].place;
            store.append(&room(number), Some(place), commit(77)).await.unwrap();
        }
    });
    let after = contents(&redis(&server.url()));
    let complaint = refused(&source, &target, &[]);
    assert!(complaint.contains("12 are at the other store as something else") && complaint.contains("--replace"), "{complaint}");
    assert!(complaint.contains(&ahead[0]) && complaint.contains("and 2 more"), "{complaint}");
    assert!(refused(&source, &target, &["--dry-run"]).contains("--replace"));
    assert_eq!(contents(&redis(&server.url())), after, "left alone");
    let ended = parlor(&["move", "--from", &source, "--to", &target, "--replace"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("12 rooms and 0 records copied, 18 there already"), "{ended:?}");
    assert_eq!(contents(&redis(&server.url())), before);
}

#[test]
fn what_is_written_meanwhile_is_found_and_the_same_command_mends_it() {
    let temporary = tempfile::tempdir().unwrap();
    let to = temporary.path().join("to");
    let server = Redis::start();
    fill(&redis(&server.url()), ROOMS);
    let mut moving = Moving::start(&server.url(), &embedded_at(&to));
    moving.until("copied");
    moving.pause();
    let first = room(0);
    stores::wait(async {
        let store = stores::open_redis(&server.url()).await;
        let at = store.take_room(&first).await.unwrap().unwrap().place;
        store.append(&first, Some(at), commit(77)).await.unwrap();
    });
    moving.resume();
    let ended = moving.end();
    assert_eq!(ended.0, Some(1), "{ended:?}");
    assert!(ended.1.contains(&format!("1 differ: {} (another place)", first.spine)), "{ended:?}");
    assert!(ended.1.contains("stop it and run the same command again"), "{ended:?}");
    let said = moved(&server.url(), &embedded_at(&to));
    assert!(said.contains("1 room and 0 records copied"), "{said}");
    assert_eq!(contents(&embedded(&to)), contents(&redis(&server.url())));
}

#[test]
fn ctrl_c_leaves_nothing_half() {
    let temporary = tempfile::tempdir().unwrap();
    let from = temporary.path().join("from");
    let server = Redis::start();
    fill(&embedded(&from), ROOMS);
    let before = contents(&embedded(&from));
    let mut moving = Moving::start(&embedded_at(&from), &server.url());
    moving.until("copied");
    moving.interrupt();
    let ended = moving.end();
    assert_eq!(ended.0, Some(1), "{ended:?}");
    assert!(ended.1.contains("parlor: stopped"), "{ended:?}");
    let arrived = contents(&redis(&server.url()));
    assert!(arrived.rooms.iter().all(|(spine, room)| before.rooms[spine] == *room));
    moved(&embedded_at(&from), &server.url());
    assert_eq!(contents(&redis(&server.url())), before);
}

#[test]
fn what_cannot_be_moved_is_said_in_a_sentence() {
    let temporary = tempfile::tempdir().unwrap();
    let (house, server) = (House::start(EAGER), Redis::start());
    let (here, away) = (embedded_at(house.folder()), embedded_at(&temporary.path().join("away")));
    assert!(refused("memory:", &away, &[]).contains("nothing to copy"));
    assert!(refused(&away, "memory:", &[]).contains("forgotten"));
    assert!(refused(&away, &away, &[]).contains("the same store"));
    assert!(refused(&away, &server.url(), &[]).contains("there is no store in"));
    let in_use = refused(&here, &server.url(), &[]);
    assert!(in_use.contains(&format!("pid {}", house.pid())) && in_use.contains("stop it first"), "{in_use}");
    assert!(refused("somewhere", &away, &[]).contains("--from: a store is"));
    let gone = refused(&server.url(), "redis://127.0.0.1:1", &[]);
    assert!(gone.contains("redis://127.0.0.1:1 cannot be used"), "{gone}");
    assert!(!temporary.path().join("away").exists());
    assert!(contents(&redis(&server.url())).rooms.is_empty());
}

#[test]
fn what_is_there_already_is_counted_between_folders_too() {
    let temporary = tempfile::tempdir().unwrap();
    let (from, to) = (temporary.path().join("from"), temporary.path().join("to"));
    fill(&embedded(&from), 3);
    let before = contents(&embedded(&from));
    let carried = before.rooms[&*room(0).spine].clone();
    let put = stores::wait(async { embedded(&to).open().await.put_room(&room(0), carried, Over::Nothing).await });
    assert_eq!(put, Ok(Put::Kept));
    let said = moved(&embedded_at(&from), &embedded_at(&to));
    assert!(said.contains("2 rooms and 0 records copied, 1 there already"), "{said}");
    assert_eq!(contents(&embedded(&to)), before);
}
