//! Keys: long, told once to their owner, and no way to anybody else's.

use super::grpc::descriptors;
use super::inside::{Inside, Store, user_key};
use super::socket::code;
use prost_reflect::{Kind, MessageDescriptor};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};

/// Every field of an answer whose name sounds secret, as `Message.field`.
fn secrets(message: &MessageDescriptor, seen: &mut BTreeSet<String>, found: &mut BTreeSet<String>) {
    if !seen.insert(message.full_name().to_owned()) {
        return;
    }
    for field in message.fields() {
        if ["key", "token", "secret", "hash"].iter().any(|word| field.name().contains(word)) {
            found.insert(format!("{}.{}", message.name(), field.name()));
        }
        if let Kind::Message(inner) = field.kind() {
            secrets(&inner, seen, found);
        }
    }
}

#[test]
fn h120_no_answer_has_a_place_for_anothers_key_and_no_command_asks_for_one() {
    let (pool, mut seen, mut told, mut asked) = (descriptors(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        secrets(&method.output(), &mut seen, &mut told);
    }
    seen.clear();
    for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        secrets(&method.input(), &mut seen, &mut asked);
    }
    // Each is told to whom it belongs, in answer to making it.
    let owners = ["CreateRoomResponse.host_key", "LoginResponse.token", "NewUserResponse.user_key"];
    assert_eq!(told, owners.map(str::to_owned).into());
    assert_eq!(asked, BTreeSet::new(), "keys are metadata: a message may end up in a log");
}

#[tokio::test]
async fn h120_a_host_kicks_and_forgets_by_public_ids_alone() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, host_key) = server.room("public-ids").await;
    let mut bo = server.person("bo").await;
    assert_eq!(code(&bo.ask("join", Some(&room), None, Some(json!({ "user_name": "Bo" }))).await), "ok");
    let view = server.look(&room, &host_key).await;
    assert!(!view.to_string().contains(&user_key("bo")), "{view}");
    let id = view["view"]["users"][0]["user_id"].as_str().unwrap();
    let kick = json!({ "user_id": id }).to_string();
    let path = format!("/v1/rooms/{room}/kick");
    assert_eq!(server.ask("POST", &path, &[("parlor-host-key", &host_key)], Some(&kick)).await.code(), "ok");
    // A private key in the place of a public id names nobody.
    let wrong = json!({ "user_id": user_key("bo") }).to_string();
    assert_eq!(server.ask("POST", &path, &[("parlor-host-key", &host_key)], Some(&wrong)).await.code(), "not_found");
}

#[tokio::test]
async fn h128_keys_are_256_bits_of_dice_and_no_two_are_alike() {
    let server = Inside::start(Store::Memory, &[]).await;
    let mut keys = HashSet::new();
    for _ in 0..20 {
        let hello = server.socket().await.ask("hello", None, None, Some(json!({}))).await;
        let room = server.ask("POST", "/v1/rooms", &[], None).await.json();
        for (key, prefix) in [(&hello["ok"]["user_key"], "uk_"), (&room["host_key"], "hk_")] {
            let digits = key.as_str().and_then(|key| key.strip_prefix(prefix)).unwrap_or_else(|| panic!("{hello} {room}"));
            assert!(digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
            assert!(keys.insert(digits.to_owned()));
        }
    }
}
