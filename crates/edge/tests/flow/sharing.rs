//! Many ask for one page: one goes to the origin, and nobody waits for nothing.

use crate::house::{House, answer, reply};
use parlor_edge::Body;
use std::sync::Arc;
use tokio::sync::Notify;

async fn all(house: &House, count: usize, uri: &'static str, headers: &'static [(&str, &str)]) -> Vec<crate::house::Shown> {
    let tasks: Vec<_> = (0..count)
        .map(|_| {
            let house = house.clone();
            tokio::spawn(async move { house.get(uri, headers).await })
        })
        .collect();
    let mut shown = Vec::new();
    for task in tasks {
        shown.push(task.await.unwrap());
    }
    shown
}

#[tokio::test]
async fn h165_sixty_four_cold_requests_are_one_to_the_origin() {
    let gate = Arc::new(Notify::new());
    let door = gate.clone();
    let house = House::new(move |_, _| {
        let door = door.clone();
        Box::pin(async move {
            door.notified().await;
            answer(200, &[("cache-control", "max-age=60")], "page".into())
        })
    });
    let asking = tokio::spawn({
        let house = house.clone();
        async move { all(&house, 64, "/a", &[]).await }
    });
    house.settle().await;
    gate.notify_one();
    let shown = asking.await.unwrap();
    assert!(shown.iter().all(|it| it.text() == "page"));
    assert_eq!(house.asked(), 1);
    assert_eq!(house.edge.counts().coalesced, 63);
    assert_eq!(house.edge.under_way(), 0);
}

#[tokio::test]
async fn h165_five_hundred_for_a_large_page_are_one_too() {
    let house = House::new(|_, _| reply(200, &[("cache-control", "max-age=60")], vec![b'x'; 200_000]));
    let shown = all(&house, 500, "/a", &[]).await;
    assert!(shown.iter().all(|it| it.body.len() == 200_000));
    assert_eq!(house.asked(), 1);
}

#[tokio::test]
async fn an_answer_for_one_lets_the_others_go_at_once_and_in_parallel() {
    let gate = Arc::new(Notify::new());
    let door = gate.clone();
    let house = House::new(move |number, _| {
        let door = door.clone();
        Box::pin(async move {
            if number == 1 {
                door.notified().await;
            }
            answer(200, &[("cache-control", "private")], Body::from(bytes::Bytes::from(number.to_string())))
        })
    });
    let asking = tokio::spawn({
        let house = house.clone();
        async move { all(&house, 8, "/a", &[]).await }
    });
    house.settle().await;
    assert_eq!(house.asked(), 1, "they wait for the first");
    gate.notify_one();
    let mut texts: Vec<String> = asking.await.unwrap().iter().map(|it| it.text().to_owned()).collect();
    texts.sort();
    assert_eq!(texts, ["1", "2", "3", "4", "5", "6", "7", "8"], "each has an answer of its own");
    all(&house, 1, "/a", &[]).await;
    assert_eq!(house.edge.counts().entries, 0);
}

#[tokio::test]
async fn h165_a_leader_that_goes_away_leaves_the_page_behind() {
    let gate = Arc::new(Notify::new());
    let door = gate.clone();
    let house = House::new(move |_, _| {
        let door = door.clone();
        Box::pin(async move {
            door.notified().await;
            answer(200, &[("cache-control", "max-age=60")], "page".into())
        })
    });
    let leader = tokio::spawn({
        let house = house.clone();
        async move { house.get("/a", &[]).await }
    });
    house.settle().await;
    let follower = tokio::spawn({
        let house = house.clone();
        async move { house.get("/a", &[]).await }
    });
    house.settle().await;
    leader.abort();
    gate.notify_one();
    assert_eq!(follower.await.unwrap().text(), "page");
    assert_eq!(house.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn h165_a_leader_that_hangs_holds_nobody_for_longer_than_promised() {
    let house = House::new(|number, _| {
        Box::pin(async move {
            if number == 1 {
                std::future::pending::<()>().await;
            }
            answer(200, &[("cache-control", "max-age=60")], "page".into())
        })
    });
    let hanging = tokio::spawn({
        let house = house.clone();
        async move { house.get("/a", &[]).await }
    });
    house.settle().await;
    assert_eq!(house.get("/a", &[]).await.text(), "page", "after the coalescing timeout it asks by itself");
    let late = hanging.await.unwrap();
    assert_eq!(late.status, 504);
    assert_eq!(house.edge.under_way(), 0);
}

#[tokio::test]
async fn variants_by_vary_are_kept_side_by_side_and_found_by_what_was_said() {
    let house = House::new(|_, headers| {
        let language = headers.get("accept-language").map_or("none", |it| it.to_str().unwrap()).to_owned();
        reply(200, &[("cache-control", "max-age=60"), ("vary", "accept-language")], language)
    });
    for (language, wanted) in [("de", "de"), ("fr", "fr"), ("DE", "de"), ("fr", "fr")] {
        assert_eq!(house.get("/a", &[("accept-language", language)]).await.text(), wanted);
    }
    assert_eq!(house.asked(), 2);
    let gone = house.get("/a", &[]).await;
    assert_eq!(gone.text(), "none");
    assert!(gone.header("cache-status").contains("fwd=vary-miss"));
}

#[tokio::test]
async fn a_class_of_visitors_has_pages_of_its_own() {
    let house = House::new(|number, _| reply(200, &[("cache-control", "max-age=60")], number.to_string()));
    assert_eq!(house.get("/a", &[("x-test-variant", "trade")]).await.text(), "1");
    assert_eq!(house.get("/a", &[]).await.text(), "2");
    assert_eq!(house.get("/a", &[("x-test-variant", "trade")]).await.text(), "1");
    assert_eq!(house.get("/a", &[]).await.text(), "2");
}

#[tokio::test]
async fn gzip_is_made_once_and_only_for_those_who_take_it() {
    let page = "<p>shop</p>".repeat(400);
    let body = page.clone();
    let house = House::new(move |_, _| {
        reply(200, &[("cache-control", "max-age=60"), ("content-type", "text/html"), ("etag", "\"a\"")], body.clone())
    });
    house.get("/a", &[]).await;
    let packed = house.get("/a", &[("accept-encoding", "gzip, br")]).await;
    assert_eq!((packed.header("content-encoding"), packed.header("etag")), ("gzip", "W/\"a\""));
    assert!(packed.body.len() < page.len() / 2);
    let plain = house.get("/a", &[]).await;
    assert_eq!((plain.text(), plain.header("content-encoding"), plain.header("etag")), (page.as_str(), "", "\"a\""));
    assert_eq!(plain.header("vary"), "Accept-Encoding");
    let known = house.get("/a", &[("accept-encoding", "gzip"), ("if-none-match", "W/\"a\"")]).await;
    assert_eq!(known.status, 304);
    assert_eq!(house.asked(), 1);
}
