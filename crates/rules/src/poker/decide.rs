//! Poker's rulebook: who may do what, when, and what comes of it. Guards stand in the order they are read.

use super::apply::apply;
use super::command::StoryEdit;
use super::stories::STORIES_MAX;
use super::{Command, Event, NewStory, Poker, Refusal, RevealBy, SEATS_MAX, Story, TIMER_SECONDS_MAX};
use crate::identity::Viewer;
use crate::ids::UserId;
use crate::names::Name;
use crate::room::Act;
use crate::time::{Millis, Span};

/// What the act itself does, and the show that follows from it when the cards open by themselves.
pub(super) fn decide(table: &Poker, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    Ok(with_show(table, act.at, alone(table, act)?))
}

/// Nobody has heard of them for long: the others need not wait for their card. The same as if they had left.
pub(super) fn away_too_long(table: &Poker, user: &UserId, at: Millis) -> Vec<Event> {
    let left = table.seats.contains_key(user).then(|| Event::Left { user: user.clone() });
    with_show(table, at, left.into_iter().collect())
}

fn with_show(table: &Poker, at: Millis, mut events: Vec<Event>) -> Vec<Event> {
    if completes(table, at, &events) {
        events.push(Event::Shown);
    }
    events
}

fn completes(table: &Poker, at: Millis, events: &[Event]) -> bool {
    let watched = table.settings.auto_reveal || events.iter().any(|event| matches!(event, Event::Updated(_)));
    if !watched || events.is_empty() {
        return false;
    }
    let mut after = table.clone();
    events.iter().for_each(|event| apply(&mut after, at, event));
    after.is_complete()
}

fn alone(table: &Poker, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    let Act { by, command, at, dice: _ } = act;
    let me = || by.user.clone().ok_or(Refusal::NotSeated);
    let seat = table.seat_of(by);
    Ok(match command {
        Command::Join { name, observer } => join(table, by, name.as_ref(), *observer)?,

        Command::Vote(_) | Command::TakeBack | Command::Leave if seat.is_none() => return Err(Refusal::NotSeated),
        Command::Vote(_) | Command::TakeBack if seat.is_some_and(|seat| seat.observer) => return Err(Refusal::Observing),
        Command::Vote(_) | Command::TakeBack if table.open => return Err(Refusal::AlreadyShown),
        Command::Vote(_) | Command::TakeBack if table.sealed => return Err(Refusal::Sealed),
        Command::Vote(card) if !table.deck.holds(card) => return Err(Refusal::NotInDeck),
        Command::Vote(card) if seat.is_some_and(|seat| seat.vote.as_ref() == Some(card)) => vec![],
        Command::Vote(card) => vec![Event::Voted { user: me()?, card: card.clone() }],
        Command::TakeBack if seat.is_some_and(|seat| seat.vote.is_none()) => vec![],
        Command::TakeBack => vec![Event::TookBack { user: me()? }],
        Command::Leave => vec![Event::Left { user: me()? }],
        Command::SetObserver { observer, user } => set_observer(table, by, user.as_ref(), *observer)?,
        Command::Forget(user) => forget(table, by, user.as_ref())?,

        Command::Show | Command::Hide | Command::Reset if !table.may_reveal(by) => {
            return Err(match table.settings.reveal_by {
                RevealBy::Host => Refusal::HostOnly,
                RevealBy::Everyone => Refusal::NotSeated,
            });
        }
        Command::Show if table.open => vec![], // What is done already is accepted and changes nothing.
        Command::Show => vec![Event::Shown],
        Command::Hide if !table.open => vec![],
        Command::Hide => vec![Event::Hidden],
        Command::Reset => vec![Event::Reset],

        Command::SetDeck(_)
        | Command::Update(_)
        | Command::StartTimer { .. }
        | Command::StopTimer
        | Command::HandOver(_)
        | Command::Kick { .. }
        | Command::Delete
        | Command::AddStories { .. }
        | Command::EditStory(_)
        | Command::MoveStory { .. }
        | Command::RemoveStory(_)
        | Command::PickStory(_)
            if !by.host =>
        {
            return Err(Refusal::HostOnly);
        }
        Command::SetDeck(deck) => vec![Event::DeckSet(deck.clone())],
        Command::Update(change) if *change == Default::default() => return Err(Refusal::NoChange),
        Command::Update(change) if table.settings.changed(change) == table.settings => vec![],
        Command::Update(change) => vec![Event::Updated(table.settings.changed(change))],
        Command::StartTimer { .. } if table.open => return Err(Refusal::AlreadyShown),
        Command::StartTimer { seconds, .. } if !(1..=TIMER_SECONDS_MAX).contains(seconds) => return Err(Refusal::TimerRange),
        Command::StartTimer { seconds, reveal } => {
            vec![Event::TimerStarted { ends: *at + Span::seconds(*seconds), reveals: *reveal }]
        }
        Command::StopTimer if table.timer.is_none() => vec![],
        Command::StopTimer => vec![Event::TimerStopped],
        Command::HandOver(user) if !table.seats.contains_key(user) => return Err(Refusal::NoSuchUser),
        Command::HandOver(user) if table.admin.as_ref() == Some(user) => vec![],
        Command::HandOver(user) => vec![Event::HandedOver { user: user.clone() }],
        Command::Kick { user, .. } if by.seated && by.user.as_ref() == Some(user) => return Err(Refusal::KickSelf),
        Command::Kick { user, .. } if !table.seats.contains_key(user) => return Err(Refusal::NoSuchUser),
        Command::Kick { user, ban } => vec![Event::Kicked { user: user.clone(), ban: *ban }],
        Command::Delete => vec![Event::Deleted],

        Command::AddStories { stories, at } => add_stories(table, stories, *at)?,
        Command::EditStory(edit) => edit_story(table, edit)?,
        Command::MoveStory { story, .. } | Command::RemoveStory(story) | Command::PickStory(Some(story))
            if table.stories.find(*story).is_none() =>
        {
            return Err(Refusal::NoSuchStory);
        }
        Command::MoveStory { story, to } => move_story(table, *story, *to),
        Command::RemoveStory(story) => vec![Event::StoryRemoved { story: *story }],
        Command::PickStory(story) if table.story == *story => vec![],
        Command::PickStory(story) => vec![Event::StoryPicked(*story)],
    })
}

