//! Two machines whose clocks disagree go by the server's.

use super::super::*;
use super::conforms::own_clock;
use crate::rooms::{Commit, NodeId, RoomKey, Rooms};
use parlor_rules::position::Mark;
use parlor_rules::time::{Millis, Span};
use parlor_testbed::Redis as Server;

const HOUR: Span = Span(3_600_000);
/// How well a clock can be read over a busy machine's network; far less than the hour they differ by.
const CLOSE: u64 = 2_000;

async fn behind(server: &Server, by: Span) -> Redis {
    let own: SharedClock = Arc::new(move || Millis(own_clock().now().0 - by.0));
    Redis::open(&server.url().parse().expect("an address"), own, Options::default()).await.expect("the server is there")
}

fn commit(by: u64, deadline: Millis) -> Commit {
    let entry = vec![("commit".into(), "{}".into())];
    Commit { by: NodeId(by), mark: Mark(by), entry, writes: Vec::new(), deadline: Some(deadline) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h39_nodes_whose_clocks_are_an_hour_apart_agree_on_when_rooms_begin_and_end() {
    let server = Server::start();
    let stores = [behind(&server, Span(0)).await, behind(&server, HOUR).await];
    let now = stores.each_ref().map(|store| store.clock().now());
    assert!(now[0].0.abs_diff(now[1].0) < CLOSE, "{now:?}");
    for (number, (own, other)) in [(&stores[0], &stores[1]), (&stores[1], &stores[0])].into_iter().enumerate() {
        let id = format!("room-{number}");
        let room = RoomKey { tag: id.as_str().into(), spine: id.as_str().into(), records: Arc::from([]), below: None };
        let deadline = own.clock().now() + HOUR;
        let place = own.append(&room, None, commit(1, deadline)).await.expect("a new room");
        // Its epoch is when it was made, by either node's reckoning.
        assert!(place.position.epoch.abs_diff(other.clock().now().0) < CLOSE, "{place:?}");
        let there = other.load(&room).await.expect("the server answers").expect("the room lives");
        assert_eq!((there.place, there.deadline), (place, Some(deadline)));
        // To the other it ends in an hour too, neither now nor in two.
        assert!(deadline.since(other.clock().now()).0.abs_diff(HOUR.0) < CLOSE);
        let renewed = other.clock().now() + HOUR;
        other.append(&room, Some(place), commit(2, renewed)).await.expect("it follows");
        let here = own.load(&room).await.expect("the server answers").expect("the room lives");
        assert_eq!(here.deadline, Some(renewed));
    }
}
