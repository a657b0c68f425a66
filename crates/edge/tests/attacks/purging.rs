//! Purging while a page is on its way: what was rendered before the purge is not kept after it.

use super::house::House;
use super::origin::{Answer, Origin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Each render is a version; the origin answers when it is let.
async fn versions(head: &'static str) -> (Origin, Arc<Semaphore>) {
    let (gate, asked) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(1)));
    let waits = Arc::clone(&gate);
    let origin = Origin::slowly(move |_| {
        let (gate, version) = (Arc::clone(&waits), asked.fetch_add(1, Ordering::Relaxed));
        async move {
            gate.acquire().await.expect("the gate is never closed").forget();
            Answer::ok(head, format!("version {version}"))
        }
    })
    .await;
    (origin, gate)
}

const TAGGED: &str =
    "Cache-Control: max-age=60\r\nCache-Groups: \"shelf\"\r\nSurrogate-Key: shelf product-7\r\nParlor-Rows: 7\r\n";

#[tokio::test]
async fn h167_a_page_rendered_before_a_purge_is_not_kept_after_it() {
    for (way, purge) in super::house::PURGES {
        let (origin, gate) = versions(TAGGED).await;
        let house = House::open(origin.clone()).await;
        let early = async {
            let seen = house.get("/page", &[]).await;
            assert_eq!(seen.text(), "version 1", "{way}");
        };
        let purging = async {
            origin.came(1).await;
            purge(&house);
            gate.add_permits(100);
        };
        tokio::join!(early, purging);
        assert_eq!(house.get("/page", &[]).await.text(), "version 2", "{way}: what was on its way was kept");
        assert_eq!(house.get("/page", &[]).await.text(), "version 2", "{way}");
    }
}

#[tokio::test]
async fn h167_a_purge_reaches_what_is_kept_and_leaves_the_rest() {
    for (way, purge) in super::house::PURGES {
        let origin = {
            let asked = AtomicUsize::new(1);
            Origin::says(move |request| {
                let head = if request.target == "/page" { TAGGED } else { "Cache-Control: max-age=60\r\n" };
                Answer::ok(head, format!("version {}", asked.fetch_add(1, Ordering::Relaxed)))
            })
            .await
        };
        let house = House::open(origin).await;
        assert_eq!(house.get("/page", &[]).await.text(), "version 1");
        assert_eq!(house.get("/other", &[]).await.text(), "version 2");
        assert!(purge(&house) >= 1, "{way} reached nothing");
        assert_eq!(house.get("/page", &[]).await.text(), "version 3", "{way}");
        if *way != "everything" {
            assert_eq!(house.get("/other", &[]).await.text(), "version 2", "{way}");
        }
    }
}

#[tokio::test]
async fn h167_a_revalidation_begun_before_a_purge_does_not_bring_the_page_back() {
    // A page that is stale at once; while the origin is asked whether it still holds, it is purged.
    let (gate, asked) = (Arc::new(Semaphore::new(1)), Arc::new(AtomicUsize::new(1)));
    let waits = Arc::clone(&gate);
    let origin = Origin::slowly(move |request| {
        let (gate, number) = (Arc::clone(&waits), asked.fetch_add(1, Ordering::Relaxed));
        async move {
            gate.acquire().await.expect("the gate is never closed").forget();
            match request.header("if-none-match") {
                Some("\"1\"") => Answer::raw(
                    "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\nETag: \"1\"\r\n\r\n",
                    super::origin::Then::Stay,
                ),
                _ if number == 1 => Answer::ok("Cache-Control: max-age=10\r\nAge: 20\r\nETag: \"1\"\r\n", "old"),
                _ => Answer::ok("Cache-Control: max-age=60\r\nETag: \"2\"\r\n", "new"),
            }
        }
    })
    .await;
    let house = House::open(origin.clone()).await;
    assert_eq!(house.get("/page", &[]).await.text(), "old");
    let asking = house.get("/page", &[]);
    let purging = async {
        origin.came(2).await;
        house.purge_url("/page");
        gate.add_permits(100);
    };
    tokio::join!(asking, purging);
    assert_eq!(house.get("/page", &[]).await.text(), "new");
}
