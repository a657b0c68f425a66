//! Poker at rest, in the keys of document 000: the stream `room_condition:(room_id)`, whose messages hold
//! the room condition, and additive keys for what the condition has no place for.
//!
//! A vote writes its seat and nothing else: stories and history rest apart, one field a story and one a round.

pub(crate) mod condition;
pub(crate) mod events;
pub(crate) mod rounds;
pub(crate) mod seats;
pub(crate) mod settings;
pub(crate) mod stories;

use crate::damage::{Damaged, damaged};
use bytes::Bytes;
pub(crate) use condition::condition;
use parlor_rules::poker::{Event, History, Poker, StoryId};
use parlor_rules::{Kept, Receipts, RoomId, State, UserId};
use parlor_store::{Field, Key, RoomKey, Value};
use std::collections::BTreeMap;

/// Names one of a table's records.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ref {
    Settings,
    Seat(UserId),
    /// In which order the stories are.
    Order,
    Story(StoryId),
    Round(u64),
}

pub(crate) fn room_key(id: &RoomId) -> RoomKey {
    let keys = [settings_key(id), seats_key(id), stories_key(id), history_key(id), clients_key(id)];
    let records = keys.into_iter().map(Key::from).collect();
    RoomKey { tag: id.as_str().into(), spine: format!("room_condition:{id}").into(), records, below: None }
}

pub(crate) fn settings_key(id: &RoomId) -> String {
    ["room_settings:", id.as_str()].concat()
}

pub(crate) fn seats_key(id: &RoomId) -> String {
    ["room_seats:", id.as_str()].concat()
}

pub(crate) fn stories_key(id: &RoomId) -> String {
    ["room_stories:", id.as_str()].concat()
}

pub(crate) fn history_key(id: &RoomId) -> String {
    ["room_history:", id.as_str()].concat()
}

pub(crate) fn clients_key(id: &RoomId) -> String {
    ["room_clients:", id.as_str()].concat()
}

pub(crate) fn place(id: &RoomId, name: &Ref) -> (Key, Option<Field>) {
    match name {
        Ref::Settings => (settings_key(id).into(), None),
        Ref::Seat(user) => (seats_key(id).into(), Some(user.as_str().into())),
        Ref::Order => (stories_key(id).into(), Some(stories::ORDER.into())),
        Ref::Story(story) => (stories_key(id).into(), Some(story.to_string().into())),
        Ref::Round(number) => (history_key(id).into(), Some(number.to_string().into())),
    }
}

pub(crate) fn every_ref(table: &Poker) -> Vec<Ref> {
    let mut all = vec![Ref::Settings];
    all.extend(table.seats.keys().cloned().map(Ref::Seat));
    all.extend((table.stories.made > 0).then_some(Ref::Order));
    all.extend(table.stories.list.iter().map(|story| Ref::Story(story.id)));
    all.extend(table.history.0.iter().map(|round| Ref::Round(round.number)));
    all
}

pub(crate) fn touched(before: &Poker, after: &Poker, event: &Event) -> Vec<Ref> {
    let seat = |user: &UserId| vec![Ref::Seat(user.clone())];
    // Coming and going is told by the seats alone, unless it changes who is admin.
    let admin = || (before.admin != after.admin).then_some(Ref::Settings);
    match event {
        Event::Joined { user, .. } | Event::Left { user } | Event::Kicked { user, ban: false } => {
            seat(user).into_iter().chain(admin()).collect()
        }
        Event::Kicked { user, ban: true } => vec![Ref::Settings, Ref::Seat(user.clone())],
        Event::Forgotten { user, .. } => {
            let rounds = rewritten(&before.history, &after.history);
            seat(user).into_iter().chain(admin()).chain(rounds).collect()
        }
        Event::Renamed { user, .. } | Event::ObserverSet { user, .. } | Event::Voted { user, .. } | Event::TookBack { user } => {
            seat(user)
        }
        Event::Shown => {
            let picked = after.story.filter(|story| before.stories.find(*story) != after.stories.find(*story));
            let rounds = rewritten(&before.history, &after.history);
            std::iter::once(Ref::Settings).chain(picked.map(Ref::Story)).chain(rounds).collect()
        }
        Event::Hidden
        | Event::Updated(_)
        | Event::TimerStarted { .. }
        | Event::TimerStopped
        | Event::HandedOver { .. }
        | Event::Reset
        | Event::DeckSet(_)
        | Event::StoryPicked(_) => vec![Ref::Settings],
        Event::StoriesAdded { stories, .. } => {
            std::iter::once(Ref::Order).chain(stories.iter().map(|story| Ref::Story(story.id))).collect()
        }
        Event::StoryEdited(story) => vec![Ref::Story(story.id)],
        Event::StoryMoved { .. } => vec![Ref::Order],
        Event::StoryRemoved { story } => {
            let picked = (before.story != after.story).then_some(Ref::Settings);
            [Ref::Order, Ref::Story(*story)].into_iter().chain(picked).collect()
        }
        Event::Deleted => vec![],
    }
}

