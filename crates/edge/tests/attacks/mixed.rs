//! Two people, a hundred thousand requests with random headers, cookies and methods: no byte of one reaches the other.
//!
//! The checker knows each one's secret and looks for it in whatever the other is sent. That it would find a leak is shown
//! by planting one: an origin that calls one kind of personal page public.

use super::client::{Client, request};
use super::house::House;
use super::origin::{Answer, Origin, Request};
use std::net::SocketAddr;

const REQUESTS: usize = 100_000;
/// Connections of each person.
const LINES: usize = 6;
const PEOPLE: [&str; 2] = ["ana", "bo"];
const SEED: u64 = 0x5ee0_2026_1116;

/// How a personal page may be answered; the first is the one that is planted.
const PERSONAL: &[&str] = &[
    "Cache-Control: private, max-age=60\r\n",
    "Cache-Control: no-store\r\n",
    "Cache-Control: no-cache\r\nETag: \"v1\"\r\n",
    "Cache-Control: max-age=60\r\nVary: Cookie, Authorization\r\n",
    "Cache-Control: max-age=60\r\nSet-Cookie: session=",
    "Cache-Control: public, s-maxage=60\r\nSet-Cookie: session=",
    "Cache-Control: max-age=60\r\nVary: *\r\n",
    "Cache-Control: max-age=0, must-revalidate\r\nETag: \"v1\"\r\nVary: Cookie, Authorization\r\n",
    "CDN-Cache-Control: no-store\r\nCache-Control: max-age=60\r\n",
    "Cache-Control: max-age=60\r\n",
    "Cache-Control: public, max-age=60\r\nVary: Cookie, Authorization, Parlor-Visit\r\n",
    "",
];

/// So many of the kinds of pages are open to all: what is kept is kept while the rest is going on.
const OPEN: usize = 8;

/// Whose page a request is for, as the origin understands cookies and keys.
fn whose(request: &Request) -> &'static str {
    let said = ["cookie", "authorization", "parlor-visit"].map(|name| request.header(name).unwrap_or_default()).join(" ");
    let is = |who: &str| ["session=", "Bearer ", "visit-"].iter().any(|before| said.contains(&format!("{before}{who}")));
    PEOPLE.into_iter().find(|who| is(who)).unwrap_or("nobody")
}

fn answer(request: &Request, planted: bool) -> Answer {
    let (who, path) = (whose(request), request.target.split('?').next().unwrap_or_default());
    let Some(kind) =
        path.strip_prefix("/mine/").and_then(|rest| rest.split('/').next()).and_then(|kind| kind.parse::<usize>().ok())
    else {
        // Open pages, and those under a key that only the authorised are shown.
        return match path.strip_prefix("/keyed/") {
            Some(_) => Answer::ok(
                "Cache-Control: max-age=60\r\n",
                page(if request.header("authorization").is_some() { who } else { "nobody" }),
            ),
            None => Answer::ok(
                "Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\nETag: \"open\"\r\n",
                format!("open to all {path}"),
            ),
        };
    };
    let head = match PERSONAL[kind] {
        _ if planted && kind == 0 => "Cache-Control: public, max-age=60\r\n".to_owned(),
        head if head.ends_with('=') => format!("{head}{who}-secret\r\n"),
        head => head.to_owned(),
    };
    if request.header("if-none-match").is_some_and(|tags| tags.contains("\"v1\"")) && head.contains("\"v1\"") {
        return Answer::raw(format!("HTTP/1.1 304 Not Modified\r\n{head}\r\n"), super::origin::Then::Stay);
    }
    Answer::ok(&format!("{head}X-Who: {who}-secret\r\n"), page(who))
}

fn page(who: &str) -> String {
    format!("<p>{who}-secret</p>").repeat(8)
}

