//! What gets a place: popular items without a word from the origin, and never so much that the hot pages go.

use crate::house::{House, reply};
use parlor_edge::{Options, Rule};

#[tokio::test]
async fn a_popular_item_is_kept_for_five_minutes_and_asked_for_without_cookies() {
    let house = House::new(|number, headers| {
        let who = ["cookie", "parlor-visit"].into_iter().find(|name| headers.contains_key(*name));
        assert_eq!(who, None, "what is kept for all is asked for by nobody in particular");
        reply(200, &[], number.to_string())
    });
    house.shop.ranks.lock().unwrap().insert("7".into(), 9_999);
    for _ in 0..3 {
        let headers = [("cookie", "session=ana; parlor_visit=a"), ("parlor-visit", "a")];
        assert_eq!(house.get("/product/7", &headers).await.text(), "1");
    }
    let (parts, ()) = http::Request::builder().uri("/product/7").header("host", "shop").body(()).unwrap().into_parts();
    let why = house.edge.why(&parts);
    assert_eq!((why.rule, why.rank, why.fresh_for_s), (Rule::Popular, Some(9_999), Some(300)));
    house.clock.forward(300_000);
    assert_eq!(house.get("/product/7", &[]).await.text(), "2");
    assert_eq!(house.shop.views.lock().unwrap().len(), 4, "every showing counts");
}

#[tokio::test]
async fn h153_an_item_without_rank_is_not_kept_and_a_personal_answer_is_fetched_for_its_asker() {
    let house = House::new(|_, headers| {
        let who = headers.get("cookie").map_or("nobody", |it| it.to_str().unwrap()).to_owned();
        let control = if headers.contains_key("x-silent") { ("x", "y") } else { ("cache-control", "private") };
        reply(200, &[control], who)
    });
    house.shop.ranks.lock().unwrap().extend([("7".to_owned(), 0), ("8".to_owned(), 10_000)]);
    assert_eq!(house.get("/product/7", &[("cookie", "session=ana")]).await.text(), "session=ana");
    assert_eq!(house.asked(), 2, "asked for all, found personal, asked for her");
    assert_eq!(house.get("/product/7", &[("cookie", "session=bo")]).await.text(), "session=bo");
    assert_eq!(house.asked(), 3, "and the next one goes straight");
    for item in ["/product/8", "/product/9"] {
        house.get(item, &[("x-silent", "1")]).await;
    }
    assert_eq!(house.edge.counts().entries, 0);
}

#[tokio::test]
async fn the_visits_cookie_alone_does_not_keep_a_page_from_being_shared_for_long() {
    let house = House::new(|_, headers| {
        let who = headers.get("cookie").map_or("all", |it| it.to_str().unwrap()).to_owned();
        reply(200, &[("cache-control", "max-age=60")], who)
    });
    assert_eq!(house.get("/a", &[("cookie", "parlor_visit=a")]).await.text(), "parlor_visit=a");
    assert_eq!(house.get("/a", &[("cookie", "parlor_visit=b")]).await.text(), "all", "the next is asked for everybody");
    assert_eq!(house.get("/a", &[("cookie", "parlor_visit=c")]).await.text(), "all");
    assert_eq!(house.asked(), 2);
}

#[tokio::test]
async fn h161_the_visits_header_says_who_asks_as_its_cookie_does() {
    let house = House::new(|_, headers| {
        let who = headers.get("parlor-visit").map_or("all", |it| it.to_str().unwrap()).to_owned();
        reply(200, &[("cache-control", "max-age=60")], who)
    });
    assert_eq!(house.get("/a", &[("parlor-visit", "ana")]).await.text(), "ana");
    assert_eq!(house.get("/a", &[("parlor-visit", "bo")]).await.text(), "all", "the next is asked for everybody");
    assert_eq!(house.get("/a", &[]).await.text(), "all");
    assert_eq!(house.asked(), 2);
}

