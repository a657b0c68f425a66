//! Abandoned carts are told to the shop's webhook and to a space.

use super::shopper::{KEYS, Shopper, asks};
use crate::support::house::{House, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Signatures, and what was told under each.
type Heard = Arc<Mutex<Vec<(String, Value)>>>;

/// A webhook that refuses some words, by their number and what they say, and takes down the others, with their signatures.
fn webhook(mut refuses: impl FnMut(usize, &Value) -> Option<&'static str> + Send + 'static) -> (String, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/carts", listener.local_addr().unwrap());
    let heard = Heard::default();
    let taking = heard.clone();
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut length, mut signature) = (0, String::new());
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap() <= 2 {
                    break;
                }
                let (name, value) = line.split_once(':').unwrap_or((&line, ""));
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.trim().parse().unwrap(),
                    "parlor-signature" => value.trim().clone_into(&mut signature),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let refusal = refuses(n, &event);
            let status = refusal.unwrap_or("204 No Content");
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            if refusal.is_none() {
                taking.lock().unwrap().push((signature, event));
            }
        }
    });
    (url, heard)
}

#[test]
fn an_abandoned_cart_is_told_until_it_was_heard() {
    let (url, heard) = webhook(|n, _| (n == 0).then_some("500 Not Now"));
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start_in(folder.path(), KEYS);
    let room = asks(house.address(), "POST", "/v1/rooms", &[], Some(&json!({ "kind": "space" }))).json();
    let (space, key) = (room["room"].as_str().unwrap().to_owned(), room["host_key"].as_str().unwrap().to_owned());
    let ana = Shopper::new(&house).logs_in("ana", "sum");
    ana.add("tea", 2, "c1");
    // The clock cannot be moved here, so the cart is made old in the store: it changed an hour and a minute ago.
    house.terminate();
    make_old(folder.path(), &ana.hash());
    let more = [
        "--abandoned-webhook",
        &url,
        "--abandoned-webhook-secret",
        "sign with this",
        "--abandoned-space",
        &space,
        "--abandoned-space-key",
        &key,
    ];
    house.plan().flags.extend(more.iter().map(|word| (*word).to_owned()));
    house.restart();
    until("the webhook has heard", || !heard.lock().unwrap().is_empty());
    let (signature, event) = heard.lock().unwrap()[0].clone();
    assert_eq!(event["event"], "cart_abandoned");
    assert_eq!(event["cart"]["user"], "ana");
    assert_eq!(event["cart"]["lines"], json!([{ "item": "tea", "quantity": 2 }]));
    assert!(signature.starts_with("sha256="), "{signature}");
    let id = event["cart"]["id"].as_str().unwrap();
    let path = format!("/v1/rooms/{space}/maps/abandoned/{id}");
    until("the space shows it", || asks(house.address(), "GET", &path, &[("parlor-host-key", &key)], None).status == 200);
    assert_eq!(ana.at(&house).cart(), "tea=2", "being told of changes nothing");
}

/// Whoever is told of first is refused, each time: the others are told all the same, and once.
#[test]
fn a_cart_that_is_refused_holds_up_no_other() {
    let (mut first, refusals) = (None, Arc::new(AtomicUsize::new(0)));
    let refused = refusals.clone();
    let (url, heard) = webhook(move |_, event| {
        let first = first.get_or_insert_with(|| event["cart"]["user"].clone());
        (event["cart"]["user"] == *first).then(|| {
            refused.fetch_add(1, Ordering::SeqCst);
            "400 Not This One"
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::start_in(folder.path(), KEYS);
    let people = ["ana", "bo", "cy"].map(|name| {
        let shopper = Shopper::new(&house).logs_in(name, "sum");
        shopper.add("tea", 1, "c1");
        shopper
    });
    house.terminate();
    people.iter().for_each(|shopper| make_old(folder.path(), &shopper.hash()));
    house.plan().flags.extend(["--abandoned-webhook".to_owned(), url]);
    house.restart();
    // The next rounds tell of the refused one again, and of nobody else.
    until("two rounds are over", || refusals.load(Ordering::SeqCst) >= 3);
    let heard = heard.lock().unwrap();
    let mut users: Vec<&str> = heard.iter().map(|(_, event)| event["cart"]["user"].as_str().unwrap()).collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!((users.len(), heard.len()), (2, 2), "{users:?}");
}

fn make_old(folder: &std::path::Path, token: &str) {
    use parlor_layout::shop::visits as layout;
    use parlor_store::{Batch, Operation, Records};
    super::shopper::wait(async {
        let now = || {
            parlor_rules::Millis(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64)
        };
        let store = parlor_store::Embedded::open(folder, Arc::new(now), parlor_store::Options::default()).unwrap();
        let score = layout::seconds(parlor_rules::Millis(now().0 - 61 * 60 * 1000));
        let set = Operation::SetScore { key: layout::carts(), member: token.into(), score };
        store.apply(Batch { operations: vec![set], ..Batch::default() }).await.unwrap();
    });
}
