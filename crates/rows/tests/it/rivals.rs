//! Two nodes, random interleavings: a row's version never goes back, and no row is lost from the schedule.
//!
//! Each case is a seed, printed when it fails. `PARLOR_ROWS_SEED` runs one seed alone, `PARLOR_ROWS_SEEDS` so many.

use crate::fake::{Fake, Mood};
use crate::stand::{Node, Stand, exact};
use parlor_layout::shop::rows as layout;
use parlor_rows::Terms;
use parlor_rules::time::Span;
use parlor_store::conformance::Script;
use std::collections::BTreeMap;
use std::sync::Arc;

const ROWS: [&str; 4] = ["1", "2", "3", "4"];
const STEPS: usize = 120;

#[tokio::test]
async fn h154_h155_in_any_order_versions_never_go_back_in_memory() {
    for_seeds(400, Stand::memory).await;
}

#[tokio::test]
async fn h154_h155_in_any_order_versions_never_go_back_on_disk() {
    for_seeds(20, Stand::embedded).await;
}

#[tokio::test]
async fn h154_h155_in_any_order_versions_never_go_back_on_redis() {
    for_seeds(10, Stand::redis).await;
}

async fn for_seeds<F: Future<Output = Stand>>(count: u64, make: impl Fn() -> F) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds = match number("PARLOR_ROWS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PARLOR_ROWS_SEEDS").unwrap_or(count),
    };
    for seed in seeds {
        println!("seed {seed}");
        Case::new(seed, make().await).run().await;
    }
}

struct Case {
    stand: Stand,
    fake: Arc<Fake>,
    nodes: Vec<Node>,
    script: Script,
    /// The highest version seen of each row, ever.
    seen: BTreeMap<&'static str, u64>,
    /// What is to be kept.
    kept: BTreeMap<&'static str, f64>,
    version: u64,
    pushes: Vec<tokio::task::JoinHandle<()>>,
}

fn terms() -> Terms {
    Terms { lease: Span::seconds(20), at_once_max: 3, look_every: Some(Span(500)), ..exact() }
}

impl Case {
    fn new(seed: u64, stand: Stand) -> Case {
        let fake = Fake::new();
        let nodes = (0..2).map(|_| stand.node(&fake, terms())).collect();
        let script = Script::new(seed);
        Case { stand, fake, nodes, script, seen: BTreeMap::new(), kept: BTreeMap::new(), version: 1, pushes: Vec::new() }
    }

    async fn run(mut self) {
        for row in ROWS {
            self.fake.put(row, 1);
        }
        for _ in 0..STEPS {
            self.step().await;
            self.let_others_go_on().await;
            self.check().await;
        }
        self.end().await;
    }

    async fn step(&mut self) {
        let row = ROWS[self.script.below(4) as usize];
        let node = self.script.below(2) as usize;
        match self.script.below(14) {
            0 | 1 => {
                self.version += 1;
                self.fake.put(row, self.version);
            }
            2..=4 => drop(self.nodes[node].scheduler.tick().await),
            5 => self.fake.mood(row, Some(Mood::Slow)),
            6 => self.fake.mood(row, None),
            7 | 8 => {
                let waiting = self.fake.waiting();
                if waiting > 0 {
                    self.fake.release(self.script.below(waiting as u64) as usize);
                }
            }
            9 => self.stand.clock.advance(Span(self.script.below(30_000))),
            10 => self.stand.clock.advance(Span(self.script.below(3_000))),
            11 => {
                let delay = [2.0, 5.0, 10.0][self.script.below(3) as usize];
                self.nodes[node].rows.keep(row, delay).await.expect("kept");
                self.kept.insert(row, delay);
            }
            12 if self.script.below(3) == 0 => {
                self.nodes[node].rows.unschedule(row).await.expect("gone");
                self.kept.remove(row);
            }
            12 => {
                let rows = self.nodes[node].rows.clone();
                // Whether it came to anything is not asked here: the row may be gone, or contended.
                self.pushes.push(tokio::spawn(async move { drop(rows.refresh(row).await) }));
            }
            _ if self.script.below(3) == 0 => {
                // One dies in the middle of everything, and another takes its place.
                self.nodes[node] = self.stand.node(&self.fake, terms());
            }
            _ => {
                if let Some(held) = self.nodes[node].rows.held(row) {
                    let version = held.columns["version"].as_u64().expect("a version");
                    assert!(version <= self.version);
                }
            }
        }
    }

    async fn let_others_go_on(&mut self) {
        for _ in 0..self.script.below(12) {
            tokio::task::yield_now().await;
        }
    }

    async fn check(&mut self) {
        for row in ROWS {
            let is_kept = self.kept.contains_key(row);
            assert_eq!(self.stand.score(layout::schedule_key(), row).await.is_some(), is_kept, "{row} in the schedule");
            assert_eq!(self.stand.score(layout::delay_key(), row).await, self.kept.get(row).copied(), "{row}'s delay");
            let Some(version) = self.stand.version(row).await else { continue };
            assert!(is_kept, "{row} was taken away and is there");
            let seen = self.seen.entry(row).or_default();
            assert!(version >= *seen, "{row} went back from {seen} to {version}");
            *seen = version;
        }
    }

    /// When everything is quick again, everything that is kept is up to date, at rest and in memory.
    async fn end(&mut self) {
        for row in ROWS {
            self.fake.mood(row, None);
        }
        while self.fake.waiting() > 0 {
            self.fake.release(0);
        }
        for push in self.pushes.drain(..) {
            push.await.expect("no panic");
        }
        for node in &mut self.nodes {
            node.scheduler.idle().await;
        }
        self.check().await;
        self.stand.clock.advance(Span::minutes(1));
        for node in &mut self.nodes {
            node.settle_all().await;
        }
        self.check().await;
        for row in self.kept.keys() {
            assert_eq!(self.stand.version(row).await, self.fake.version(row), "{row} is up to date");
        }
        for node in &mut self.nodes {
            for row in ROWS {
                node.rows.held(row);
            }
            self.stand.clock.advance(Span(1_500));
            for row in ROWS {
                node.rows.held(row);
            }
            node.scheduler.tick().await;
            node.scheduler.idle().await;
            for row in ROWS {
                let held = node.rows.held(row).map(|held| held.columns["version"].as_u64().expect("a version"));
                let kept = self.kept.get(row).and_then(|_| self.fake.version(row));
                assert_eq!(held, kept, "{row} in memory");
            }
        }
    }
}
