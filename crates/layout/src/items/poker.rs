//! A poker room as the items of document 003: `ROOM:[roomId]` / `ROOM` and `USER:[userId]`. Secrets are hashes, and a person's
//! item is named by the public id, since document 003's userKey is a secret.
//!
//! A vote carries the round it was cast in and counts only while that is the room's. So a new round writes the room's item alone,
//! and old votes go when their seat is next written. Additive: `STORIES` and `ROUNDS`, which hold several of a kind: one act may
//! write all of them, and a transaction takes a hundred items.

use super::sheet::Sheet;
use super::words::{self, Names};
use super::{Found, HEAD, clients, is_creation, number};
use crate::damage::{Damaged, damaged};
use crate::poker::{clients_key, history_key, rounds, seats, seats_key, settings, settings_key, stories, stories_key};
use crate::text::spelt;
use bytes::Bytes;
use parlor_rules::RoomId;
use parlor_rules::poker::StoryId;
use parlor_store::items::form::{Before, Item, Laid};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{Field, Value, Write};
use std::collections::BTreeMap;

const USER: &str = "USER:";
/// The order of the stories.
const STORIES: &str = "STORIES";
static STORY_PAGES: Pages = Pages { sk: "STORIES:", name: "story:", per_page: 8 };
/// So few because everybody's vote may be in each.
static ROUND_PAGES: Pages = Pages { sk: "ROUNDS:", name: "round:", per_page: 2 };

/// Several of a kind in one item, by their numbers.
struct Pages {
    sk: &'static str,
    /// What their attributes begin with.
    name: &'static str,
    per_page: u64,
}

impl Pages {
    fn page(&self, number: u64) -> String {
        format!("{}{}", self.sk, number / self.per_page)
    }

    /// What lies in an item, if it is one of these.
    fn open<'a>(&'a self, item: &'a Item) -> Option<impl Iterator<Item = (&'a str, &'a Attribute)>> {
        item.sk.strip_prefix(self.sk)?;
        Some(item.attributes.iter().filter_map(|(name, value)| Some((name.strip_prefix(self.name)?, value))))
    }
}

/// `vote_state` is not among them: document 003 has `isRevealed` instead.
const ROOM_NAMES: Names = &[
    ("host_key", "hostKey"),
    ("valid_sizes", "validSizes"),
    ("created_at", "createdOn"),
    ("admin_user_id", "adminUserId"),
    ("sealed", "sealed"),
    ("round", "round"),
    ("timer_ends", "timerEnds"),
    ("timer_is_quiet", "timerIsQuiet"),
    ("story_id", "storyId"),
    ("banned", "banned"),
    ("name", "name"),
    ("auto_reveal", "autoReveal"),
    ("reveal_by", "revealBy"),
    ("life_minutes", "lifeMinutes"),
];
const SEAT_NAMES: Names =
    &[("user_name", "username"), ("user_key", "userKey"), ("observer", "observer"), ("arrival", "arrival"), ("vote", VOTE)];
const ORDER_NAMES: Names = &[("made", "made"), ("story_ids", "storyIds")];
const STORY_NAMES: Names = &[("title", "title"), ("link", "link"), ("estimate", "estimate")];
const ROUND_NAMES: Names = &[
    ("at", "shownOn"),
    ("valid_sizes", "validSizes"),
    ("story_id", "storyId"),
    ("title", "title"),
    ("votes", "votes"),
    ("user_id", "userId"),
    ("user_name", "username"),
    ("vote", VOTE),
];

const VOTE: &str = "vote";
/// Of the room, and of each vote.
const ROUND_NUMBER: &str = "round";
const IS_REVEALED: &str = "isRevealed";
const USER_ID: &str = "userId";
const CREATED_ON: &str = "createdOn";
const UPDATED_ON: &str = "updatedOn";

struct Table<'a> {
    id: &'a RoomId,
    before: &'a Before<'a>,
    sheet: Sheet,
    /// The room's after this commit.
    round: Option<u64>,
    /// Whether this commit begins it, so that votes of the last one lapse.
    is_new_round: bool,
}

pub(super) fn changes(id: &RoomId, before: &Before<'_>, writes: &[Write]) -> Result<Laid, Damaged> {
    let round = before.head.get(ROUND_NUMBER).map(|round| words::whole(HEAD, round)).transpose()?;
    let mut table = Table { id, before, sheet: Sheet::default(), round, is_new_round: false };
    // The room first: votes carry its round.
    let (rooms, others): (Vec<&Write>, Vec<&Write>) = writes.iter().partition(|write| **write.key() == *settings_key(id));
    rooms.into_iter().try_for_each(|write| table.room(write))?;
    others.into_iter().try_for_each(|write| table.write(write))?;
    Ok(Laid::Changes(table.sheet.changes(is_creation(before))))
}

