//! A party game at rest, in the keys of document 002: everything lies under `room:(code):`. Additive are the stream `commits`,
//! the pictures `avatar:(player_id)`, and the hash `stats`, which holds what the document has no place for.
//!
//! A vote writes its own field and nothing else; the rounds, with the answers, are written once.

mod claims;
pub(crate) mod events;
mod game;
mod lists;
mod meta;
mod rounds;
mod sound;
mod stats;
mod votes;

use crate::damage::{Damaged, damaged};
use crate::text::{fields, parse, read};
use parlor_rules::reels::{Event, ItemId, PlayerId, Reels, RoundId, SenderId, Stage};
use parlor_rules::{Kept, Receipts, RoomId, State, UserId};
use parlor_store::{Field, Key, RoomKey, Value};
use std::collections::BTreeMap;

/// Names one of a game's records, in the document's order; then what is additive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ref {
    Meta,
    Senders,
    Players,
    Claim(PlayerId),
    Score(PlayerId),
    /// All points of a round, when it begins.
    Deltas(RoundId),
    Delta(RoundId, PlayerId),
    Game,
    Round(RoundId),
    /// All votes on an item, when they go.
    Votes(RoundId, ItemId),
    Vote(RoundId, ItemId, PlayerId),
    Avatar(PlayerId),
    Settings,
    Timing,
    Guesses(PlayerId),
    Suspicion(SenderId),
    Lost(UserId),
}

pub(crate) fn room_key(code: &RoomId) -> RoomKey {
    let names = ["meta", "senders", "players", "claims", "scores", "game", "stats"];
    let records = names.iter().map(|name| Key::from(key(code, name))).collect();
    let below = Some(key(code, "").into());
    RoomKey { tag: code.as_str().into(), spine: key(code, "commits").into(), records, below }
}

fn key(code: &RoomId, name: &str) -> String {
    format!("room:{code}:{name}")
}

/// What each client was last answered rests among the additive things.
pub(crate) fn clients_key(code: &RoomId) -> String {
    key(code, "stats")
}

pub(crate) fn place(code: &RoomId, name: &Ref) -> (Key, Option<Field>) {
    let whole = |name: &str| (key(code, name).into(), None);
    let field = |name: &str, field: &str| (key(code, name).into(), Some(field.into()));
    match name {
        Ref::Meta => whole("meta"),
        Ref::Senders => whole("senders"),
        Ref::Players => whole("players"),
        Ref::Claim(player) => field("claims", player.as_str()),
        Ref::Score(player) => field("scores", player.as_str()),
        Ref::Deltas(round) => whole(&format!("round_delta:{round}")),
        Ref::Delta(round, player) => field(&format!("round_delta:{round}"), player.as_str()),
        Ref::Game => whole("game"),
        Ref::Round(round) => whole(&format!("round:{round}")),
        Ref::Votes(round, item) => whole(&format!("votes:{round}:{item}")),
        Ref::Vote(round, item, player) => field(&format!("votes:{round}:{item}"), player.as_str()),
        Ref::Avatar(player) => whole(&format!("avatar:{player}")),
        Ref::Settings => field("stats", stats::SETTINGS),
        Ref::Timing => field("stats", stats::VOTE),
        Ref::Guesses(player) => field("stats", &stats::of_player(player)),
        Ref::Suspicion(sender) => field("stats", &stats::of_sender(sender)),
        Ref::Lost(user) => field("stats", &stats::of_lost(user)),
    }
}

pub(crate) fn every_ref(game: &Reels) -> Vec<Ref> {
    let mut all = vec![Ref::Meta, Ref::Senders, Ref::Players, Ref::Game, Ref::Settings];
    all.extend(game.claims.keys().cloned().map(Ref::Claim));
    all.extend(game.scores.keys().cloned().map(Ref::Score));
    for (round, deltas) in &game.deltas {
        all.extend(deltas.keys().map(|player| Ref::Delta(round.clone(), player.clone())));
    }
    all.extend(game.rounds.iter().map(|round| Ref::Round(round.id.clone())));
    if let Some((round, item)) = game.current() {
        all.extend(game.ballots.keys().map(|player| Ref::Vote(round.id.clone(), item.id.clone(), player.clone())));
    }
    all.extend(game.avatars.keys().cloned().map(Ref::Avatar));
    all.extend(game.vote.is_some().then_some(Ref::Timing));
    all.extend(game.stats.guesses.keys().cloned().map(Ref::Guesses));
    all.extend(game.stats.suspicions.keys().cloned().map(Ref::Suspicion));
    all.extend(game.lost.keys().cloned().map(Ref::Lost));
    all
}

