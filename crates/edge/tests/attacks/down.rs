//! An origin that is down, slow or in trouble: stale pages where the origin allowed it, honest errors elsewhere, and nobody
//! waits for somebody who has left.

use super::house::House;
use super::origin::{Answer, Origin, Then};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Notify;

/// A page that is stale as soon as it is kept.
fn stale(directives: &str) -> String {
    format!("Cache-Control: max-age=10{directives}\r\nAge: 20\r\nETag: \"1\"\r\n")
}

#[tokio::test]
async fn h160_an_origin_that_is_down_is_an_error_or_a_stale_page_as_it_allowed() {
    let cases = [
        (", stale-if-error=600", true),
        (", stale-if-error=5", false),
        (", must-revalidate", false),
        (", must-revalidate, stale-if-error=600", false),
        (", proxy-revalidate, stale-if-error=600", false),
        (", no-cache, stale-if-error=600", false),
        (", s-maxage=10", false),
        // It forbids staleness like `proxy-revalidate`, but here the origin allows it by name.
        (", s-maxage=10, stale-if-error=600", true),
    ];
    for (directives, allowed) in cases {
        let head = stale(directives);
        let origin = Origin::says(move |_| Answer::ok(&head, "page")).await;
        let house = House::open(origin.clone()).await;
        house.get("/page", &[]).await;
        origin.goes_down().await;
        let seen = house.get("/page", &[]).await;
        match allowed {
            true => assert_eq!((seen.status, seen.text().as_str()), (200, "page"), "{directives}"),
            false => assert!(matches!(seen.status, 502..=504), "{directives}: {seen:?}"),
        }
        let never = house.get("/never-seen", &[]).await;
        assert!(matches!(never.status, 502..=504), "{never:?}");
    }
}

#[tokio::test]
async fn h160_an_origin_in_trouble_is_covered_by_a_stale_page_only_where_it_allowed_that() {
    for (status, directives, allowed) in [
        ("500 Oops", ", stale-if-error=600", true),
        ("502 Bad", ", stale-if-error=600", true),
        ("503 Busy", ", stale-if-error=600", true),
        ("504 Late", ", stale-if-error=600", true),
        ("503 Busy", ", must-revalidate", false),
        ("404 Gone", ", stale-if-error=600", false),
        ("403 No", ", stale-if-error=600", false),
    ] {
        let (head, asked) = (stale(directives), AtomicUsize::new(0));
        let origin = Origin::says(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
            0 => Answer::ok(&head, "page"),
            _ => Answer::whole(status, "Cache-Control: no-store\r\n", "trouble"),
        })
        .await;
        let house = House::open(origin).await;
        house.get("/page", &[]).await;
        let seen = house.get("/page", &[]).await.text();
        assert_eq!(seen, if allowed { "page" } else { "trouble" }, "{status} {directives}");
    }
}

#[tokio::test]
async fn h165_a_fetch_that_fails_is_nobodys_but_its_own() {
    let (up, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let origin = {
        let (up, asked) = (Arc::clone(&up), Arc::clone(&asked));
        Origin::says(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            if up.load(Ordering::Relaxed) {
                Answer::ok("Cache-Control: max-age=60\r\n", "page")
            } else {
                Answer::raw("", Then::Close)
            }
        })
        .await
    };
    let house = House::open(origin).await;
    let all = futures(64, |_| async { house.get("/page", &[]).await }).await;
    assert!(all.iter().all(|seen| matches!(seen.status, 502..=504)), "{:?}", all[0]);
    up.store(true, Ordering::Relaxed);
    let seen = house.get("/page", &[]).await;
    assert_eq!((seen.status, seen.text().as_str()), (200, "page"));
}

#[tokio::test]
async fn h165_when_the_first_to_ask_leaves_the_others_are_answered_all_the_same() {
    let (gate, origin) = gated("Cache-Control: max-age=60\r\n").await;
    let house = House::open(origin.clone()).await;
    let mut first = house.client().await;
    first.send(super::client::request("GET", "/page", &[])).await;
    origin.came(1).await;
    let others = futures(63, |_| async { house.get("/page", &[]).await });
    drop(first);
    gate.notify_one();
    // Should the first one's leaving have ended its fetch, the next in line asks again and must be let through.
    let opening = tokio::spawn(async move {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            gate.notify_one();
        }
    });
    let others = others.await;
    opening.abort();
    assert!(others.iter().all(|seen| (seen.status, seen.text().as_str()) == (200, "page")), "{others:?}");
    assert!(origin.count() <= 2, "{} renders", origin.count());
}

#[tokio::test]
async fn h165_a_page_that_turns_out_to_be_personal_is_rendered_for_each_who_waited() {
    // All wait for the first; its answer is private, so nobody else may have it.
    let (gate, asked) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let origin = {
        let gate = Arc::clone(&gate);
        Origin::slowly(move |request| {
            let (gate, number) = (Arc::clone(&gate), asked.fetch_add(1, Ordering::Relaxed));
            async move {
                if number == 0 {
                    gate.notified().await;
                }
                Answer::ok("Cache-Control: private\r\n", format!("for {}", request.header("cookie").unwrap_or("nobody")))
            }
        })
        .await
    };
    let house = House::open(origin.clone()).await;
    let all = futures(32, |number| {
        let house = &house;
        async move { house.get("/page", &[("Cookie", &format!("s={number}."))]).await }
    });
    let opening = async {
        origin.came(1).await;
        gate.notify_one();
    };
    let (all, ()) = tokio::join!(all, opening);
    for (number, seen) in all.iter().enumerate() {
        assert_eq!(seen.text(), format!("for s={number}."));
    }
}

#[tokio::test]
async fn h165_one_page_that_hangs_holds_up_no_other() {
    let origin = Origin::slowly(|request| async move {
        if request.target == "/hangs" {
            std::future::pending::<()>().await;
        }
        Answer::ok("Cache-Control: max-age=60\r\n", "page")
    })
    .await;
    let house = House::open(origin.clone()).await;
    let mut stuck = Vec::new();
    for _ in 0..200 {
        let mut client = house.client().await;
        client.send(super::client::request("GET", "/hangs", &[])).await;
        stuck.push(client);
    }
    origin.came(1).await;
    for number in 0..20 {
        assert_eq!(house.get(&format!("/{number}"), &[]).await.text(), "page");
    }
}

async fn gated(head: &'static str) -> (Arc<Notify>, Origin) {
    let gate = Arc::new(Notify::new());
    let waits = Arc::clone(&gate);
    let origin = Origin::slowly(move |_| {
        let gate = Arc::clone(&waits);
        async move {
            gate.notified().await;
            Answer::ok(head, "page")
        }
    })
    .await;
    (gate, origin)
}

/// All at once, in order.
async fn futures<F: Future>(count: usize, each: impl Fn(usize) -> F) -> Vec<F::Output> {
    futures_util::future::join_all((0..count).map(each)).await
}