#[tokio::test]
async fn h161_a_page_that_varies_by_the_visit_is_kept_for_those_without_one() {
    let house = House::new(|_, headers| {
        let who = headers.get("parlor-visit").map_or("nobody", |it| it.to_str().unwrap()).to_owned();
        reply(200, &[("cache-control", "public, max-age=60"), ("vary", "parlor-visit")], who)
    });
    for _ in 0..2 {
        for (headers, who) in [(&[("parlor-visit", "ana")][..], "ana"), (&[], "nobody"), (&[("parlor-visit", "bo")], "bo")] {
            assert_eq!(house.get("/a", headers).await.text(), who);
        }
    }
    assert_eq!((house.asked(), house.edge.counts().entries), (5, 1));
}

#[tokio::test]
async fn h161_what_was_asked_without_a_cookie_is_not_shown_to_one_who_has_it_if_the_page_varies_by_it() {
    let house = House::new(|_, headers| {
        let who = headers.get("cookie").map_or("nobody", |it| it.to_str().unwrap()).to_owned();
        reply(200, &[("cache-control", "max-age=60"), ("vary", "cookie")], who)
    });
    house.shop.ranks.lock().unwrap().insert("7".into(), 0);
    for page in ["/product/7", "/a"] {
        for _ in 0..3 {
            for who in ["session=ana", "parlor_visit=bo"] {
                assert_eq!(house.get(page, &[("cookie", who)]).await.text(), who, "{page}");
            }
            assert_eq!(house.get(page, &[]).await.text(), "nobody", "{page}");
        }
        assert!(house.get(page, &[]).await.is_hit(), "{page}");
    }
}

#[tokio::test]
async fn what_was_fetched_behind_somebodys_back_is_kept_as_it_was_asked_for() {
    let house = House::new(|number, headers| {
        let who = headers.get("cookie").map_or("nobody", |it| it.to_str().unwrap()).to_owned();
        match number {
            1 => reply(200, &[("cache-control", "public, max-age=10, stale-while-revalidate=60")], "open"),
            _ => reply(200, &[("cache-control", "max-age=60"), ("vary", "cookie")], who),
        }
    });
    house.get("/a", &[]).await;
    house.clock.forward(11_000);
    assert_eq!(house.get("/a", &[("cookie", "session=ana")]).await.text(), "open", "stale, and refreshed without her cookie");
    house.settle().await;
    let shown = house.get("/a", &[]).await;
    assert_eq!((shown.text(), shown.is_hit()), ("nobody", true));
}

#[tokio::test]
async fn h164_a_million_random_addresses_stay_within_the_bytes_and_leave_the_hot_pages() {
    let bytes_max = 16 * 1024 * 1024;
    let house = House::with(Options { bytes_max, ..Options::default() }, |_, _| {
        reply(200, &[("cache-control", "max-age=600"), ("surrogate-key", "flood")], vec![b'x'; 2_000])
    });
    let hot: Vec<String> = (0..200).map(|n| format!("/hot/{n}")).collect();
    for _ in 0..3 {
        for page in &hot {
            house.get(page, &[]).await;
        }
    }
    for n in 0..1_000_000_u32 {
        house.get(&format!("/search?q={}", n.wrapping_mul(2_654_435_761)), &[]).await;
        if n % 2_000 == 0 {
            // Somebody looks at the hot pages now and then, far more rarely than the flood comes.
            for page in &hot {
                house.get(page, &[]).await;
            }
            assert!(house.edge.counts().bytes <= bytes_max);
        }
    }
    let before = house.edge.counts();
    assert!(before.bytes <= bytes_max && before.evicted > 900_000, "{before:?}");
    for page in &hot {
        house.get(page, &[]).await;
    }
    let missed = house.edge.counts().misses - before.misses;
    assert!(missed <= 10, "{missed} of 200 hot pages were washed out");
    let purged = house.edge.purge(parlor_edge::Purge::SurrogateKey("flood".into()), parlor_edge::How::Hard);
    assert_eq!(purged as u64, before.entries + missed, "the index knows what is there and nothing else");
}

#[tokio::test]
async fn a_page_too_large_for_its_place_passes_through_whole() {
    let house = House::with(Options { page_max: 100_000, ..Options::default() }, |_, _| {
        reply(200, &[("cache-control", "max-age=60")], vec![b'x'; 300_000])
    });
    for _ in 0..2 {
        assert_eq!(house.get("/a", &[]).await.body.len(), 300_000);
    }
    assert_eq!((house.asked(), house.edge.counts().entries), (2, 0));
}
