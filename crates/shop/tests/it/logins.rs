//! A guest turns out to be a shopper.

use crate::stand::{Stand, change, does, item, lines, shopper};
use parlor_layout::shop::visits as layout;
use parlor_rules::shop::Merge;
use parlor_shop::Error;
use parlor_store::{Batch, Operation, Value};
use std::sync::Arc;

pub(crate) async fn each_strategy_merges_once(stand: Stand) {
    let shop = stand.shop().await;
    let cases = [
        (Merge::Sum, "jam=3 milk=1 tea=7"),
        (Merge::Max, "jam=3 milk=1 tea=5"),
        (Merge::GuestWins, "jam=3 milk=1 tea=2"),
        (Merge::UserWins, "jam=3 milk=1 tea=5"),
        (Merge::GuestIfEmpty, "jam=3 tea=5"),
    ];
    for (merge, expected) in cases {
        let name = merge.to_string();
        let before = stand.known(&shop, &name).await;
        does(&shop, &before, "add tea 5").await;
        does(&shop, &before, "add jam 3").await;
        shop.end(&before).await.unwrap();
        let guest = stand.guest(&shop).await;
        does(&shop, &guest, "add tea 2").await;
        does(&shop, &guest, "add milk 1").await;
        shop.touch(&guest, Some(&item("milk")));
        let logged_in = stand.login(&shop, &guest, &name, merge).await.unwrap();
        let token = logged_in.visit.token;
        assert_eq!(lines(&shop, &token).await, expected, "{name}");
        assert_eq!(shop.viewed(&token).await.unwrap(), [item("milk")], "what was viewed comes along");
        assert_eq!(stand.whole(&guest, layout::cart(&guest)).await, None, "nothing is left under the old token");
        assert_eq!(stand.whole(&guest, layout::viewed(&guest)).await, None);
    }
}