impl Table<'_> {
    fn room(&mut self, write: &Write) -> Result<(), Damaged> {
        let what = settings_key(self.id);
        let Write::Put { value: Value::Document(text), .. } = write else {
            return Err(damaged(&what, "it should be a document"));
        };
        let mut members: serde_json::Map<String, serde_json::Value> = crate::text::parse(&what, text)?;
        let is_open = members.remove("vote_state").and_then(|state| state.as_u64()).filter(|state| (1..=2).contains(state));
        let is_open = is_open.ok_or_else(|| damaged(&what, "vote_state is neither 1 (hide) nor 2 (open)"))? == 2;
        let mut room = words::attributes(ROOM_NAMES, &what, &crate::text::json(&members))?;
        let round = room.get(ROUND_NUMBER).map(|round| words::whole(&what, round)).transpose()?;
        self.is_new_round = round != self.round;
        self.round = round;
        self.sheet.set(HEAD, IS_REVEALED, Attribute::Bool(is_open));
        self.sheet.set(HEAD, UPDATED_ON, number(self.before.now.0));
        let is_creation = is_creation(self.before);
        for (_, name) in ROOM_NAMES {
            match room.remove(*name) {
                // What stays as it is needs no place in the request.
                Some(value) if self.before.head.get(*name) == Some(&value) => {}
                Some(value) => self.sheet.set(HEAD, name, value),
                None if is_creation || !self.before.head.contains_key(*name) => {}
                None => self.sheet.remove(HEAD, name),
            }
        }
        Ok(())
    }

    fn write(&mut self, write: &Write) -> Result<(), Damaged> {
        match write {
            Write::SetField { key, field, value } => self.field(key, field, Some(value)),
            Write::DropField { key, field } => self.field(key, field, None),
            // The seat lost its vote with the round, and a vote of another round counts for nothing.
            Write::Lapse { key, .. } if self.is_new_round && **key == *seats_key(self.id) => Ok(()),
            Write::Lapse { key, field, value } => self.field(key, field, Some(value)),
            Write::Put { key, value: Value::Hash(fields) } if is_creation(self.before) => {
                fields.iter().try_for_each(|(field, value)| self.field(key, field, Some(value)))
            }
            Write::Put { key, .. } | Write::Drop { key } => Err(damaged(key, "no table writes it whole")),
        }
    }

    fn field(&mut self, key: &str, field: &str, value: Option<&Bytes>) -> Result<(), Damaged> {
        if key == seats_key(self.id) {
            self.seat(field, value)
        } else if key == clients_key(self.id) {
            let sk = clients::lay(&mut self.sheet, USER, field, value.map(|value| &**value))?;
            self.dated(&sk);
            Ok(())
        } else if key == stories_key(self.id) && field == stories::ORDER {
            match value {
                Some(value) => self.sheet.put(STORIES, words::attributes(ORDER_NAMES, STORIES, value)?),
                None => self.sheet.drop(STORIES),
            }
            Ok(())
        } else if key == stories_key(self.id) {
            let story: StoryId = crate::text::read(key, field)?;
            self.paged(&STORY_PAGES, story.0, field, STORY_NAMES, value)
        } else if key == history_key(self.id) {
            let round: u64 = crate::text::read(key, field)?;
            self.paged(&ROUND_PAGES, round, field, ROUND_NAMES, value)
        } else {
            Err(damaged(key, "no table has it"))
        }
    }

    fn seat(&mut self, user: &str, value: Option<&Bytes>) -> Result<(), Damaged> {
        let sk = format!("{USER}{user}");
        let mut seat = match value {
            Some(value) => words::attributes(SEAT_NAMES, "a seat", value)?,
            None => Attributes::new(),
        };
        let round = seat.contains_key(VOTE).then_some(self.round).flatten();
        for (_, name) in SEAT_NAMES {
            match seat.remove(*name) {
                Some(value) => self.sheet.set(&sk, name, value),
                None => self.sheet.remove(&sk, name),
            }
        }
        match round {
            Some(round) => self.sheet.set(&sk, ROUND_NUMBER, number(round)),
            None => self.sheet.remove(&sk, ROUND_NUMBER),
        }
        self.dated(&sk);
        Ok(())
    }

    /// A person's item says whose it is and when it was made and changed.
    fn dated(&mut self, sk: &str) {
        self.sheet.set(sk, USER_ID, Attribute::Text(sk[USER.len()..].to_owned()));
        self.sheet.once(sk, CREATED_ON, number(self.before.now.0));
        self.sheet.set(sk, UPDATED_ON, number(self.before.now.0));
    }

    fn paged(&mut self, pages: &Pages, number: u64, field: &str, names: Names, value: Option<&Bytes>) -> Result<(), Damaged> {
        let (sk, name) = (pages.page(number), format!("{}{field}", pages.name));
        match value {
            Some(value) => self.sheet.set(&sk, &name, Attribute::Map(words::attributes(names, &name, value)?)),
            None => self.sheet.remove(&sk, &name),
        }
        Ok(())
    }
}

