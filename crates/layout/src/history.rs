//! A commit at rest, in the `commit` field of its stream entry: who did what, when, under which ticket.

use crate::damage::{Damaged, damaged};
use crate::text::{json, parse, read};
use crate::{poker, reels, space};
use bytes::Bytes;
use parlor_rules::receipts::Holder;
use parlor_rules::{Commit, Done, Event, Kind, Millis, Ticket};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
struct CommitForm<'a, E> {
    at: u64,
    renews: bool,
    done: Vec<DoneForm<'a, E>>,
}

/// A ticket is its author's, so its holder is not written twice.
#[derive(Serialize, Deserialize)]
struct DoneForm<'a, E> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    events: Vec<E>,
}

/// Each kind has its own words for its events; the room's key says which kind it is, and they are read as that kind's.
#[derive(Serialize)]
#[serde(untagged)]
enum EventForm<'a> {
    Poker(poker::events::Form<'a>),
    Space(space::events::Form),
    Reels(reels::events::Form),
}

pub(crate) fn rest(commit: &Commit) -> Bytes {
    let done = commit.done.iter().map(|done| DoneForm {
        by: done.by.as_ref().map(|by| by.as_str().into()),
        client: done.ticket.as_ref().map(|ticket| ticket.holder.client.as_str().into()),
        n: done.ticket.as_ref().map(|ticket| ticket.number),
        events: done.events.iter().map(event_form).collect(),
    });
    json(&CommitForm { at: commit.at.0, renews: commit.renews, done: done.collect() })
}

pub(crate) fn wake(kind: Kind, what: &str, bytes: &[u8]) -> Result<Commit, Damaged> {
    match kind {
        Kind::Poker => wake_as(what, bytes, |form| poker::events::wake(form).map(Event::Poker)),
        Kind::Space => wake_as(what, bytes, |form| space::events::wake(form).map(Event::Space)),
        Kind::Reels => wake_as(what, bytes, |form| reels::events::wake(form).map(Event::Reels)),
    }
}

fn wake_as<E: DeserializeOwned>(
    what: &str,
    bytes: &[u8],
    event: impl Fn(E) -> Result<Event, Damaged>,
) -> Result<Commit, Damaged> {
    let form: CommitForm<'_, E> = parse(what, bytes)?;
    let done = form.done.into_iter().map(|done| wake_done(done, &event)).collect::<Result<_, _>>()?;
    Ok(Commit { at: Millis(form.at), renews: form.renews, done })
}

fn wake_done<E>(form: DoneForm<'_, E>, event: impl Fn(E) -> Result<Event, Damaged>) -> Result<Done, Damaged> {
    let by = form.by.map(|by| read("an author", &by)).transpose()?;
    let ticket = match (form.client, form.n) {
        (Some(client), Some(number)) => {
            Some(Ticket { holder: Holder { user: by.clone(), client: read("a client", &client)? }, number })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(damaged("a ticket", "it has a client and a number, or neither")),
    };
    let events = form.events.into_iter().map(event).collect::<Result<_, _>>()?;
    Ok(Done { by, ticket, events })
}

fn event_form(event: &Event) -> EventForm<'_> {
    match event {
        Event::Poker(event) => EventForm::Poker(poker::events::rest(event)),
        Event::Space(event) => EventForm::Space(space::events::rest(event)),
        Event::Reels(event) => EventForm::Reels(reels::events::rest(event)),
    }
}
