//! Pages with slots: one page is kept, everybody sees their own.

use crate::house::{House, reply};
use parlor_edge::{How, Purge};

const PAGE: &str = r#"<p>You have <parlor-slot name="cart-count">0</parlor-slot> items. It costs <parlor-slot name="row" row="237" field="price">?</parlor-slot>.</p>"#;

fn house() -> House {
    let house = House::new(|_, _| {
        reply(
            200,
            &[("cache-control", "max-age=60"), ("parlor-slots", "on"), ("etag", "\"a\""), ("content-type", "text/html")],
            PAGE,
        )
    });
    let mut fills = house.shop.fills.lock().unwrap();
    fills.insert("cart-count a".into(), "3".into());
    fills.insert("row 237".into(), "12.50".into());
    drop(fills);
    house
}

#[tokio::test]
async fn one_page_for_all_and_each_sees_their_own_cart() {
    let house = house();
    house.get("/a", &[]).await;
    let ana = house.get("/a", &[("cookie", "parlor_visit=a")]).await;
    assert_eq!(ana.text(), "<p>You have 3 items. It costs 12.50.</p>");
    assert_eq!(ana.header("content-length"), ana.body.len().to_string());
    assert_eq!((ana.header("cache-control"), ana.header("etag")), ("private, no-store", ""), "what is hers is kept nowhere else");
    let bo = house.get("/a", &[("cookie", "parlor_visit=b"), ("if-none-match", "\"a\"")]).await;
    assert_eq!(bo.text(), "<p>You have 0 items. It costs 12.50.</p>");
    assert_eq!(house.asked(), 1);
    assert_eq!(house.send("HEAD", "/a", &[]).await.header("content-length"), bo.body.len().to_string());
}

#[tokio::test]
async fn a_row_that_changes_makes_the_pages_that_show_it_stale() {
    let house = house();
    house.get("/a", &[]).await;
    assert_eq!(house.edge.purge(Purge::Row("237".into()), How::Soft), 1);
    house.get("/a", &[]).await;
    house.settle().await;
    assert_eq!(house.asked(), 2);
}

#[tokio::test]
async fn without_the_origins_word_the_markup_stays() {
    let house = House::new(|_, _| reply(200, &[("cache-control", "max-age=60")], PAGE));
    assert_eq!(house.get("/a", &[("cookie", "parlor_visit=a")]).await.text(), PAGE);
}

#[tokio::test]
async fn a_page_that_came_packed_is_unpacked_for_its_slots() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(PAGE.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let house = House::new(move |_, _| {
        let headers =
            [("cache-control", "max-age=60"), ("parlor-slots", "on"), ("content-encoding", "gzip"), ("vary", "accept-encoding")];
        reply(200, &headers, packed.clone())
    });
    house.shop.fills.lock().unwrap().insert("row 237".into(), "9".into());
    let shown = house.get("/a", &[("accept-encoding", "gzip")]).await;
    assert_eq!((shown.text(), shown.header("content-encoding")), ("<p>You have 0 items. It costs 9.</p>", ""));
}

#[tokio::test]
async fn a_page_that_is_not_kept_has_its_slots_filled_all_the_same() {
    for control in ["private, max-age=60", "x"] {
        let house = House::new(move |_, _| {
            reply(200, &[("cache-control", control), ("parlor-slots", "on"), ("set-cookie", "s=1")], PAGE)
        });
        house.shop.fills.lock().unwrap().insert("cart-count a".into(), "3".into());
        for _ in 0..2 {
            let ana = house.get("/product/9", &[("cookie", "session=1; parlor_visit=a")]).await;
            assert_eq!(ana.text(), "<p>You have 3 items. It costs ?.</p>");
            assert_eq!(ana.header("content-length"), ana.body.len().to_string());
            assert_eq!((ana.header("cache-control"), ana.header("parlor-slots")), ("private, no-store", ""));
            assert_eq!(ana.header("set-cookie"), "s=1", "her cookie is hers");
        }
        assert_eq!((house.asked(), house.edge.counts().entries), (2, 0));
    }
}
