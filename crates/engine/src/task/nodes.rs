//! What a room's task and those of the same room at other nodes tell each other. Only with a store that others can use.
//!
//! Every call is a future of its own beside the task's loop, one of each at a time: no store that is slow to pass on who
//! is here holds up a room.

use super::Task;
use crate::elsewhere::{Elsewhere, News};
use crate::engine::House;
use crate::presences::{Holding, Mirror};
use crate::telling::{self, Said, Telling};
use bytes::Bytes;
use parlor_rules::space::PartName;
use parlor_rules::space::limits::PRESENCE_SECONDS_MAX;
use parlor_rules::{Here, Json, Place, UserId};
use parlor_store::{Announced, Field, NodeId, RoomKey, StoreError};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a room waits for other nodes when it is loaded, and when it goes.
const MEET_WITHIN: Duration = Duration::from_secs(1);

type Speaking = Pin<Box<dyn Future<Output = Result<Announced, StoreError>> + Send>>;
type Passing = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

pub(super) struct Nodes {
    pub(super) elsewhere: Elsewhere,
    speaking: Option<Speaking>,
    telling: Telling,
    /// A word on its way to the other nodes, and how many messages it holds.
    passing: Option<(Passing, u64)>,
    /// What the others are still to be told of what people here show.
    publishing: Publishing,
    /// Where the room stood when the others were asked.
    pub(super) met_at: Option<Place>,
    /// Where what people show is mirrored: what is due, and what is on its way.
    mirror: Option<Mirror>,
    mirroring: Option<(Passing, PartName)>,
}

#[derive(Default)]
struct Publishing {
    people: Vec<UserId>,
    values: Vec<(UserId, PartName, Holding)>,
}

/// What the store answered.
pub(super) enum Reply {
    Announced(Result<Announced, StoreError>),
    /// Messages were passed on, or that many were not.
    Told(Result<(), (StoreError, u64)>),
    Mirrored(Result<(), StoreError>, PartName),
}

impl Nodes {
    /// Asks who is elsewhere before anybody is here.
    pub(super) async fn meet(house: &House, key: &RoomKey, writer: NodeId, asks: bool) -> Option<Box<Nodes>> {
        let lease = Duration::from_millis(house.rooms.limits().lease?.0);
        let mut elsewhere = Elsewhere::new(lease, Instant::now());
        let mut met_at = None;
        // Who does not answer now is asked again when the room is served.
        if let Ok(Ok(announced)) = timeout(MEET_WITHIN, house.rooms.announce(key, writer, Vec::new())).await {
            met_at = announced.place;
            elsewhere.begins_with(users(&announced), holds_for(&announced), Instant::now());
        }
        let mut telling = Telling::new(house.limits.tell_bytes_max);
        if asks {
            telling.add_question();
        }
        let every = house.rooms.limits().mirror_every.filter(|_| asks);
        let mirror = every.map(|every| Mirror::new(Duration::from_millis(every.0)));
        let publishing = Publishing::default();
        Some(Box::new(Nodes { elsewhere, speaking: None, telling, passing: None, publishing, met_at, mirror, mirroring: None }))
    }

    pub(super) fn mirrors(&self) -> bool {
        self.mirror.is_some()
    }

    /// The next answer to what was said. Nothing is lost when nobody waits for it to the end.
    pub(super) async fn reply(&mut self) -> Reply {
        poll_fn(|context| {
            if let Some(speaking) = &mut self.speaking
                && let Poll::Ready(answer) = speaking.as_mut().poll(context)
            {
                self.speaking = None;
                return Poll::Ready(Reply::Announced(answer));
            }
            if let Some((passing, count)) = &mut self.passing
                && let Poll::Ready(passed) = passing.as_mut().poll(context)
            {
                let passed = passed.map_err(|error| (error, *count));
                self.passing = None;
                return Poll::Ready(Reply::Told(passed));
            }
            if let Some((mirroring, presence)) = &mut self.mirroring
                && let Poll::Ready(mirrored) = mirroring.as_mut().poll(context)
            {
                let presence = presence.clone();
                self.mirroring = None;
                return Poll::Ready(Reply::Mirrored(mirrored, presence));
            }
            Poll::Pending
        })
        .await
    }
}

impl Task {
    /// Somebody may have come or gone at another node.
    pub(super) fn wonder(&mut self) {
        if let Some(nodes) = &mut self.nodes {
            nodes.elsewhere.wonder();
        }
    }

    /// Nobody is removed before the others were asked whether they are with them.
    pub(super) fn must_ask_first(&self) -> bool {
        let Some(nodes) = &self.nodes else { return false };
        let look_at = self.absence.look_at().filter(|look_at| *look_at <= Instant::now());
        look_at.is_some_and(|look_at| !nodes.elsewhere.heard_since(look_at))
    }

