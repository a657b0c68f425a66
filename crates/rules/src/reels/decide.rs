//! The game's rulebook: who may do what, when, and what comes of it. The table says the first two; guards stand in the
//! order they are read.

use super::apply::apply;
use super::score::scored;
use super::table::{Answer, Who, row};
use super::wish::PLAYERS_MAX;
use super::{Command, Event, FORCE_SECONDS_MAX, Loss, Player, PlayerId, Reels, Refusal, Sender, SenderId, Stage, Which};
use crate::identity::Viewer;
use crate::ids::UserId;
use crate::names::Name;
use crate::room::{Act, When};
use crate::time::{Millis, Span};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What the act itself does, and the score that follows from it when nobody is waited for any more.
pub(super) fn decide(game: &Reels, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    let events = alone(game, act)?;
    let ends_vote = |event: &Event| matches!(event, Event::Voted { .. } | Event::Released { .. });
    if game.stage != Stage::Vote || !events.iter().any(ends_vote) {
        return Ok(events);
    }
    let mut after = game.clone();
    events.iter().for_each(|event| apply(&mut after, When { at: act.at, seq: game.version }, event));
    let complete = after.is_complete().then(|| scored(&after)).flatten();
    Ok(events.into_iter().chain(complete.map(Event::Scored)).collect())
}

fn alone(game: &Reels, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    let Act { by, command, at, dice: _ } = act;
    let rules = row(command);
    may(game, by, command, rules.who)?;
    let is_vote = matches!(command, Command::SubmitVote { .. });
    match standing(game, command)? {
        Some(Ordering::Less) if is_vote => return Err(Refusal::Late),
        Some(Ordering::Less) => return Ok(vec![]), // What is behind us is done.
        Some(Ordering::Greater) if is_vote => return Err(Refusal::NotInVote),
        Some(Ordering::Greater) => return Err(Refusal::NotCurrent),
        Some(Ordering::Equal) | None => {}
    }
    match rules.answer(game.stage) {
        Answer::Goes => {}
        Answer::Done => return Ok(vec![]),
        Answer::NotInPhase => return Err(Refusal::NotInPhase { command: command.name(), stage: game.stage }),
        Answer::NotInVote => return Err(Refusal::NotInVote),
        Answer::Late => return Err(Refusal::Late),
    }
    match command {
        Command::TakePlayer(player) => take(game, by, player),
        Command::ReleasePlayer { player, user } => release(game, by, player, user.as_ref()),
        Command::RenamePlayer { player, name } => rename(game, player, name),
        Command::UpdateAvatar { player, avatar } if game.avatars.get(player) == Some(avatar) => Ok(vec![]),
        Command::UpdateAvatar { player, avatar } => Ok(vec![Event::AvatarSet { player: player.clone(), avatar: avatar.clone() }]),
        Command::DeleteAvatar(player) if !game.avatars.contains_key(player) => Ok(vec![]),
        Command::DeleteAvatar(player) => Ok(vec![Event::AvatarDeleted { player: player.clone() }]),
        Command::TogglePlayer { player, active } if seat(game, player)?.active == *active => Ok(vec![]),
        Command::TogglePlayer { player, active } => Ok(vec![Event::Toggled { player: player.clone(), active: *active }]),
        Command::AddPlayer(name) => add(game, name),
        Command::DeletePlayer(player) => Ok(vec![Event::PlayerDeleted { player: seat(game, player)?.id.clone() }]),
        Command::ResetClaims if game.claims.is_empty() => Ok(vec![]),
        Command::ResetClaims => Ok(vec![Event::ClaimsReset]),
        Command::StartGame => start(game),
        Command::ReelOpened(item) => open(game, *at, item),
        Command::SubmitVote { player, selections, .. } => vote(game, by, player.as_ref(), selections),
        Command::ForceCloseVote { seconds, .. } => force(game, *at, *seconds),
        Command::EndItem(item) => Ok(vec![Event::ItemEnded { item: item.clone() }]),
        Command::StartNextRound(_) => Ok(next(game)),
        Command::RoomClosed => Ok(vec![Event::Closed]),
    }
}

