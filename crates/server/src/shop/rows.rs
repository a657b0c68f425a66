//! Rows of the shop's database as the server needs them: opened from the settings, and pages that used one are stale when it changes.

use super::Counter;
use super::options::RowsOptions;
use parlor_edge::{How, Purge};
use parlor_rows::{Changed, Rows, Sql, Terms};
use parlor_rules::Span;
use parlor_store::{Records, SharedClock};
use std::sync::Arc;

/// `alone`: no other process writes the store.
pub fn open(options: &RowsOptions, records: Arc<dyn Records>, clock: SharedClock, alone: bool) -> Result<Rows, String> {
    let source = Sql::connect(&options.source, options.query.as_deref())?;
    let look_every = (!alone).then_some(Span::seconds(1));
    Ok(Rows::new(records, clock, Arc::new(source), Terms { look_every, ..Terms::default() }))
}

/// Until the server goes: pages that used a row which has changed may be shown only while they are fetched anew.
pub async fn purge_pages(counter: Arc<Counter>) {
    let Some(rows) = &counter.rows else { return };
    let mut changes = rows.changed();
    let mut going = counter.doors.going.clone();
    loop {
        let changed = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => None,
            changed = changes.next() => changed,
        };
        let Some(changed) = changed else { return };
        let Some(edge) = counter.edge.get() else { continue };
        match changed {
            Changed::Row(row) => drop(edge.purge(Purge::Row(row.to_string()), How::Soft)),
            Changed::Missed(_) => drop(edge.purge(Purge::All, How::Soft)),
        }
    }
}
