//! What the tests of every kind of room share: a room in the making, laid down commit by commit, and what then lies on its shelf.

use crate::commands::typed;
use bytes::Bytes;
use parlor_layout::shelf::Shelf;
use parlor_layout::{creation, step};
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Command, Commit, Credential, Done, Kept, Millis, Position, Span, State, Ticket};
use parlor_store::{Field, Key, Value, Write};
use std::collections::BTreeMap;

/// The first second of 2026.
pub(crate) const CREATED: Millis = Millis(1_767_225_600_000);

/// One commit, and what rests after it.
pub(crate) struct Step {
    pub(crate) seq: u64,
    pub(crate) commit: Commit,
    pub(crate) kept: Kept,
    pub(crate) entry: Vec<(Field, Bytes)>,
    pub(crate) writes: Vec<Write>,
    pub(crate) shelf: Shelf,
}

impl Step {
    pub(crate) fn first(address: &Address, state: State, done: Vec<Done>) -> Step {
        let mut kept = Kept::new(state, CREATED);
        let commit = Commit { at: CREATED, renews: true, done };
        kept.apply(1, &commit);
        let rest = creation(address, &kept, &commit);
        let mut shelf = Shelf::default();
        shelf.lay(&rest.writes);
        Step { seq: 1, commit, kept, entry: rest.entry, writes: rest.writes, shelf }
    }

    pub(crate) fn then(&self, address: &Address, commit: Commit) -> Step {
        let (seq, mut kept, mut shelf) = (self.seq + 1, self.kept.clone(), self.shelf.clone());
        kept.apply(seq, &commit);
        let rest = step(address, seq, &self.kept, &kept, &commit);
        shelf.lay(&rest.writes);
        Step { seq, commit, kept, entry: rest.entry, writes: rest.writes, shelf }
    }
}

/// What comes of a command, if it is allowed; with a client it has the next number of that client's.
pub(crate) fn done(
    kept: &Kept,
    at: Millis,
    dice: u64,
    who: &Credential,
    client: Option<&str>,
    command: &Command,
) -> Option<Done> {
    let viewer = kept.state.recognise(who).ok()?;
    let events = kept.state.decide(&viewer, at, dice, command).ok()?;
    let ticket = |client: &str| {
        let holder = Holder { user: viewer.user.clone(), client: word(client) };
        // A damaged receipt may have the last number there is.
        let number = kept.receipts.find(&holder).map_or(Some(1), |receipt| receipt.number.checked_add(1))?;
        Some(Ticket { holder, number })
    };
    let ticket = client.and_then(ticket);
    Some(Done { by: viewer.user, ticket, events })
}

/// A room of which every commit comes back as the commands that did it.
pub(crate) struct Desk {
    pub(crate) address: Address,
    at: Position,
    pub(crate) last: Step,
}

impl Desk {
    pub(crate) fn created(address: &str, state: impl FnOnce(&Address) -> State) -> (Desk, String) {
        let address: Address = word(address);
        let last = Step::first(&address, state(&address), vec![]);
        let desk = Desk { address, at: Position::first(CREATED), last };
        let writes = typed(&desk.address, desk.at, &desk.last);
        (desk, writes)
    }

    /// One second a commit.
    pub(crate) fn now(&self) -> Millis {
        CREATED + Span::seconds(self.at.seq + 1)
    }

    pub(crate) fn commit(&mut self, renews: bool, done: Vec<Done>) -> String {
        let commit = Commit { at: self.now(), renews, done };
        self.at = self.at.next();
        self.last = self.last.then(&self.address, commit);
        typed(&self.address, self.at, &self.last)
    }
}

pub(crate) fn golden(name: &str, writes: &str) {
    insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, writes);
    });
}

/// Every text that lies on the shelf, by its key and field.
pub(crate) fn leaves(shelf: &Shelf) -> BTreeMap<(Key, Option<Field>), Bytes> {
    let mut leaves = BTreeMap::new();
    for (key, value) in &shelf.0 {
        match value {
            Value::Hash(fields) => {
                leaves.extend(fields.iter().map(|(field, value)| ((key.clone(), Some(field.clone())), value.clone())));
            }
            Value::Document(text) | Value::Text(text) => {
                leaves.insert((key.clone(), None), text.clone());
            }
            Value::List(_) | Value::SortedSet(_) => panic!("no room rests in this shape"),
        }
    }
    leaves
}

/// What a write is about: a whole key, or a field of one.
pub(crate) fn place(write: &Write) -> (Key, Option<Field>) {
    match write {
        Write::Put { key, .. } | Write::Drop { key } => (key.clone(), None),
        Write::SetField { key, field, .. } | Write::Lapse { key, field, .. } | Write::DropField { key, field } => {
            (key.clone(), Some(field.clone()))
        }
    }
}

/// Every record of a room, each of which is one text.
pub(crate) fn records(kept: &Kept) -> Vec<Bytes> {
    let text = |name| match parlor_layout::room::record(kept, name) {
        Some(Value::Document(text) | Value::Text(text)) => text,
        other => panic!("{name:?} is {other:?}"),
    };
    parlor_layout::room::every_ref(kept).iter().map(text).collect()
}

pub(crate) fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}
