//! Abandoned carts are told to the shop's webhook and to a space.

use super::shopper::{KEYS, Shopper, asks};
use crate::support::house::{House, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Signatures, and what was told under each.
type Heard = Arc<Mutex<Vec<(String, Value)>>>;

/// A webhook that refuses the first word and takes down the others, with their signatures.
fn webhook() -> (String, Heard) {
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
            let status = if n == 0 { "500 Not Now" } else { "204 No Content" };
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            if n > 0 {
                taking.lock().unwrap().push((signature, serde_json::from_slice(&body).unwrap()));
            }
        }
    });
    (url, heard)
}

#[test]
fn an_abandoned_cart_is_told_until_it_was_heard() {
    let (url, heard) = webhook();
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
