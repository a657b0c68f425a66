//! "Who sent this reel?": a big screen, the Master's, and phones that guess. Document 002.
//!
//! An answer leaves this module only when the vote on it is counted, and then to the Master alone; a vote only to whoever cast
//! it until then. Nobody votes for another: whose vote it is comes from the claim, never from the command.

mod apply;
pub mod avatar;
pub mod cast;
pub mod command;
mod decide;
pub mod event;
pub mod ids;
pub mod refusal;
pub mod rounds;
pub mod score;
pub mod stage;
pub mod stats;
pub mod table;
pub mod view;
pub mod wish;

#[cfg(test)]
mod evening;
#[cfg(test)]
mod model;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rulebook;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod sound;

use crate::here::Here;
use crate::identity::{Credential, Viewer};
use crate::ids::{RoomId, UserId};
use crate::names::Name;
use crate::rights::Right;
use crate::room::{Act, Ending, Lifetime, Room, When};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
pub use avatar::Avatar;
pub use cast::{Claim, Loss, Lost, Player, Sender};
pub use command::{Command, Which};
pub use event::{Event, Score, Scored};
pub use ids::{ItemId, PlayerId, ReelId, RoundId, SenderId};
use imbl::{OrdMap, Vector};
pub use refusal::Refusal;
pub use rounds::{Item, Reel, Round};
pub use score::Guess;
pub use stage::{Ballot, Spot, Stage, Vote};
pub use stats::{Award, Given, Guesses, Honoured, Stats, Suspicion};
use std::sync::Arc;
pub use view::{Class, Export, Mine, Shared};
pub use wish::{NotAGame, Settings, Wish};

/// Document 002: twelve hours from creation, whatever happens.
pub const LIFE: Span = Span::minutes(12 * 60);
pub const FORCE_SECONDS_MAX: u64 = 60;

#[derive(Clone, PartialEq)]
pub struct Reels {
    pub code: RoomId,
    pub master_key: SecretHash,
    pub settings: Settings,
    pub senders: Vector<Sender>,
    pub players: Vector<Player>,
    /// The highest number of a seat that was added by hand.
    pub added: u64,
    pub avatars: OrdMap<PlayerId, Avatar>,
    pub claims: OrdMap<PlayerId, Claim>,
    /// Devices that are to be told why they no longer have a seat.
    pub lost: OrdMap<UserId, Lost>,
    pub scores: OrdMap<PlayerId, u64>,
    /// The points of each round that has begun.
    pub deltas: OrdMap<RoundId, OrdMap<PlayerId, u64>>,
    pub rounds: Vector<Arc<Round>>,
    pub stage: Stage,
    /// Nothing in the lobby.
    pub at: Option<Spot>,
    pub vote: Option<Vote>,
    /// On the item that is being voted on or revealed.
    pub ballots: OrdMap<PlayerId, Ballot>,
    pub stats: Stats,
    /// The number of the commit that last changed how the game stands.
    pub version: u64,
}

impl Reels {
    pub fn player(&self, id: &PlayerId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == *id)
    }

    pub fn place_of(&self, round: &RoundId) -> Option<usize> {
        self.rounds.iter().position(|other| other.id == *round)
    }

    /// The round that is played.
    pub fn round(&self) -> Option<&Round> {
        self.at.and_then(|at| self.rounds.get(at.round)).map(|round| &**round)
    }

    pub fn spot(&self, which: &Which) -> Option<Spot> {
        let round = self.place_of(&which.round)?;
        Some(Spot { round, item: self.rounds.get(round)?.place_of(&which.item)? })
    }

    /// The item that is played; nothing after the last of a round.
    pub fn current(&self) -> Option<(&Round, &Item)> {
        let round = self.round()?;
        Some((round, round.items.get(self.at?.item)?))
    }

    pub fn score_of(&self, player: &PlayerId) -> u64 {
        self.scores.get(player).copied().unwrap_or_default()
    }

    /// The points a player has in the round that is played.
    pub fn delta_of(&self, player: &PlayerId) -> u64 {
        let deltas = self.round().and_then(|round| self.deltas.get(&round.id));
        deltas.and_then(|deltas| deltas.get(player)).copied().unwrap_or_default()
    }

    /// The seat of whoever looks or acts, if they proved to be its holder.
    pub fn seat_of(&self, viewer: &Viewer) -> Option<&PlayerId> {
        let own = |claim: &Claim| viewer.user.as_ref() == Some(&claim.user) && viewer.proof == Some(claim.proof);
        self.claims.iter().find(|(_, claim)| own(claim)).map(|(player, _)| player)
    }

    /// A player's picture: like their name, for everyone while they are in the game, and for the Master. An `<img>` on the big
    /// screen shows no key; the picture's own tag, which only the Master is told of who is left out, says enough.
    pub fn face(&self, viewer: &Viewer, player: &PlayerId, tag: Option<&str>) -> Option<&Avatar> {
        let shown = viewer.host || self.player(player).is_some_and(|player| player.active);
        self.avatars.get(player).filter(|avatar| shown || tag == Some(avatar.tag()))
    }

    fn is_selectable(&self, sender: &SenderId) -> bool {
        self.senders.iter().any(|other| other.active && other.id == *sender)
    }

    /// Whether everyone who is waited for has voted.
    fn is_complete(&self) -> bool {
        let waits_for = |vote: &Vote| vote.expected.iter().any(|player| !self.ballots.contains_key(player));
        self.stage == Stage::Vote && self.vote.as_ref().is_some_and(|vote| !waits_for(vote))
    }
}

