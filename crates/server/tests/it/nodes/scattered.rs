//! Two nodes on a cluster: a room's keys stay together, a primary may die, and nothing asks two machines at once.

use super::guest::{Guest, position};
use super::node::node;
use super::shelf::id_of;
use crate::support::house::House;
use crate::support::player::{Table, card};
use parlor_testbed::{Cluster, Reply, until};
use serde_json::{Value, json};

/// Sends a numbered command until it is answered, as a client does.
fn acked(guest: &mut Guest, verb: &str, with: &Value) -> Value {
    let first = guest.tries(verb, with.clone()).unwrap();
    if first["ok"].is_object() {
        return first["ok"].clone();
    }
    until("an answer", || {
        let reply = guest.again(verb, with.clone()).map_err(|gone| format!("{gone:?}"))?;
        if reply["ok"].is_object() { Ok(reply["ok"].clone()) } else { Err(reply.to_string()) }
    })
}

/// All names on all machines.
fn names(cluster: &Cluster) -> Vec<String> {
    let of = |node: &parlor_testbed::Redis| node.ask(&["KEYS", "*"]).many().iter().map(Reply::text).collect::<Vec<_>>();
    let awake = cluster.nodes().iter().filter(|node| node.is_awake());
    awake.flat_map(of).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

fn nothing_crossed(houses: &[House]) {
    for house in houses {
        assert!(!house.logs().contains("CROSSSLOT"), "{}", house.logs());
    }
}

#[test]
fn h84_a_rooms_keys_share_a_tag_in_braces_and_it_survives_its_primary() {
    let cluster = Cluster::start();
    let houses = [node(&cluster.url()), node(&cluster.url())];
    let table = Table::new(&houses[0].ws_url());
    let id = id_of(&table.room);
    let key = format!("room_condition:{{{id}}}");
    let mut ana = Guest::seated(&houses[0], &table, "ana");
    let mut bo = Guest::seated(&houses[1], &table, "bo");
    let seen = bo.does("vote", json!({ "card": card(1) }));
    ana.sees(seen);
    let of_the_room: Vec<String> = names(&cluster).into_iter().filter(|name| name.contains(id)).collect();
    assert!(of_the_room.contains(&key), "{of_the_room:?}");
    for name in &of_the_room {
        assert!(name.contains(&format!("{{{id}}}")), "{name} has no braces");
    }

    cluster.kill_primary_of(&key);
    for round in 2..12 {
        let vote = json!({ "card": card(round) });
        let ack = acked(&mut bo, "vote", &vote);
        // What the other node shows is the same, be it a moment later.
        let view = ana.hears(|push| push["push"] == "view" && push["at"] == ack["at"]);
        assert_eq!(view["view"]["users"][1]["has_vote"], true);
        let ack = acked(&mut ana, "vote", &vote);
        bo.sees(position(&ack["at"]));
    }
    assert!(cluster.primary_of(&key).is_awake());
    assert_eq!(cluster.keys_without_deadline(), [""; 0]);
    nothing_crossed(&houses);
}

#[test]
fn h25_h84_sessions_survive_the_primary_of_their_token() {
    let cluster = Cluster::start();
    let houses = [node(&cluster.url()), node(&cluster.url())];
    let (mut ana, login) = Guest::member(&houses[0], "ana");
    let token = login["token"].as_str().unwrap();
    let hash = parlor_rules::SecretHash::of(token.as_bytes()).hex();
    cluster.kill_primary_of(&format!("token:{hash}"));
    cluster.wait_until_ok();
    // Through the other node she is who she was, and through the one she is at too.
    let hello = until("a session that goes on", || {
        let mut line = crate::support::line::Line::connect(&houses[1].ws_url()).map_err(|gone| format!("{gone:?}"))?;
        let hello = line
            .ask(json!({ "do": "hello", "with": { "token": token, "client": "tab-2" } }))
            .map_err(|gone| format!("{gone:?}"))?;
        if hello["ok"].is_object() { Ok(hello) } else { Err(hello.to_string()) }
    });
    assert_eq!(hello["ok"]["user_name"], "ana");
    let verified = ana.line.ask(json!({ "do": "verify" })).unwrap();
    assert_eq!(verified["ok"]["user_id"], login["user_id"], "{verified}");
    let gone = ana.line.ask(json!({ "do": "logout" })).unwrap();
    assert!(gone["ok"].is_object(), "{gone}");
    let left: Vec<String> = names(&cluster).into_iter().filter(|name| !name.starts_with("once:")).collect();
    assert_eq!(left, [""; 0], "a session that ended leaves nothing");
    assert_eq!(cluster.keys_without_deadline(), [""; 0]);
    nothing_crossed(&houses);
}