fn join(table: &Poker, by: &Viewer, name: Option<&Name>, observer: Option<bool>) -> Result<Vec<Event>, Refusal> {
    if by.name.as_ref().zip(name).is_some_and(|(own, other)| own != other) {
        return Err(Refusal::OtherName);
    }
    let name = by.name.as_ref().or(name);
    match (&by.user, by.proof, table.seat_of(by)) {
        // Joining twice is a reconnect, not an error: seat, card and rank stay.
        (Some(user), _, Some(seat)) => {
            let renamed = name.filter(|name| **name != seat.name);
            let renamed = renamed.map(|name| Event::Renamed { user: user.clone(), name: name.clone() });
            let moved = observer.filter(|observer| *observer != seat.observer);
            let moved = moved.map(|observer| Event::ObserverSet { user: user.clone(), observer });
            Ok(renamed.into_iter().chain(moved).collect())
        }
        (Some(user), _, None) if table.banned.contains(user) => Err(Refusal::Banned),
        // Ids are short digests of keys: should two keys ever share one, the first keeps its seat and card.
        (Some(user), _, None) if table.seats.contains_key(user) => Err(Refusal::IdTaken),
        (Some(_), Some(_), None) if table.seats.len() >= SEATS_MAX => Err(Refusal::Full),
        (Some(user), Some(proof), None) => {
            let name = name.ok_or(Refusal::NoName)?.clone();
            Ok(vec![Event::Joined { user: user.clone(), proof, name, observer: observer.unwrap_or(false) }])
        }
        (None, ..) | (_, None, None) => Err(Refusal::NoKey),
    }
}

fn set_observer(table: &Poker, by: &Viewer, user: Option<&UserId>, observer: bool) -> Result<Vec<Event>, Refusal> {
    let user = match (user, &by.user) {
        (None, Some(own)) if by.seated => own,
        (Some(user), Some(own)) if by.seated && user == own => own,
        (None, _) => return Err(Refusal::NotSeated),
        (Some(_), _) if !by.host => return Err(Refusal::HostOnly),
        (Some(user), _) => user,
    };
    let seat = table.seats.get(user).ok_or(Refusal::NoSuchUser)?;
    Ok(if seat.observer == observer { vec![] } else { vec![Event::ObserverSet { user: user.clone(), observer }] })
}

/// Who has left may still ask to be struck from the history, unless another sits under that id.
fn forget(table: &Poker, by: &Viewer, user: Option<&UserId>) -> Result<Vec<Event>, Refusal> {
    let own = by.user.as_ref().filter(|own| by.seated || !table.seats.contains_key(*own));
    let (user, cut) = match (user, own) {
        (None, Some(own)) => (own, false),
        (Some(user), Some(own)) if user == own => (own, false),
        (None, None) => return Err(Refusal::NotSeated),
        (Some(_), _) if !by.host => return Err(Refusal::HostOnly),
        (Some(user), _) => (user, true),
    };
    if !table.seats.contains_key(user) && !table.history.names(user) {
        return Err(Refusal::NoSuchUser);
    }
    Ok(vec![Event::Forgotten { user: user.clone(), cut }])
}

fn add_stories(table: &Poker, stories: &[NewStory], at: Option<usize>) -> Result<Vec<Event>, Refusal> {
    let there = table.stories.list.len();
    if there + stories.len() > STORIES_MAX {
        return Err(Refusal::TooManyStories);
    }
    let stories = table.stories.numbered(stories);
    let at = at.unwrap_or(there).min(there);
    Ok(if stories.is_empty() { vec![] } else { vec![Event::StoriesAdded { stories, at }] })
}

fn edit_story(table: &Poker, edit: &StoryEdit) -> Result<Vec<Event>, Refusal> {
    let StoryEdit { story, title, link, estimate } = edit;
    let old = table.stories.find(*story).ok_or(Refusal::NoSuchStory)?;
    if title.is_none() && link.is_none() && estimate.is_none() {
        return Err(Refusal::NoChange);
    }
    let new = Story {
        id: old.id,
        title: title.as_ref().unwrap_or(&old.title).clone(),
        link: link.as_ref().unwrap_or(&old.link).clone(),
        estimate: estimate.as_ref().unwrap_or(&old.estimate).clone(),
    };
    Ok(if new == *old { vec![] } else { vec![Event::StoryEdited(new)] })
}

fn move_story(table: &Poker, story: super::StoryId, to: usize) -> Vec<Event> {
    let to = to.min(table.stories.list.len().saturating_sub(1));
    let from = table.stories.list.iter().position(|listed| listed.id == story);
    if from == Some(to) { vec![] } else { vec![Event::StoryMoved { story, to }] }
}
