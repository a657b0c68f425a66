//! A primary that dies with an ack only it had: what was acked is lost, as Redis does not promise otherwise, and everyone
//! learns it by the mark. Nobody builds on what is lost, and it never comes back.

use super::guest::{Guest, position};
use super::node::{comes_back, node};
use super::shelf::{all_ends, entries, last, spine};
use crate::support::player::{Table, card};
use parlor_testbed::{Sentinels, until};
use serde_json::{Value, json};

fn place(view: &Value) -> Value {
    json!({ "at": view["at"], "mark": view["mark"] })
}

#[test]
fn h06_x38_an_ack_that_only_the_dead_primary_had_is_lost_for_all_and_built_on_by_nobody() {
    let servers = Sentinels::start();
    let houses = [node(&servers.url()), node(&servers.url())];
    let table = Table::new(&houses[0].ws_url());
    let key = spine(&table.room);
    let mut ana = Guest::seated(&houses[0], &table, "ana");
    let mut bo = Guest::seated(&houses[1], &table, "bo");
    let kept_at = bo.does("vote", json!({ "card": card(1) }));
    ana.sees(kept_at);
    let kept = last(servers.primary(), &key);
    assert_eq!(kept.at, kept_at);
    until("a replica that has it all", || {
        let there = entries(servers.replica(), &key, "-")?.last().map(|last| last.at);
        if there == Some(kept_at) { Ok(()) } else { Err(format!("it is at {there:?}")) }
    });

    // Acked, and seen through both nodes, but only the primary has it.
    servers.stop_replication();
    let lost_at = ana.does("vote", json!({ "card": card(7) }));
    let [lost, seen_by_bo] = [&mut ana, &mut bo].map(|guest| guest.sees(lost_at));
    assert_eq!(place(&lost), place(&seen_by_bo));
    assert_eq!(lost["me"]["vote"], card(7));
    servers.kill_primary();
    servers.replica().resume();
    let promoted = servers.wait_for_failover();
    assert_eq!(last(promoted, &key).at, kept_at, "the surviving history ends before it");

    // Through either node the room goes on from what survived; the position is given again, with another mark.
    let again_at = until("a room that goes on", || {
        let reply = bo.tries("vote", json!({ "card": card(3) })).map_err(|gone| format!("{gone:?}"))?;
        if reply["ok"].is_object() { Ok(position(&reply["ok"]["at"])) } else { Err(reply.to_string()) }
    });
    assert_eq!(again_at, lost_at, "it follows what survived, not what is lost");
    let on = last(promoted, &key);
    assert_eq!(on.at, again_at);
    assert_ne!(lost["mark"], *on.mark);
    let is_of_this_history = |push: &Value| push["push"] == "view" && push["mark"] == *on.mark;
    for guest in [&mut ana, &mut bo] {
        let view = guest.hears(is_of_this_history);
        let users = view["view"]["users"].as_array().unwrap();
        let voted: Vec<_> = users.iter().map(|user| (&user["user_name"], &user["has_vote"])).collect();
        assert_eq!(voted, [(&json!("ana"), &json!(false)), (&json!("bo"), &json!(true))]);
    }

    // Who comes back with the place that is lost is told so, and who comes back with one that survived is told that.
    for house in &houses {
        let (mut stale, entered) = Guest::enter(house, &table, "ana", place(&lost)).unwrap();
        assert_eq!(entered["ok"]["resumed"], false, "{entered}");
        assert!(stale.hears(is_of_this_history)["me"]["vote"].is_null());
        let survived = json!({ "at": kept.at.to_string(), "mark": kept.mark });
        let (_, entered) = Guest::enter(house, &table, "ana", survived).unwrap();
        assert_eq!(entered["ok"]["resumed"], true, "{entered}");
    }

    // The old primary follows now; nothing of what it alone had reappears anywhere.
    comes_back(&servers);
    let next = ana.does("vote", json!({ "card": card(9) }));
    let marks = |server| entries(server, &key, "-").unwrap().into_iter().map(|one| one.mark).collect::<Vec<_>>();
    assert!(!marks(servers.primary()).iter().any(|mark| lost["mark"] == **mark));
    until("a replica that has it all", || {
        let (here, there) = (marks(servers.primary()), marks(servers.replica()));
        if here == there { Ok(()) } else { Err(format!("{there:?} instead of {here:?}")) }
    });
    for guest in [&mut ana, &mut bo] {
        let view = guest.sees(next);
        assert_eq!(view["view"]["users"][0]["has_vote"], true);
    }
    all_ends(servers.primary());
}
