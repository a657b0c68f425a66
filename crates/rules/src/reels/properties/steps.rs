//! What people try in a random evening.

use crate::identity::Credential;
use crate::reels::avatar::tests::jpeg;
use crate::reels::evening::{MASTER_KEY, Setup, credential, user};
use crate::reels::{Avatar, Command, PlayerId, Reels, SenderId, Which};
use crate::secret::SecretHash;
use proptest::prelude::*;
use proptest::sample::Index;

/// Five play and one is not in the game; two rounds of two reels, with one to three senders each.
pub(in crate::reels) const LONG: Setup<'_> =
    Setup { people: 5, benched: 1, vote_seconds: None, rounds: &[&["s1", "s2 s3"], &["s4", "s1 s5 s2"]] };

/// One more than there are seats at first, and one of them is logged in.
pub(in crate::reels) const DEVICES: usize = 7;
const SEATS: usize = 9;

#[derive(Clone, Debug)]
pub(in crate::reels) enum Step {
    Wait(u64),
    Tick,
    /// An alarm for a moment that may have nothing to do with the game.
    StaleTick(u64),
    Act {
        who: usize,
        key: Key,
        wish: Wish,
    },
    /// Something that moved the game comes again.
    Again(Index),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reels) enum Key {
    None,
    Right,
    Wrong,
}

/// A seat is named by its place, from 1; 0 is one's own, and a place past the last a seat that is not there.
#[derive(Clone, Debug)]
pub(in crate::reels) enum Wish {
    Take(usize),
    Release(usize, Option<usize>),
    Rename(usize, usize),
    Draw(usize, u8),
    Wipe(usize),
    Toggle(usize, bool),
    Add(usize),
    Delete(usize),
    Reset,
    Start,
    Open(Where),
    Vote(Where, Vec<usize>, Option<usize>),
    Force(Where, u64),
    End(Where),
    Next(Option<usize>),
    Close,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::reels) enum Where {
    Here,
    At(usize, usize),
}

pub(in crate::reels) fn step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![8 => Just(Key::None), 3 => Just(Key::Right), 1 => Just(Key::Wrong)];
    prop_oneof![
        3 => (1u64..40_000).prop_map(Step::Wait),
        3 => Just(Step::Tick),
        1 => (0u64..200_000).prop_map(Step::StaleTick),
        2 => any::<Index>().prop_map(Step::Again),
        24 => (0..=DEVICES, key, wish()).prop_map(|(who, key, wish)| Step::Act { who, key, wish }),
        // The Master keeps the evening going.
        8 => flow().prop_map(|wish| Step::Act { who: DEVICES, key: Key::Right, wish }),
    ]
}

fn wish() -> impl Strategy<Value = Wish> {
    let seat = || prop_oneof![3 => Just(0), 5 => 1..=SEATS];
    let vote = (place(), prop::collection::vec(1usize..8, 0..4), prop::option::weighted(0.2, seat()));
    prop_oneof![
        6 => (1..=SEATS).prop_map(Wish::Take),
        3 => (seat(), prop::option::weighted(0.3, 0..DEVICES)).prop_map(|(seat, from)| Wish::Release(seat, from)),
        2 => (seat(), 0usize..10).prop_map(|(seat, name)| Wish::Rename(seat, name)),
        1 => (seat(), 0u8..3).prop_map(|(seat, face)| Wish::Draw(seat, face)),
        1 => seat().prop_map(Wish::Wipe),
        3 => (seat(), any::<bool>()).prop_map(|(seat, active)| Wish::Toggle(seat, active)),
        1 => (0usize..10).prop_map(Wish::Add),
        1 => seat().prop_map(Wish::Delete),
        1 => Just(Wish::Reset),
        12 => vote.prop_map(|(place, senders, seat)| Wish::Vote(place, senders, seat)),
        6 => flow(),
        1 => Just(Wish::Close),
    ]
}

/// Seats that change hands.
pub(in crate::reels) fn seating() -> impl Strategy<Value = Wish> {
    let seat = || prop_oneof![3 => Just(0), 5 => 1..=SEATS];
    prop_oneof![
        8 => (1..=SEATS).prop_map(Wish::Take),
        4 => Just(Wish::Release(0, None)),
        2 => (seat(), prop::option::weighted(0.3, 0..DEVICES)).prop_map(|(seat, from)| Wish::Release(seat, from)),
        2 => (seat(), any::<bool>()).prop_map(|(seat, active)| Wish::Toggle(seat, active)),
        2 => (0usize..10).prop_map(Wish::Add),
        1 => seat().prop_map(Wish::Delete),
        1 => Just(Wish::Reset),
    ]
}

