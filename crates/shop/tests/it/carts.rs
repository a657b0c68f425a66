//! Carts change by atomic steps.

use crate::stand::{Stand, change, does, item, lines, shopper};
use parlor_rules::Span;
use parlor_rules::shop::cart::{LINES_MAX, QUANTITY_MAX};
use parlor_rules::shop::{Cart, Change};
use parlor_shop::Error;
use std::sync::Arc;

pub(crate) async fn a_cart_is_set_added_to_removed_from_and_cleared(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    let script = [
        ("set tea 3", "tea=3"),
        ("add tea 2", "tea=5"),
        ("add jam 1", "jam=1 tea=5"),
        ("set jam 10", "jam=10 tea=5"),
        ("add tea -1", "jam=10 tea=4"),
        ("remove jam", "tea=4"),
        ("remove jam", "tea=4"),
        ("set tea 0", ""),
        ("add tea 1", "tea=1"),
        ("clear", ""),
        ("clear", ""),
        ("add a:b{c} 2", "a:b{c}=2"),
    ];
    for (words, expected) in script {
        does(&shop, &token, words).await;
        assert_eq!(lines(&shop, &token).await, expected, "{words}");
    }
    assert_eq!(lines(&stand.shop().await, &token).await, "a:b{c}=2", "seen from elsewhere");
}

pub(crate) async fn h149_concurrent_adds_all_count(stand: Stand) {
    let (shop, other) = (Arc::new(stand.shop().await), Arc::new(stand.shop().await));
    let token = stand.guest(&shop).await;
    let nodes = if stand.alone { [shop.clone(), shop.clone()] } else { [shop.clone(), other] };
    let mut adds = tokio::task::JoinSet::new();
    for n in 0..1000 {
        let node = nodes[n % 2].clone();
        adds.spawn(async move { node.change(&token, &Change::Add(item(["tea", "jam"][n % 2]), 1), None).await.map(drop) });
    }
    while let Some(added) = adds.join_next().await {
        added.unwrap().unwrap();
    }
    assert_eq!(lines(&shop, &token).await, "jam=500 tea=500");
}

pub(crate) async fn h149_quantities_keep_their_bounds(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    for (words, expected) in [
        (format!("add tea {}", i64::MAX), format!("tea={QUANTITY_MAX}")),
        (format!("add tea {}", i64::MIN), String::new()),
        (format!("set tea {}", i64::MAX), format!("tea={QUANTITY_MAX}")),
        (format!("set tea {}", i64::MIN), String::new()),
        ("add tea -5".to_owned(), String::new()),
        ("add tea 0".to_owned(), String::new()),
    ] {
        does(&shop, &token, &words).await;
        assert_eq!(lines(&shop, &token).await, expected, "{words}");
    }
}

pub(crate) async fn h150_a_change_sent_twice_happens_once(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    let add = change("add tea 2");
    assert!(!shop.change(&token, &add, Some("c1")).await.unwrap().again);
    let again = shop.change(&token, &add, Some("c1")).await.unwrap();
    assert!(again.again);
    assert_eq!(again.seen.cart.count(), 2);
    assert!(stand.shop().await.change(&token, &add, Some("c1")).await.unwrap().again, "at another node too");
    let next = shop.change(&token, &add, Some("c2")).await.unwrap();
    assert!(!next.again && next.seen.version > again.seen.version, "a version grows with every change");
    assert_eq!(lines(&shop, &token).await, "tea=4");
    let other = stand.guest(&shop).await;
    assert!(!shop.change(&other, &add, Some("c1")).await.unwrap().again, "ids are one cart's own");
}