/// Whether this is somebody who may send the command at all.
fn may(game: &Reels, by: &Viewer, command: &Command, who: Who<'_>) -> Result<(), Refusal> {
    match who {
        Who::Anyone => Ok(()),
        Who::Claimant => game.seat_of(by).map(|_| ()).ok_or(Refusal::NotClaimed),
        Who::HolderOrMaster(player) => {
            seat(game, player)?;
            let own = game.seat_of(by) == Some(player);
            if own || by.host { Ok(()) } else { Err(Refusal::NotYours(command.name())) }
        }
        Who::Master if by.host => Ok(()),
        Who::Master => Err(Refusal::MasterOnly(command.name())),
    }
}

/// Where what the command names stands to where the game is; nothing when it names no such thing, or no game runs yet.
fn standing(game: &Reels, command: &Command) -> Result<Option<Ordering>, Refusal> {
    match command {
        Command::ReelOpened(which)
        | Command::SubmitVote { item: which, .. }
        | Command::ForceCloseVote { item: which, .. }
        | Command::EndItem(which) => {
            let named = game.spot(which).ok_or(Refusal::NoSuchItem)?;
            Ok(game.at.map(|at| named.cmp(&at)))
        }
        Command::StartNextRound(round) => {
            let named = game.place_of(round).ok_or(Refusal::NoSuchItem)?;
            Ok(game.at.map(|at| named.cmp(&at.round)))
        }
        Command::TakePlayer(_)
        | Command::ReleasePlayer { .. }
        | Command::RenamePlayer { .. }
        | Command::UpdateAvatar { .. }
        | Command::DeleteAvatar(_)
        | Command::TogglePlayer { .. }
        | Command::AddPlayer(_)
        | Command::DeletePlayer(_)
        | Command::ResetClaims
        | Command::StartGame
        | Command::RoomClosed => Ok(None),
    }
}

fn seat<'a>(game: &'a Reels, player: &PlayerId) -> Result<&'a Player, Refusal> {
    game.player(player).ok_or(Refusal::PlayerNotFound)
}

/// The document's script for TAKE_PLAYER, and what it forgot: whether there is such a seat, and whether it is in the game.
fn take(game: &Reels, by: &Viewer, player: &PlayerId) -> Result<Vec<Event>, Refusal> {
    let (Some(user), Some(proof)) = (&by.user, by.proof) else { return Err(Refusal::NoKey) };
    let seat = seat(game, player)?;
    let own = game.seat_of(by);
    if own == Some(player) {
        return Ok(vec![]); // Taking one's own seat again is a reconnect.
    }
    // Ids are short digests of keys: should two keys ever share one, the first keeps its seat.
    if game.claims.contains_key(player) || (own.is_none() && game.claims.values().any(|claim| claim.user == *user)) {
        return Err(Refusal::TakenNow);
    }
    if !seat.active {
        return Err(Refusal::Inactive);
    }
    if own.is_some() {
        return Err(Refusal::DeviceAlreadyHasPlayer);
    }
    Ok(vec![Event::Taken { player: player.clone(), user: user.clone(), proof }])
}

fn release(game: &Reels, by: &Viewer, player: &PlayerId, user: Option<&UserId>) -> Result<Vec<Event>, Refusal> {
    let claim = game.claims.get(player);
    if claim.is_none_or(|claim| user.is_some_and(|user| claim.user != *user)) {
        return Ok(vec![]);
    }
    let why = (game.seat_of(by) != Some(player)).then_some(Loss::Released);
    Ok(vec![Event::Released { player: player.clone(), why }])
}

fn rename(game: &Reels, player: &PlayerId, name: &Name) -> Result<Vec<Event>, Refusal> {
    let own = seat(game, player)?;
    if own.name == *name {
        return Ok(vec![]);
    }
    if is_called(game, name, Some(own)) {
        return Err(Refusal::NameTaken);
    }
    Ok(vec![Event::Renamed { player: player.clone(), name: name.clone() }])
}

/// Whether somebody other than the one asking has that name: a player, or a sender who can be guessed. Who plays for no sender may
/// be called like one without a seat: it is them.
fn is_called(game: &Reels, name: &Name, but: Option<&Player>) -> bool {
    let name = name.folded();
    let (player, sender) = (but.map(|player| &player.id), but.and_then(|player| player.sender.as_ref()));
    let plays = |id: &SenderId| game.players.iter().any(|player| player.sender.as_ref() == Some(id));
    let counts = |other: &Sender| other.active && Some(&other.id) != sender && (sender.is_some() || plays(&other.id));
    game.players.iter().any(|other| Some(&other.id) != player && other.name.folded() == name)
        || game.senders.iter().any(|other| counts(other) && other.name.folded() == name)
}