/// What moves the game along.
fn flow() -> impl Strategy<Value = Wish> {
    prop_oneof![
        2 => Just(Wish::Start),
        3 => place().prop_map(Wish::Open),
        2 => (place(), prop_oneof![Just(0), 1u64..62]).prop_map(|(place, seconds)| Wish::Force(place, seconds)),
        3 => place().prop_map(Wish::End),
        2 => prop::option::weighted(0.2, 0usize..2).prop_map(Wish::Next),
    ]
}

fn place() -> impl Strategy<Value = Where> {
    prop_oneof![6 => Just(Where::Here), 1 => (0usize..2, 0usize..2).prop_map(|(round, item)| Where::At(round, item))]
}

/// The last of them is nobody's phone: the big screen, or somebody who only looks.
pub(in crate::reels) fn device(who: usize, key: Key) -> Credential {
    let host = match key {
        Key::None => None,
        Key::Right => Some(SecretHash::of(MASTER_KEY)),
        Key::Wrong => Some(SecretHash::of(b"the key of another room")),
    };
    Credential { host, ..credential(&name(who)) }
}

fn name(who: usize) -> String {
    match who {
        0 => "@mia".into(),
        DEVICES => "nobody".into(),
        _ => format!("phone{who}"),
    }
}

impl Wish {
    pub(in crate::reels) fn command(&self, game: &Reels, who: &Credential) -> Command {
        let own = || game.recognise_unchecked(who);
        let unknown = || "p999".parse().unwrap();
        let seat =
            |n: usize| if n == 0 { own() } else { game.players.get(n - 1).map_or_else(unknown, |player| player.id.clone()) };
        let name = |n: usize| ["Ana", "Zoë", "zoë", "Yan", "BO", "Xiu", "Wim", "Di", "Vic", "Uma"][n].parse().unwrap();
        match self {
            Wish::Take(n) => Command::TakePlayer(seat(*n)),
            Wish::Release(n, from) => Command::ReleasePlayer { player: seat(*n), user: from.map(|from| user(&self::name(from))) },
            Wish::Rename(n, to) => Command::RenamePlayer { player: seat(*n), name: name(*to) },
            Wish::Draw(n, face) => {
                Command::UpdateAvatar { player: seat(*n), avatar: Avatar::new(&jpeg(300, 300, *face)).unwrap() }
            }
            Wish::Wipe(n) => Command::DeleteAvatar(seat(*n)),
            Wish::Toggle(n, active) => Command::TogglePlayer { player: seat(*n), active: *active },
            Wish::Add(n) => Command::AddPlayer(name(*n)),
            Wish::Delete(n) => Command::DeletePlayer(seat(*n)),
            Wish::Reset => Command::ResetClaims,
            Wish::Start => Command::StartGame,
            Wish::Open(place) => Command::ReelOpened(place.which(game)),
            Wish::Vote(place, senders, player) => {
                let selections = senders.iter().map(|n| format!("s{n}").parse::<SenderId>().unwrap()).collect();
                Command::SubmitVote { item: place.which(game), player: player.map(seat), selections }
            }
            Wish::Force(place, seconds) => Command::ForceCloseVote { item: place.which(game), seconds: *seconds },
            Wish::End(place) => Command::EndItem(place.which(game)),
            Wish::Next(round) => {
                let here = game.at.map_or(0, |at| at.round);
                Command::StartNextRound(game.rounds[round.unwrap_or(here)].id.clone())
            }
            Wish::Close => Command::RoomClosed,
        }
    }
}

impl Where {
    fn which(self, game: &Reels) -> Which {
        let (round, item) = match (self, game.at) {
            (Where::At(round, item), _) => (round, item),
            (Where::Here, Some(at)) => (at.round, at.item.min(game.rounds[at.round].items.len() - 1)),
            (Where::Here, None) => (0, 0),
        };
        let round = &game.rounds[round];
        Which { round: round.id.clone(), item: round.items[item].id.clone() }
    }
}

impl Reels {
    /// The seat of a device, whatever keys it shows; of those who have none the first.
    fn recognise_unchecked(&self, who: &Credential) -> PlayerId {
        let user = who.user_id(&self.code);
        let own = self.claims.iter().find(|(_, claim)| Some(&claim.user) == user.as_ref());
        own.map_or_else(|| "p1".parse().unwrap(), |(player, _)| player.clone())
    }
}
