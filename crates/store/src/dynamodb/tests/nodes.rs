//! Several nodes on one table: who is at which, and hints from one to the other.

use super::super::{DynamoDb, Member, Messenger};
use super::faults::Harm;
use super::stand::{Bench, clock, options};
use crate::conformance::{commit, room};
use crate::dynamodb::{Options, Plain};
use crate::limits::LEASE;
use crate::rooms::{NodeId, RoomKey, Rooms, Wake};
use crate::shapes::Field;
use parlor_rules::time::Span;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A post office: what is pushed to an address is heard there.
#[derive(Clone, Default)]
struct Post(Arc<Mutex<BTreeMap<String, DynamoDb>>>);

impl Messenger for Post {
    fn push(&self, to: &[Member], room: &RoomKey, by: NodeId, wake: &Wake) {
        let there = self.0.lock().expect("no test panics here");
        for member in to {
            there.get(&member.address).expect("the address of a node").hear(&room.spine, by, wake);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_node_does_is_heard_at_those_that_have_people_there() {
    let bench = Bench::start();
    let (clock, table, post) = (clock(), bench.table().await, Post::default());
    let node = |address: &str| {
        let options = Options { address: Some(address.into()), ..options() };
        let client = bench.client(super::super::opening::http());
        let node = DynamoDb::with(client, &table, Arc::new(Plain), clock.shared(), options);
        node.push_through(Arc::new(post.clone()));
        post.0.lock().expect("no test panics here").insert(address.into(), node.clone());
        node
    };
    let (one, two) = (node("10.0.0.1:7000"), node("10.0.0.2:7000"));
    let names = |names: &[&str]| -> Vec<Field> { names.iter().map(|name| Field::from(*name)).collect() };
    let mut heard = two.watch(&room("r"), NodeId(2)).await.expect("watched");
    two.announce(&room("r"), NodeId(2), names(&["bo"])).await.expect("heard");
    let announced = one.announce(&room("r"), NodeId(1), names(&["ana"])).await.expect("heard");
    assert_eq!(announced.others, names(&["bo"]));
    assert_eq!(heard.next().await, Some(Wake::Here));
    let place = one.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    assert_eq!(heard.next().await, Some(Wake::Moved(place)));
    one.tell(&room("r"), NodeId(1), "cursor".into()).await.expect("told");
    assert_eq!(heard.next().await, Some(Wake::Told("cursor".into())));
    // A node that is gone is asked nothing more when its word is over.
    clock.advance(Span(LEASE.0 + 1));
    let announced = one.announce(&room("r"), NodeId(1), names(&["ana"])).await.expect("heard");
    assert_eq!((announced.others, announced.holds_for), (vec![], None));
    one.close(&room("r"), place, NodeId(1)).await.expect("closed");
    one.tell(&room("r"), NodeId(1), "nobody".into()).await.expect("told");
    two.hear(&room("r").spine, NodeId(3), &Wake::Closed);
    assert_eq!(heard.next().await, Some(Wake::Closed), "nothing came in between");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h40_nodes_that_come_and_go_at_once_lose_nobody_s_word() {
    let bench = Bench::start();
    let (clock, table) = (clock(), bench.table().await);
    let (store, _) = bench.node(&table, &clock, Harm::None);
    let place = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    let tasks: Vec<_> = (1..=24u64)
        .map(|node| {
            let (store, _) = bench.node(&table, &clock, Harm::None);
            tokio::spawn(async move {
                for round in 0..5 {
                    let here = if round == 4 && node % 3 == 0 { vec![] } else { vec![Field::from(format!("n{node}"))] };
                    store.announce(&room("r"), NodeId(node), here).await.expect("heard");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic");
    }
    let announced = store.announce(&room("r"), NodeId(99), vec![]).await.expect("heard");
    let mut others = announced.others;
    others.sort();
    let mut expected: Vec<Field> = (1..=24).filter(|node| node % 3 != 0).map(|node| Field::from(format!("n{node}"))).collect();
    expected.sort();
    assert_eq!((others, announced.place), (expected, Some(place)));
    // h042: announcing is not writing the room.
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!((loaded.place, loaded.records), (place, vec![]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h41_thousands_of_people_fit_into_announcements() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    let people = |node: u64| (0..500).map(|n| Field::from(format!("{node}-{n}-{}", "x".repeat(36)))).collect::<Vec<_>>();
    for node in 0..40 {
        store.announce(&room("r"), NodeId(node), people(node)).await.expect("heard");
    }
    let announced = store.announce(&room("r"), NodeId(99), vec![]).await.expect("heard");
    assert_eq!(announced.others.len(), 20_000, "over several pages");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h43_announcing_at_a_room_that_is_gone_makes_none() {
    let bench = Bench::start();
    let (store, _, _) = bench.store().await;
    let place = store.append(&room("r"), None, commit(1, "a", vec![])).await.expect("created");
    store.close(&room("r"), place, NodeId(1)).await.expect("closed");
    store.settled().await;
    let announced = store.announce(&room("r"), NodeId(1), vec![Field::from("ana")]).await.expect("heard");
    assert_eq!(announced.place, None);
    assert_eq!(store.load(&room("r")).await, Ok(None));
    assert_eq!(store.append(&room("r"), Some(place), commit(2, "b", vec![])).await, crate::conformance::conflict());
    store.append(&room("r"), None, commit(3, "c", vec![])).await.expect("it can be made again");
}
