//! Document 000's own scenario, step by step, against the JSON it shows (its comments left out).

use crate::golden::{Table, joined, user, voted};
use parlor_layout::creation;
use parlor_rules::poker::Event;
use parlor_rules::{Commit, Kept};
use serde_json::{Value, json};

const ONE: &str = "user_id_1";
const TWO: &str = "user_id_2";

#[test]
fn the_room_condition_is_the_documents_at_every_step() {
    let (mut table, _) = Table::created();
    check("CreateRoom, line 24", &table, json!({"room_id": "12345", "admin_user_id": "", "vote_state": 1, "ballots": []}));

    act(&mut table, ONE, joined(1));
    let one = json!({"user_id": "user_id_1", "user_name": "user_name_1", "point": 0});
    check(
        "Join 1st user, line 48",
        &table,
        json!({"room_id": "12345", "admin_user_id": "user_id_1", "vote_state": 1, "ballots": [one]}),
    );

    act(&mut table, TWO, joined(2));
    check("Join 2nd user, line 75", &table, two_ballots(1, 0, 0));

    act(&mut table, ONE, voted(1, "2"));
    act(&mut table, TWO, voted(2, "3"));
    check("CastVote, line 107", &table, two_ballots(1, 2, 3));

    act(&mut table, ONE, Event::Shown);
    check("ShowVotes, line 130", &table, two_ballots(2, 2, 3));

    act(&mut table, ONE, Event::Reset);
    check("ResetVotes, line 153", &table, two_ballots(1, 0, 0));

    act(&mut table, ONE, Event::Kicked { user: user(2), ban: false });
    check(
        "KickUser, line 180",
        &table,
        json!({"room_id": "12345", "admin_user_id": "user_id_1", "vote_state": 1, "ballots": [one]}),
    );

    let lives_until = table.kept().expires;
    act(&mut table, ONE, Event::Left { user: user(1) });
    check("LeaveRoom, line 205", &table, json!({"room_id": "12345", "admin_user_id": "", "vote_state": 1, "ballots": []}));
    assert_eq!(table.kept().expires, lives_until, "LeaveRoom, line 201: LT (no update)");
}

fn two_ballots(vote_state: u8, first: i64, second: i64) -> Value {
    json!({
        "room_id": "12345",
        "admin_user_id": "user_id_1",
        "vote_state": vote_state,
        "ballots": [
            {"user_id": "user_id_1", "user_name": "user_name_1", "point": first},
            {"user_id": "user_id_2", "user_name": "user_name_2", "point": second},
        ],
    })
}

fn act(table: &mut Table, by: &str, event: Event) {
    let done = table.done(by, event);
    table.commit(vec![done]);
}

fn check(step: &str, table: &Table, document: Value) {
    let mut condition = condition(table.kept());
    for ballot in condition["ballots"].as_array_mut().unwrap() {
        ballot.as_object_mut().unwrap().remove("vote"); // The one additive member.
    }
    assert_eq!(condition, document, "{step}");
}

/// The `room_condition_message` of a commit that ends in this state.
pub(crate) fn condition(kept: &Kept) -> Value {
    let commit = Commit { at: kept.created, renews: false, done: vec![] };
    let rest = creation(&"poker/12345".parse().unwrap(), kept, &commit);
    let (field, message) = &rest.entry[0];
    assert_eq!(&**field, "room_condition_message");
    serde_json::from_slice(message).unwrap()
}
