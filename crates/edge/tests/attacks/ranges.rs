//! Ranges: a piece is never taken for the whole, and asking for many pieces costs no more than the page.

use super::house::House;
use super::origin::{Answer, Origin, Request, Then};

const PAGE: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

/// An origin that honours a single range and says that everything may be kept.
fn pieces(request: &Request) -> Answer {
    let range = request.header("range").and_then(|range| range.strip_prefix("bytes=")).and_then(|range| range.split_once('-'));
    let range = range.and_then(|(from, to)| Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?)));
    match range.filter(|(from, to)| from <= to && *to < PAGE.len()) {
        Some((from, to)) => {
            let head = format!("Cache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Range: bytes {from}-{to}/{}\r\n", PAGE.len());
            Answer::whole("206 Partial Content", &head, &PAGE[from..=to])
        }
        None => Answer::ok("Cache-Control: max-age=60\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n", PAGE),
    }
}

#[tokio::test]
async fn h166_a_piece_that_came_first_is_not_the_page() {
    let house = House::open(Origin::says(pieces).await).await;
    let piece = house.get("/page", &[("Range", "bytes=0-4")]).await;
    assert!(matches!((piece.status, piece.text().as_str()), (206, "01234") | (200, PAGE)), "{piece:?}");
    for _ in 0..2 {
        let whole = house.get("/page", &[]).await;
        assert_eq!((whole.status, whole.text().as_str()), (200, PAGE));
    }
    let other = house.get("/page", &[("Range", "bytes=5-9")]).await;
    assert!(matches!((other.status, other.text().as_str()), (206, "56789") | (200, PAGE)), "{other:?}");
}

#[tokio::test]
async fn h166_a_piece_that_nobody_asked_for_is_not_the_page() {
    let origin = Origin::says(|request| {
        if request.header("x-first").is_some() {
            Answer::whole("206 Partial Content", "Cache-Control: max-age=60\r\nContent-Range: bytes 0-4/36\r\n", "01234")
        } else {
            Answer::ok("Cache-Control: max-age=60\r\n", PAGE)
        }
    })
    .await;
    let house = House::open(origin).await;
    house.get("/page", &[("X-First", "1")]).await;
    let whole = house.get("/page", &[]).await;
    assert_eq!((whole.status, whole.text().as_str()), (200, PAGE));
}

#[tokio::test]
async fn asking_for_ranges_without_end_costs_no_more_than_the_page() {
    let house = House::open(Origin::says(pieces).await).await;
    house.get("/page", &[]).await;
    let many = (0..1200).map(|_| "0-").collect::<Vec<_>>().join(",");
    let descending = (0..600).map(|n| format!("{}-35", 35 - n % 36)).collect::<Vec<_>>().join(",");
    let odd = [
        many.as_str(),
        descending.as_str(),
        "9-1",
        "-0",
        "-1",
        "-99999999999999999999999",
        "18446744073709551615-",
        "18446744073709551616-18446744073709551617",
        "0-18446744073709551615",
        "--",
        "",
        "0-4,",
        ",,,",
        "a-b",
        "0-0,35-35",
    ];
    for ranges in odd {
        let seen = house.get("/page", &[("Range", &format!("bytes={ranges}"))]).await;
        assert!(matches!(seen.status, 200 | 206 | 416), "{ranges:.40}: {seen:?}");
        // Two small pieces may come with a border around each; hundreds may not.
        assert!(seen.body.len() < 1000, "{ranges:.40}: {} bytes", seen.body.len());
        if seen.status == 200 {
            assert_eq!(seen.text(), PAGE, "{ranges:.40}");
        }
    }
}

#[tokio::test]
async fn h166_a_piece_whose_page_has_changed_is_joined_to_nothing() {
    // Each answer is of another version; a cache that joined pieces would make a page that never was.
    let count = std::sync::atomic::AtomicUsize::new(0);
    let origin = Origin::says(move |request| {
        let version = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let letter = ["a", "b", "c", "d", "e", "f"][version % 6];
        let etag = format!("Cache-Control: max-age=60\r\nETag: \"{version}\"\r\n");
        match request.header("range") {
            Some("bytes=0-4") => {
                Answer::whole("206 Partial Content", &format!("{etag}Content-Range: bytes 0-4/10\r\n"), letter.repeat(5))
            }
            Some("bytes=5-9") => {
                Answer::whole("206 Partial Content", &format!("{etag}Content-Range: bytes 5-9/10\r\n"), letter.repeat(5))
            }
            _ => Answer::ok(&etag, letter.repeat(10)),
        }
    })
    .await;
    let house = House::open(origin).await;
    house.get("/page", &[("Range", "bytes=0-4")]).await;
    house.get("/page", &[("Range", "bytes=5-9")]).await;
    let whole = house.get("/page", &[]).await.text();
    assert!(whole.len() == 10 && whole.bytes().all(|byte| byte == whole.as_bytes()[0]), "{whole}");
}

#[tokio::test]
async fn a_range_that_the_origin_cannot_satisfy_leaves_the_page_alone() {
    let origin = Origin::says(|request| match request.header("range") {
        Some(_) => Answer::raw(
            "HTTP/1.1 416 Range Not Satisfiable\r\nCache-Control: max-age=60\r\nContent-Range: bytes */36\r\nContent-Length: 0\r\n\r\n",
            Then::Stay,
        ),
        None => Answer::ok("Cache-Control: max-age=60\r\n", PAGE),
    })
    .await;
    let house = House::open(origin).await;
    house.get("/page", &[("Range", "bytes=100-")]).await;
    let whole = house.get("/page", &[]).await;
    assert_eq!((whole.status, whole.text().as_str()), (200, PAGE));
}
