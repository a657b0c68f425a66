//! Cache deception: a personal page under an address that looks like a picture or a style sheet stays personal.

use super::house::House;
use super::origin::{Answer, Origin, Request};

/// Addresses that some origins take for `/account`.
const DISGUISES: &[&str] = &[
    "/account",
    "/account/a.css",
    "/account/a.js",
    "/account/logo.png",
    "/account/nothing.ico",
    "/account;a.css",
    "/account;jsessionid=1.css",
    "/account%2Fa.css",
    "/account%3Fa.css",
    "/account%23a.css",
    "/account%00.css",
    "/account%0A.css",
    "/account%20a.css",
    "/account%5Ca.css",
    "/account?a.css",
    "/account?file=/a.css",
    "/account/?a.css",
    "/account/..;/a.css",
    "/account/%2e%2e/a.css",
    "/static/..%2faccount",
    "/static/%2e%2e/account",
    "/static/../account",
    "/a.css/../account",
    "/robots.txt/../account",
    "//account",
    "/./account",
    "/account/.",
    "/ACCOUNT/a.CSS",
    "/account/a.css?utm_source=1",
];

/// How an origin may answer with a personal page: each is one under which it must not be kept for others.
const PERSONAL: &[(&str, &str)] = &[
    ("private", "Cache-Control: private, max-age=60\r\n"),
    ("no-store", "Cache-Control: no-store\r\n"),
    ("no-cache", "Cache-Control: no-cache, max-age=60\r\n"),
    ("in capitals", "CACHE-CONTROL: PRIVATE\r\n"),
    ("on two lines", "Cache-Control: max-age=60\r\nCache-Control: private\r\n"),
    ("quoted names", "Cache-Control: max-age=60, private=\"x-secret\"\r\n"),
    ("sets a cookie", "Cache-Control: max-age=60\r\nSet-Cookie: s=ana; HttpOnly\r\n"),
    ("sets a cookie and is public", "Cache-Control: public, s-maxage=60\r\nSet-Cookie: s=ana\r\n"),
    ("varies by cookie", "Cache-Control: max-age=60\r\nVary: Cookie\r\n"),
    ("varies by everything", "Cache-Control: max-age=60\r\nVary: *\r\n"),
    ("says nothing", ""),
    ("has a type only", "Content-Type: text/css\r\n"),
    ("has expired", "Expires: 0\r\n"),
    ("is told not to by the newer header", "CDN-Cache-Control: private\r\nCache-Control: max-age=60\r\n"),
    ("is told no-store by the newer header", "CDN-Cache-Control: no-store\r\nCache-Control: public, max-age=60\r\n"),
];

fn secret(request: &Request) -> String {
    format!("hello {}", request.header("cookie").or(request.header("authorization")).unwrap_or("stranger"))
}

#[tokio::test]
async fn h161_h162_a_personal_page_is_nobody_elses_whatever_its_address_looks_like() {
    for (how, head) in PERSONAL {
        let origin = Origin::says(move |request| Answer::ok(head, secret(request))).await;
        let house = House::open(origin).await;
        for path in DISGUISES {
            let own = house.get(path, &[("Cookie", "session=ana-secret")]).await;
            assert!(own.status != 200 || own.holds("ana-secret"), "{how} {path}: ana was answered {own:?}");
            for headers in [&[][..], &[("Cookie", "session=bo")], &[("Cookie", "")], &[("Authorization", "Bearer bo")]] {
                let seen = house.get(path, headers).await;
                assert!(!seen.holds("ana-secret"), "{how} {path} {headers:?}: {}", seen.text());
            }
        }
    }
}

#[tokio::test]
async fn h161_what_was_asked_with_a_key_is_not_for_those_without() {
    for head in [
        "Cache-Control: max-age=60\r\n",
        "Expires: Thu, 31 Dec 2099 23:59:59 GMT\r\n",
        "Last-Modified: Thu, 01 Jan 2015 00:00:00 GMT\r\n",
    ] {
        let house = House::open(Origin::says(move |request| Answer::ok(head, secret(request))).await).await;
        for path in DISGUISES {
            house.get(path, &[("Authorization", "Basic ana-secret")]).await;
            let seen = house.get(path, &[]).await;
            assert!(!seen.holds("ana-secret"), "{head} {path}: {}", seen.text());
        }
    }
}

#[tokio::test]
async fn h161_a_guess_about_freshness_keeps_no_page_of_somebody_with_a_cookie() {
    let head = "Last-Modified: Thu, 01 Jan 2015 00:00:00 GMT\r\nETag: \"1\"\r\n";
    let house = House::open(Origin::says(move |request| Answer::ok(head, secret(request))).await).await;
    house.get("/account", &[("Cookie", "session=ana-secret")]).await;
    assert!(!house.get("/account", &[]).await.holds("ana-secret"));
    assert!(!house.get("/account", &[("Cookie", "session=bo")]).await.holds("ana-secret"));
}

#[tokio::test]
async fn h162_two_spellings_of_a_path_are_two_pages_unless_the_origin_sees_one() {
    // The origin takes every path by its letters; each says which it was asked for.
    let origin = || Origin::says(|request| Answer::ok("Cache-Control: max-age=60\r\n", &request.target));
    let spellings = [
        "/a/b",
        "/a%2Fb",
        "/a%2fb",
        "/a//b",
        "/a/./b",
        "/a/c/../b",
        "/a/%2e/b",
        "/A/b",
        "/a/b/",
        "/a/b;x",
        "/a/b%00",
        "/a\\b",
        "/a/b?",
        "/a/b%3F",
        "/%61/b",
    ];
    for first in spellings {
        let used = House::open(origin().await).await;
        used.get(first, &[]).await;
        for second in spellings {
            let empty = House::open(origin().await).await;
            let (seen, expected) = (used.get(second, &[]).await, empty.get(second, &[]).await);
            assert_eq!((seen.status, seen.text()), (expected.status, expected.text()), "{second} after {first}");
        }
    }
}

#[tokio::test]
async fn x21_a_validator_of_one_visitor_says_nothing_to_another() {
    // Both pages have the same validator, as those of careless frameworks do.
    let head = "Cache-Control: private, max-age=60\r\nETag: \"same\"\r\n";
    let origin = Origin::says(move |request| match request.header("if-none-match") {
        Some(_) => Answer::raw("HTTP/1.1 304 Not Modified\r\nETag: \"same\"\r\n\r\n", super::origin::Then::Stay),
        None => Answer::ok(head, secret(request)),
    })
    .await;
    let house = House::open(origin).await;
    house.get("/account", &[("Cookie", "session=ana-secret")]).await;
    let seen = house.get("/account", &[("Cookie", "session=bo")]).await;
    assert_eq!((seen.status, seen.text().as_str()), (200, "hello session=bo"));
}
