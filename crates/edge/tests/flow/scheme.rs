//! Behind somebody who speaks TLS for us: the origin hears how the client came, and pages of one scheme are not those of the other.

use crate::house::{House, reply};
use parlor_edge::{How, Options, Purge};

const HTTPS: (&str, &str) = ("x-forwarded-proto", "https");
const HTTP: (&str, &str) = ("x-forwarded-proto", "http");

/// An origin that sends everybody who comes by http to https, and lets that be kept.
fn house(trusts_forwarded: bool) -> House {
    let options = Options { trusts_forwarded, ..Options::default() };
    House::with(options, |_, headers| match headers.get("x-forwarded-proto").map(|it| it.to_str().unwrap()) {
        _ if headers.contains_key("x-change") => reply(201, &[("location", "https://shop/b")], ""),
        Some("https") => reply(200, &[("cache-control", "max-age=60")], "page"),
        _ => reply(301, &[("cache-control", "max-age=60"), ("location", "https://shop/a")], ""),
    })
}

#[tokio::test]
async fn h162_a_redirect_to_https_is_not_kept_for_those_who_came_by_it() {
    let house = house(true);
    for _ in 0..2 {
        assert_eq!(house.get("/a", &[HTTP]).await.status, 301);
        assert_eq!(house.get("/a", &[]).await.status, 301, "who says nothing came as the edge listens");
        assert_eq!(house.get("/a", &[HTTPS]).await.text(), "page");
        assert_eq!(house.get("/a", &[("x-forwarded-proto", "http, HTTPS")]).await.text(), "page", "the last is the nearest");
        assert_eq!(house.get("/a", &[("x-forwarded-proto", "evil")]).await.status, 301);
    }
    assert_eq!(house.asked(), 2, "one page for each scheme");
}

#[tokio::test]
async fn h162_a_client_that_nobody_vouches_for_chooses_no_scheme() {
    let house = house(false);
    assert_eq!(house.get("/a", &[HTTPS]).await.status, 301);
    assert_eq!(house.get("/a", &[]).await.status, 301);
    assert_eq!(house.asked(), 1);
}

#[tokio::test]
async fn what_takes_a_page_away_takes_it_away_by_both_schemes() {
    let house = house(true);
    let both = async || {
        for headers in [[HTTP], [HTTPS]] {
            house.get("/a", &headers).await;
            house.get("/b", &headers).await;
        }
        assert_eq!(house.edge.counts().entries, 4);
    };
    for url in ["http://shop/a", "https://shop/a"] {
        both().await;
        assert_eq!(house.edge.purge(Purge::Url(url.parse().unwrap()), How::Hard), 2, "{url}");
    }
    for headers in [[HTTP, ("x-change", "1")], [HTTPS, ("x-change", "1")]] {
        both().await;
        house.send("POST", "/a", &headers).await;
        assert_eq!(house.edge.counts().entries, 0, "the page that was changed, and the one that the answer points to");
    }
}