pub(super) fn records(id: &RoomId, head: &Attributes, items: &[Item]) -> Result<Found, Damaged> {
    let mut found = Found::default();
    found.document(settings_key(id), room(id, head)?);
    let [mut seats, mut stories, mut rounds, mut clients] = [(); 4].map(|()| BTreeMap::<Field, Bytes>::new());
    for item in items {
        let Item { sk, attributes } = item;
        if let Some(user) = sk.strip_prefix(USER) {
            clients::read(user, attributes, &mut clients)?;
            if let Some(seat) = seat(user, head, attributes)? {
                seats.insert(user.into(), seat);
            }
        } else if let Some(page) = STORY_PAGES.open(item) {
            for (story, value) in page {
                let members = words::members(STORY_NAMES, sk, words::map(sk, value)?)?;
                stories.insert(story.into(), spelt::<stories::Form>(sk, members)?);
            }
        } else if let Some(page) = ROUND_PAGES.open(item) {
            for (round, value) in page {
                let members = words::members(ROUND_NAMES, sk, words::map(sk, value)?)?;
                rounds.insert(round.into(), spelt::<rounds::Form>(sk, members)?);
            }
        } else if sk == STORIES {
            let order = spelt::<stories::OrderForm>(sk, words::members(ORDER_NAMES, sk, attributes)?)?;
            stories.insert(stories::ORDER.into(), order);
        } else {
            return Err(damaged(sk, "no table has such an item"));
        }
    }
    found.hash(seats_key(id), seats);
    found.hash(stories_key(id), stories);
    found.hash(history_key(id), rounds);
    found.hash(clients_key(id), clients);
    Ok(found)
}

fn room(id: &RoomId, head: &Attributes) -> Result<Bytes, Damaged> {
    let what = format!("ROOM:{id}");
    let Some(Attribute::Bool(is_open)) = head.get(IS_REVEALED) else {
        return Err(damaged(&what, "isRevealed is neither true nor false"));
    };
    let mut members = words::members(ROOM_NAMES, &what, head)?;
    members["vote_state"] = if *is_open { 2.into() } else { 1.into() };
    spelt::<settings::Form>(&what, members)
}

/// Nothing for a person who does not sit.
fn seat(user: &str, head: &Attributes, item: &Attributes) -> Result<Option<Bytes>, Damaged> {
    if !SEAT_NAMES.iter().any(|(_, name)| item.contains_key(*name)) {
        return Ok(None);
    }
    let what = format!("{USER}{user}");
    if item.get(USER_ID).and_then(Attribute::as_text) != Some(user) {
        return Err(damaged(&what, "it is somebody else's"));
    }
    let mut members = words::members(SEAT_NAMES, &what, item)?;
    let round = item.get(ROUND_NUMBER).map(|round| words::whole(&what, round)).transpose()?;
    match (item.contains_key(VOTE), round) {
        (true, None) => return Err(damaged(&what, "a vote is of no round")),
        (true, Some(round)) if Some(round) == head.get(ROUND_NUMBER).map(|now| words::whole(&what, now)).transpose()? => {}
        // A vote of another round; it goes when the seat is next written.
        (true, Some(_)) => members["vote"] = serde_json::Value::Null,
        (false, _) => {}
    }
    spelt::<seats::Form<'_>>(&what, members).map(Some)
}

/// A person who left, and of whom no receipt is kept; or a page with nothing on it.
pub(super) fn is_empty(item: &Item) -> bool {
    if let Some(is_empty) = [&STORY_PAGES, &ROUND_PAGES].iter().find_map(|pages| Some(pages.open(item)?.next().is_none())) {
        return is_empty;
    }
    let says = |name: &String| SEAT_NAMES.iter().any(|(_, own)| own == name) || clients::is_of_a_client(name);
    item.sk.starts_with(USER) && !item.attributes.keys().any(says)
}
