//! The task of a room that tells: what it keeps for its listeners beside the room itself, and when it speaks.

use super::Task;
use crate::encode::Encode;
use crate::engine::Entrance;
use crate::error::Error;
use crate::hub::ListenerId;
use crate::inbox::{Message, Show};
use crate::minutes::{Lately, Minutes};
use crate::presences::{self, Bell, Book, Holding, Purse};
use bytes::Bytes;
use parlor_rules::kinds::Refusal;
use parlor_rules::space::limits::PRESENCE_SECONDS_DEFAULT;
use parlor_rules::space::{Page, Showing};
use parlor_rules::{Commit, Place, UserId, Viewer};
use parlor_store::Since;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Of the time between two rounds of telling about people, what each listener of a crowd adds to it: many are told less often.
const ROUND_PER_LISTENER: Duration = Duration::from_micros(45);
/// Up to so many listeners are no crowd.
const CROWD: usize = 500;

pub(super) struct Aloud {
    own: mpsc::WeakSender<Message>,
    minutes: Minutes,
    lately: Lately,
    pub(super) book: Book,
    purse: Purse,
    tell_from: Instant,
    round_from: Instant,
    /// Who is here may have changed.
    pub(super) stirred: bool,
    /// Rings when somebody has put something to show into their slot.
    bell: Arc<Bell>,
}

impl Aloud {
    pub(super) fn new(own: mpsc::WeakSender<Message>, place: Place, limits: &crate::Limits, mirrored: bool) -> Box<Aloud> {
        let now = Instant::now();
        Box::new(Aloud {
            own,
            minutes: Minutes::from(place.position),
            lately: Lately::new(limits.lately_bytes_max),
            book: if mirrored { Book::default().mirrored() } else { Book::default() },
            purse: Purse::of(limits.presence_bytes_per_second),
            tell_from: now,
            round_from: now,
            stirred: false,
            bell: Arc::default(),
        })
    }
}

impl Task {
    /// The commits a turn took: they are told in their order, each author being answered in their place. `authors` are
    /// those of the last commit, by which of its acts was theirs.
    pub(super) fn take_minutes(&mut self, commits: &[(Place, Commit)], authors: &[(usize, ListenerId, u64)], anew: bool) {
        let Some(aloud) = &mut self.aloud else { return };
        for (index, (place, commit)) in commits.iter().enumerate() {
            let own = if index + 1 == commits.len() { authors } else { &[] };
            let author = |nth: usize| {
                let found = own.binary_search_by_key(&nth, |(index, ..)| *index).ok()?;
                Some((own[found].1, own[found].2))
            };
            aloud.minutes.take(*place, commit, author);
            aloud.lately.note(*place, commit);
            let events = commit.done.iter().flat_map(|done| &done.events);
            events.filter_map(|event| event.ends_presence()).for_each(|presence| aloud.book.end(presence));
        }
        if anew {
            aloud.minutes.clear(self.live.place.position);
            aloud.lately.forget();
            for id in self.hub.read_out(None) {
                self.read_on(id);
            }
        }
    }

    /// Tells what has happened until now.
    pub(super) fn tell_minutes(&mut self) {
        let Some(aloud) = &mut self.aloud else { return };
        if !aloud.minutes.is_empty() {
            self.hub.tell_minutes(&aloud.minutes, &self.live.kept.state, self.live.kept.expires);
            aloud.minutes.clear(self.live.place.position);
        }
    }

    /// What somebody who comes back has missed; nothing when that cannot be told.
    pub(super) async fn missed(&mut self, place: Place) -> Option<Vec<(Place, Arc<Commit>)>> {
        let aloud = self.aloud.as_ref()?;
        if place == self.live.place {
            return Some(Vec::new());
        }
        if let Some(missed) = aloud.lately.since(place) {
            return Some(missed);
        }
        let Ok(Since::Entries(entries)) = self.house.rooms.since(&self.key, place).await else { return None };
        // Whoever reads on from here must not be told of commits that this node has not taken yet.
        let seen = entries.into_iter().filter(|entry| entry.place.position <= self.live.place.position);
        let read =
            seen.map(|entry| Some((entry.place, Arc::new(parlor_layout::entry_commit(&self.address, &entry.fields).ok()?))));
        let missed: Vec<(Place, Arc<Commit>)> = read.collect::<Option<_>>()?;
        (missed.last().map(|(place, _)| *place) == Some(self.live.place)).then_some(missed)
    }

