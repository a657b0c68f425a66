//! Carts that change, visits that end and pages that are purged at one node, heard of at the others.

use super::Counter;
use parlor_engine::{Bulletin, Notice};
use parlor_layout::shop::visits as layout;
use parlor_wire::shop as words;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

/// Until the server goes; returns at once where there are no others.
pub async fn pass_on(counter: Arc<Counter>) {
    let house = counter.doors.engine.house();
    let Some(mut bulletin) = Bulletin::at(house, layout::bulletin()) else { return };
    let mut own = counter.shop.listen_here();
    let mut going = counter.doors.going.clone();
    loop {
        let own_word = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            notice = bulletin.next() => {
                // What was missed is found when it is looked at again: visits are trusted for a second, carts never.
                if let Notice::Told(word) = notice {
                    hear(&counter, &word);
                }
                continue;
            }
            told = own.recv() => told,
        };
        match own_word {
            Ok(token) => Bulletin::tell(house, &layout::bulletin(), layout::told(&token)).await,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn hear(counter: &Counter, word: &[u8]) {
    if let Some(token) = layout::read_told(word) {
        counter.shop.heard(token);
    } else if let Some(Ok((what, soft))) = layout::read_purge(word).map(|words| words::purge(Some(words)))
        && let Some(edge) = counter.edge.get()
    {
        // A node whose edge cannot have such a page has nothing to take out.
        let _ = counter.purge(edge, &what, soft);
    }
}
