//! Vary: whoever sends another header is another reader, however the header is written.

use super::house::House;
use super::origin::{Answer, Origin, Request};

/// The header that tells readers apart, as the origin saw it.
fn by_colour(vary: &'static str) -> impl Fn(&Request) -> Answer + Send + Sync + 'static {
    move |request| {
        let colours: Vec<&str> =
            request.headers.iter().filter(|(name, _)| name == "x-colour").map(|(_, value)| value.as_str()).collect();
        Answer::ok(&format!("Cache-Control: max-age=60\r\n{vary}"), format!("colour {colours:?}"))
    }
}

const WAYS: &[&[(&str, &str)]] = &[
    &[],
    &[("X-Colour", "")],
    &[("X-Colour", "red")],
    &[("X-Colour", "RED")],
    &[("X-Colour", "blue")],
    &[("X-Colour", "red"), ("X-Colour", "blue")],
    &[("X-Colour", "blue"), ("X-Colour", "red")],
    &[("X-Colour", "red;q=1")],
    &[("X-Colour", "\"red\"")],
    &[("X-Colour", "red:blue")],
    &[("X-Colour", "red\tblue")],
    &[("X-Colours", "red")],
    &[("Colour", "red")],
];

#[tokio::test]
async fn h161_a_used_cache_answers_each_reader_as_an_empty_one_would() {
    let spellings = [
        "Vary: X-Colour\r\n",
        "vary: x-colour\r\n",
        "Vary: Accept, X-Colour\r\n",
        "Vary: Accept\r\nVary: X-Colour\r\n",
        "Vary: ,, X-Colour ,\r\n",
        "Vary: X-Colour, X-Colour\r\n",
        "Vary: X-Colour, *\r\n",
        "Vary: *\r\n",
    ];
    for vary in spellings {
        let used = House::open(Origin::says(by_colour(vary)).await).await;
        for (number, first) in WAYS.iter().enumerate() {
            let page = format!("/{number}");
            used.get(&page, first).await;
            for second in WAYS {
                let seen = used.get(&page, second).await.text();
                let sent: Vec<&str> = second.iter().filter(|(name, _)| *name == "X-Colour").map(|(_, value)| *value).collect();
                // Lines of one name may be joined on the way; that is the same header.
                let (lines, joined) = (format!("colour {sent:?}"), format!("colour {:?}", [sent.join(", ")]));
                assert!(seen == lines || sent.len() > 1 && seen == joined, "{vary:?}: {second:?} after {first:?} got {seen}");
            }
        }
    }
}

#[tokio::test]
async fn h161_a_page_that_varies_for_some_only_never_shows_one_to_another() {
    // The origin says that it varies only to those who have the header. Whoever has it may be shown nobody's page, which
    // did not say so, but nobody is shown the page of somebody.
    let origin = Origin::says(|request| match request.header("x-user") {
        Some(user) => Answer::ok("Cache-Control: max-age=60\r\nVary: X-User\r\n", format!("page of {user}")),
        None => Answer::ok("Cache-Control: max-age=60\r\n", "page of nobody"),
    })
    .await;
    let house = House::open(origin).await;
    for order in
        [["ana", "bo", ""], ["", "ana", "bo"], ["bo", "", "ana"], ["ana", "", "bo"], ["", "bo", "ana"], ["bo", "ana", ""]]
    {
        let page = format!("/{}", order.join("-"));
        for user in order.iter().chain(&order) {
            let headers: &[(&str, &str)] = if user.is_empty() { &[] } else { &[("X-User", user)] };
            let seen = house.get(&page, headers).await.text();
            assert!(seen == "page of nobody" || seen == format!("page of {user}"), "{user:?} of {order:?} got {seen}");
        }
    }
}

#[tokio::test]
async fn h164_variants_without_end_are_bounded() {
    let origin = Origin::says(|request| {
        Answer::ok("Cache-Control: max-age=60\r\nVary: User-Agent\r\n", request.header("user-agent").unwrap_or("none"))
    })
    .await;
    let house = House::open(origin).await;
    let mut client = house.client().await;
    for number in 0..5000 {
        let agent = format!("agent-{number}-{}", "x".repeat(1000));
        assert_eq!(client.ask("GET", "/", &[("User-Agent", &agent)]).await.text(), agent);
    }
    // A name list that is longer than any page's is no reason to fail or to mix readers up.
    let names = (0..800).map(|number| format!("x-{number}")).collect::<Vec<_>>().join(", ");
    let origin = Origin::says(move |request| {
        Answer::ok(&format!("Cache-Control: max-age=60\r\nVary: {names}\r\n"), request.header("x-799").unwrap_or("none"))
    })
    .await;
    let house = House::open(origin).await;
    assert_eq!(house.get("/", &[("X-799", "ana")]).await.text(), "ana");
    assert_eq!(house.get("/", &[("X-799", "bo")]).await.text(), "bo");
    assert_eq!(house.get("/", &[]).await.text(), "none");
}

/// Headers of a request, and words that its answer must not have.
type Way<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

#[tokio::test]
async fn h161_what_is_compressed_is_for_those_who_can_read_it() {
    // The bytes need not be real gzip: what counts is who is given them.
    let origin = Origin::says(|request| match request.header("accept-encoding") {
        Some(codings) if codings.contains("br") && !codings.contains("br;q=0") => {
            Answer::ok("Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\nContent-Encoding: br\r\n", "brotli")
        }
        Some(codings) if codings.contains("gzip") && !codings.contains("gzip;q=0") => {
            Answer::ok("Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\nContent-Encoding: gzip\r\n", "zipped")
        }
        _ => Answer::ok("Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\n", "plain"),
    })
    .await;
    let house = House::open(origin).await;
    let ways: &[Way<'_>] = &[
        (&[("Accept-Encoding", "br")], &["plain", "brotli"]),
        (&[("Accept-Encoding", "gzip")], &["plain", "zipped"]),
        (&[], &["plain"]),
        (&[("Accept-Encoding", "gzip, br")], &["plain", "zipped", "brotli"]),
        (&[("Accept-Encoding", "identity")], &["plain"]),
        (&[("Accept-Encoding", "gzip;q=0")], &["plain"]),
        (&[("Accept-Encoding", "br;q=0, gzip")], &["plain", "zipped"]),
        (&[("Accept-Encoding", "*;q=0")], &["plain"]),
        (&[("Accept-Encoding", "")], &["plain"]),
        (&[("Accept-Encoding", "deflate")], &["plain"]),
    ];
    for first in 0..ways.len() {
        for (headers, readable) in ways.iter().cycle().skip(first).take(ways.len()) {
            let seen = house.get(&format!("/{first}"), headers).await;
            let coding = match seen.header("content-encoding") {
                None => "plain",
                Some("gzip") => "zipped",
                Some("br") => "brotli",
                Some(other) => panic!("{headers:?} was given {other}"),
            };
            assert!(readable.contains(&coding), "{headers:?}: {seen:?}");
            assert_eq!(seen.text(), coding, "{headers:?}");
        }
    }
}