pub(crate) fn touched(before: &Reels, after: &Reels, event: &Event) -> Vec<Ref> {
    let claim = |player: &PlayerId| Ref::Claim(player.clone());
    let claimed = |player: &PlayerId| (before.claims.get(player) != after.claims.get(player)).then(|| claim(player));
    match event {
        Event::Taken { player, .. } => one(claim(player)).chain(losses(before, after)).collect(),
        Event::Released { player, .. } => {
            let (was, is) = (before.vote.as_ref(), after.vote.as_ref());
            let excused = (was.map(|vote| &vote.expected) != is.map(|vote| &vote.expected)).then_some(Ref::Game);
            let left = (was.map(|vote| &vote.left) != is.map(|vote| &vote.left)).then_some(Ref::Timing);
            one(claim(player)).chain(losses(before, after)).chain(excused).chain(left).collect()
        }
        Event::Renamed { .. } => one(Ref::Players).chain((before.senders != after.senders).then_some(Ref::Senders)).collect(),
        Event::AvatarSet { player, .. } | Event::AvatarDeleted { player } => vec![Ref::Players, Ref::Avatar(player.clone())],
        Event::Toggled { player, .. } => one(Ref::Players).chain(claimed(player)).chain(losses(before, after)).collect(),
        Event::PlayerAdded { player, .. } => {
            let delta = after.round().map(|round| Ref::Delta(round.id.clone(), player.clone()));
            [Ref::Players, Ref::Score(player.clone()), Ref::Settings].into_iter().chain(delta).collect()
        }
        Event::PlayerDeleted { player } => {
            let face = before.avatars.contains_key(player).then(|| Ref::Avatar(player.clone()));
            let gone = [Ref::Players, Ref::Score(player.clone())].into_iter().chain(claimed(player)).chain(face);
            gone.chain(losses(before, after)).collect()
        }
        Event::ClaimsReset => before.claims.keys().map(claim).chain(losses(before, after)).collect(),
        Event::Started => {
            let begun = after.round().map(|round| Ref::Deltas(round.id.clone()));
            [Ref::Meta, Ref::Game].into_iter().chain(begun).collect()
        }
        Event::Opened { item, .. } => {
            vec![Ref::Game, Ref::Timing, Ref::Votes(item.round.clone(), item.item.clone())]
        }
        Event::Voted { player, .. } => {
            let item = after.current();
            item.map(|(round, item)| Ref::Vote(round.id.clone(), item.id.clone(), player.clone())).into_iter().collect()
        }
        Event::Hurried { .. } => vec![Ref::Game, Ref::Timing],
        Event::Scored(scored) => {
            let round = || scored.item.round.clone();
            let scores = scored.scores.iter().map(|score| Ref::Score(score.player.clone()));
            let deltas = scored.scores.iter().map(|score| Ref::Delta(round(), score.player.clone()));
            let guesses = scored.guesses.iter().map(|(player, _)| Ref::Guesses(player.clone()));
            let suspicions = scored.suspicions.iter().map(|(sender, _)| Ref::Suspicion(sender.clone()));
            [Ref::Game, Ref::Timing].into_iter().chain(scores).chain(deltas).chain(guesses).chain(suspicions).collect()
        }
        Event::ItemEnded { item } => {
            vec![Ref::Game, Ref::Timing, Ref::Votes(item.round.clone(), item.item.clone())]
        }
        Event::RoundStarted { round } => vec![Ref::Game, Ref::Deltas(round.clone())],
        Event::GameEnded => vec![Ref::Meta, Ref::Game],
        Event::Closed => vec![],
    }
}

fn one(name: Ref) -> std::iter::Once<Ref> {
    std::iter::once(name)
}

/// Devices that lost their seat, or are told of it no longer.
fn losses(before: &Reels, after: &Reels) -> Vec<Ref> {
    let gone = before.lost.keys().filter(|user| !after.lost.contains_key(*user));
    let new = after.lost.iter().filter(|(user, lost)| before.lost.get(*user) != Some(*lost)).map(|(user, _)| user);
    gone.chain(new).cloned().map(Ref::Lost).collect()
}

/// Whether this is part of another record of the same commit, which is written whole.
pub(crate) fn is_within(name: &Ref, whole: impl Fn(Ref) -> bool) -> bool {
    match name {
        Ref::Delta(round, _) => whole(Ref::Deltas(round.clone())),
        Ref::Vote(round, item, _) => whole(Ref::Votes(round.clone(), item.clone())),
        Ref::Meta
        | Ref::Senders
        | Ref::Players
        | Ref::Claim(_)
        | Ref::Score(_)
        | Ref::Deltas(_)
        | Ref::Game
        | Ref::Round(_)
        | Ref::Votes(_, _)
        | Ref::Avatar(_)
        | Ref::Settings
        | Ref::Timing
        | Ref::Guesses(_)
        | Ref::Suspicion(_)
        | Ref::Lost(_) => false,
    }
}

