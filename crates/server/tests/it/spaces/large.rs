//! A space that is larger than a frame: read out in pieces while others write, and never held back for anybody slow.

use super::copy::{Copy, space};
use crate::doors::inside::{Inside, Store};
use serde_json::{Value, json};

async fn filled(server: &Inside, room: &str) -> Copy {
    let mut ana = Copy::enter(server, room, "ana").await;
    for batch in 0..40 {
        let ops: Vec<Value> = (0..50)
            .map(|n| {
                let value = format!("{}{}", "v".repeat(100), batch * 50 + n);
                if n % 2 == 0 {
                    json!({ "do": "map_set", "with": { "map": format!("m{}", batch % 3), "key": format!("k{batch}-{n}"), "value": value } })
                } else {
                    json!({ "do": "list_insert", "with": { "list": "l", "value": value, "at": (batch * 7 + n) % 13 } })
                }
            })
            .collect();
        ana.does("batch", json!({ "ops": ops })).await;
    }
    ana
}

#[tokio::test]
async fn h53_whoever_comes_while_others_write_has_it_all_when_the_reading_is_over() {
    let server = Inside::start(Store::Embedded, &[]).await;
    let (room, _) = space(&server, "large").await;
    let mut ana = filled(&server, &room).await;
    let mut bo = Copy::outside(&server, &room, "bo").await;
    let id = bo.sends("enter", json!({}), None).await;
    // Between the pieces: keys before and after what has been read, moves out of what has not been read into what has.
    for n in 0..60u64 {
        ana.does("map_set", json!({ "map": format!("m{}", n % 3), "key": format!("k{}-0", n % 40), "value": n })).await;
        ana.does("map_remove", json!({ "map": "m1", "key": format!("k{}-2", n % 40) })).await;
        let ids = ana.held.ids_in_order("l");
        let (first, last) = (ids[n as usize % 5].clone(), ids[ids.len() - 1 - n as usize % 7].clone());
        ana.does("list_move", json!({ "list": "l", "id": last, "after": null })).await;
        ana.does("list_remove", json!({ "list": "l", "id": first })).await;
        if n % 5 == 0 {
            bo.hear().await;
        }
    }
    let last = ana.does("map_set", json!({ "map": "new", "key": "k", "value": 1 })).await["at"].as_str().unwrap().to_owned();
    while bo.place.as_ref().is_none_or(|(at, _)| *at != last) || bo.snapshots == 0 {
        let frame = bo.hear().await;
        assert!(frame["id"] != id || frame["ok"]["resumed"] == false, "{frame}");
    }
    assert!(bo.pieces >= 2, "it was read in {} pieces", bo.pieces);
    assert_eq!(bo.held, ana.held);
    let server = server.restart().await;
    assert_eq!(super::copy::truth(&server, &room).await, ana.held, "and after a restart");
}

#[tokio::test]
async fn h58_a_reader_that_does_not_read_costs_the_others_nothing_and_comes_back() {
    let server = Inside::start(Store::Memory, &["--outbox-bytes-max", "100000"]).await;
    let (room, _) = space(&server, "slow").await;
    let mut ana = Copy::enter(&server, &room, "ana").await;
    let mut bo = Copy::enter(&server, &room, "bo").await;
    let mut stuck = Copy::enter(&server, &room, "cy").await;
    let mut last = String::new();
    for n in 0..600u64 {
        let value = "x".repeat(20_000);
        last = ana.does("map_set", json!({ "map": "m", "key": format!("k{}", n % 3), "value": value })).await["at"]
            .as_str()
            .unwrap()
            .to_owned();
        bo.stands_at(&last).await;
    }
    // What was written before it was given up may still arrive; then the line is closed with a reason.
    let (code, reason) = stuck.socket.closed().await;
    assert!(code == 0 || (code == 1008 && reason.contains("too slow")), "{code} {reason}");
    assert!(!stuck.come_back(&server).await);
    stuck.stands_at(&last).await;
    assert_eq!(stuck.held, ana.held);
    assert_eq!(bo.held, ana.held);
}

#[tokio::test]
async fn h58_a_thousand_others_hear_everything_beside_one_that_reads_nothing() {
    let server = Inside::start(Store::Memory, &[]).await;
    let ((noisy, _), (room, _)) = (space(&server, "noisy").await, space(&server, "thousand").await);
    let mut ana = Copy::enter(&server, &noisy, "ana").await;
    let mut stuck = Copy::enter(&server, &noisy, "stuck").await;
    assert!(stuck.does_with("exit", json!({}), None).await["ok"].is_object());
    for room in [&noisy, &room] {
        stuck.room.clone_from(room);
        assert!(stuck.come_in(json!({})).await || stuck.place.is_some());
    }
    let mut healthy = Vec::new();
    for n in 0..1000 {
        healthy.push(Copy::enter(&server, &room, &format!("p{n}")).await);
    }
    // From here on it reads nothing: what the system keeps for it is filled from the other room.
    let value = "x".repeat(20_000);
    for n in 0..400u64 {
        ana.does("map_set", json!({ "map": "m", "key": format!("k{}", n % 3), "value": value })).await;
        if n % 20 == 0 {
            let at = healthy[0].does("map_set", json!({ "map": "m", "key": "n", "value": n })).await["at"].clone();
            for one in &mut healthy {
                one.stands_at(at.as_str().unwrap()).await;
                assert_eq!(one.held.value("m", "n"), Some(&json!(n)));
            }
        }
    }
    stuck.socket.closed().await;
}
