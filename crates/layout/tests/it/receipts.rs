//! Receipts at their bound: those that a commit pushes out are gone from the records too.

use parlor_layout::room::every_ref;
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, step, wake};
use parlor_rules::poker::{Deck, Poker};
use parlor_rules::receipts::{Holder, RECEIPT_LIFE, RECEIPTS_MAX};
use parlor_rules::{Address, Commit, Done, Kept, Millis, Receipt, SecretHash, Span, State, Ticket};
use proptest::prelude::*;

fn holder(number: usize) -> Holder {
    Holder { user: None, client: format!("c{number}").parse().unwrap() }
}

/// `outlived` receipts that may go and `fresh` ones that may not; then one commit of these clients' acts.
fn check(outlived: usize, fresh: usize, clients: &[usize]) -> Result<(), TestCaseError> {
    let address: Address = "poker/12345".parse().unwrap();
    let table = Poker::new(address.id.clone(), SecretHash::of(b"host key"), Deck::default());
    let old = Millis(1_000_000);
    let now = old + RECEIPT_LIFE + Span(1);
    let mut before = Kept::new(State::Poker(table), old);
    for number in 0..outlived + fresh {
        let at = if number < outlived { old } else { now };
        before.receipts.insert(holder(number), Receipt { number: 1, seq: 1, at });
    }
    let mut shelf = Shelf::default();
    shelf.lay(&creation(&address, &before, &Commit { at: old, renews: true, done: vec![] }).writes);

    let mut commit = Commit { at: now, renews: true, done: vec![] };
    let mut after = before.clone();
    for (client, number) in clients.iter().zip(2..) {
        let ticket = Ticket { holder: holder(*client), number };
        if after.receipts.has_room_for(&ticket, now, |user| after.state.sits(user)) {
            let done = Done { by: None, ticket: Some(ticket), events: vec![] };
            after.apply(2, &Commit { at: now, renews: true, done: vec![done.clone()] });
            commit.done.push(done);
        }
    }
    shelf.lay(&step(&address, 2, &before, &after, &commit).writes);

    let mut whole = Shelf::default();
    whole.lay(&creation(&address, &after, &commit).writes);
    let held = |shelf: &Shelf| {
        shelf.0.values().map(|value| if let parlor_store::Value::Hash(fields) = value { fields.len() } else { 1 }).sum::<usize>()
    };
    prop_assert_eq!(held(&shelf), every_ref(&after).len());
    prop_assert!(shelf == whole);
    let woken = wake(&address, &shelf.records()).unwrap();
    prop_assert!(woken.receipts == after.receipts);
    prop_assert!(after.receipts.iter().count() <= RECEIPTS_MAX);
    Ok(())
}

#[test]
fn a_ticket_displaces_although_the_record_was_not_full_before_its_commit() {
    check(RECEIPTS_MAX - 1, 0, &[10_000, 10_001]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_tickets_push_out_is_pushed_out_of_the_records(
        free in 0usize..4,
        fresh in 0usize..RECEIPTS_MAX - 4,
        clients in prop::collection::vec(prop_oneof![0usize..RECEIPTS_MAX, 10_000usize..10_006], 0..8),
    ) {
        check(RECEIPTS_MAX - free - fresh, fresh, &clients)?;
    }
}
