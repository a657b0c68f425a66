//! The search: from the empty lobby through every state, the shortest ways first, each state once.

use super::acts::{Try, What, every_try};
use super::planted::Planted;
use crate::identity::Viewer;
use crate::reels::evening::{BEGAN, Setup, credential, take};
use crate::reels::sound::{points_due, progress, sound, steps};
use crate::reels::{Command, Event, PlayerId, Reels, Refusal, Stage, Which};
use crate::room::{Room, When};
use std::collections::{BTreeSet, HashSet, VecDeque};

pub(super) struct Explored {
    pub(super) states: usize,
    pub(super) transitions: usize,
    pub(super) depth: usize,
    pub(super) ended: usize,
}

/// A game, and what an onlooker with pen and paper knows of it.
#[derive(Clone)]
struct State {
    game: Reels,
    /// Which items were counted.
    counted: BTreeSet<(String, String)>,
    /// What all counted votes were worth, worked out from the ballots.
    points: u64,
}

/// Where a state came from, to tell the way to it.
struct Step {
    from: usize,
    by: usize,
    depth: usize,
}

pub(super) fn explore(setup: &Setup<'_>, planted: Planted) -> Result<Explored, String> {
    let start = State { game: setup.game(), counted: BTreeSet::new(), points: 0 };
    let tries = every_try(&start.game);
    let mut steps = vec![Step { from: 0, by: usize::MAX, depth: 0 }];
    let mut seen = HashSet::from([key(&start)]);
    let mut waiting = VecDeque::from([(0, start)]);
    let (mut transitions, mut ended) = (0, 0);
    while let Some((number, state)) = waiting.pop_front() {
        let way = |last: Option<&Try>| way(&steps, &tries, number, last);
        state_is_well(planted, &state).map_err(|wrong| format!("{wrong}, after {}", way(None)))?;
        ended += usize::from(state.game.stage == Stage::Over);
        let mut found = Vec::new();
        for (index, one) in tries.iter().enumerate() {
            let after = act(planted, &state, one).map_err(|wrong| format!("{wrong}, after {}", way(Some(one))))?;
            let Some(after) = after else { continue };
            transitions += 1;
            if seen.insert(key(&after)) {
                found.push((index, after));
            }
        }
        for (by, after) in found {
            steps.push(Step { from: number, by, depth: steps[number].depth + 1 });
            waiting.push_back((steps.len() - 1, after));
        }
    }
    Ok(Explored { states: steps.len(), transitions, depth: steps.last().map_or(0, |step| step.depth), ended })
}

fn way(steps: &[Step], tries: &[Try], mut number: usize, last: Option<&Try>) -> String {
    let mut acts: Vec<String> = last.iter().map(ToString::to_string).collect();
    while number > 0 {
        acts.push(tries[steps[number].by].to_string());
        number = steps[number].from;
    }
    acts.reverse();
    format!("{} acts: {}", acts.len(), acts.join("; "))
}

/// One try, with a crash before and a crash after; nothing when it was refused or changes nothing.
fn act(planted: Planted, state: &State, one: &Try) -> Result<Option<State>, String> {
    let viewer = |game: &Reels| game.recognise(&one.by).expect("the keys are right");
    let Ok(events) = planted.attempt(&state.game, &viewer(&state.game), &one.what) else { return Ok(None) };
    // The commit did not happen: sent again it comes to the same.
    if planted.attempt(&state.game, &viewer(&state.game), &one.what).as_ref() != Ok(&events) {
        return Err("the same act on the same game came to something else".into());
    }
    if events.is_empty() {
        return Ok(None);
    }
    let after = take_in(planted, state, &events)?;
    // The commit happened and its reply was lost: sent again it changes nothing.
    if let Ok(again) = planted.attempt(&after.game, &viewer(&after.game), &one.what) {
        let twice = take_in(planted, &after, &again)?;
        if twice.game != after.game {
            return Err(format!("sent again after a lost reply it happened again: {again:?}"));
        }
    }
    Ok(Some(after))
}

fn take_in(planted: Planted, before: &State, events: &[Event]) -> Result<State, String> {
    let mut after = before.clone();
    for event in events {
        match event {
            Event::Scored(scored) => {
                let (item, points) = points_due(&after.game).ok_or("a count of nothing")?;
                if scored.item != item || !after.counted.insert(words(&item)) {
                    return Err(format!("{} {} was counted twice", scored.item.round, scored.item.item));
                }
                after.points += points;
            }
            Event::Started => {
                let unheld =
                    |game: &Reels| game.players.iter().any(|player| player.active != game.claims.contains_key(&player.id));
                if unheld(&after.game) || after.game.claims.len() < 2 {
                    return Err("it began with a player nobody plays, or with too few".into());
                }
            }
            _ => {}
        }
        planted.apply(&mut after.game, When { at: BEGAN, seq: 2 }, event);
    }
    sound(&after.game)?;
    let sum: u64 = after.game.scores.values().sum();
    if sum != after.points {
        return Err(format!("{sum} points were given for votes worth {}", after.points));
    }
    let (from, to) = (progress(&before.game), progress(&after.game));
    if to != from && to != from + 1 {
        return Err(format!("the game went from step {from} to step {to}"));
    }
    if to == from && before.game.ballots.keys().any(|player| !after.game.ballots.contains_key(player)) {
        return Err("a vote that was cast is gone".into());
    }
    let left = before.game.stage == Stage::Vote && after.game.stage != Stage::Vote;
    let item = before.game.current().map(|(round, item)| (round.id.to_string(), item.id.to_string()));
    if left && !item.is_some_and(|item| after.counted.contains(&item)) {
        return Err("a vote ended and was not counted".into());
    }
    Ok(after)
}