pub(crate) fn record(game: &Reels, kept: &Kept, name: &Ref) -> Option<Value> {
    let number = |number: &u64| Value::Document(number.to_string().into());
    Some(match name {
        Ref::Meta => Value::Document(meta::record(game, kept)),
        Ref::Senders => Value::Document(lists::senders(game)),
        Ref::Players => Value::Document(lists::players(game)),
        Ref::Claim(player) => Value::Document(claims::record(game.claims.get(player)?)),
        Ref::Score(player) => number(game.scores.get(player)?),
        Ref::Deltas(round) => {
            let deltas = game.deltas.get(round).filter(|deltas| !deltas.is_empty())?.iter();
            Value::Hash(deltas.map(|(player, points)| (player.as_str().into(), points.to_string().into())).collect())
        }
        Ref::Delta(round, player) => number(game.deltas.get(round)?.get(player)?),
        Ref::Game => Value::Document(game::record(game)),
        Ref::Round(round) => Value::Document(rounds::record(game.rounds.get(game.place_of(round)?)?, kept)),
        Ref::Votes(round, item) => {
            let ballots = voted_on(game, round, item)?.iter();
            Value::Hash(ballots.map(|(player, ballot)| (player.as_str().into(), votes::record(ballot))).collect())
        }
        Ref::Vote(round, item, player) => Value::Document(votes::record(voted_on(game, round, item)?.get(player)?)),
        Ref::Avatar(player) => Value::Text(game.avatars.get(player)?.bytes().to_vec().into()),
        Ref::Settings => Value::Document(stats::settings(game)),
        Ref::Timing => Value::Document(stats::vote(game.vote.as_ref()?)),
        Ref::Guesses(player) => Value::Document(stats::guesses(game.stats.guesses.get(player)?)),
        Ref::Suspicion(sender) => Value::Document(stats::suspicion(game.stats.suspicions.get(sender)?)),
        Ref::Lost(user) => Value::Document(stats::lost(game.lost.get(user)?)),
    })
}

type Ballots = imbl::OrdMap<PlayerId, parlor_rules::reels::Ballot>;

/// The votes on an item, if that is the one being voted on and there are any.
fn voted_on<'a>(game: &'a Reels, round: &RoundId, item: &ItemId) -> Option<&'a Ballots> {
    let (current, at) = game.current()?;
    Some(&game.ballots).filter(|ballots| current.id == *round && at.id == *item && !ballots.is_empty())
}

pub(crate) fn wake(code: &RoomId, records: &BTreeMap<&str, &Value>) -> Result<Kept, Damaged> {
    let (mut game, created, phase) = meta::wake(code, &key(code, "meta"), records)?;
    game.senders = lists::wake_senders(&key(code, "senders"), records)?;
    let avatars = key(code, "avatar:");
    game.players = lists::wake_players(&key(code, "players"), &avatars, records)?;
    game.claims = claims::wake(code, &key(code, "claims"), records)?;
    game.scores = points(&key(code, "scores"), records)?;
    game::wake(&mut game, &phase, &key(code, "game"), &key(code, "round:"), records)?;
    for round in game.rounds.clone() {
        let deltas = points(&key(code, &format!("round_delta:{}", round.id)), records)?;
        if !deltas.is_empty() {
            game.deltas.insert(round.id.clone(), deltas);
        }
    }
    let voting = game.current().map(|(round, item)| format!("votes:{}:{}", round.id, item.id));
    if let Some(voting) = voting.filter(|_| matches!(game.stage, Stage::Vote | Stage::RevealWait)) {
        game.ballots = votes::wake(&key(code, &voting), records)?;
    }
    for (name, value) in records.iter().filter(|(name, _)| name.starts_with(&avatars)) {
        let Value::Text(bytes) = value else { return Err(damaged(name, "it should be a text")) };
        let avatar = parlor_rules::reels::Avatar::new(bytes).map_err(|error| damaged(name, error))?;
        game.avatars.insert(read(name, &name[avatars.len()..])?, avatar);
    }
    stats::wake(&mut game, &key(code, "stats"), records)?;
    sound::check(&game, &key(code, "game"))?;
    Ok(Kept { state: State::Reels(game), receipts: Receipts::default(), created, expires: None })
}

fn points(key: &str, records: &BTreeMap<&str, &Value>) -> Result<imbl::OrdMap<PlayerId, u64>, Damaged> {
    fields(records, key)?.map(|(field, value)| Ok((read(key, field)?, parse::<u64>(key, value)?))).collect()
}
