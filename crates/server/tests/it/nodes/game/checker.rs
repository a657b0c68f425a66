//! Holds what clients were told against what Redis kept: is there one order that explains it all?
//!
//! It knows nothing of how the server works. What it must find is planted below.

use parlor_rules::Position;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct History {
    /// The stream from its first entry on, in its order.
    pub(crate) commits: Vec<Commit>,
    pub(crate) acks: Vec<Ack>,
    /// Each listener's views in the order they came.
    pub(crate) heard: Vec<Heard>,
}

#[derive(Clone, Debug)]
pub(crate) struct Commit {
    pub(crate) at: Position,
    pub(crate) mark: String,
    /// Whose program, and which of its numbers.
    pub(crate) tickets: Vec<(String, u64)>,
}

/// A command that was answered, with the times when it was first sent and when the answer was there.
#[derive(Clone, Debug)]
pub(crate) struct Ack {
    pub(crate) client: String,
    pub(crate) n: u64,
    pub(crate) at: Position,
    pub(crate) sent: Duration,
    pub(crate) answered: Duration,
}

#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) listener: String,
    pub(crate) at: Position,
    pub(crate) mark: String,
    pub(crate) view: Value,
    /// The listener had been told that what it knew before need not be part of this history.
    pub(crate) anew: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The stream is not one commit after the other.
    Gap(Position),
    /// Acked, but not in the commit that the ack names.
    Lost {
        client: String,
        n: u64,
        at: Position,
    },
    /// In two commits.
    Twice {
        client: String,
        n: u64,
    },
    /// The second was sent when the first had been answered, and yet stands before it.
    Order {
        first: (String, u64),
        second: (String, u64),
    },
    /// Not what the room's history gives at that position.
    View {
        listener: String,
        at: Position,
    },
    WentBack {
        listener: String,
        to: Position,
    },
}

/// Everything that no single order explains. `model` is what a listener sees at a position, by the rules.
pub(crate) fn check(history: &History, model: impl Fn(&str, Position) -> Option<Value>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut kept: BTreeMap<(&str, u64), Position> = BTreeMap::new();
    for (index, commit) in history.commits.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| history.commits[before].at);
        if before.map_or(commit.at.seq != 1, |before| before.next() != commit.at) {
            faults.push(Fault::Gap(commit.at));
        }
        for (client, n) in &commit.tickets {
            if kept.insert((client, *n), commit.at).is_some() {
                faults.push(Fault::Twice { client: client.clone(), n: *n });
            }
        }
    }
    for Ack { client, n, at, .. } in &history.acks {
        if kept.get(&(client.as_str(), *n)) != Some(at) {
            faults.push(Fault::Lost { client: client.clone(), n: *n, at: *at });
        }
    }
    faults.extend(order(&history.acks));
    let marks: BTreeMap<Position, &str> = history.commits.iter().map(|commit| (commit.at, &*commit.mark)).collect();
    let mut last: BTreeMap<&str, Position> = BTreeMap::new();
    for Heard { listener, at, mark, view, anew } in &history.heard {
        if marks.get(at) != Some(&mark.as_str()) || model(listener, *at).as_ref() != Some(view) {
            faults.push(Fault::View { listener: listener.clone(), at: *at });
        }
        if last.insert(listener, *at).is_some_and(|before| before > *at && !anew) {
            faults.push(Fault::WentBack { listener: listener.clone(), to: *at });
        }
    }
    faults
}

/// Whoever is sent after another was answered does not stand before it.
fn order(acks: &[Ack]) -> Vec<Fault> {
    let (mut by_sent, mut by_answered): (Vec<&Ack>, Vec<&Ack>) = (acks.iter().collect(), acks.iter().collect());
    by_sent.sort_by_key(|ack| ack.sent);
    by_answered.sort_by_key(|ack| ack.answered);
    let mut answered = by_answered.into_iter().peekable();
    let mut furthest: Option<&Ack> = None;
    let mut faults = Vec::new();
    for second in by_sent {
        while let Some(first) = answered.next_if(|first| first.answered < second.sent) {
            if furthest.is_none_or(|furthest| furthest.at < first.at) {
                furthest = Some(first);
            }
        }
        if let Some(first) = furthest.filter(|first| first.at > second.at) {
            let name = |ack: &Ack| (ack.client.clone(), ack.n);
            faults.push(Fault::Order { first: name(first), second: name(second) });
        }
    }
    faults
}

