//! Waiting for replicas: nothing is acknowledged that they have not confirmed.

use super::super::*;
use super::conforms::open;
use crate::conformance::{commit, put, room};
use crate::records::{Batch, Operation, Query, Records};
use crate::rooms::{NodeId, Rooms};
use crate::shapes::{Key, Value};
use crate::{Answer, StoreError};
use parlor_testbed::Redis as Server;
use std::time::Duration;

#[tokio::test]
async fn what_no_replica_has_confirmed_is_not_acknowledged() {
    let server = Server::start();
    let plain = open(&server.url(), Options::default()).await;
    let place = plain.append(&room("r"), None, commit(1, "a", vec![put("k", "v")])).await.expect("created");
    let wishes = Options { wait_for_replicas: 1, answer_within: Duration::from_millis(400), ..Options::default() };
    let waiting = open(&server.url(), wishes).await;
    let unconfirmed = |kept: Result<(), StoreError>| match kept {
        Err(StoreError::Unavailable(why)) => assert!(why.contains("replicas"), "{why}"),
        other => panic!("there is no replica that could have confirmed it: {other:?}"),
    };
    unconfirmed(waiting.append(&room("s"), None, commit(1, "a", vec![])).await.map(drop));
    let put = Operation::Put { key: Key::from("k"), value: Value::Text("v".into()), deadline: None };
    unconfirmed(waiting.apply(Batch { operations: vec![put], ..Batch::default() }).await.map(drop));
    unconfirmed(waiting.close(&room("r"), place, NodeId(1)).await);
    // Reading waits for nobody.
    let read = waiting.read("", vec![Query::Whole(Key::from("k"))]).await;
    assert_eq!(read, Ok(vec![Answer::Whole(Value::Text("v".into()))]));
}
