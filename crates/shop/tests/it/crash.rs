//! On a store of one process notes wait in groups: what a crash leaves is found again.

use crate::stand::{Stand, does, embedded, item, lines, memory};
use parlor_layout::shop::visits as layout;
use parlor_rules::Span;
use parlor_rules::shop::Merge;
use parlor_shop::Error;
use parlor_store::{Batch, Operation};
use std::time::Duration;
use tokio::sync::watch;

/// Lets the shop's own loops run for a moment of real time, and kills them without a farewell.
async fn runs_and_dies(stand: &Stand, during: impl AsyncFnOnce(&parlor_shop::Shop)) {
    let shop = std::sync::Arc::new(stand.shop().await);
    let (_go, going) = watch::channel(false);
    let running = {
        let shop = shop.clone();
        tokio::spawn(async move { shop.run(going).await })
    };
    during(&shop).await;
    // Longer than the window in which notes may be lost.
    tokio::time::sleep(Duration::from_millis(400)).await;
    running.abort();
}

async fn notes_survive(stand: Stand) {
    let (token, ended, guest) = (stand.draw(), stand.draw(), stand.draw());
    let mut new = None;
    runs_and_dies(&stand, async |shop| {
        for token in [token, ended, guest] {
            shop.begin_soon(token);
            shop.touch(&token, Some(&item("tea")));
            shop.touch(&token, Some(&item("jam")));
        }
        // Written down, then over: they must not come back.
        tokio::time::sleep(Duration::from_millis(200)).await;
        shop.end(&ended).await.unwrap();
        does(shop, &guest, "add tea 1").await;
        new = Some(stand.login(shop, &guest, "ana", Merge::Sum).await.unwrap().visit.token);
    })
    .await;
    let shop = stand.shop().await;
    let viewed: Vec<String> = shop.viewed(&token).await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(viewed, ["jam", "tea"]);
    assert_eq!(stand.views("tea").await, Some(3.0), "each view counts once");
    assert!(matches!(shop.visit(&ended).await, Err(Error::NoVisit)), "what has ended stays over");
    assert!(matches!(shop.visit(&guest).await, Err(Error::NoVisit)), "an old token stays closed");
    assert_eq!(lines(&shop, &new.unwrap()).await, "tea=1");
    // And once more, with nothing new: nothing counts again.
    drop(shop);
    stand.step(Span(1));
    let shop = stand.shop().await;
    assert_eq!(stand.views("tea").await, Some(3.0));
    assert!(matches!(shop.visit(&ended).await, Err(Error::NoVisit)));
}

/// An end that is refused takes nobody else's notes with it.
#[tokio::test]
async fn notes_survive_a_crash_after_an_end_that_was_refused() {
    let stand = embedded().await;
    let (token, gone) = (stand.draw(), stand.draw());
    runs_and_dies(&stand, async |shop| {
        shop.begin(gone).await.unwrap();
        // Another hand has taken it away.
        let operations = vec![Operation::DropMember { key: layout::recent(), member: layout::field(&gone) }];
        stand.records.apply(Batch { operations, ..Batch::default() }).await.unwrap();
        shop.begin_soon(token);
        shop.touch(&token, Some(&item("tea")));
        assert!(matches!(shop.end(&gone).await, Err(Error::NoVisit)));
    })
    .await;
    let viewed = stand.shop().await.viewed(&token).await.unwrap();
    assert_eq!(viewed, [item("tea")]);
}

#[tokio::test]
async fn notes_in_groups_survive_a_crash_in_memory() {
    notes_survive(memory().await).await;
}

#[tokio::test]
async fn notes_in_groups_survive_a_crash_on_disk() {
    notes_survive(embedded().await).await;
}