/// A seat with a higher number has it by chance: going on from there, the numbers would come to their end.
const COUNTED_MAX: u64 = 1_000_000_000;

/// Seats added by hand go on counting where the others end; a number is never given again, so that whoever names a seat late means
/// none but that.
fn add(game: &Reels, name: &Name) -> Result<Vec<Event>, Refusal> {
    if is_called(game, name, None) {
        return Err(Refusal::NameTaken);
    }
    if game.players.len() >= PLAYERS_MAX {
        return Err(Refusal::Full);
    }
    let counted = game.players.iter().filter_map(|player| player.id.number()).filter(|number| *number < COUNTED_MAX);
    let next = counted.max().unwrap_or_default().max(game.added).saturating_add(1);
    // Those that do not count may lie ahead.
    let mut numbers = (next..=u64::MAX).map(PlayerId::numbered);
    let player = numbers.find(|id| game.player(id).is_none()).ok_or(Refusal::Full)?;
    Ok(vec![Event::PlayerAdded { player, name: name.clone() }])
}

fn start(game: &Reels) -> Result<Vec<Event>, Refusal> {
    let active = || game.players.iter().filter(|player| player.active);
    if active().count() < 2 {
        return Err(Refusal::TooFewPlayers);
    }
    let waiting: Vec<&str> =
        active().filter(|player| !game.claims.contains_key(&player.id)).map(|player| player.name.as_str()).collect();
    if !waiting.is_empty() {
        return Err(Refusal::Unclaimed(waiting.join(", ")));
    }
    Ok(vec![Event::Started])
}

fn open(game: &Reels, at: Millis, item: &Which) -> Result<Vec<Event>, Refusal> {
    let plays = |player: &&Player| player.active && game.claims.contains_key(&player.id);
    let expected: Vec<PlayerId> = game.players.iter().filter(plays).map(|player| player.id.clone()).collect();
    if expected.is_empty() {
        return Err(Refusal::NobodyToVote);
    }
    let closes = game.settings.vote_seconds.map(|seconds| at + Span::seconds(seconds));
    Ok(vec![Event::Opened { item: item.clone(), expected, closes }])
}

fn vote(game: &Reels, by: &Viewer, player: Option<&PlayerId>, selections: &[SenderId]) -> Result<Vec<Event>, Refusal> {
    let own = game.seat_of(by).ok_or(Refusal::NotClaimed)?;
    if player.is_some_and(|player| player != own) {
        return Err(Refusal::NotClaimed);
    }
    let (Some(vote), Some((_, item))) = (&game.vote, game.current()) else { return Err(Refusal::NotInVote) };
    if !vote.awaits(own) {
        return Err(Refusal::NotExpectedVoter);
    }
    let different: BTreeSet<&SenderId> = selections.iter().collect();
    if different.len() != selections.len() || selections.iter().any(|sender| !game.is_selectable(sender)) {
        return Err(Refusal::InvalidSelection);
    }
    if selections.len() > item.k() {
        return Err(Refusal::TooManySelections(item.k()));
    }
    if game.ballots.get(own).is_some_and(|ballot| ballot.selections == selections) {
        return Ok(vec![]);
    }
    Ok(vec![Event::Voted { player: own.clone(), selections: selections.to_vec() }])
}

/// A countdown that runs is not started again; without seconds the vote is counted now.
fn force(game: &Reels, at: Millis, seconds: u64) -> Result<Vec<Event>, Refusal> {
    if seconds > FORCE_SECONDS_MAX {
        return Err(Refusal::Countdown);
    }
    if seconds == 0 {
        return Ok(scored(game).map(Event::Scored).into_iter().collect());
    }
    let vote = game.vote.as_ref();
    if vote.is_some_and(|vote| vote.forced) {
        return Ok(vec![]);
    }
    let closes = at + Span::seconds(seconds);
    let sooner = vote.and_then(|vote| vote.closes).filter(|already| *already < closes);
    Ok(vec![Event::Hurried { closes: sooner.unwrap_or(closes) }])
}

fn next(game: &Reels) -> Vec<Event> {
    let next = game.at.and_then(|at| game.rounds.get(at.round + 1));
    vec![next.map_or(Event::GameEnded, |round| Event::RoundStarted { round: round.id.clone() })]
}
