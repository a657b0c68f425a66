//! Cleaning: visits that are over end, and when there are too many the oldest do. Never one that was used meanwhile, and no
//! shopper's because of a flood of guests.
//!
//! It walks along `recent:`, the longest unused first, a bounded piece at a time, and each end is on the condition that the
//! last use is still the one that was seen. So two nodes that clean at once end each visit once.

use crate::error::Error;
use crate::shop::Shop;
use crate::terms::CLEAN_BATCH;
use parlor_layout::shop::visits as layout;
use parlor_rules::Millis;
use parlor_rules::shop::{Class, Visit};
use parlor_store::{Answer, Query};
use std::sync::PoisonError;

/// Pieces of the line looked at in one go.
const PIECES_MAX: usize = 20;
/// Batches of surplus visits ended in one go: what else is to be done every second waits for it.
const ROUNDS_MAX: usize = 100;

impl Shop {
    /// One round: what is over, then what is too much.
    pub async fn clean(&self) -> Result<(), Error> {
        for shard in self.shards() {
            self.end_what_is_over(shard).await?;
        }
        let mut before = None;
        for _ in 0..ROUNDS_MAX {
            let totals = self.totals().await?;
            // Those left may all have been used meanwhile.
            if before.replace(totals) == Some(totals) {
                return Ok(());
            }
            // Shoppers' visits go only if they alone are too many.
            let max = self.terms.visits_max as usize;
            let shoppers = totals.logged_in.saturating_sub(max);
            let guests = totals.visits.saturating_sub(shoppers).saturating_sub(max);
            let mut tried = 0;
            for (class, excess) in [(Class::Guest, guests), (Class::Shopper, shoppers)] {
                tried += self.end_oldest(class, excess.min(CLEAN_BATCH)).await?;
            }
            if tried == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes on where the last round stopped; starts anew when it has come to those that live.
    async fn end_what_is_over(&self, shard: usize) -> Result<(), Error> {
        let now = self.now();
        let lifetimes = &self.terms.lifetimes;
        let shortest = lifetimes.guest_idle.min(lifetimes.shopper_idle).min(lifetimes.longest);
        let mut rank = self.swept()[shard];
        for _ in 0..PIECES_MAX {
            let oldest = self.oldest(shard, rank).await?;
            let (looked_at, mut ended, mut lives) = (oldest.len(), 0, false);
            for (visit, used) in oldest {
                lives = now.since(used) < shortest;
                if lives {
                    break;
                }
                if !visit.lives(lifetimes, now) && self.end_visit(&visit, Some(used)).await? {
                    ended += 1;
                }
            }
            rank += looked_at - ended;
            if lives || looked_at < CLEAN_BATCH {
                rank = 0;
                break;
            }
        }
        self.swept()[shard] = rank;
        Ok(())
    }

    /// Tries to end so many of the longest unused visits of a class, and tells how many it tried: another node may have been
    /// faster, and then there is one less all the same.
    async fn end_oldest(&self, class: Class, excess: usize) -> Result<usize, Error> {
        let mut tried = 0;
        for shard in self.shards() {
            let share = (excess - tried).div_ceil(self.shards().len() - shard);
            let (mut rank, mut here) = (if class == Class::Guest { self.first_guest(shard).await? } else { 0 }, 0);
            let mut first = rank;
            while here < share {
                let oldest = self.oldest(shard, rank).await?;
                if oldest.is_empty() {
                    first = 0; // All of it has been seen: the next who looks begins anew.
                    break;
                }
                rank += oldest.len();
                if here == 0 && oldest.iter().all(|(visit, _)| visit.class() == Class::Shopper) {
                    first = rank;
                }
                for (visit, used) in oldest.into_iter().filter(|(visit, _)| visit.class() == class).take(share - here) {
                    rank -= usize::from(self.end_visit(&visit, Some(used)).await?);
                    here += 1;
                }
            }
            if class == Class::Guest {
                self.guests_from()[shard] = first;
            }
            tried += here;
        }
        Ok(tried)
    }

    /// Where guests begin, in front of whom there may be very many shoppers: where they began last time, or further in front by what
    /// has moved on since.
    async fn first_guest(&self, shard: usize) -> Result<usize, Error> {
        let mut rank = self.guests_from()[shard];
        let mut step = CLEAN_BATCH;
        while rank > 0 {
            let in_front = rank.saturating_sub(CLEAN_BATCH);
            if self.oldest(shard, in_front).await?.iter().all(|(visit, _)| visit.class() == Class::Shopper) {
                break;
            }
            rank = rank.saturating_sub(step);
            step *= 2;
        }
        Ok(rank)
    }

    /// The next of the longest unused, with the use that put them in this place: who was used since then is not among them
    /// any more, and an end on the condition of that use fails.
    async fn oldest(&self, shard: usize, rank: usize) -> Result<Vec<(Visit, Millis)>, Error> {
        let query = Query::Lowest { key: layout::recent(), skip: rank, take: CLEAN_BATCH };
        let answers = self.records.read(&layout::tag(shard), vec![query]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok(Vec::new()) };
        let in_line: Vec<_> =
            members.iter().filter_map(|(field, used)| Some((layout::token(field)?, layout::millis(*used)))).collect();
        let asked = in_line.iter().flat_map(|(token, _)| layout::asked(token)).collect();
        let answers = self.records.read(&layout::tag(shard), asked).await?;
        let mut visits = Vec::with_capacity(in_line.len());
        for ((token, used), answers) in in_line.into_iter().zip(answers.chunks(4)) {
            visits.extend(layout::wake(token, answers)?.map(|visit| (visit, used)));
        }
        Ok(visits)
    }

    fn guests_from(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.guests_from.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn swept(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.swept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
