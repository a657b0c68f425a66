//! What is over goes, and when there are too many the oldest do.

use crate::stand::{Stand, TERMS, does, item, lines};
use parlor_layout::shop::visits as layout;
use parlor_rules::Span;
use parlor_shop::Terms;
use parlor_store::{Answer, Applied, Batch, Query, Records, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn at_most(visits_max: u64) -> Terms {
    Terms { visits_max, ..TERMS }
}

pub(crate) async fn h141_a_visit_used_meanwhile_is_not_cleaned_up(stand: Stand) {
    let shop = Arc::new(stand.shop_with(at_most(5)).await);
    let mut guests = Vec::new();
    for _ in 0..10 {
        guests.push(stand.guest(&shop).await);
        stand.step(Span(10));
    }
    does(&shop, &guests[0], "add tea 1").await;
    shop.fold().await.unwrap();
    stand.step(Span::seconds(1));
    // The oldest is used and the note not yet in its place.
    let used = guests[1];
    shop.touch(&used, Some(&item("tea")));
    shop.clean().await.unwrap();
    shop.fold().await.unwrap();
    shop.clean().await.unwrap();
    assert_eq!(lines(&shop, &guests[0]).await, "tea=1", "its cart was changed last but one");
    assert_eq!(shop.totals().await.unwrap().visits, 5);
    // On a cluster each piece is cleaned by itself.
    for gone in guests[2..6].iter().filter(|_| !stand.records.is_scattered()) {
        assert!(shop.visit(gone).await.is_err());
    }
    if stand.alone {
        assert!(shop.visit(&used).await.is_ok(), "a use that is noted counts");
    }
}

pub(crate) async fn h143_two_cleaners_end_no_more_than_one(stand: Stand) {
    let nodes = [stand.shop_with(at_most(500)).await, stand.shop_with(at_most(500)).await];
    for _ in 0..620 {
        stand.guest(&nodes[0]).await;
    }
    nodes[0].fold().await.unwrap();
    stand.step(Span::seconds(1));
    let (one, other) = tokio::join!(nodes[0].clean(), nodes[1].clean());
    one.unwrap();
    other.unwrap();
    let left = nodes[0].totals().await.unwrap().visits;
    assert!((400..=500).contains(&left), "{left} are left of 620, of at most 500");
}

pub(crate) async fn h144_nothing_of_an_ended_visit_stays(stand: Stand) {
    let shop = stand.shop().await;
    let mut guests = Vec::new();
    for n in 0..150 {
        let token = stand.guest(&shop).await;
        if n % 10 == 0 {
            does(&shop, &token, "add tea 1").await;
            shop.touch(&token, Some(&item("tea")));
        }
        guests.push(token);
    }
    shop.fold().await.unwrap();
    let known = stand.known(&shop, "ana").await;
    stand.step(TERMS.lifetimes.guest_idle);
    shop.clean().await.unwrap();
    assert_eq!(shop.totals().await.unwrap(), parlor_shop::Totals { visits: 1, logged_in: 1, carts: 0 });
    for token in &guests {
        for key in [layout::cart(token), layout::viewed(token), layout::changes(token)] {
            assert_eq!(stand.whole(token, key).await, None);
        }
        assert_eq!(stand.score(token, layout::born()).await, None);
    }
    assert!(shop.visit(&known).await.is_ok());
}

pub(crate) async fn no_shopper_goes_because_of_a_flood_of_guests(stand: Stand) {
    let shop = stand.shop_with(at_most(50)).await;
    let mut known = Vec::new();
    for n in 0..20 {
        known.push(stand.known(&shop, &format!("shopper{n}")).await);
    }
    stand.step(Span::minutes(1));
    for _ in 0..200 {
        stand.guest(&shop).await;
    }
    shop.fold().await.unwrap();
    stand.step(Span::seconds(1));
    shop.clean().await.unwrap();
    assert_eq!(shop.totals().await.unwrap().visits, 50);
    for token in &known {
        assert!(shop.visit(token).await.is_ok(), "the oldest of all, and shoppers");
    }
    // Where shoppers alone are too many, the oldest of them go.
    let strict = stand.shop_with(at_most(15)).await;
    strict.clean().await.unwrap();
    let totals = strict.totals().await.unwrap();
    assert_eq!((totals.visits, totals.logged_in), (15, 15));
    let other = stand.shop().await;
    if !stand.records.is_scattered() {
        // On a cluster each piece is cleaned by itself.
        assert!(other.visit(&known[0]).await.is_err() && other.visit(&known[19]).await.is_ok());
    }
}

/// Many shoppers who have not come lately stand in front of a flood: they are walked past once, not for each batch of guests.
#[tokio::test]
async fn a_flood_behind_many_shoppers_is_cleaned_in_one_walk() {
    const MANY: usize = 2000;
    let mut stand = crate::stand::memory().await;
    let walks = Arc::new(Walks { records: stand.records.clone(), looks: AtomicUsize::new(0) });
    stand.records = walks.clone();
    let shop = stand.shop_with(at_most(MANY as u64 + 10)).await;
    for n in 0..MANY {
        stand.known(&shop, &format!("shopper{n}")).await;
    }
    for _ in 0..MANY {
        stand.step(Span(1));
        stand.guest(&shop).await;
    }
    shop.fold().await.unwrap();
    stand.step(Span::seconds(1));
    walks.looks.store(0, Ordering::SeqCst);
    shop.clean().await.unwrap();
    let totals = shop.totals().await.unwrap();
    assert_eq!((totals.visits, totals.logged_in), (MANY + 10, MANY));
    let looks = walks.looks.load(Ordering::SeqCst);
    assert!(looks < 5 * MANY / 100, "{looks} looks at pieces of a hundred");
    // Those in front come and go to the end of the line, and a new flood is found all the same.
    for n in 0..MANY / 2 {
        let shopper = format!("shopper{n}").parse().unwrap();
        let visit = shop.visits_of(&shopper).await.unwrap().remove(0);
        shop.touch(&visit.token, None);
    }
    for _ in 0..500 {
        stand.guest(&shop).await;
    }
    shop.fold().await.unwrap();
    stand.step(Span::seconds(1));
    shop.clean().await.unwrap();
    let totals = shop.totals().await.unwrap();
    assert_eq!((totals.visits, totals.logged_in), (MANY + 10, MANY));
}

/// Counts looks along the line.
struct Walks {
    records: Arc<dyn Records>,
    looks: AtomicUsize,
}

#[async_trait::async_trait]
impl Records for Walks {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let looks = queries.iter().filter(|query| matches!(query, Query::Lowest { key, .. } if *key == layout::recent())).count();
        self.looks.fetch_add(looks, Ordering::SeqCst);
        self.records.read(tag, queries).await
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.records.apply(batch).await
    }
}
