//! Visits begin, are used, and end.

use crate::stand::{Stand, TERMS, does, item};
use parlor_layout::shop::visits as layout;
use parlor_rules::shop::visit::VISITS_PER_SHOPPER_MAX;
use parlor_rules::{Millis, SecretHash, Span};
use parlor_shop::Error;
use parlor_store::{Batch, Operation, Query};

pub(crate) async fn a_visit_begins_is_used_and_ends(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    let began = shop.visit(&token).await.unwrap();
    assert!(began.shopper.is_none() && began.since == began.last_used);
    stand.step(Span::seconds(7));
    assert!(shop.touch(&token, Some(&item("tea"))));
    shop.fold().await.unwrap();
    assert_eq!(stand.score(&token, layout::recent()).await, Some(layout::seconds(began.since + Span::seconds(7))));
    // Another node, or the same after a restart, sees it as it is.
    let other = stand.shop().await;
    let seen = other.visit(&token).await.unwrap();
    assert_eq!((seen.since, seen.last_used), (began.since, began.since + Span::seconds(7)));
    shop.end(&token).await.unwrap();
    assert!(matches!(shop.visit(&token).await, Err(Error::NoVisit)));
    assert!(matches!(shop.end(&token).await, Err(Error::NoVisit)));
    assert!(matches!(stand.shop().await.visit(&token).await, Err(Error::NoVisit)));
    assert!(matches!(shop.visit(&SecretHash::of(b"nobody's")).await, Err(Error::NoVisit)));
}

pub(crate) async fn h139_no_token_is_kept_in_clear(stand: Stand) {
    let shop = stand.shop().await;
    let secret = "the token that the visitor holds";
    let token = SecretHash::of(secret.as_bytes());
    shop.begin(token).await.unwrap();
    does(&shop, &token, "add tea 1").await;
    let keys = [layout::recent(), layout::born(), layout::cart(&token), layout::carts()];
    for key in keys {
        let kept = stand.whole(&token, key.clone()).await.map(|value| format!("{key} {value:?}"));
        assert!(kept.as_ref().is_some_and(|kept| !kept.contains(secret)), "{kept:?}");
    }
}

pub(crate) async fn h145_a_visit_ends_by_idleness_and_by_age(stand: Stand) {
    let shop = stand.shop().await;
    let (guest, known) = (stand.guest(&shop).await, stand.known(&shop, "ana").await);
    stand.step(Span::minutes(9));
    assert!(shop.visit(&guest).await.is_ok());
    stand.step(Span::minutes(1));
    assert!(matches!(shop.visit(&guest).await, Err(Error::NoVisit)), "a guest's idle time is over, cleaned up or not");
    assert!(matches!(shop.change(&guest, &crate::stand::change("add tea 1"), None).await, Err(Error::NoVisit)));
    for _ in 0..11 {
        shop.touch(&known, None);
        stand.step(Span::minutes(53));
        assert!(shop.visit(&known).await.is_ok());
    }
    shop.touch(&known, None);
    stand.step(Span::minutes(8));
    assert!(matches!(shop.visit(&known).await, Err(Error::NoVisit)), "however much it is used");
}

pub(crate) async fn h146_what_is_noted_of_a_visit_that_has_ended_stays_gone(stand: Stand) {
    let (shop, other) = (stand.shop().await, stand.shop().await);
    for round in 0..20 {
        let token = stand.guest(&shop).await;
        shop.touch(&token, Some(&item("tea")));
        if stand.alone {
            // One process: the end and the notes may come in any order.
            let (ended, folded) = tokio::join!(shop.end(&token), shop.fold());
            assert!(ended.is_ok() && folded.is_ok());
        } else {
            other.end(&token).await.unwrap();
            shop.fold().await.unwrap();
        }
        shop.fold().await.unwrap();
        for key in [layout::recent(), layout::born()] {
            assert_eq!(stand.score(&token, key).await, None, "round {round}");
        }
        assert!(!shop.touch(&token, None) || !stand.alone, "round {round}");
    }
}

/// The clock is the store's, the same at every node; what was written by one that ran ahead is not believed for ever.
pub(crate) async fn h147_a_clock_that_was_ahead_makes_nobody_immortal(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    let began = shop.visit(&token).await.unwrap().since;
    let ahead = layout::seconds(Millis(began.0 + Span::minutes(60 * 24 * 365).0));
    let key = layout::recent();
    let set = Operation::SetScore { key, member: layout::field(&token), score: ahead };
    let tag = layout::tag(layout::shard_of_token(&token));
    stand.records.apply(Batch { tag, operations: vec![set], ..Batch::default() }).await.unwrap();
    let other = stand.shop().await;
    assert!(other.visit(&token).await.is_ok());
    stand.step(TERMS.lifetimes.longest);
    assert!(matches!(other.visit(&token).await, Err(Error::NoVisit)), "its age is counted from its birth");
}

pub(crate) async fn viewed_keeps_the_newest_25_once_each(stand: Stand) {
    let shop = stand.shop().await;
    let token = stand.guest(&shop).await;
    let names: Vec<String> = (0..30).map(|n| format!("item{n}")).collect();
    for (n, name) in names.iter().enumerate() {
        shop.touch(&token, Some(&item(name)));
        if n % 7 == 0 {
            shop.fold().await.unwrap();
        }
    }
    shop.touch(&token, Some(&item("item10")));
    let viewed: Vec<String> = shop.viewed(&token).await.unwrap().iter().map(ToString::to_string).collect();
    let mut expected: Vec<String> = names.iter().rev().filter(|name| **name != "item10").take(24).cloned().collect();
    expected.insert(0, "item10".to_owned());
    assert_eq!(viewed, expected);
    let other = stand.shop().await;
    assert_eq!(other.viewed(&token).await.unwrap().len(), 25);
}

pub(crate) async fn a_shoppers_visits_are_listed_and_ended(stand: Stand) {
    let shop = stand.shop().await;
    let (phone, desk) = (stand.known(&shop, "ana").await, stand.known(&shop, "ana").await);
    let stranger = stand.known(&shop, "bo").await;
    let ana = crate::stand::shopper("ana");
    let mut listed: Vec<String> = shop.visits_of(&ana).await.unwrap().iter().map(|visit| visit.token.hex()).collect();
    let mut expected = [phone.hex(), desk.hex()];
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
    assert_eq!(shop.end_visits_of(&ana, |visit| visit.token == phone).await.unwrap(), 1);
    assert!(matches!(shop.visit(&phone).await, Err(Error::NoVisit)));
    assert!(shop.visit(&desk).await.is_ok() && shop.visit(&stranger).await.is_ok());
    assert_eq!(shop.end_visits_of(&ana, |_| true).await.unwrap(), 1);
    assert!(shop.visits_of(&ana).await.unwrap().is_empty());
    let tag = layout::tag(layout::shard_of_token(&phone));
    let login = stand.records.read(&tag, vec![Query::Field(layout::login(), layout::field(&phone))]).await.unwrap();
    assert_eq!(login, [parlor_store::Answer::Absent]);
}

pub(crate) async fn a_shopper_has_at_most_so_many_visits(stand: Stand) {
    let shop = stand.shop().await;
    let mut tokens = Vec::new();
    for _ in 0..VISITS_PER_SHOPPER_MAX + 2 {
        tokens.push(stand.known(&shop, "ana").await);
        stand.step(Span(5));
    }
    for (n, token) in tokens.iter().enumerate() {
        assert_eq!(shop.visit(token).await.is_ok(), n >= 2, "visit {n}");
    }
}