fn words(which: &Which) -> (String, String) {
    (which.round.to_string(), which.item.to_string())
}

/// From here the Master alone brings the game one step on, so that by as many such steps as are left it ends; when time is up
/// the vote ends; and when all who are waited for leave, it ends too.
fn state_is_well(planted: Planted, state: &State) -> Result<(), String> {
    let command = |state: &State, who: &str, command: Command| -> Result<Result<State, Refusal>, String> {
        let by = state.game.recognise(&credential(who)).expect("the key is right");
        attempt(planted, state, &by, &What::Command(command))
    };
    match master_moves(state, &command)? {
        Some(after) if progress(&after.game) != progress(&state.game) + 1 => {
            return Err(format!("the Master is stuck in {:?}", state.game.stage));
        }
        None if state.game.stage == Stage::Over && progress(&state.game) != steps(&state.game) => {
            return Err("the game ended with something left to play".into());
        }
        Some(_) | None => {}
    }
    if state.game.stage != Stage::Vote {
        return Ok(());
    }
    if state.game.deadline().is_some() {
        let by = state.game.recognise(&credential("nobody")).expect("no key at all");
        let after = attempt(planted, state, &by, &What::TimeIsUp)?;
        if !after.is_ok_and(|after| after.game.stage == Stage::RevealWait) {
            return Err("time was up and the vote went on".into());
        }
    }
    let mut left = state.clone();
    let vote = state.game.vote.as_ref().ok_or("no vote is open")?;
    for player in vote.expected.iter().filter(|player| !state.game.ballots.contains_key(*player)) {
        left = command(&left, "master", release(player))?.map_err(|refusal| format!("{player} was not let go: {refusal}"))?;
    }
    if left.game.stage != Stage::RevealWait {
        return Err("all who were waited for left, and the vote went on".into());
    }
    Ok(())
}

fn attempt(planted: Planted, state: &State, by: &Viewer, what: &What) -> Result<Result<State, Refusal>, String> {
    match planted.attempt(&state.game, by, what) {
        Ok(events) => take_in(planted, state, &events).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// What a Master does who wants the game to end; nothing at its end, and nothing while there are too few to begin.
fn master_moves(
    state: &State,
    command: &impl Fn(&State, &str, Command) -> Result<Result<State, Refusal>, String>,
) -> Result<Option<State>, String> {
    let go = |state: &State, what: Command| {
        let name = what.name();
        command(state, "master+key", what)?.map_err(|refusal| format!("the Master's {name} was refused: {refusal}"))
    };
    let item = || {
        let (round, item) = state.game.current().expect("there is an item in these stages");
        Which { round: round.id.clone(), item: item.id.clone() }
    };
    Ok(Some(match state.game.stage {
        Stage::Lobby if state.game.claims.len() < 2 => return Ok(None),
        Stage::Lobby => {
            let mut ready = state.clone();
            for player in state.game.players.iter().filter(|player| !state.game.claims.contains_key(&player.id)) {
                ready = go(&ready, Command::TogglePlayer { player: player.id.clone(), active: false })?;
            }
            go(&ready, Command::StartGame)?
        }
        Stage::Idle => match command(state, "master+key", Command::ReelOpened(item()))? {
            Ok(open) => open,
            // With everybody gone the Master's own device takes a seat: one is free.
            Err(Refusal::NobodyToVote) => {
                let free = state.game.players.iter().find(|player| player.active).ok_or("no seat is in the game")?;
                let seated = command(state, "screen", take(free.id.as_str()))?;
                go(&seated.map_err(|refusal| format!("the Master took no seat: {refusal}"))?, Command::ReelOpened(item()))?
            }
            Err(refusal) => return Err(format!("a reel did not open: {refusal}")),
        },
        Stage::Vote => go(state, Command::ForceCloseVote { item: item(), seconds: 0 })?,
        Stage::RevealWait => go(state, Command::EndItem(item()))?,
        Stage::RoundRecap => {
            let round = state.game.round().expect("a round that is done").id.clone();
            go(state, Command::StartNextRound(round))?
        }
        Stage::Over => return Ok(None),
    }))
}

fn release(player: &PlayerId) -> Command {
    Command::ReleasePlayer { player: player.clone(), user: None }
}

/// What tells states apart. Time stands still here, and who is told of a lost seat changes nothing that can be done.
fn key(state: &State) -> Vec<u8> {
    let State { game, counted, points } = state;
    let mut key = vec![game.stage as u8, counted.len() as u8, *points as u8];
    key.extend(game.at.map_or([9, 9], |at| [at.round as u8, at.item as u8]));
    let vote = game.vote.as_ref();
    key.push(vote.map_or(9, |vote| u8::from(vote.forced) + 2 * u8::from(vote.closes.is_some())));
    for player in &game.players {
        let claim = game.claims.get(&player.id).map_or("", |claim| claim.user.as_str());
        let ballot = game.ballots.get(&player.id).map_or(0, |ballot| ballot.selections[0].as_str().as_bytes()[1]);
        let expected = vote.is_some_and(|vote| vote.expected.contains(&player.id));
        let left = vote.is_some_and(|vote| vote.left.contains(&player.id));
        key.extend(claim.bytes());
        key.extend([u8::from(left), u8::from(player.active), ballot, u8::from(expected), game.score_of(&player.id) as u8]);
        key.push(game.delta_of(&player.id) as u8);
    }
    key
}
