//! `room_condition_message` of `room_condition:(room_id)`. Document 000, CreateRoom to LeaveRoom.

use crate::text::json;
use bytes::Bytes;
use parlor_rules::UserId;
use parlor_rules::poker::{Card, Deck, Poker};
use parlor_store::Field;
use serde::Serialize;

/// `vote` is additive: it holds the card's text and is the truth, `point` is the document's whole number.
pub(crate) fn condition(table: &Poker) -> (Field, Bytes) {
    let ballots = table.in_order().into_iter().map(|(user, seat)| Ballot {
        user_id: user.as_str(),
        user_name: seat.name.as_str(),
        point: seat.vote.as_ref().map_or(0, |card| point(&table.deck, card)),
        vote: seat.vote.as_ref().map(Card::as_str),
    });
    let message = Condition {
        room_id: table.id.as_str(),
        admin_user_id: table.admin.as_ref().map_or("", UserId::as_str),
        vote_state: vote_state(table.open),
        ballots: ballots.collect(),
    };
    ("room_condition_message".into(), json(&message))
}

#[derive(Serialize)]
struct Condition<'a> {
    room_id: &'a str,
    admin_user_id: &'a str,
    vote_state: u8,
    ballots: Vec<Ballot<'a>>,
}

#[derive(Serialize)]
struct Ballot<'a> {
    user_id: &'a str,
    user_name: &'a str,
    point: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    vote: Option<&'a str>,
}

/// A positive whole-number card is itself, any other is minus its place in the deck, 0 is not voted.
fn point(deck: &Deck, card: &Card) -> i64 {
    let number = card.as_str().parse::<i64>().ok().filter(|number| *number > 0 && number.to_string() == card.as_str());
    number.unwrap_or_else(|| -(deck.place(card).unwrap_or_default() as i64))
}

/// Document 000: 1 (hide), 2 (open).
pub(super) fn vote_state(open: bool) -> u8 {
    if open { 2 } else { 1 }
}
