//! One random script on two stores: the same answers at every step and the same rooms and records in the end.

use super::*;
use crate::records::{Batch, Condition, Operation, Query};
use crate::shapes::Score;

/// What all keys of the script share.
const TAG: &str = "t";

/// When what the script writes ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadlines {
    /// Within moments, on a clock that is stepped.
    Near,
    /// Long after the script or before it, where the clock cannot be stepped.
    FarOrPast,
}

/// Dice that fall the same way for the same seed.
pub struct Script {
    dice: u64,
    deadlines: Deadlines,
}

impl Script {
    pub fn new(seed: u64) -> Script {
        Script { dice: seed ^ 0x9e37_79b9_7f4a_7c15, deadlines: Deadlines::Near }
    }

    pub fn roll(&mut self) -> u64 {
        // SplitMix64: enough to choose steps with.
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    fn key(&mut self) -> Key {
        Key::from(["a", "b", "c", "a\0"][self.below(4) as usize])
    }

    fn text(&mut self) -> Bytes {
        match self.below(4) {
            0 => text(self.below(20).to_string()),
            1 => text(""),
            2 => text("x".repeat(self.below(3000) as usize)),
            _ => text("word"),
        }
    }

    fn score(&mut self) -> Score {
        let scores = [0.0, -1.0, 2.5, 1e300, f64::INFINITY, f64::NEG_INFINITY];
        Score::new(scores[self.below(6) as usize]).expect("a number")
    }

    fn value(&mut self) -> Value {
        let count = self.below(4);
        match self.below(5) {
            0 => Value::Text(self.text()),
            1 => Value::Document(self.text()),
            2 => Value::Hash((0..count).map(|_| (self.key(), self.text())).collect()),
            3 => Value::List((0..count).map(|_| self.text()).collect()),
            _ => Value::SortedSet((0..count).map(|_| (self.key(), self.score())).collect()),
        }
    }

    fn write(&mut self) -> Write {
        let key = self.key();
        match self.below(7) {
            0 => Write::Put { key, value: self.value() },
            1 => Write::Drop { key },
            2 => Write::DropField { key, field: self.key() },
            // It follows from nothing here, so every store sets it.
            3 => Write::Lapse { key, field: self.key(), value: self.text() },
            _ => Write::SetField { key, field: self.key(), value: self.text() },
        }
    }

    fn deadline(&mut self, now: Millis) -> Option<Millis> {
        let near = self.deadlines == Deadlines::Near;
        (self.below(3) > 0).then(|| match self.below(60) {
            span if near => now + Span(span),
            0..6 => now - Span(1),
            span => now + Span::minutes(60 + span),
        })
    }

    fn condition(&mut self) -> Condition {
        let key = self.key();
        match self.below(10) {
            0 => Condition::Absent(key),
            1 => Condition::Holds(key, self.text()),
            2 => Condition::FieldAbsent(key, self.key()),
            3 => Condition::FieldPresent(key, self.key()),
            4 => Condition::FieldHolds(key, self.key(), self.text()),
            5 => Condition::ScoreAtMost(key, self.key(), self.score()),
            6 => Condition::MemberAbsent(key, self.key()),
            8 => Condition::ScoreIs(key, self.key(), self.score()),
            7 => Condition::FewerThan(key, self.below(4) as usize),
            _ => Condition::Present(key),
        }
    }

    fn operation(&mut self, now: Millis) -> Operation {
        let key = self.key();
        match self.below(13) {
            0 | 1 => Operation::Put { key, value: self.value(), deadline: self.deadline(now) },
            2 => Operation::Drop { key },
            3 => Operation::Renew { key, deadline: self.deadline(now) },
            4 => Operation::SetField { key, field: self.key(), value: self.text() },
            5 => Operation::DropField { key, field: self.key() },
            6 => {
                let drop_at = (self.below(2) == 0).then_some(0);
                Operation::AddField { key, field: self.key(), by: self.below(9) as i64 - 4, min: -3, max: 12, drop_at }
            }
            7 => Operation::Push { key, item: self.text(), unique: self.below(2) == 0, keep: self.below(4) as usize },
            8 => Operation::SetScore { key, member: self.key(), score: self.score() },
            9 => Operation::AddScore { key, member: self.key(), by: self.score().get() },
            10 => Operation::DropMember { key, member: self.key() },
            11 => Operation::KeepLowest { key, keep: self.below(3) as usize },
            _ => Operation::Scale { key, by: [0.5, -1.0, 0.0][self.below(3) as usize] },
        }
    }

    fn batch(&mut self, now: Millis) -> Batch {
        let conditions = (0..self.below(2)).map(|_| self.condition()).collect();
        let operations = (0..1 + self.below(3)).map(|_| self.operation(now)).collect();
        Batch { tag: TAG.to_owned(), conditions, operations, ..Batch::default() }
    }

    /// One that mostly asks for scores and sets them, as many do that are sent together.
    fn batch_by_score(&mut self, now: Millis) -> Batch {
        let mut batch = self.batch(now);
        batch.may_repeat = true;
        let key = Key::from(["b", "c"][self.below(2) as usize]);
        if self.below(3) > 0 {
            batch.conditions.insert(0, Condition::ScoreAtMost(key.clone(), self.key(), self.score()));
        }
        for operation in &mut batch.operations {
            let (key, member) = (key.clone(), self.key());
            match self.below(8) {
                0 => {}
                1 => *operation = Operation::DropMember { key, member },
                2 => *operation = Operation::KeepLowest { key, keep: self.below(3) as usize },
                _ => *operation = Operation::SetScore { key, member, score: self.score() },
            }
        }
        batch
    }

    fn queries(&mut self) -> Vec<Query> {
        let key = self.key();
        let (skip, take) = (self.below(3) as usize, self.below(3) as usize);
        match self.below(7) {
            0 => vec![Query::Field(key, self.key())],
            1 => vec![Query::Count(key)],
            2 => vec![Query::Score(key, self.key())],
            3 => vec![Query::Rank(key, self.key())],
            4 => vec![Query::Lowest { key, skip, take }],
            5 => vec![Query::Deadline(key)],
            _ => vec![Query::Whole(key)],
        }
    }
}

/// Panics with the seed and the step at the first difference. Both stores live on the one clock.
pub async fn differential(
    seed: u64,
    steps: usize,
    one: &(impl Rooms + Records),
    two: &(impl Rooms + Records),
    clock: &SteppedClock,
    deadlines: Deadlines,
) {
    let mut script = Script { deadlines, ..Script::new(seed) };
    let mut places: Vec<Place> = Vec::new();
    for step in 0..steps {
        let label = format!("seed {seed}, step {step}");
        let now = clock.now();
        let name = room(["r", "s", "t"][script.below(3) as usize]);
        let known = if places.is_empty() { None } else { Some(places[script.below(places.len() as u64) as usize]) };
        match script.below(12) {
            0..=4 => {
                // Mostly from where the room stands, so that histories grow; sometimes from anywhere.
                let at = match script.below(5) {
                    0 => known,
                    _ => one.load(&name).await.expect(&label).map(|loaded| loaded.place),
                };
                let writes = (0..script.below(4)).map(|_| script.write()).collect();
                let mut commit = commit(script.below(50), "x", writes);
                commit.entry[0].1 = text("e".repeat(script.below(40_000) as usize));
                commit.deadline = script.deadline(if deadlines == Deadlines::Near { now + Span(20) } else { now });
                let kept = one.append(&name, at, commit.clone()).await;
                assert_eq!(kept, two.append(&name, at, commit).await, "{label}");
                places.extend(kept.ok());
            }
            5 => {
                let Some(at) = known else { continue };
                assert_eq!(one.close(&name, at, NodeId(1)).await, two.close(&name, at, NodeId(1)).await, "{label}");
            }
            6 => {
                let Some(at) = known else { continue };
                assert_eq!(one.since(&name, at).await, two.since(&name, at).await, "{label}");
            }
            7 if deadlines == Deadlines::Near => clock.advance(Span(script.below(30))),
            8 => {
                let queries = script.queries();
                assert_eq!(one.read(TAG, queries.clone()).await, two.read(TAG, queries).await, "{label}");
            }
            9 | 10 => {
                let batches: Vec<Batch> = (0..script.below(6)).map(|_| script.batch_by_score(now)).collect();
                let (here, there) = (one.apply_each(TAG, batches.clone()).await, two.apply_each(TAG, batches.clone()).await);
                assert_eq!(here, there, "{label}: {batches:?}");
            }
            _ => {
                let batch = script.batch(now);
                assert_eq!(one.apply(batch.clone()).await, two.apply(batch.clone()).await, "{label}: {batch:?}");
            }
        }
        for name in ["r", "s", "t"].map(room) {
            assert_eq!(one.load(&name).await, two.load(&name).await, "{label}, then {}", name.spine);
        }
        let all: Vec<Query> = ["a", "b", "c", "a\0"]
            .iter()
            .flat_map(|key| [Query::Whole(Key::from(*key)), Query::Deadline(Key::from(*key))])
            .collect();
        assert_eq!(one.read(TAG, all.clone()).await, two.read(TAG, all).await, "{label}, records");
    }
}
