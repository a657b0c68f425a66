//! A node that dies takes nothing with it: who was here through it is away when its lease ends, and comes back elsewhere.

use super::guest::Guest;
use super::node::node_with;
use super::shelf::all_ends;
use crate::support::player::{Table, card};
use parlor_testbed::Redis;
use serde_json::{Value, json};

/// Whether a view shows somebody of this name as here.
fn is_here(push: &Value, name: &str) -> Option<bool> {
    let mut users = push["view"]["users"].as_array()?.iter();
    users.find(|user| user["user_name"] == name)?["here"].as_bool()
}

#[test]
fn h49_who_was_here_through_a_node_that_died_is_away_within_its_lease_and_resumes_at_another() {
    let redis = Redis::start();
    let mut houses = [(); 2].map(|()| node_with(&redis.url(), &["--redis-lease-seconds", "2"]));
    let table = Table::new(&houses[0].ws_url());
    let mut bo = Guest::seated(&houses[1], &table, "bo");
    let mut ana = Guest::seated(&houses[0], &table, "ana");
    bo.hears(|push| is_here(push, "ana") == Some(true));
    let at = ana.does("vote", json!({ "card": card(3) }));
    let known = ana.sees(at);
    bo.sees(at);
    bo.line.pushed.clear();

    houses[0].kill9();
    bo.hears(|push| is_here(push, "ana") == Some(false));

    let place = json!({ "at": known["at"], "mark": known["mark"] });
    let (mut ana, entered) = Guest::enter(&houses[1], &table, "ana", place).unwrap();
    assert_eq!(entered["ok"]["resumed"], true, "{entered}");
    // The command that was answered last is sent again, and is not done again.
    let again = ana.line.ask(json!({ "do": "vote", "room": table.room, "n": 2, "with": { "card": card(3) } })).unwrap();
    assert_eq!((&again["ok"]["at"], &again["ok"]["again"]), (&json!(at.to_string()), &json!(true)), "{again}");
    bo.line.pushed.clear();
    let view = ana.looks();
    assert_eq!((&view["me"]["vote"], is_here(&view, "ana")), (&json!(card(3)), Some(true)), "{view}");
    all_ends(&redis);
}
