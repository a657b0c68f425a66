//! Nothing is on one door only: what the list of commands says is read, written, described and answered alike.

use super::inside::{Inside, Store};
use super::socket::code;
use parlor_rules::{Command, Kind};
use parlor_wire::commands::{read, verbs};
use serde_json::{Value, json};

#[test]
fn every_example_is_read_and_written_back_as_it_was() {
    for kind in Kind::ALL {
        for verb in verbs(*kind) {
            let command = read(*kind, verb.name, Some(verb.example)).unwrap_or_else(|fault| panic!("{}: {fault:?}", verb.name));
            let (name, with) = match &command {
                Command::Poker(command) => parlor_wire::poker::write(command),
                Command::Space(command) => parlor_wire::space::write(command),
                Command::Reels(command) => parlor_wire::reels::write(command),
            };
            if verb.name == "import_stories" {
                assert_eq!(name, "add_stories"); // Read at the door; inside the house there is only one way to add.
                continue;
            }
            assert_eq!(name, verb.name);
            assert_eq!(with, serde_json::from_str::<Value>(verb.example).unwrap(), "{name}");
            assert_eq!(read(*kind, name, Some(&with.to_string())).unwrap(), command);
            assert!(!verb.help.is_empty() && verb.help.ends_with('.'), "{name} has no sentence of help");
        }
    }
}

/// A path with something in place of its words.
fn filled(path: &str) -> String {
    path.replace("{id}", "no-such-room").split('/').map(|word| word.trim_matches(['{', '}'])).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_command_and_every_route_is_in_the_description_of_the_api() {
    let server = Inside::start(Store::Memory, &[]).await;
    let page = server.ask("GET", "/openapi.json", &[], None).await.json();
    assert_eq!(page, parlor::openapi::describe());
    let mut operations = std::collections::BTreeSet::new();
    for (path, methods) in page["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operations.insert(operation["operationId"].as_str().unwrap().to_owned()), "{path} {method} shares its id");
            for parameter in operation["parameters"].as_array().unwrap() {
                let is_page = ["after", "limit", "v", "n", "url"].contains(&parameter["name"].as_str().unwrap());
                assert!(
                    is_page || ["header", "path"].contains(&parameter["in"].as_str().unwrap()),
                    "{path}: a key in a URL is a key in a log"
                );
            }
            // The shop's routes are asked for where there is a shop: shop/doors.rs.
            if path.starts_with("/v1/shop/") {
                continue;
            }
            // Every described operation is there: it answers with one of our errors, never with "nothing here".
            let answer = server.ask(&method.to_uppercase(), &filled(path), &[], None).await;
            assert!(answer.status != 405 && answer.code() != "unsupported", "{method} {path}: {answer:?}");
        }
    }
    for kind in Kind::ALL {
        for verb in verbs(*kind) {
            let body = &page["paths"][format!("/v1/rooms/{}/{{id}}/{}", kind.name(), verb.name)]["post"]["requestBody"];
            assert_eq!(
                body["content"]["application/json"]["schema"]["example"],
                serde_json::from_str::<Value>(verb.example).unwrap()
            );
        }
    }
}

#[test]
fn every_command_has_a_call_and_every_call_of_a_command_is_in_the_list() {
    let listed: std::collections::BTreeSet<&str> = verbs(Kind::Poker).iter().map(|verb| verb.name).collect();
    let called: std::collections::BTreeSet<&str> = parlor::grpc::CALLS.iter().map(|(verb, _)| *verb).collect();
    assert_eq!(listed, called, "a verb without a call, or a call without a verb");
    let pool = super::grpc::descriptors();
    let service = pool.get_service_by_name("parlor.v1.Poker").unwrap();
    for verb in verbs(Kind::Poker) {
        let (_, call) = parlor::grpc::CALLS.iter().find(|(known, _)| *known == verb.name).unwrap();
        let method = service.methods().find(|method| method.name() == *call).unwrap_or_else(|| panic!("no call {call}"));
        // The message takes the words of the list and no others, and those that may be left out can be.
        let with: Value = serde_json::from_str(verb.example).unwrap();
        let words: std::collections::BTreeSet<String> = with.as_object().unwrap().keys().cloned().collect();
        let input = method.input();
        let fields = input.fields().filter(|field| !["room_id", "resume"].contains(&field.name()));
        assert_eq!(fields.map(|field| field.name().to_owned()).collect::<std::collections::BTreeSet<_>>(), words, "{call}");
        for field in input.fields() {
            let may_lack = verb.optional.contains(&field.name()) || verb.nullable.contains(&field.name());
            assert_eq!(field.supports_presence(), may_lack || field.name() == "resume", "{call}.{}", field.name());
        }
    }
}

#[test]
fn the_protocols_page_names_every_call() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.md")).unwrap();
    for (verb, call) in parlor::grpc::CALLS {
        assert!(page.contains(&format!("| `{verb}` | `{call}`")), "docs/protocol.md has no row for {call}");
    }
    for service in super::grpc::descriptors().services() {
        for method in service.methods() {
            assert!(page.contains(&format!("`{}`", method.name())), "docs/protocol.md does not name {}", method.full_name());
        }
    }
}

#[tokio::test]
async fn every_example_is_understood_on_every_door() {
    let server = Inside::start(Store::Memory, &[]).await;
    for verb in verbs(Kind::Poker) {
        for door in ["rest", "ws", "grpc"] {
            let (room, host_key) = server.room(&format!("{}-{door}", verb.name)).await;
            let with: Value = serde_json::from_str(verb.example).unwrap();
            let mut ana = server.person("ana").await;
            assert_eq!(code(&ana.ask("join", Some(&room), None, Some(json!({ "user_name": "Ana" }))).await), "ok");
            let story = json!({ "stories": [{ "title": "A story" }] });
            assert_eq!(code(&ana.ask("add_stories", Some(&room), None, Some(story)).await), "ok");
            let user = super::inside::user_key("ana");
            let headers = [("parlor-user-key", user.as_str()), ("parlor-host-key", host_key.as_str())];
            let answer = if door == "grpc" {
                server.grpc().await.act(&room, verb.name, &with, &headers).await
            } else if door == "rest" {
                server.ask("POST", &format!("/v1/rooms/{room}/{}", verb.name), &headers, Some(verb.example)).await.code()
            } else {
                code(&ana.ask(verb.name, Some(&room), None, Some(with)).await)
            };
            // Examples that name somebody name nobody who is here; everything else is simply done.
            let expected = if verb.example.contains("user_id_1") { "not_found" } else { "ok" };
            assert_eq!(answer, expected, "{} by {door}", verb.name);
        }
    }
}

#[tokio::test]
async fn delete_has_two_ways_by_rest_and_they_are_one() {
    let server = Inside::start(Store::Memory, &[]).await;
    let (room, host_key) = server.room("ending").await;
    let path = format!("/v1/rooms/{room}");
    assert_eq!(server.ask("DELETE", &path, &[], None).await.code(), "forbidden");
    assert_eq!(server.ask("DELETE", &path, &[("parlor-host-key", &host_key)], None).await.code(), "ok");
    assert_eq!(server.ask("DELETE", &path, &[("parlor-host-key", &host_key)], None).await.code(), "room_not_found");
}
