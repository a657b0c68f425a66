//! Putting a room when answers get lost, and what a killed carrier leaves behind.

use super::conforms::open;
use crate::carry::{CarriedRoom, Carry, Catalogue, Over, Put, Thing};
use crate::conformance::text;
use crate::redis::Options;
use crate::rooms::{Entry, RoomKey};
use crate::shapes::{Field, Key, Value};
use parlor_rules::position::{Mark, Place, Position};
use parlor_testbed::{Proxy, Redis as Server};
use std::sync::Arc;

fn room(id: &str) -> RoomKey {
    let key = |name: &str| Key::from(format!("{name}:{id}"));
    RoomKey { tag: id.into(), spine: key("spine"), records: Arc::from([key("a")]), below: None }
}

struct Known;

impl Catalogue for Known {
    fn thing(&self, key: &str) -> Option<Thing> {
        match key.split_once(':').filter(|(_, id)| !id.contains(['/', '#']))? {
            ("spine", id) => Some(Thing::Spine(room(id))),
            ("a", id) => Some(Thing::Part(room(id))),
            _ => None,
        }
    }
}

/// A list of so many items, each with a number that no other has.
fn listing(count: usize) -> CarriedRoom {
    let place = Place { position: Position { epoch: 7, seq: 3 }, mark: Mark(5) };
    let items = (0..count).map(|number| text(format!("item-{number:06}-{}", "x".repeat(1000)))).collect();
    let tail = vec![Entry { place, fields: vec![(Field::from("said"), text("a"))] }];
    CarriedRoom { place, deadline: None, records: vec![(Key::from("list"), Value::List(items))], tail }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_whose_answer_was_lost_is_put_once() {
    let server = Server::start();
    let proxy = Proxy::before(server.addr());
    let store = open(&proxy.url(), Options::default()).await;
    let (small, large) = (listing(3), listing(6000));
    for known in [&small, &large] {
        // So that the server knows the scripts, and each is one request.
        assert_eq!(store.put_room(&room("first"), known.clone(), Over::Nothing).await.map(|_| ()), Ok(()));
        server.flush();
    }
    proxy.lose_next_reply_to("item-000001");
    assert_eq!(store.put_room(&room("1"), small.clone(), Over::Nothing).await, Ok(Put::Kept));
    assert_eq!(store.take_room(&room("1")).await, Ok(Some(small)));
    assert_eq!(proxy.lost(), 1);
    // In the middle of what is staged: a list must not get the same items twice.
    proxy.lose_next_reply_to("item-003000");
    assert_eq!(store.put_room(&room("2"), large.clone(), Over::Nothing).await, Ok(Put::Kept));
    assert!(store.take_room(&room("2")).await == Ok(Some(large)), "it came out otherwise");
    assert_eq!(proxy.lost(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_carrier_staged_is_no_room_and_is_forgotten() {
    let server = Server::start();
    let store = open(&server.url(), Options::default()).await;
    // As if it had been killed before the last script.
    for (key, value) in [("spine:1/list#moving", "old"), ("a:1#moving", "old")] {
        server.ask(&["RPUSH", key, value]);
        server.ask(&["EXPIRE", key, "3600"]);
    }
    let page = store.list(&Known, None).await.expect("readable");
    assert!(page.rooms.is_empty() && page.foreign.is_empty(), "{page:?}");
    assert_eq!(store.take_room(&room("1")).await, Ok(None));
    let large = listing(6000);
    assert_eq!(store.put_room(&room("1"), large.clone(), Over::Nothing).await, Ok(Put::Kept));
    assert!(store.take_room(&room("1")).await == Ok(Some(large)), "nothing of the earlier attempt is in it");
    assert_eq!(server.ask(&["EXISTS", "spine:1/list#moving"]).text(), "0");
}
