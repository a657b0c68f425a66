//! What is popular.

use crate::stand::{Stand, item};
use parlor_layout::shop::visits as layout;
use parlor_rules::Span;
use parlor_rules::shop::popular::{COUNTS_AGAIN_AFTER, HALVE_EVERY, KEPT_MAX};
use parlor_store::{Answer, Applied, Batch, Operation, Query, Records, Score, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

async fn view(stand: &Stand, shop: &parlor_shop::Shop, name: &str, visits: usize) {
    for _ in 0..visits {
        let token = stand.guest(shop).await;
        shop.touch(&token, Some(&item(name)));
    }
    shop.fold().await.unwrap();
}

pub(crate) async fn h152_reloads_do_not_inflate(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    for _ in 0..1000 {
        shop.touch(&token, Some(&item("tea")));
    }
    shop.fold().await.unwrap();
    assert_eq!(stand.views("tea").await, Some(1.0));
    stand.step(COUNTS_AGAIN_AFTER);
    let other = stand.guest(&shop).await;
    shop.touch(&other, Some(&item("tea")));
    shop.fold().await.unwrap();
    assert_eq!(stand.views("tea").await, Some(2.0), "another visit counts");
}

/// One who goes round and round counts no more often than one who reloads.
pub(crate) async fn h152_going_in_circles_does_not_inflate(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    for round in [17, 100] {
        for n in 0..10 * round {
            shop.touch(&token, Some(&item(&format!("item{}", n % round))));
        }
    }
    shop.fold().await.unwrap();
    let mut counted = 0.0;
    for n in 0..100 {
        let views = stand.views(&format!("item{n}")).await.unwrap_or(0.0);
        assert!(views <= 1.0, "item{n} counts {views} times");
        counted += views;
    }
    assert!(counted >= 17.0, "{counted} of one visit");
}

pub(crate) async fn h152_halving_happens_once_a_period_whoever_does_it(stand: Stand) {
    let nodes = [stand.shop().await, stand.shop().await];
    nodes[0].halve().await.unwrap();
    assert_eq!(stand.whole(&stand.draw(), layout::halved()).await, None, "where nobody looks at anything nothing is written");
    view(&stand, &nodes[0], "tea", 8).await;
    view(&stand, &nodes[0], "jam", 3).await;
    nodes[0].halve().await.unwrap();
    stand.step(HALVE_EVERY);
    for _ in 0..3 {
        let (one, other) = tokio::join!(nodes[0].halve(), nodes[1].halve());
        one.unwrap();
        other.unwrap();
    }
    assert_eq!((stand.views("tea").await, stand.views("jam").await), (Some(4.0), Some(1.5)));
    nodes[1].look_at_popular().await.unwrap();
    let top = nodes[1].most_popular(10);
    assert_eq!(top.iter().map(|popular| (&*popular.item, popular.views)).collect::<Vec<_>>(), [("tea", 4.0), ("jam", 1.5)]);
    assert_eq!((nodes[1].popular().rank("tea"), nodes[1].popular().rank("jam")), (Some(0), Some(1)));
    assert_eq!(nodes[1].popular().rank("milk"), None);
}

pub(crate) async fn h152_views_that_come_while_halving_count_whole(stand: Stand) {
    let shop = stand.shop().await;
    for n in 0..40 {
        view(&stand, &shop, &format!("item{n}"), 2).await;
    }
    shop.halve().await.unwrap();
    stand.step(HALVE_EVERY);
    for n in 0..40 {
        let token = stand.guest(&shop).await;
        shop.touch(&token, Some(&item(&format!("item{n}"))));
    }
    let (halved, folded) = tokio::join!(shop.halve(), shop.fold());
    halved.unwrap();
    folded.unwrap();
    for n in 0..40 {
        let views = stand.views(&format!("item{n}")).await.unwrap();
        // 2 / 2 + 1, or (2 + 1) / 2: never less than half of what there was.
        assert!(views == 2.0 || views == 1.5, "item{n}: {views}");
    }
}

async fn fill(stand: &Stand, count: usize) {
    let all: Vec<usize> = (0..count).collect();
    let shards = if stand.records.is_scattered() { 16 } else { 1 };
    for shard in 0..shards {
        let mine = |n: &&usize| shards == 1 || layout::shard_of_name(&format!("item{n}")) == shard;
        let some: Vec<usize> = all.iter().filter(mine).copied().collect();
        for some in some.chunks(5000) {
            let set = |n: &usize| Operation::SetScore {
                key: layout::popular(),
                member: format!("item{n}").into(),
                score: Score::new(-(*n as f64) - 1.0).unwrap(),
            };
            let operations = some.iter().map(set).collect();
            stand.records.apply(Batch { tag: layout::tag(shard), operations, ..Batch::default() }).await.unwrap();
        }
    }
}

pub(crate) async fn trimming_cuts_the_unpopular_end(stand: Stand) {
    let shop = stand.shop().await;
    fill(&stand, KEPT_MAX + 700).await;
    shop.halve().await.unwrap();
    assert_eq!(stand.views("item0").await, None, "the least popular goes");
    assert!(stand.views(&format!("item{}", KEPT_MAX + 699)).await.is_some(), "the most popular stays");
    shop.look_at_popular().await.unwrap();
    assert_eq!(shop.popular().rank(&format!("item{}", KEPT_MAX + 699)), Some(0));
}

/// So many items that nobody knows, each looked at once, by as many visits as that takes; gives the last of them.
async fn junk(stand: &Stand, shop: &parlor_shop::Shop, count: usize) -> parlor_rules::SecretHash {
    let mut guest = stand.guest(shop).await;
    for n in 0..count {
        if n % 50 == 49 {
            guest = stand.guest(shop).await;
        }
        shop.touch(&guest, Some(&item(&format!("junk{n}"))));
    }
    guest
}

pub(crate) async fn h153_a_flood_of_items_stays_bounded(stand: Stand) {
    let shop = stand.shop().await;
    view(&stand, &shop, "tea", 5).await;
    let flood = junk(&stand, &shop, KEPT_MAX + 3000).await;
    shop.fold().await.unwrap();
    shop.halve().await.unwrap();
    shop.look_at_popular().await.unwrap();
    assert_eq!(shop.popular().rank("tea"), Some(0), "what people look at stays in front");
    stand.step(Span(1));
    assert!(shop.viewed(&flood).await.unwrap().len() <= 25);
}

/// Whoever looks for the end of a flood walks past all of it, each time: the longer the flood, the further.
#[tokio::test]
async fn h153_cutting_off_a_flood_walks_no_further_for_a_longer_one() {
    let mut furthest = Vec::new();
    for flood in [KEPT_MAX + 5_000, KEPT_MAX + 50_000] {
        let mut stand = crate::stand::memory().await;
        let walked = Arc::new(Walked { records: stand.records.clone(), furthest: AtomicUsize::new(0) });
        stand.records = walked.clone();
        let shop = stand.shop().await;
        let guest = junk(&stand, &shop, flood).await;
        shop.fold().await.unwrap();
        shop.halve().await.unwrap();
        let Some(parlor_store::Value::SortedSet(left)) = stand.whole(&guest, layout::popular()).await else {
            panic!("a sorted set")
        };
        assert_eq!(left.len(), KEPT_MAX);
        furthest.push(walked.furthest.load(Ordering::SeqCst));
    }
    assert!(furthest[0] > KEPT_MAX && furthest[0] == furthest[1], "{furthest:?}");
}

struct Walked {
    records: Arc<dyn Records>,
    furthest: AtomicUsize,
}

#[async_trait::async_trait]
impl Records for Walked {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        for query in &queries {
            if let Query::Lowest { skip, take, .. } = query {
                self.furthest.fetch_max(skip + take, Ordering::SeqCst);
            }
        }
        self.records.read(tag, queries).await
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.records.apply(batch).await
    }
}
