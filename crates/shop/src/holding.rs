//! What a page shows of a visit, held in memory: how much is in its cart, and what it looked at. A page that is served from memory
//! cannot wait for a store.
//!
//! What is held is true or gone: every change of a cart takes its count away before anybody is told of the change. Where other
//! nodes change carts too, a word of theirs may be lost, so there what is held is held for a moment only.

use crate::error::Error;
use crate::shop::Shop;
use parlor_rules::shop::visit::VIEWED_MAX;
use parlor_rules::shop::{Item, Visit};
use parlor_rules::{Millis, SecretHash, Span};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long what is held is trusted where others may change it.
const TRUSTED_FOR: Span = Span::seconds(5);
/// Visits and carts held; when there are more, all go and come back as they are asked for.
const HELD_MAX: usize = 100_000;

#[derive(Default)]
pub(crate) struct Held(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    counts: HashMap<SecretHash, (i64, Millis)>,
    viewed: HashMap<SecretHash, (Vec<Item>, Millis)>,
    /// Those that the store is being asked for, by whom: what changes meanwhile is struck out here, and the answer not held.
    asked: HashMap<SecretHash, u64>,
    next: u64,
}

impl Shop {
    /// How much is in a visit's cart, as far as that is known without asking.
    pub fn held_count(&self, visit: &Visit) -> Option<i64> {
        let oldest = self.oldest_held();
        let held = self.held.inside();
        held.counts.get(&visit.cart).filter(|(_, at)| *at >= oldest).map(|(count, _)| *count)
    }

    /// What a visit looked at, the newest first, as far as that is known without asking.
    pub fn held_viewed(&self, visit: &Visit) -> Option<Vec<Item>> {
        let oldest = self.oldest_held();
        let held = self.held.inside();
        held.viewed.get(&visit.token).filter(|(_, at)| *at >= oldest).map(|(viewed, _)| viewed.clone())
    }

    /// Asks the store for what is not held, so that the next who looks finds it.
    pub async fn hold(&self, visit: &Visit) -> Result<(), Error> {
        if self.held_count(visit).is_none() {
            let asker = self.held.ask(visit.cart);
            let count = self.cart(visit).await?.cart.count();
            self.held.keep(asker, visit.cart, |held| {
                held.counts.insert(visit.cart, (count, self.now()));
            });
        }
        if self.held_viewed(visit).is_none() {
            let asker = self.held.ask(visit.token);
            let viewed = self.viewed(&visit.token).await?;
            self.held.keep(asker, visit.token, |held| {
                held.viewed.insert(visit.token, (viewed, self.now()));
            });
        }
        Ok(())
    }

    fn oldest_held(&self) -> Millis {
        if self.alone { Millis(0) } else { self.now() - TRUSTED_FOR }
    }
}

impl Held {
    /// A cart has changed, or a visit has ended.
    pub(crate) fn forget(&self, token: &SecretHash) {
        let mut held = self.inside();
        held.asked.remove(token);
        held.counts.remove(token);
        held.viewed.remove(token);
    }

    /// A visit looked at an item.
    pub(crate) fn viewed(&self, token: &SecretHash, item: &Item) {
        let mut held = self.inside();
        held.asked.remove(token);
        if let Some((viewed, _)) = held.viewed.get_mut(token) {
            viewed.retain(|other| other != item);
            viewed.insert(0, item.clone());
            viewed.truncate(VIEWED_MAX);
        }
    }

    fn ask(&self, token: SecretHash) -> u64 {
        let mut held = self.inside();
        held.next += 1;
        let asker = held.next;
        if held.asked.len() >= HELD_MAX {
            held.asked.clear();
        }
        held.asked.insert(token, asker);
        asker
    }

    fn keep(&self, asker: u64, token: SecretHash, keep: impl FnOnce(&mut Inside)) {
        let mut held = self.inside();
        if held.asked.get(&token) != Some(&asker) {
            return;
        }
        held.asked.remove(&token);
        if held.counts.len() + held.viewed.len() >= HELD_MAX {
            held.counts.clear();
            held.viewed.clear();
        }
        keep(&mut held);
    }

    /// A panic elsewhere leaves it whole: every change is one step.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
