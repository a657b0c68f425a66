//! A game that is played through several nodes at once, while something happens to them, and is judged afterwards.

pub(super) mod checker;
pub(super) mod client;
mod model;

use super::shelf::{Entry, collect};
use crate::support::dice::Dice;
use crate::support::house::{House, until};
use crate::support::player::{Table, card};
use checker::{Commit, History, check};
use client::Client;
use model::Model;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Clients of one node; the first of them is a host.
const CLIENTS: usize = 3;

/// How far the players are while they play.
pub(super) struct Progress<'a> {
    acked: &'a AtomicU64,
}

impl Progress<'_> {
    /// Waits until so many more commands are acked.
    pub(super) fn more(&self, acks: u64) {
        let before = self.acked.load(Ordering::Relaxed);
        until("more is acked", || self.acked.load(Ordering::Relaxed) >= before + acks);
    }
}

/// Tells everyone that it is over, also when it ends by a failure: who plays on would keep it from being told.
pub(super) struct Over<'a>(pub(super) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

pub(super) struct Played {
    pub(super) table: Table,
    pub(super) clients: Vec<Client>,
    pub(super) entries: Vec<Entry>,
}

/// Clients of all these nodes play at one table as long as `meanwhile` lasts; `read` reads the room's stream.
pub(super) fn play(
    houses: &[House],
    dice: &mut Dice,
    read: impl Fn(&str, &str) -> Result<Vec<Entry>, String> + Send,
    meanwhile: impl FnOnce(&mut Dice, &Progress<'_>),
) -> Played {
    let table = Table::new(&houses[0].ws_url());
    let (over, collected, acked, clock) = (AtomicBool::new(false), AtomicBool::new(false), AtomicU64::new(0), Instant::now());
    let (clients, entries) = std::thread::scope(|scope| {
        let (over, collected, acked, room) = (&over, &collected, &acked, &*table.room);
        let collecting = scope.spawn(move || collect(|from| read(room, from), collected));
        let mut playing = Vec::new();
        for (node, house) in houses.iter().enumerate() {
            for seat in 0..CLIENTS {
                let mut client = Client::new(&format!("client-{node}-{seat}"), &house.ws_url(), &table, seat == 0);
                let dice = dice.child();
                playing.push(scope.spawn(move || {
                    client.play(dice, clock, acked, over);
                    client
                }));
            }
        }
        let (playing_on, reading_on) = (Over(over), Over(collected));
        meanwhile(dice, &Progress { acked });
        drop(playing_on);
        let clients: Vec<Client> = playing.into_iter().map(|client| client.join().unwrap()).collect();
        drop(reading_on);
        (clients, collecting.join().unwrap())
    });
    Played { table, clients, entries }
}

impl Played {
    /// One order explains all that anybody was told, nothing acked is lost or doubled, and all end with the same room.
    #[track_caller]
    pub(super) fn judge(&mut self, name: &str) {
        let deck = (0..40).map(card).collect::<Vec<_>>().join(" ");
        let model = Model::replay(&self.table, &deck, &self.entries);
        let commits = self.entries.iter().map(|one| Commit { at: one.at, mark: one.mark.clone(), tickets: one.tickets() });
        let mut history = History { commits: commits.collect(), ..History::default() };
        for client in &mut self.clients {
            history.acks.append(&mut client.acks);
            history.heard.append(&mut client.heard);
        }
        let is_host = |listener: &str| listener.ends_with("-0");
        let faults = check(&history, |listener, at| model.view(listener, is_host(listener), at));
        for fault in faults.iter().take(5) {
            eprintln!("{fault:?}");
            if let checker::Fault::View { listener, at } = fault {
                let heard = history.heard.iter().find(|heard| heard.listener == *listener && heard.at == *at);
                eprintln!("was shown: {heard:?}\nand not: {:?}", model.view(listener, is_host(listener), *at));
            }
        }
        assert!(faults.is_empty(), "{name}: {} faults, the first of them above", faults.len());

        let last = self.entries.last().unwrap().at;
        for client in &mut self.clients {
            // One node hears of the other's last commit a moment later.
            let mut seen = client.looks();
            until("the last commit is heard of", || {
                seen = client.looks();
                seen["at"] == last.to_string()
            });
            let expected = model.view(&client.name, client.is_host, last);
            assert_eq!(Some(model::without_here(seen)), expected, "{name}: {}", client.name);
        }
        eprintln!(
            "{name}: {} commits, {} acks, {} refusals, {} views, {} sent again",
            history.commits.len(),
            history.acks.len(),
            self.clients.iter().map(|client| client.refused).sum::<u64>(),
            history.heard.len(),
            self.retries(),
        );
    }

    pub(super) fn retries(&self) -> u64 {
        self.clients.iter().map(|client| client.retries).sum()
    }
}
