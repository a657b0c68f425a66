//! Several players at several tables, all at once.

use super::line::Gone;
use super::player::{Part, Player, Table};
use std::sync::atomic::{AtomicU64, Ordering};

/// Commands one player lets wait for their answers.
const WINDOW: usize = 4;

pub(crate) struct Load {
    pub(crate) players: Vec<Player>,
}

impl Load {
    /// Two tables with two voters each, and one with a counter.
    pub(crate) fn new(url: &str) -> Load {
        let tables: Vec<Table> = (0..3).map(|_| Table::new(url)).collect();
        let seat = |(name, table, part): (&str, usize, Part)| Player::new(name, &tables[table], part);
        let (voter, counter) = (Part::Voter, Part::Counter);
        let seats = [("ana", 0, voter), ("bo", 0, voter), ("cleo", 1, voter), ("dan", 1, voter), ("eve", 2, counter)];
        Load { players: seats.map(seat).into() }
    }

    /// All play until their lines are gone; meanwhile `then` runs, with the number of acks so far.
    pub(crate) fn play<T>(&mut self, url: &str, then: impl FnOnce(&AtomicU64) -> T) -> (T, Vec<Gone>) {
        let acks = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let counted = || {
                acks.fetch_add(1, Ordering::Relaxed);
            };
            let players = self.players.iter_mut();
            let playing: Vec<_> = players.map(|player| scope.spawn(move || player.play(url, WINDOW, counted))).collect();
            let done = then(&acks);
            (done, playing.into_iter().map(|player| player.join().unwrap()).collect())
        })
    }

    /// Everything acked is there and nothing is doubled.
    #[track_caller]
    pub(crate) fn settle(&mut self, url: &str) {
        for player in &mut self.players {
            player.settle(url);
        }
    }

    pub(crate) fn acked(&self) -> u64 {
        self.players.iter().map(|player| player.acked).sum()
    }
}
