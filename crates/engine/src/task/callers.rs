//! Those who come to a room's task: to listen, to look, to take something home, to say something to those who are here.
//! Nothing of it is a commit; acts are the turn's.

use super::Task;
use crate::encode::{Farewell, Picture, Welcome};
use crate::engine::Entrance;
use crate::error::Error;
use crate::hub::{Arrival, Ear};
use crate::inbox::{Listen, Look, Say, Seen, TakeHome};
use parlor_rules::Here;
use parlor_store::Since;
use std::sync::atomic::Ordering;

impl Task {
    pub(super) async fn listen(&mut self, listen: Listen) {
        if listen.entrance.resume.is_some_and(|place| place.position > self.live.place.position) {
            self.live.trusted = false;
            self.ahead.push(listen);
            return;
        }
        self.let_in(listen).await;
    }

    pub(super) async fn let_in(&mut self, listen: Listen) {
        let Listen { id, entrance, slot, answer } = listen;
        if !self.can_tell(&entrance) {
            return drop(answer.send(Err(Error::Unspeakable)));
        }
        // Whoever comes stands where all others do.
        self.tell_minutes();
        let Entrance { request, credential, client, outbox, encode, resume } = entrance;
        let viewer = match self.live.kept.state.recognise(&credential) {
            Ok(viewer) => viewer,
            Err(refusal) => return drop(answer.send(Err(refusal.into()))),
        };
        let missed = match resume.filter(|place| self.aloud.is_some() && place.position <= self.live.place.position) {
            Some(place) => self.missed(place).await,
            None => None,
        };
        let resumed = match resume {
            _ if self.aloud.is_some() => missed.is_some(),
            None => false,
            Some(place) if self.recent.knows(place) => true,
            // Still ahead: another history, or one that cannot be read now. Nobody is shown the past as if it followed.
            Some(place) if place.position > self.live.place.position => false,
            // Asked of the store only for places from before this node loaded the room.
            Some(place) => matches!(self.house.rooms.since(&self.key, place).await, Ok(Since::Entries(_))),
        };
        let welcome = Welcome { request, place: self.live.place, resumed, user: viewer.user.clone(), right: viewer.right };
        if let Some(user) = viewer.user.clone().filter(|_| viewer.seated) {
            self.introduce(&user, &viewer);
        }
        let ear = self.aloud.is_some().then(|| Ear::new(client, slot));
        self.dirty |= self.hub.enter(id, Arrival { credential, viewer, outbox, encode, ear }, &welcome);
        if self.aloud.is_some() {
            self.read_to(id, resume, missed);
        } else {
            self.hub.show(self.picture(), Some(id));
        }
        // Whoever comes after the others were told of the end that is near is told too.
        if let Some(expires) = self.live.kept.expires.filter(|expires| self.notified_for == Some(*expires)) {
            self.hub.tell_one(id, Farewell::Closing(expires));
        }
        self.listening.store(self.hub.len(), Ordering::Relaxed);
        drop(answer.send(Ok(self.bell())));
    }

    pub(super) fn look(&mut self, look: Look) {
        let Look { credential, encode, page, answer } = look;
        let seen = self.live.kept.state.recognise(&credential).map_err(Error::from).and_then(|viewer| {
            if let Some(page) = page {
                let view = self.page(&encode, &viewer, &page).ok_or(Error::NoPart)?;
                return Ok(Seen { place: self.live.place, view });
            }
            let shared = encode.shared(&self.address, &self.picture(), &viewer);
            let view = encode.view(&shared, &encode.mine(&self.live.kept, &viewer));
            Ok(Seen { place: self.live.place, view })
        });
        drop(answer.send(seen));
    }

    pub(super) fn picture(&self) -> Picture {
        Picture { place: self.live.place, kept: self.live.kept.clone(), here: self.here() }
    }

    /// Who is here, through whichever node.
    pub(super) fn here(&self) -> Here {
        match &self.nodes {
            Some(nodes) if !nodes.elsewhere.others().is_empty() => self.hub.here().and(nodes.elsewhere.others()),
            Some(_) | None => self.hub.here().clone(),
        }
    }

    pub(super) fn export(&self, wish: TakeHome) {
        let TakeHome { credential, answer } = wish;
        let state = &self.live.kept.state;
        let export = state.recognise(&credential).and_then(|viewer| state.export(&viewer));
        drop(answer.send(export.map_err(Error::from)));
    }

    pub(super) fn say(&mut self, say: Say) {
        let Say { credential, listener, data, answer } = say;
        let state = &self.live.kept.state;
        let speaker = match listener.and_then(|id| self.hub.viewer(id)) {
            Some(viewer) => Ok(viewer.clone()),
            None => state.recognise(&credential),
        };
        let allowed = speaker.and_then(|viewer| state.may_speak(&viewer).map(|()| viewer));
        match allowed {
            Ok(viewer) => {
                self.hub.gather(listener, viewer.user.as_ref(), &data);
                self.pass_on(viewer.user.as_ref(), &data);
                drop(answer.map(|answer| answer.send(Ok(()))));
            }
            Err(refusal) => drop(answer.map(|answer| answer.send(Err(refusal.into())))),
        }
    }
}
