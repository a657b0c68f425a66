//! The documents' hazards that need two at once, a stopped writer or a long history to show; docs/hazards.md lists all.
//!
//! What does not depend on time runs on both stores.

mod growth;
mod pairs;
mod rounds;
mod stopped;

use crate::support::table::clock;
use crate::support::{Table, limits};
use parlor_store::clock::SharedClock;
use parlor_store::{Embedded, Memory, Options, Rooms};
use std::sync::Arc;
use tempfile::TempDir;

/// Two engines on one store.
struct Hall {
    tables: [Arc<Table>; 2],
    store: Arc<dyn Rooms>,
    clock: SharedClock,
    name: &'static str,
    _folder: Option<TempDir>,
}

impl Hall {
    fn new(store: Arc<dyn Rooms>, clock: SharedClock, name: &'static str, _folder: Option<TempDir>) -> Hall {
        let tables = [1, 2].map(|node| Arc::new(Table::rival(store.clone(), clock.clone(), limits(), node)));
        Hall { tables, store, clock, name, _folder }
    }

    /// The same room at both engines.
    fn room(&self, id: &str) -> [Arc<Table>; 2] {
        self.tables.each_ref().map(|table| Arc::new(table.at(id)))
    }

    /// What is kept, as an engine sees it that was not there: the others may still be about to hear of it.
    fn kept(&self, id: &str) -> Table {
        Table::rival(self.store.clone(), self.clock.clone(), limits(), 3).at(id)
    }
}

/// One hall on each store.
fn halls() -> [Hall; 2] {
    let clock = clock();
    let folder = tempfile::tempdir().unwrap();
    let options = Options { free_bytes_min: 0, ..Options::default() };
    let embedded = Embedded::open(folder.path(), clock.clone(), options).unwrap();
    [
        Hall::new(Arc::new(Memory::new(clock.clone())), clock.clone(), "memory", None),
        Hall::new(Arc::new(embedded), clock, "embedded", Some(folder)),
    ]
}