pub(crate) async fn h150_a_login_sent_again_merges_once(stand: Stand) {
    let shop = stand.shop().await;
    let guest = stand.guest(&shop).await;
    does(&shop, &guest, "add tea 2").await;
    let first = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    // The answer was lost: the origin asks again, with the token that the browser still has.
    let second = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(lines(&shop, &second).await, "tea=2");
    assert_eq!(lines(&shop, &first).await, "tea=2");
    let third = stand.login(&stand.shop().await, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(lines(&shop, &third).await, "tea=2");
}

/// The first step happened, the second did not: nothing is lost, and the same login goes on.
/// A guest's change whose answer was lost is sent again after the login, with the new token.
pub(crate) async fn h150_a_guests_change_sent_again_after_the_login_happens_once(stand: Stand) {
    let shop = stand.shop().await;
    let guest = stand.guest(&shop).await;
    shop.change(&guest, &change("add tea 2"), Some("c1")).await.unwrap();
    let token = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert!(shop.change(&token, &change("add tea 2"), Some("c1")).await.unwrap().again);
    assert_eq!(lines(&shop, &token).await, "tea=2");
    assert!(shop.has_left(&guest).await.unwrap() && !shop.has_left(&token).await.unwrap());
}

pub(crate) async fn h150_a_login_cut_off_in_the_middle_goes_on(stand: Stand) {
    let shop = stand.shop().await;
    let guest = stand.guest(&shop).await;
    does(&shop, &guest, "add tea 2").await;
    let field = layout::field(&guest);
    let operations = vec![
        Operation::DropMember { key: layout::recent(), member: field.clone() },
        Operation::DropMember { key: layout::born(), member: field },
        Operation::Put { key: layout::left(&guest), value: layout::left_record(layout::Left::Guest), deadline: None },
    ];
    let tag = layout::tag(layout::shard_of_token(&guest));
    stand.records.apply(Batch { tag, operations, ..Batch::default() }).await.unwrap();
    let after = stand.shop().await;
    assert!(matches!(after.visit(&guest).await, Err(Error::NoVisit)));
    let token = stand.login(&after, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(lines(&after, &token).await, "tea=2");
}

pub(crate) async fn two_devices_share_one_cart(stand: Stand) {
    let shop = stand.shop().await;
    let phone = stand.known(&shop, "ana").await;
    does(&shop, &phone, "add tea 1").await;
    let desk = stand.known(&shop, "ana").await;
    assert_eq!(lines(&shop, &desk).await, "tea=1");
    does(&shop, &desk, "add jam 1").await;
    assert_eq!(lines(&shop, &phone).await, "jam=1 tea=1");
    shop.end(&phone).await.unwrap();
    does(&shop, &desk, "add tea 1").await;
    assert_eq!(lines(&shop, &desk).await, "jam=1 tea=2", "the cart outlives the visit it began with");
    shop.end(&desk).await.unwrap();
    let later = stand.known(&shop, "ana").await;
    assert_eq!(lines(&shop, &later).await, "jam=1 tea=2");
    // As the document says: under the token of a session, here the shopper's first.
    let Some(Value::Hash(fields)) = stand.whole(&phone, layout::cart(&phone)).await else { panic!("no cart") };
    assert_eq!(fields.len(), 2);
}

pub(crate) async fn what_was_viewed_comes_together(stand: Stand) {
    let shop = stand.shop().await;
    let viewed = async |token| {
        let items = shop.viewed(token).await.unwrap();
        items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let phone = stand.known(&shop, "ana").await;
    for name in ["tea", "jam"] {
        shop.touch(&phone, Some(&item(name)));
    }
    let guest = stand.guest(&shop).await;
    for name in ["mug", "tea"] {
        shop.touch(&guest, Some(&item(name)));
    }
    let desk = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(viewed(&desk).await, "tea mug jam", "just now first, then before, each once");
    assert_eq!(viewed(&phone).await, "jam tea");
    // The answer was lost and the login comes again.
    stand.step(parlor_rules::Span::seconds(1));
    let again = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(viewed(&again).await, "tea mug jam");
}

pub(crate) async fn the_token_changes_and_the_old_one_opens_nothing(stand: Stand) {
    let shop = stand.shop().await;
    let guest = stand.guest(&shop).await;
    does(&shop, &guest, "add tea 1").await;
    let first = stand.login(&shop, &guest, "ana", Merge::Sum).await.unwrap().visit;
    assert_eq!(first.shopper, Some(shopper("ana")));
    assert!(matches!(shop.visit(&guest).await, Err(Error::NoVisit)));
    assert!(matches!(shop.change(&guest, &change("add tea 1"), None).await, Err(Error::NoVisit)));
    // Logging in again while logged in changes it once more.
    let second = stand.login(&shop, &first.token, "ana", Merge::Sum).await.unwrap().visit;
    assert!(matches!(shop.visit(&first.token).await, Err(Error::NoVisit)));
    assert_eq!(lines(&shop, &second.token).await, "tea=1");
    assert_eq!(shop.visits_of(&shopper("ana")).await.unwrap().len(), 1);
}

pub(crate) async fn a_cart_changed_during_a_login_is_lost_nowhere(stand: Stand) {
    let shop = Arc::new(stand.shop().await);
    for round in 0..10 {
        let name = format!("ana{round}");
        let desk = stand.known(&shop, &name).await;
        let guest = stand.guest(&shop).await;
        let new = stand.draw_for(&shop, &name);
        let (adding, tabs) = (shop.clone(), shop.clone());
        let theirs = tokio::spawn(async move {
            for _ in 0..10 {
                adding.change(&desk, &change("add tea 1"), None).await.unwrap();
            }
        });
        let guests = tokio::spawn(async move {
            let mut kept = 0;
            while kept < 30 && tabs.change(&guest, &change("add jam 1"), None).await.is_ok() {
                kept += 1;
            }
            kept
        });
        tokio::task::yield_now().await;
        shop.login(&guest, new, &shopper(&name), Merge::Sum).await.unwrap();
        theirs.await.unwrap();
        let kept = guests.await.unwrap();
        let expected = if kept == 0 { "tea=10".to_owned() } else { format!("jam={kept} tea=10") };
        assert_eq!(lines(&shop, &new).await, expected, "what was acknowledged is there, round {round}");
    }
}

pub(crate) async fn logging_in_as_somebody_else_takes_no_cart_along(stand: Stand) {
    let shop = stand.shop().await;
    let ana = stand.known(&shop, "ana").await;
    does(&shop, &ana, "add tea 1").await;
    // The same browser, another person.
    let bo = stand.login(&shop, &ana, "bo", Merge::Sum).await.unwrap().visit.token;
    assert_eq!(lines(&shop, &bo).await, "");
    let later = stand.known(&shop, "ana").await;
    assert_eq!(lines(&shop, &later).await, "tea=1");
}