impl Room for Reels {
    type Wish = Wish;
    type Command = Command;
    type Event = Event;
    type Refusal = Refusal;
    type Class = Class;
    type Shared = Shared;
    type Mine = Mine;
    type Export = Export;

    fn create(code: RoomId, master_key: SecretHash, wish: Wish) -> Reels {
        Reels {
            code,
            master_key,
            settings: wish.settings,
            scores: wish.players.iter().map(|player| (player.id.clone(), 0_u64)).collect(),
            senders: wish.senders.into(),
            players: wish.players.into(),
            added: 0,
            avatars: OrdMap::new(),
            claims: OrdMap::new(),
            lost: OrdMap::new(),
            deltas: OrdMap::new(),
            rounds: wish.rounds.into_iter().map(Arc::new).collect(),
            stage: Stage::Lobby,
            at: None,
            vote: None,
            ballots: OrdMap::new(),
            stats: Stats::default(),
            version: 1,
        }
    }

    fn recognise(&self, credential: &Credential) -> Result<Viewer, Refusal> {
        if credential.host.is_some_and(|key| key != self.master_key) {
            return Err(Refusal::BadKey);
        }
        let name = credential.session.as_ref().map(|member| member.name.clone());
        let (user, proof, host) = (credential.user_id(&self.code), credential.proof(), credential.host.is_some());
        let viewer = Viewer { user, proof, name, seated: false, host, right: Right::None, info: None };
        Ok(Viewer { seated: self.seat_of(&viewer).is_some(), ..viewer })
    }

    fn decide(&self, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
        decide::decide(self, act)
    }

    fn apply(&mut self, when: When, event: &Event) {
        apply::apply(self, when, event);
    }

    /// Phones laugh and clap, and the big screen shows it.
    fn may_speak(&self, viewer: &Viewer) -> Result<(), Refusal> {
        if viewer.seated || viewer.host { Ok(()) } else { Err(Refusal::NotClaimed) }
    }

    fn class(&self, viewer: &Viewer) -> Class {
        if viewer.host { Class::Master } else { Class::Phone }
    }

    fn shared(&self, class: Class, here: &Here) -> Shared {
        view::shared(self, class, here)
    }

    fn mine(&self, viewer: &Viewer) -> Mine {
        view::mine(self, viewer)
    }

    fn export(&self, _viewer: &Viewer) -> Result<Export, Refusal> {
        Err(Refusal::NoExport)
    }

    fn deadline(&self) -> Option<Millis> {
        self.vote.as_ref().filter(|_| self.stage == Stage::Vote).and_then(|vote| vote.closes)
    }

    fn tick(&self, due: Millis) -> Vec<Event> {
        if self.deadline() != Some(due) {
            return vec![];
        }
        score::scored(self).map(Event::Scored).into_iter().collect()
    }

    /// A phone that sleeps keeps its seat, so nobody here is missed.
    fn seated(&self) -> Vec<UserId> {
        vec![]
    }

    fn away_too_long(&self, _user: &UserId, _at: Millis) -> Vec<Event> {
        vec![]
    }

    fn lifetime(&self) -> Lifetime {
        Lifetime::Fixed(LIFE)
    }

    fn renews(_command: &Command) -> bool {
        false
    }

    fn claims(_command: &Command) -> Option<&Name> {
        None
    }

    fn changes_roles(event: &Event) -> bool {
        event.changes_roles()
    }

    fn sits(&self, user: &UserId) -> bool {
        self.claims.values().any(|claim| claim.user == *user)
    }

    fn sends_out(_event: &Event, _viewer: &Viewer) -> Option<Ending> {
        None
    }

    fn ends(event: &Event) -> Option<Ending> {
        (*event == Event::Closed).then_some(Ending::Deleted)
    }
}