fn at(seq: u64) -> Position {
    Position { epoch: 7, seq }
}

/// Three commits of two clients, all acked and seen by both as they are.
fn good() -> History {
    let commit = |seq: u64, tickets: &[(&str, u64)]| Commit {
        at: at(seq),
        mark: format!("mark-{seq}"),
        tickets: tickets.iter().map(|(client, n)| ((*client).to_owned(), *n)).collect(),
    };
    let ack = |client: &str, n: u64, seq: u64, sent: u64, answered: u64| Ack {
        client: client.to_owned(),
        n,
        at: at(seq),
        sent: Duration::from_millis(sent),
        answered: Duration::from_millis(answered),
    };
    let heard = |listener: &str, seq: u64| Heard {
        listener: listener.to_owned(),
        at: at(seq),
        mark: format!("mark-{seq}"),
        view: Value::from(seq),
        anew: false,
    };
    History {
        commits: vec![commit(1, &[]), commit(2, &[("ana", 1)]), commit(3, &[("bo", 1), ("ana", 2)])],
        acks: vec![ack("ana", 1, 2, 0, 10), ack("bo", 1, 3, 5, 30), ack("ana", 2, 3, 11, 29)],
        heard: vec![heard("ana", 1), heard("ana", 2), heard("bo", 2), heard("ana", 3), heard("bo", 3)],
    }
}

#[track_caller]
fn finds(planted: impl FnOnce(&mut History), faults: &[Fault]) {
    let mut history = good();
    planted(&mut history);
    assert_eq!(check(&history, |_, at| Some(Value::from(at.seq))), faults);
}

#[test]
fn a_history_that_one_order_explains_is_good() {
    finds(|_| {}, &[]);
    // Who was told so may begin anew, at an earlier position.
    finds(
        |history| {
            let mut again = history.heard[1].clone();
            again.anew = true;
            history.heard.push(again);
        },
        &[],
    );
}

#[test]
fn a_lost_ack_is_found() {
    let lost = |n, seq| Fault::Lost { client: "ana".into(), n, at: at(seq) };
    finds(|history| drop(history.commits[2].tickets.pop()), &[lost(2, 3)]);
    finds(|history| history.acks[0].at = at(1), &[lost(1, 1)]);
}

#[test]
fn a_double_effect_is_found() {
    finds(|history| history.commits[2].tickets.push(("bo".into(), 1)), &[Fault::Twice { client: "bo".into(), n: 1 }]);
}

#[test]
fn an_order_against_real_time_is_found() {
    // What ana sent only after bo was answered stands before bo's.
    finds(
        |history| {
            history.acks[1].answered = Duration::from_millis(6);
            history.acks[0].sent = Duration::from_millis(8);
        },
        &[Fault::Order { first: ("bo".into(), 1), second: ("ana".into(), 1) }],
    );
}

#[test]
fn two_views_of_one_position_are_found() {
    let seen = |seq| Fault::View { listener: "bo".into(), at: at(seq) };
    finds(|history| history.heard[2].view = Value::from("something else"), &[seen(2)]);
    finds(|history| history.heard[2].mark = "another".into(), &[seen(2)]);
    finds(|history| history.heard[4].at = at(4), &[seen(4)]);
}

#[test]
fn a_gap_and_a_way_back_are_found() {
    finds(|history| drop(history.commits.remove(0)), &[Fault::Gap(at(2)), Fault::View { listener: "ana".into(), at: at(1) }]);
    finds(|history| history.heard.swap(1, 3), &[Fault::WentBack { listener: "ana".into(), to: at(2) }]);
}