/// The seats that lose their vote because a new round begins, of which the settings tell.
pub(crate) fn lapsed(before: &Poker, after: &Poker) -> Vec<Ref> {
    if before.round == after.round {
        return vec![];
    }
    let voters = before.seats.iter().filter(|(_, seat)| seat.vote.is_some());
    voters.map(|(user, _)| Ref::Seat(user.clone())).collect()
}

/// Rounds that came, changed or made way.
fn rewritten(before: &History, after: &History) -> Vec<Ref> {
    let gone = before.0.iter().filter(|round| after.find(round.number).is_none());
    let new = after.0.iter().filter(|round| before.find(round.number) != Some(round));
    gone.chain(new).map(|round| Ref::Round(round.number)).collect()
}

pub(crate) fn record(table: &Poker, kept: &Kept, name: &Ref) -> Option<Bytes> {
    match name {
        Ref::Settings => Some(settings::record(table, kept)),
        Ref::Seat(user) => table.seats.get(user).map(seats::record),
        Ref::Order => (table.stories.made > 0).then(|| stories::order(&table.stories)),
        Ref::Story(story) => table.stories.find(*story).map(stories::record),
        Ref::Round(number) => table.history.find(*number).map(rounds::record),
    }
}

/// The room's end is not woken here: it is the deadline the store keeps for all of the room's keys.
pub(crate) fn wake(id: &RoomId, records: &BTreeMap<&str, &Value>) -> Result<Kept, Damaged> {
    let (mut table, created) = settings::wake(id, &settings_key(id), records)?;
    table.seats = seats::wake(&seats_key(id), records)?.into_iter().collect();
    table.stories = stories::wake(&stories_key(id), records)?;
    table.history = rounds::wake(&history_key(id), records)?;
    sound(&table)?;
    Ok(Kept { state: State::Poker(table), receipts: Receipts::default(), created, expires: None })
}

/// The keys belong together: a store that lost or mixed up one of them must not wake as another table.
fn sound(table: &Poker) -> Result<(), Damaged> {
    let what = seats_key(&table.id);
    if table.admin.as_ref().is_some_and(|admin| !table.seats.contains_key(admin)) {
        return Err(damaged(&what, "the admin has no seat"));
    }
    if table.admin.is_none() && !table.seats.is_empty() {
        return Err(damaged(&what, "there are seats and no admin"));
    }
    let mut arrivals: Vec<u64> = table.seats.values().map(|seat| seat.arrival).collect();
    arrivals.sort_unstable();
    if arrivals.windows(2).any(|two| two[0] == two[1]) {
        return Err(damaged(&what, "two seats have the same arrival"));
    }
    if table.seats.values().any(|seat| seat.vote.as_ref().is_some_and(|card| !table.deck.holds(card))) {
        return Err(damaged(&what, "a vote is not in the deck"));
    }
    if table.story.is_some_and(|story| table.stories.find(story).is_none()) {
        return Err(damaged(&stories_key(&table.id), "the story to estimate is not in the list"));
    }
    Ok(())
}
