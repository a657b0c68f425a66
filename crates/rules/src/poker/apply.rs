//! How events change a table. Nothing is refused here, and the same event on the same table always does the same.

use super::{BANNED_MAX, Story};
use super::{Ballot, Event, Poker, Round, Seat, Timer, Voter};
use crate::ids::UserId;
use crate::time::Millis;

pub(super) fn apply(table: &mut Poker, at: Millis, event: &Event) {
    match event {
        Event::Joined { user, proof, name, observer } => {
            let arrival = table.seats.values().map(|seat| seat.arrival).max().unwrap_or_default().saturating_add(1);
            let seat = Seat { proof: *proof, name: name.clone(), observer: *observer, arrival, vote: None };
            table.seats.insert(user.clone(), seat);
            table.admin.get_or_insert_with(|| user.clone());
        }
        Event::Renamed { user, name } => change_seat(table, user, |seat| seat.name = name.clone()),
        Event::ObserverSet { user, observer } => change_seat(table, user, |seat| {
            seat.observer = *observer;
            seat.vote = seat.vote.take().filter(|_| !observer);
        }),
        Event::Voted { user, card } => change_seat(table, user, |seat| seat.vote = Some(card.clone())),
        Event::TookBack { user } => change_seat(table, user, |seat| seat.vote = None),
        Event::Shown => turn_over(table, at),
        Event::Hidden => table.open = false,
        Event::Reset => clear(table),
        Event::DeckSet(deck) => {
            table.deck = deck.clone();
            clear(table);
        }
        Event::Updated(settings) => table.settings = settings.clone(),
        Event::TimerStarted { ends, reveals } => table.timer = Some(Timer { ends: *ends, reveals: *reveals }),
        Event::TimerStopped => table.timer = None,
        Event::HandedOver { user } => table.admin = Some(user.clone()),
        Event::Kicked { user, ban } => {
            stand_up(table, user);
            if *ban {
                ban_one(table, user);
            }
        }
        Event::Left { user } => stand_up(table, user),
        Event::Forgotten { user, .. } => {
            stand_up(table, user);
            table.history.forget(user);
        }
        Event::StoriesAdded { stories, at } => table.stories.insert(stories, *at),
        Event::StoryEdited(story) => table.stories.replace(story),
        Event::StoryMoved { story, to } => table.stories.move_to(*story, *to),
        Event::StoryRemoved { story } => {
            table.stories.remove(*story);
            table.story = table.story.filter(|picked| picked != story);
        }
        Event::StoryPicked(story) => {
            table.story = *story;
            clear(table);
        }
        Event::Deleted => {}
    }
}

fn change_seat(table: &mut Poker, user: &UserId, change: impl FnOnce(&mut Seat)) {
    if let Some(seat) = table.seats.get_mut(user) {
        change(seat);
    }
}

fn stand_up(table: &mut Poker, user: &UserId) {
    table.seats.remove(user);
    if table.admin.as_ref() == Some(user) {
        table.admin = table.in_order().first().map(|(heir, _)| (*heir).clone());
    }
}

fn ban_one(table: &mut Poker, user: &UserId) {
    table.banned.retain(|banned| banned != user);
    table.banned.push_back(user.clone());
    while table.banned.len() > BANNED_MAX {
        table.banned.pop_front();
    }
}

fn clear(table: &mut Poker) {
    table.open = false;
    table.sealed = false;
    table.timer = None;
    table.round = table.round.saturating_add(1);
    let voters: Vec<UserId> = table.seats.iter().filter(|(_, seat)| seat.vote.is_some()).map(|(user, _)| user.clone()).collect();
    for user in voters {
        change_seat(table, &user, |seat| seat.vote = None);
    }
}

/// The first time in a round that its cards are seen is when the round enters the history.
fn turn_over(table: &mut Poker, at: Millis) {
    if !table.sealed {
        remember(table, at);
    }
    table.open = true;
    table.sealed = true;
    table.timer = None;
}

fn remember(table: &mut Poker, at: Millis) {
    let ballot = |(user, seat): (&UserId, &Seat)| {
        let by = Some(Voter { id: user.clone(), name: seat.name.clone() });
        seat.vote.clone().map(|card| Ballot { by, card })
    };
    let ballots: Vec<Ballot> = table.in_order().into_iter().filter_map(ballot).collect();
    if ballots.is_empty() {
        return;
    }
    let story = table.story.and_then(|id| table.stories.find(id)).cloned();
    let titled = story.as_ref().map(|story| (story.id, story.title.clone()));
    let round = Round::new(table.round, at, table.deck.clone(), titled, ballots);
    // What all agree on needs no host to write it down.
    if let Some((story, card)) = story.zip(round.tally.agreed()) {
        table.stories.replace(&Story { estimate: Some(card.clone()), ..story });
    }
    table.history.add(round);
}
