//! Two servers on one store: what happens at one is seen at the other.

use super::inside::{Inside, Store, until};
use super::sessions::{is_sent_away, login, member};
use super::socket::code;
use parlor_engine::Error;
use parlor_rules::SecretHash;
use serde_json::json;

async fn two() -> (Inside, Inside) {
    let a = Inside::start(Store::Shared, &[]).await;
    let b = a.beside().await;
    (a, b)
}

#[tokio::test]
async fn x05_logging_out_at_one_node_closes_the_sockets_at_the_other_and_no_others() {
    let (a, b) = two().await;
    let (ana, bo) = (login(&a, "Ana").await, login(&a, "Bo").await);
    let (mut here, mut there, mut other) = (member(&a, &ana).await, member(&b, &ana).await, member(&b, &bo).await);
    assert_eq!(here.ask("logout", None, None, None).await["ok"], json!({}));
    is_sent_away(&mut here).await;
    is_sent_away(&mut there).await;
    assert_eq!(b.doors.attendance.sockets(), 1);
    assert_eq!(code(&other.ask("verify", None, None, None).await), "ok");
    // By logging in again, the same.
    let bearer = format!("Bearer {bo}");
    let again = json!({ "user_name": "Bo" }).to_string();
    assert_eq!(a.ask("POST", "/v1/login", &[("authorization", &bearer)], Some(&again)).await.status, 201);
    is_sent_away(&mut other).await;
}

#[tokio::test]
async fn x05_a_session_that_ended_unheard_elsewhere_is_found_within_half_a_minute() {
    let (a, b) = two().await;
    let ana = login(&a, "Ana").await;
    let mut there = member(&b, &ana).await;
    let token = SecretHash::of(ana.as_bytes());
    let session = a.doors.sessions.find(&token).await.unwrap().unwrap();
    a.doors.sessions.logout(&session).await.unwrap(); // Not by a door, so nobody is told.
    a.step(30_000);
    is_sent_away(&mut there).await;
}

#[tokio::test]
async fn h34_a_command_right_after_the_end_at_another_node_is_refused() {
    let (a, b) = two().await;
    let ana = login(&a, "Ana").await;
    let _there = member(&b, &ana).await;
    let session = b.doors.session(&SecretHash::of(ana.as_bytes())).await.ok().unwrap();
    // The clock stands still, so node B trusts what it has written for as long as it hears nothing.
    for _ in 0..2 {
        b.doors.sessions.renew(&session).await.unwrap();
    }
    let bearer = format!("Bearer {ana}");
    assert_eq!(a.ask("POST", "/v1/logout", &[("authorization", &bearer)], None).await.code(), "ok");
    until("node B has heard", || b.doors.attendance.sockets() == 0).await;
    assert_eq!(b.doors.sessions.renew(&session).await, Err(Error::NoSession));
}

#[tokio::test]
async fn who_is_at_one_node_is_seen_at_the_other() {
    let (a, b) = two().await;
    let (room, _) = a.room("presence").await;
    let mut ana = a.person("ana").await;
    assert_eq!(code(&ana.ask("enter", Some(&room), None, None).await), "ok");
    assert_eq!(code(&ana.ask("join", Some(&room), Some(1), Some(json!({ "user_name": "Ana" }))).await), "ok");
    let mut bo = b.person("bo").await;
    assert_eq!(code(&bo.ask("enter", Some(&room), None, None).await), "ok");
    assert_eq!(code(&bo.ask("join", Some(&room), Some(1), Some(json!({ "user_name": "Bo" }))).await), "ok");
    for socket in [&mut ana, &mut bo] {
        loop {
            let view = socket.push_of("view").await;
            let users = view["view"]["users"].as_array().cloned().unwrap_or_default();
            if users.len() == 2 && users.iter().all(|user| user["here"] == true) {
                break;
            }
        }
    }
}