    /// The next piece of the room for a listener that is being read to.
    pub(super) fn read_on(&mut self, id: ListenerId) {
        // What happened before is heard before, so that the piece is of the place where everyone stands.
        self.tell_minutes();
        let picture = self.picture();
        let Some(aloud) = &self.aloud else { return };
        let own = aloud.own.clone();
        self.hub.read_on(id, &picture, self.house.limits.piece_bytes, move || ask_for_more(&own, id));
    }

    pub(super) fn show(&mut self, show: Show) {
        let Show { credential, listener, showing, answer } = show;
        let viewer = match listener.and_then(|id| self.hub.viewer(id)) {
            Some(viewer) => Ok(viewer.clone()),
            None => self.live.kept.state.recognise(&credential),
        };
        let shown = viewer.map_err(Error::from).and_then(|viewer| {
            // What the same listener said before and wants no answer to comes first.
            for earlier in listener.map(|id| self.hub.slot(id)).unwrap_or_default() {
                let _ = self.show_by(&viewer, listener, earlier);
            }
            self.show_by(&viewer, listener, showing)
        });
        if let Some(answer) = answer {
            drop(answer.send(shown));
        }
    }

    fn show_by(&mut self, viewer: &Viewer, listener: Option<ListenerId>, showing: Showing) -> Result<(), Error> {
        let Some(user) = viewer.user.clone() else { return Err(Refusal::OtherKind.into()) };
        let now = Instant::now();
        match showing {
            Showing::Set { presence, value, seconds } => {
                let seconds = self.live.kept.state.presence_seconds(viewer, &presence, seconds)?;
                let until = now + Duration::from_secs(seconds);
                // Whoever does not listen is here for as long as what they show.
                if listener.is_none() {
                    self.comes_by(&user, viewer, until);
                }
                let stamp = self.house.clock.now().0;
                self.pass_on_value(&user, &presence, Some((&value, seconds, stamp)));
                self.stir();
                let Some(aloud) = &mut self.aloud else { return Err(Refusal::OtherKind.into()) };
                if !aloud.book.show(&user, &presence, Holding { json: value, until, stamp }) {
                    return Err(Error::TooManyPresences);
                }
            }
            Showing::Remove { presence } => {
                self.pass_on_value(&user, &presence, None);
                if let Some(aloud) = &mut self.aloud {
                    aloud.book.hide(&user, &presence);
                }
            }
            Showing::View { presence, within } => {
                if let Some(id) = listener {
                    self.hub.look_within(id, presence, within);
                }
            }
            Showing::Join => {
                self.live.kept.state.may_speak(viewer)?;
                self.comes_by(&user, viewer, now + Duration::from_secs(PRESENCE_SECONDS_DEFAULT));
                self.stir();
            }
            Showing::Leave => {
                if self.hub.end_visit(&user) {
                    self.went(&user);
                }
            }
        }
        Ok(())
    }

    fn comes_by(&mut self, user: &UserId, viewer: &Viewer, until: Instant) {
        self.introduce(user, viewer);
        if self.hub.visit(user, until)
            && let Some(aloud) = &mut self.aloud
        {
            aloud.stirred = true;
        }
    }

    /// Somebody comes: what is said of them is told with them.
    pub(super) fn introduce(&mut self, user: &UserId, viewer: &Viewer) {
        if let Some(aloud) = &mut self.aloud {
            aloud.book.introduce(user, viewer.info.clone());
            aloud.stirred = true;
            self.pass_on_person(user, viewer.info.as_ref());
        }
    }

    /// Somebody has no connection here any more; what they showed through this node goes with it.
    pub(super) fn went(&mut self, user: &UserId) {
        if let Some(aloud) = &mut self.aloud {
            aloud.book.hide_all(user);
            aloud.stirred = true;
        }
    }

