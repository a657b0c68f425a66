//! What is purged is gone or stale, and does not come back by a back door.

use crate::house::{House, answer, reply};
use parlor_edge::{How, Purge};
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::test]
async fn purges_by_every_name_hard_and_soft() {
    let headers =
        &[("cache-control", "max-age=60"), ("cache-groups", "\"shoes\""), ("surrogate-key", "p7"), ("parlor-rows", "237")];
    let house = House::new(move |number, _| reply(200, headers, number.to_string()));
    let names = [
        Purge::Url("http://shop/a?utm_medium=x".parse().unwrap()),
        Purge::Path("/a?utm_medium=x".parse().unwrap()),
        Purge::Group("shoes".into()),
        Purge::SurrogateKey("p7".into()),
        Purge::Row("237".into()),
        Purge::All,
    ];
    for name in names {
        let before = house.get("/a", &[]).await.text().to_owned();
        assert_eq!(house.edge.purge(name.clone(), How::Soft), 1, "{name:?}");
        assert_eq!(house.edge.purge(name.clone(), How::Soft), 0, "it is stale already");
        assert_eq!(house.get("/a", &[]).await.text(), before, "stale, and shown once more");
        house.settle().await;
        let renewed = house.get("/a", &[]).await.text().to_owned();
        assert_ne!(renewed, before, "{name:?}");
        assert_eq!(house.edge.purge(name.clone(), How::Hard), 1, "{name:?}");
        assert_eq!(house.edge.purge(name.clone(), How::Hard), 0, "{name:?}");
        assert_ne!(house.get("/a", &[]).await.text(), renewed, "{name:?}");
    }
    assert_eq!(house.edge.purge(Purge::Row("238".into()), How::Hard), 0);
}

#[tokio::test]
async fn a_path_is_purged_on_every_host_and_no_other_path_with_it() {
    let house = House::new(|number, _| reply(200, &[("cache-control", "max-age=60")], number.to_string()));
    for host in ["shop", "shop.example:8080", "other"] {
        for page in ["/a", "/b/a", "/a?x=1"] {
            house.get_at(host, page).await;
        }
    }
    assert_eq!(house.edge.purge(Purge::Path("/%61?utm_source=x".parse().unwrap()), How::Hard), 3);
    assert_eq!(house.edge.counts().entries, 6);
    assert_eq!(house.edge.purge(Purge::Path("/a".parse().unwrap()), How::Hard), 0);
    assert_eq!(house.edge.purge(Purge::Path("/a?x=1".parse().unwrap()), How::Soft), 3);
}

#[tokio::test]
async fn h167_what_was_fetched_before_a_purge_is_not_kept_after_it() {
    for how in [How::Soft, How::Hard] {
        let gate = Arc::new(Notify::new());
        let door = gate.clone();
        let house = House::new(move |number, _| {
            let door = door.clone();
            Box::pin(async move {
                if number == 1 {
                    door.notified().await;
                }
                let headers = [("cache-control", "max-age=60"), ("parlor-rows", "7")];
                answer(200, &headers, bytes::Bytes::from(number.to_string()).into())
            })
        });
        let asking = tokio::spawn({
            let house = house.clone();
            async move { house.get("/a", &[]).await }
        });
        house.settle().await;
        house.edge.purge(Purge::Row("7".into()), how);
        gate.notify_one();
        assert_eq!(asking.await.unwrap().text(), "1");
        assert_eq!(house.get("/a", &[]).await.text(), "2", "the old answer was not kept ({how:?})");
    }
}

#[tokio::test]
async fn a_change_takes_away_its_page_and_the_groups_it_names() {
    let house = House::new(|number, headers| match headers.get("x-change") {
        Some(status) if status == "ok" => reply(
            201,
            &[("location", "/new"), ("content-location", "http://other/x"), ("cache-group-invalidation", "\"shoes\"")],
            "",
        ),
        Some(_) => reply(500, &[], ""),
        None => reply(200, &[("cache-control", "max-age=60"), ("cache-groups", "\"shoes\"")], number.to_string()),
    });
    for page in ["/a", "/new", "/x"] {
        house.get(page, &[]).await;
    }
    house.send("POST", "/a", &[("x-change", "failed")]).await;
    assert!(house.get("/a", &[]).await.is_hit(), "a failed change changes nothing");
    house.send("M-SEARCH", "/elsewhere", &[("x-change", "ok")]).await;
    for page in ["/a", "/new", "/x"] {
        assert!(!house.get(page, &[]).await.is_hit(), "{page}");
    }
}

#[tokio::test]
async fn a_head_confirms_what_is_kept_or_takes_it_away() {
    let house = House::new(|number, headers| {
        let tag = headers.get("x-tag").map_or("\"a\"", |it| if it == "b" { "\"b\"" } else { "\"a\"" });
        reply(200, &[("cache-control", "max-age=10"), ("etag", tag)], if number == 1 { "page" } else { "" })
    });
    house.get("/a", &[]).await;
    let hit = house.send("HEAD", "/a", &[]).await;
    assert!(hit.is_hit() && hit.body.is_empty());
    assert_eq!(hit.header("content-length"), "4");
    house.clock.forward(11_000);
    house.send("HEAD", "/a", &[]).await;
    let renewed = house.get("/a", &[]).await;
    assert!(renewed.is_hit());
    assert_eq!(renewed.text(), "page");
    house.clock.forward(11_000);
    house.send("HEAD", "/a", &[("x-tag", "b")]).await;
    assert_eq!(house.edge.counts().entries, 0, "the origin has another page now");
}
