//! A level below: pages outlive the memory, and nothing comes back that was purged or belongs to another key.

use crate::house::{House, reply};
use bytes::Bytes;
use parlor_edge::below::{Below, Soon};
use parlor_edge::{How, Options, Purge};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Cellar(Mutex<HashMap<[u8; 32], (Bytes, Bytes)>>);

impl Below for Cellar {
    fn get(&self, hash: [u8; 32]) -> Soon<'_, Option<(Bytes, Bytes)>> {
        let found = self.0.lock().unwrap().get(&hash).cloned();
        Box::pin(async move { found })
    }
    fn put(&self, hash: [u8; 32], head: Bytes, body: Bytes, _: u64) -> Soon<'_, ()> {
        self.0.lock().unwrap().insert(hash, (head, body));
        Box::pin(async {})
    }
    fn forget(&self, hash: [u8; 32]) -> Soon<'_, ()> {
        self.0.lock().unwrap().remove(&hash);
        Box::pin(async {})
    }
}

fn house(cellar: &Arc<Cellar>, hasher: Option<fn(&str) -> [u8; 32]>) -> House {
    let plain = Options::default();
    let options = Options { below: Some(cellar.clone()), hasher: hasher.unwrap_or(plain.hasher), ..plain };
    House::with(options, |number, _| reply(200, &[("cache-control", "max-age=60"), ("surrogate-key", "p")], number.to_string()))
}

#[tokio::test]
async fn a_page_outlives_the_memory_but_not_a_purge() {
    let cellar = Arc::new(Cellar::default());
    let first = house(&cellar, None);
    first.get("/a", &[]).await;
    first.settle().await;
    let second = house(&cellar, None);
    second.clock.forward(9_000);
    let shown = second.get("/a", &[]).await;
    assert_eq!((shown.text(), shown.header("age"), second.asked()), ("1", "9", 0));
    let third = house(&cellar, None);
    third.clock.forward(9_000);
    third.edge.purge(Purge::SurrogateKey("p".into()), How::Hard);
    third.get("/a", &[]).await;
    assert_eq!(third.asked(), 1, "it was purged before memory had even seen it");
}

#[tokio::test]
async fn h163_two_keys_of_one_hash_never_share_a_page() {
    let cellar = Arc::new(Cellar::default());
    let first = house(&cellar, Some(|_| [7; 32]));
    assert_eq!(first.get("/a", &[]).await.text(), "1");
    first.settle().await;
    assert_eq!(first.get("/b", &[]).await.text(), "2");
    first.settle().await;
    let second = house(&cellar, Some(|_| [7; 32]));
    assert_eq!(second.get("/b", &[]).await.text(), "2", "the one that is there");
    let third = house(&cellar, Some(|_| [7; 32]));
    assert_eq!(third.get("/a", &[]).await.text(), "1", "and the other is fetched anew");
    assert_eq!(third.asked(), 1);
}