    /// What listeners ring when they have something to show.
    pub(super) fn bell(&self) -> Option<Arc<Bell>> {
        self.aloud.as_ref().map(|aloud| aloud.bell.clone())
    }

    /// The book takes over who is here, if that may have changed.
    pub(super) fn stir(&mut self) {
        if self.aloud.as_ref().is_some_and(|aloud| aloud.stirred) {
            let here = self.here();
            if let Some(aloud) = &mut self.aloud {
                aloud.book.settle(&here);
                aloud.stirred = false;
            }
        }
    }

    /// Tells what is due.
    pub(super) fn speak_aloud(&mut self) {
        let now = Instant::now();
        let Some(aloud) = &mut self.aloud else { return };
        if now >= aloud.tell_from && !aloud.minutes.is_empty() {
            aloud.tell_from = now + self.house.limits.gather_for;
            self.tell_minutes();
        }
        for user in self.hub.visits_over(now) {
            self.went(&user);
        }
        let Some(aloud) = &mut self.aloud else { return };
        aloud.book.sweep(now);
        if now < aloud.round_from {
            return;
        }
        self.stir();
        let Some(aloud) = &mut self.aloud else { return };
        if aloud.bell.silence() {
            for (id, viewer, shown) in self.hub.shown() {
                for showing in shown {
                    let _ = self.show_by(&viewer, Some(id), showing); // Whoever wants no answer gets none.
                }
            }
        }
        let Some(aloud) = &mut self.aloud else { return };
        let is_due = aloud.book.has_news() || self.hub.behind_at().is_some_and(|behind| behind <= now);
        if is_due {
            let news = aloud.book.news(aloud.purse.look());
            aloud.purse.spend(presences::bytes(&news));
            self.hub.tell_of_people(&mut aloud.book, &news);
            let crowd = self.hub.len().saturating_sub(CROWD) as u32;
            aloud.round_from = now + self.house.limits.gather_for + ROUND_PER_LISTENER * crowd;
        }
    }

    pub(super) fn aloud_wake(&self) -> Option<Instant> {
        let aloud = self.aloud.as_ref()?;
        let minutes = (!aloud.minutes.is_empty()).then_some(aloud.tell_from);
        let stirred = aloud.stirred || aloud.book.has_news() || aloud.bell.rings();
        let behind = self.hub.behind_at().map(|behind| behind.max(aloud.round_from));
        let round = stirred.then_some(aloud.round_from);
        [minutes, round, behind, aloud.book.sweep_at(), self.hub.visits_over_at()].into_iter().flatten().min()
    }

    /// Lets somebody in to a room that tells.
    pub(super) fn read_to(&mut self, id: ListenerId, from: Option<Place>, missed: Option<Vec<(Place, Arc<Commit>)>>) {
        match (from, missed) {
            (Some(from), Some(missed)) => {
                self.hub.catch_up(id, from, &missed, &self.live.kept.state, self.live.kept.expires);
            }
            _ => {
                for id in self.hub.read_out(Some(id)) {
                    self.read_on(id);
                }
            }
        }
    }

    /// A page of what the room holds, or of what people show.
    pub(super) fn page(&self, encode: &Arc<dyn Encode>, viewer: &Viewer, page: &Page) -> Option<Bytes> {
        let (aloud, tell) = (self.aloud.as_ref()?, encode.telling()?);
        match page {
            Page::Presence { presence } => Some(tell.people(&aloud.book.page(presence))),
            Page::Map { .. } | Page::Entry { .. } | Page::List { .. } => tell.page(&self.picture(), viewer, page),
        }
    }

    pub(super) fn can_tell(&self, entrance: &Entrance) -> bool {
        self.aloud.is_none() || crate::hub::Hub::can_tell(&entrance.encode)
    }
}

fn ask_for_more(own: &mpsc::WeakSender<Message>, id: ListenerId) {
    let Some(inbox) = own.upgrade() else { return };
    if let Err(mpsc::error::TrySendError::Full(message)) = inbox.try_send(Message::More(id))
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(async move {
            let _ = inbox.send(message).await; // A room that is gone reads to nobody.
        });
    }
}