    /// The others' word has come, or has not.
    pub(super) fn meet(&mut self, answer: Result<Announced, StoreError>) {
        let Some(nodes) = &mut self.nodes else { return };
        match answer {
            Ok(announced) => {
                let News { gone, changed, anew } =
                    nodes.elsewhere.hears(users(&announced), holds_for(&announced), Instant::now());
                if anew {
                    self.absence.count_anew();
                }
                self.absence.saw(gone);
                self.dirty |= changed;
                if let Some(aloud) = &mut self.aloud {
                    aloud.stirred |= changed;
                }
                // A hint was lost, or a turn of ours was faster than this answer; a look costs little. While a turn is
                // under way it finds out itself.
                if self.thinking.is_none() && announced.place != Some(self.live.place) {
                    self.live.trusted = false;
                }
            }
            Err(error) => {
                tracing::debug!(%error, address = %self.address, "who is here was not passed on");
                nodes.elsewhere.fails();
            }
        }
    }

    /// Something was said here: those at other nodes hear it with the next word.
    pub(super) fn pass_on(&mut self, from: Option<&UserId>, data: &[u8]) {
        if self.nodes.as_mut().is_some_and(|nodes| !nodes.telling.add(from, data)) {
            dropped(1);
        }
    }

    /// Something was said at another node: those here hear it with the next frame.
    pub(super) fn overhear(&mut self, word: Bytes) {
        if self.live.kept.is_over(self.house.clock.now()) {
            return;
        }
        let Some(said) = telling::read(word, self.house.limits.tell_bytes_max) else {
            tracing::warn!(address = %self.address, "another node told something that this one does not understand");
            return;
        };
        for said in said {
            match said {
                Said::Message { from, data } => self.hub.gather(None, from.as_ref(), &data),
                Said::Person { user, info } => {
                    if let Some(aloud) = &mut self.aloud {
                        aloud.book.introduce(&user, info);
                    }
                }
                Said::Value { user, presence, seconds, stamp, json } => {
                    let until = Instant::now() + Duration::from_secs(seconds.min(PRESENCE_SECONDS_MAX));
                    self.overhear_value(&user, &presence, Some(Holding { json, until, stamp }));
                }
                Said::Hidden { user, presence } => self.overhear_value(&user, &presence, None),
                Said::Question => self.publish_soon(),
            }
        }
    }

    fn overhear_value(&mut self, user: &UserId, presence: &PartName, holding: Option<Holding>) {
        let Some(aloud) = &mut self.aloud else { return };
        aloud.book.show_far(user, presence, holding);
        // Whoever is not known to be here may just have come to the other node.
        if !aloud.book.knows(user) {
            self.wonder();
        }
    }

    /// The other nodes are told what people here show: all of it, when one asks and three times a lease.
    pub(super) fn publish_soon(&mut self) {
        let Some(aloud) = &self.aloud else { return };
        let Some(nodes) = &mut self.nodes else { return };
        let people = self.hub.here().iter().cloned().collect();
        nodes.publishing = Publishing { people, values: aloud.book.own() };
        self.publish();
    }

    /// As much of it as there is room for now.
    fn publish(&mut self) {
        let (Some(aloud), Some(nodes)) = (&self.aloud, &mut self.nodes) else { return };
        let now = Instant::now();
        while let Some(user) = nodes.publishing.people.last() {
            if !nodes.telling.add_person(user, aloud.book.info(user)) {
                return;
            }
            nodes.publishing.people.pop();
        }
        while let Some((user, presence, holding)) = nodes.publishing.values.last() {
            let seconds = holding.until.saturating_duration_since(now).as_secs().max(1);
            if !nodes.telling.add_value(user, presence, seconds, holding.stamp, &holding.json) {
                return;
            }
            nodes.publishing.values.pop();
        }
    }

    /// What is said of somebody who came here is told with their values.
    pub(super) fn pass_on_person(&mut self, user: &UserId, info: Option<&Json>) {
        if self.nodes.as_mut().is_some_and(|nodes| !nodes.telling.add_person(user, info)) {
            dropped(1);
        }
    }

    /// What somebody shows here, or no longer shows.
    pub(super) fn pass_on_value(&mut self, user: &UserId, presence: &PartName, value: Option<(&Json, u64, u64)>) {
        let Some(nodes) = &mut self.nodes else { return };
        let taken = match value {
            Some((json, seconds, stamp)) => nodes.telling.add_value(user, presence, seconds, stamp, json),
            None => nodes.telling.add_hidden(user, presence),
        };
        if !taken {
            dropped(1);
        }
    }

    pub(super) fn told(&mut self, passed: Result<(), (StoreError, u64)>) {
        if let Err((error, count)) = passed {
            tracing::debug!(%error, address = %self.address, "messages did not reach other nodes");
            dropped(count);
        }
    }

