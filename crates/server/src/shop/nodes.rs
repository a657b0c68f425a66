//! Carts that change, visits that end and pages that are purged at one node, heard of at the others.

use super::Counter;
use parlor_edge::{How, Purge};
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
                match notice {
                    Notice::Told(word) => hear(&counter, &word),
                    Notice::Unseen => doubt(&counter),
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

/// Something may have been missed. Visits and carts are found as they are when they are looked at again: a visit is trusted for a
/// second, a cart never. A purged page would be shown for as long as it is fresh, so each is asked about before it is shown again.
fn doubt(counter: &Counter) {
    // A node that begins has no page yet that it could have missed a word about.
    if let Some(edge) = counter.edge.get().filter(|edge| edge.counts().entries > 0 || edge.under_way() > 0) {
        edge.purge(Purge::All, How::Soft);
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
