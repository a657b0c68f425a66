//! Several players at several tables, all at once.

use super::house::{House, until};
use super::line::Gone;
use super::player::{EAGER, Part, Player, Table};
use super::snapshot::{Snapshot, names};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Commands one player lets wait for their answers.
const WINDOW: usize = 4;
/// People at a large table.
const SEATS: usize = 200;

pub(crate) struct Load {
    pub(crate) players: Vec<Player>,
}

/// How far a load is while it runs.
pub(crate) struct Progress {
    acks: AtomicU64,
    books: Mutex<Vec<Player>>,
}

impl Progress {
    pub(crate) fn acks(&self) -> u64 {
        self.acks.load(Ordering::Relaxed)
    }

    /// Waits for so many acks.
    pub(crate) fn until(&self, acks: u64) {
        until("enough is acked", || self.acks() >= acks);
    }

    /// The players' books as they are now: what is acked in them was acked before this call.
    pub(crate) fn books(&self) -> Vec<Player> {
        self.books.lock().unwrap().clone()
    }

    fn note(&self, index: usize, player: &Player) {
        self.books.lock().unwrap()[index] = player.clone();
        self.acks.fetch_add(1, Ordering::Relaxed);
    }
}

impl Load {
    /// A folder as a kill under load leaves it, and the books of those who played there.
    pub(crate) fn left_by_a_kill() -> (Snapshot, Vec<Player>) {
        let mut house = House::start(EAGER);
        let url = house.ws_url();
        let mut load = Load::new(&url);
        load.play(&url, |progress| {
            progress.until(100);
            house.kill9();
        });
        (Snapshot::of(house.folder()), load.players)
    }

    /// The same where people have voted so long that the store is about to move what it holds from memory into other
    /// files, `before` votes from now. The table is large, so that each vote writes much.
    pub(crate) fn left_full(before: u64) -> (Snapshot, Vec<Player>) {
        static NEEDED: OnceLock<u64> = OnceLock::new();
        // A short log: little of what is acked is not yet in memory when it is cut off.
        let flags = [EAGER, &["--store-log-bytes", "262144"]].concat();
        let fill = |enough: &dyn Fn(&House, &Player, &BTreeSet<PathBuf>) -> bool| {
            let mut house = House::start(&flags);
            let url = house.ws_url();
            let table = Table::new(&url);
            for seat in 0..SEATS {
                let mut player = Player::new(&format!("a-player-with-a-name-of-some-length-{seat}"), &table, Part::Voter);
                player.act(&mut player.sit(&url).unwrap()).unwrap();
            }
            let mut ana = Player::new("ana", &table, Part::Voter);
            let mut line = ana.sit(&url).unwrap();
            let young = names(house.folder());
            while !enough(&house, &ana, &young) {
                let reply = ana.act(&mut line).unwrap();
                assert!(reply["ok"].is_object() && ana.acked < 100_000, "{reply}");
            }
            house.kill9();
            (Snapshot::of(house.folder()), ana)
        };
        let needed = *NEEDED.get_or_init(|| fill(&|house, _, young| names(house.folder()) != *young).1.acked);
        let (snapshot, ana) = fill(&|_, ana, _| ana.acked + before >= needed);
        (snapshot, vec![ana])
    }

    /// Two tables with two voters each, and one with a counter.
    pub(crate) fn new(url: &str) -> Load {
        let tables: Vec<Table> = (0..3).map(|_| Table::new(url)).collect();
        let seat = |(name, table, part): (&str, usize, Part)| Player::new(name, &tables[table], part);
        let (voter, counter) = (Part::Voter, Part::Counter);
        let seats = [("ana", 0, voter), ("bo", 0, voter), ("cleo", 1, voter), ("dan", 1, voter), ("eve", 2, counter)];
        Load { players: seats.map(seat).into() }
    }

    /// All play until their lines are gone; meanwhile `then` runs, and can look at how far they are.
    pub(crate) fn play<T>(&mut self, url: &str, then: impl FnOnce(&Progress) -> T) -> (T, Vec<Gone>) {
        let progress = Progress { acks: AtomicU64::new(0), books: Mutex::new(self.players.clone()) };
        std::thread::scope(|scope| {
            let progress = &progress;
            let play = |(index, player): (usize, &mut Player)| player.play(url, WINDOW, |player| progress.note(index, player));
            let playing: Vec<_> = self.players.iter_mut().enumerate().map(|seat| scope.spawn(move || play(seat))).collect();
            let done = then(progress);
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
