//! A level below: pages outlive the memory, and nothing comes back that was purged or belongs to another key.

use crate::house::{House, START, reply};
use bytes::Bytes;
use parlor_edge::below::{Below, Purged, Soon};
use parlor_edge::{How, Options, Purge};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Cellar {
    pages: Mutex<HashMap<[u8; 32], (Bytes, Bytes)>>,
    purged: Mutex<Purged>,
    /// Pages can be read, but not what was purged.
    is_mute: AtomicBool,
}

impl Below for Cellar {
    fn get(&self, hash: [u8; 32]) -> Soon<'_, Option<(Bytes, Bytes)>> {
        let found = self.pages.lock().unwrap().get(&hash).cloned();
        Box::pin(async move { found })
    }
    fn put(&self, hash: [u8; 32], head: Bytes, body: Bytes, _: u64) -> Soon<'_, ()> {
        self.pages.lock().unwrap().insert(hash, (head, body));
        Box::pin(async {})
    }
    fn forget(&self, hash: [u8; 32]) -> Soon<'_, ()> {
        self.pages.lock().unwrap().remove(&hash);
        Box::pin(async {})
    }
    fn keep_purge(&self, name: [u8; 32], at: u64) -> Soon<'_, ()> {
        self.purged.lock().unwrap().names.push((name, at));
        Box::pin(async {})
    }
    fn load_purges(&self) -> Soon<'_, Option<Purged>> {
        let known = (!self.is_mute.load(Ordering::SeqCst)).then(|| self.purged.lock().unwrap().clone());
        Box::pin(async move { known })
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

#[tokio::test]
async fn h167_a_purge_of_pages_that_memory_has_not_seen_outlives_a_restart() {
    let names = [
        Purge::All,
        Purge::SurrogateKey("p".into()),
        Purge::Path("/a".parse().unwrap()),
        Purge::Url("http://shop/a".parse().unwrap()),
    ];
    for what in names {
        let cellar = Arc::new(Cellar::default());
        let began = |after| {
            let house = house(&cellar, None);
            house.clock.forward(after);
            house
        };
        let first = began(0);
        first.get("/a", &[]).await;
        first.settle().await;
        assert_eq!(began(1_000).edge.purge_for_good(what.clone(), How::Hard).await, 0, "memory knows none");
        let third = began(2_000);
        third.get("/a", &[]).await;
        assert_eq!(third.asked(), 1, "{what:?} was forgotten");
        third.settle().await;
        let fourth = began(3_000);
        fourth.get("/a", &[]).await;
        assert_eq!(fourth.asked(), 0, "{what:?}: what came after the purge is kept");
    }
}

#[tokio::test]
async fn h167_nothing_comes_up_while_nobody_can_say_what_was_purged() {
    let cellar = Arc::new(Cellar::default());
    let first = house(&cellar, None);
    first.get("/a", &[]).await;
    first.get("/b", &[]).await;
    first.settle().await;
    cellar.is_mute.store(true, Ordering::SeqCst);
    let second = house(&cellar, None);
    second.get("/a", &[]).await;
    assert_eq!(second.asked(), 1);
    cellar.is_mute.store(false, Ordering::SeqCst);
    second.get("/b", &[]).await;
    assert_eq!(second.asked(), 1, "the store can say it again");
    // So much was purged that it is no longer known what.
    cellar.purged.lock().unwrap().forgotten = START;
    let third = house(&cellar, None);
    third.get("/b", &[]).await;
    assert_eq!(third.asked(), 1);
}