pub(crate) async fn h151_a_cart_takes_no_more_lines_than_it_may(stand: Stand) {
    let shop = Arc::new(stand.shop().await);
    let token = stand.guest(&shop).await;
    let mut adds = tokio::task::JoinSet::new();
    for n in 0..LINES_MAX + 20 {
        let shop = shop.clone();
        adds.spawn(async move { shop.change(&token, &Change::Add(item(&format!("item{n}")), 1), None).await });
    }
    let mut refused = 0;
    while let Some(added) = adds.join_next().await {
        match added.unwrap() {
            Ok(_) => {}
            Err(Error::CartFull) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    let cart = shop.cart(&shop.visit(&token).await.unwrap()).await.unwrap().cart;
    assert_eq!((refused, cart.lines.len()), (20, LINES_MAX));
    let first = cart.lines.keys().next().unwrap().clone();
    assert!(shop.change(&token, &Change::Add(first, 1), None).await.is_ok(), "what is in it may still grow");
}

pub(crate) async fn a_cart_goes_by_its_class(stand: Stand) {
    let shop = stand.shop().await;
    let (guest, known) = (stand.guest(&shop).await, stand.known(&shop, "ana").await);
    for (token, life) in [(guest, Span::minutes(20)), (known, Span::minutes(2000))] {
        let began = shop.now();
        let seen = shop.change(&token, &change("add tea 1"), None).await.unwrap().seen;
        assert_eq!(seen.expires, Some(began + life));
    }
}

pub(crate) async fn an_abandoned_cart_is_told_once_and_kept_until_heard(stand: Stand) {
    let shop = stand.shop().await;
    let (guest, emptied, known) = (stand.guest(&shop).await, stand.guest(&shop).await, stand.known(&shop, "ana").await);
    for token in [&guest, &emptied, &known] {
        does(&shop, token, "add tea 2").await;
    }
    does(&shop, &emptied, "clear").await;
    assert!(shop.abandoned().await.unwrap().is_empty());
    stand.step(Span::minutes(4));
    does(&shop, &known, "add jam 1").await;
    stand.step(Span::minutes(1));
    let told = shop.abandoned().await.unwrap();
    assert_eq!(told.iter().map(|told| (told.token.hex(), told.what.cart.count())).collect::<Vec<_>>(), [(guest.hex(), 2)]);
    assert_eq!(stand.shop().await.abandoned().await.unwrap().len(), 1, "until somebody has heard of it");
    shop.heard_of_abandoned(&told[0]).await.unwrap();
    assert!(shop.abandoned().await.unwrap().is_empty(), "once");
    stand.step(Span::minutes(5));
    let told = shop.abandoned().await.unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].what.shopper, Some(shopper("ana")));
    shop.heard_of_abandoned(&told[0]).await.unwrap();
    does(&shop, &known, "add jam 1").await;
    stand.step(Span::minutes(5));
    assert_eq!(shop.abandoned().await.unwrap().len(), 1, "a cart that came back may be abandoned again");
}

/// Many tabs on two nodes, each with changes of its own items: the cart is what each tab's own history leaves.
pub(crate) async fn random_changes_of_many_tabs_lose_nothing(stand: Stand) {
    let seed = std::env::var("SHOP_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| stand.draw().part_of(256) as u64 + 1);
    println!("SHOP_SEED={seed}");
    let (shop, other) = (Arc::new(stand.shop().await), Arc::new(stand.shop().await));
    let nodes = if stand.alone { [shop.clone(), shop.clone()] } else { [shop.clone(), other] };
    let token = stand.guest(&shop).await;
    let mut tabs = tokio::task::JoinSet::new();
    for tab in 0..8u64 {
        let node = nodes[tab as usize % 2].clone();
        let hand = stand.hand();
        tabs.spawn(async move {
            let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9).wrapping_add(tab));
            let mut expected = Cart::default();
            for n in 0..60 {
                hand.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let name = item(&format!("tab{tab}item{}", dice.below(3)));
                let change = match dice.below(4) {
                    0 => Change::Set(name, dice.below(9) as i64 - 2),
                    1 => Change::Remove(name),
                    _ => Change::Add(name, dice.below(9) as i64 - 3),
                };
                // Now and then the answer is lost and the same is sent again.
                for _ in 0..=dice.below(3) / 2 {
                    node.change(&token, &change, Some(&format!("{tab}-{n}"))).await.unwrap();
                }
                expected = expected.changed(&change).unwrap();
            }
            expected
        });
    }
    let mut expected = Cart::default();
    while let Some(tab) = tabs.join_next().await {
        expected.lines.extend(tab.unwrap().lines);
    }
    let cart = shop.cart(&shop.visit(&token).await.unwrap()).await.unwrap().cart;
    assert_eq!(cart, expected, "seed {seed}");
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

pub(crate) async fn one_node_tells_of_abandoned_carts(stand: Stand) {
    let nodes = [stand.shop().await, stand.shop().await];
    let first = (nodes[0].is_teller(1).await.unwrap(), nodes[1].is_teller(2).await.unwrap());
    // Where nobody else uses the store there is nobody to ask.
    assert_eq!(first, (true, stand.alone));
    assert!(nodes[0].is_teller(1).await.unwrap(), "it goes on");
}