/// Small and the same everywhere: a failure is found again by its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn ask(dice: &mut Dice, who: &str) -> (String, String) {
    let kind = dice.below(PERSONAL.len() + 1 + OPEN);
    let tail = dice.pick(&["", "/a.css", "/logo.png", "?utm_source=x", "?q=1", ";x.js", "/%2e%2e/x"]);
    let number = dice.below(4);
    let path = match kind {
        kind if kind < PERSONAL.len() => format!("/mine/{kind}/{number}{tail}"),
        kind if kind == PERSONAL.len() => format!("/keyed/{number}{tail}"),
        _ => format!("/open/{number}{tail}"),
    };
    let method = dice.pick(&["GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST"]);
    let mut headers: Vec<(&str, String)> = Vec::new();
    match dice.below(8) {
        0 => headers.push(("Authorization", format!("Bearer {who}"))),
        1 => headers.push(("Cookie", format!("a=1; session={who}; parlor_visit=junk"))),
        2 => {} // Not logged in.
        3 => headers.push(("Parlor-Visit", format!("visit-{who}"))),
        4 => headers.push(("Cookie", format!("parlor_visit=visit-{who}"))),
        _ => headers.push(("Cookie", format!("session={who}"))),
    }
    if path.starts_with("/keyed/") {
        headers.retain(|(name, _)| *name != "Authorization");
        headers.push(("Authorization", format!("Bearer {who}")));
    }
    let extras: &[(&str, &[&str])] = &[
        ("Accept-Encoding", &["gzip", "br, gzip", "identity", "gzip;q=0", ""]),
        (
            "Cache-Control",
            &["no-cache", "max-age=0", "max-stale", "only-if-cached", "min-fresh=1000", "no-store", "max-stale=999999999"],
        ),
        ("Pragma", &["no-cache"]),
        ("If-None-Match", &["\"v1\"", "*", "\"open\"", "W/\"v1\""]),
        ("If-Modified-Since", &["Thu, 01 Jan 2015 00:00:00 GMT"]),
        ("Range", &["bytes=0-9", "bytes=5-", "bytes=-3"]),
        ("X-Forwarded-Host", &["evil.example"]),
        ("X-Forwarded-For", &["10.0.0.1"]),
        ("Host", &["shop.test", "SHOP.TEST", "shop.test:80"]),
        ("User-Agent", &["one", "two"]),
        ("Accept-Language", &["de", "en"]),
        ("Connection", &["Cookie", "Authorization", "Parlor-Visit", "Accept-Language", "keep-alive"]),
        ("X-Http-Method-Override", &["POST"]),
    ];
    for (name, values) in extras {
        if dice.below(8) == 0 {
            headers.push((name, dice.pick(values).to_owned()));
        }
    }
    if method == "POST" {
        headers.push(("Content-Length", "0".to_owned()));
    }
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    (method.to_owned(), request(method, &path, &headers))
}

/// One person's requests on one connection after the other; every leak with the request that got it.
async fn walk(address: SocketAddr, person: usize, line: usize, count: usize) -> Vec<String> {
    let (who, other) = (PEOPLE[person], format!("{}-secret", PEOPLE[1 - person]));
    let mut dice = Dice(SEED ^ ((person * LINES + line + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut client = Client::open(address).await;
    let mut leaks = Vec::new();
    for _ in 0..count {
        let (method, text) = ask(&mut dice, who);
        client.send(&text).await;
        match client.hear(&method).await {
            Some(seen) if seen.holds(&other) => leaks.push(format!("{text}was answered {seen:?}")),
            Some(seen) if seen.header("connection").is_none_or(|value| !value.contains("close")) => {}
            _ => client = Client::open(address).await,
        }
    }
    leaks
}

async fn leaks(planted: bool, requests: usize) -> (Vec<String>, usize) {
    let origin = Origin::says(move |request| answer(request, planted)).await;
    let house = House::open(origin.clone()).await;
    let mut walks = tokio::task::JoinSet::new();
    for person in 0..PEOPLE.len() {
        for line in 0..LINES {
            walks.spawn(walk(house.address, person, line, requests / PEOPLE.len() / LINES));
        }
    }
    (walks.join_all().await.concat(), origin.count())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h161_of_a_hundred_thousand_requests_of_two_people_no_byte_of_one_reaches_the_other() {
    let (leaks, asked) = leaks(false, REQUESTS + PEOPLE.len() * LINES).await;
    assert!(leaks.is_empty(), "{} leaks (seed {SEED:#x}), the first:\n{}", leaks.len(), leaks[0]);
    // Nothing would be shown if nothing were ever served from what is kept.
    assert!(asked < REQUESTS * 9 / 10, "{asked} of {REQUESTS} reached the origin: this cache keeps nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h161_the_checker_finds_a_leak_that_is_planted() {
    let (leaks, _) = leaks(true, REQUESTS / 20).await;
    assert!(leaks.iter().any(|leak| leak.contains("/mine/0/")), "the planted leak was not found");
    assert!(leaks.iter().all(|leak| leak.contains("/mine/0/")), "more than was planted");
}