    /// Whether there is something to pass on and the last word has arrived.
    pub(super) fn may_tell(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes.passing.is_none() && !nodes.telling.is_empty())
    }

    /// All that was said since the last word, in one.
    pub(super) fn tell(&mut self) {
        let Some(nodes) = self.nodes.as_mut().filter(|nodes| nodes.passing.is_none() && !nodes.telling.is_empty()) else {
            return;
        };
        let (word, count) = nodes.telling.take();
        self.publish();
        let Some(nodes) = &mut self.nodes else { return };
        let (house, key, writer) = (self.house.clone(), self.key.clone(), self.writer);
        nodes.passing = Some((Box::pin(async move { house.rooms.tell(&key, writer, word).await }), count));
    }

    /// Gives up those of whom nothing was heard, and speaks when it is time to.
    pub(super) fn mind_the_nodes(&mut self) {
        self.mirror();
        let asks = self.must_ask_first();
        let Some(nodes) = &mut self.nodes else { return };
        if asks && nodes.speaking.is_none() {
            nodes.elsewhere.wonder();
        }
        let now = Instant::now();
        let gone = nodes.elsewhere.doubts(now);
        self.dirty |= !gone.is_empty();
        if let Some(aloud) = &mut self.aloud {
            aloud.stirred |= !gone.is_empty();
        }
        self.absence.saw(gone);
        let change = self.hub.change();
        if nodes.elsewhere.speak_at(change).is_some_and(|speak_at| speak_at <= now) {
            nodes.elsewhere.speaks(change, !self.hub.here().is_empty(), now);
            nodes.speaking = Some(speak(&self.house, &self.key, self.writer, self.hub.here()));
            self.publish_soon();
        }
    }

    /// Somebody who looks into the store sees what people show, a moment late.
    fn mirror(&mut self) {
        let (Some(nodes), Some(aloud)) = (&mut self.nodes, &mut self.aloud) else { return };
        let Some(mirror) = &mut nodes.mirror else { return };
        let now = Instant::now();
        for presence in aloud.book.take_changed() {
            mirror.changed(presence, now);
        }
        if nodes.mirroring.is_some() {
            return;
        }
        let Some(presence) = mirror.take(now) else { return };
        let shown = aloud.book.page(&presence).into_iter();
        let shown =
            shown.map(|(user, _, json)| (Field::from(user.as_str()), Bytes::copy_from_slice(json.as_str().as_bytes()))).collect();
        let (house, key, name) = (self.house.clone(), self.key.clone(), presence.clone());
        let mirroring = async move { house.rooms.mirror(&key, name.as_str(), shown).await };
        nodes.mirroring = Some((Box::pin(mirroring), presence));
    }

    /// It is there now; or it was not the time yet, and is tried again.
    pub(super) fn mirrored(&mut self, mirrored: Result<(), StoreError>, presence: PartName) {
        let Some(mirror) = self.nodes.as_mut().and_then(|nodes| nodes.mirror.as_mut()) else { return };
        match mirrored {
            Ok(()) => {}
            Err(StoreError::Busy) => mirror.changed(presence, Instant::now()),
            Err(error) => tracing::debug!(%error, address = %self.address, %presence, "what people show was not mirrored"),
        }
    }

    pub(super) fn nodes_wake(&self) -> Option<Instant> {
        let nodes = self.nodes.as_ref()?;
        let mirror = nodes.mirror.as_ref().filter(|_| nodes.mirroring.is_none()).and_then(Mirror::due_at);
        let moments = [nodes.elsewhere.speak_at(self.hub.change()), nodes.elsewhere.doubt_at(), mirror];
        moments.into_iter().flatten().min()
    }

    /// The room goes: nobody is here any more. Best effort, the lease does the rest.
    pub(super) async fn take_leave(&mut self) {
        if let Some(nodes) = &self.nodes {
            let farewell = self.house.rooms.leave(&self.key, self.writer, nodes.elsewhere.is_remembered());
            let _ = timeout(MEET_WITHIN, farewell).await;
        }
    }
}

fn dropped(count: u64) {
    metrics::counter!("parlor_ephemeral_dropped_total").increment(count);
}

fn speak(house: &Arc<House>, key: &RoomKey, writer: NodeId, here: &Here) -> Speaking {
    let (house, key) = (house.clone(), key.clone());
    let here = here.iter().map(|user| Field::from(user.as_str())).collect();
    Box::pin(async move { house.rooms.announce(&key, writer, here).await })
}

fn holds_for(announced: &Announced) -> Option<Duration> {
    announced.holds_for.map(|span| Duration::from_millis(span.0))
}

fn users(announced: &Announced) -> Here {
    // What is no user's id was said by something that is not Parlor.
    announced.others.iter().filter_map(|user| user.parse::<UserId>().ok()).collect()
}
