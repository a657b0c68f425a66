//! What can be known of a batch before it runs, so that a script which fails has changed nothing.
//!
//! Most batches can be looked through first: each key has the one shape that all operations on it want, and what is added to
//! is a number. Only where one operation changes what the next one finds must the script save what it touches, whole:
//! too dear for a set of a million members.

use crate::records::{Batch, Operation};
use crate::shapes::{Field, Key};
use std::collections::{HashMap, HashSet};

pub(super) enum Foresight<'a> {
    /// It cannot fail after its first change.
    Safe,
    /// It cannot fail if these keys, named by an operation on them, have these shapes or are absent, and these fields
    /// hold whole numbers.
    Looks {
        shapes: Vec<(usize, &'static str)>,
        numbers: Vec<(usize, &'a Field)>,
    },
    Unclear,
}

pub(super) fn foresight(batch: &Batch) -> Foresight<'_> {
    let operations = &batch.operations;
    // The first operation finds what was there, and a single one has nothing to undo.
    if operations.iter().skip(1).all(|operation| shape(operation).is_none()) {
        return Foresight::Safe;
    }
    let mut wanted: HashMap<&Key, Option<&'static str>> = HashMap::new();
    let mut written: HashSet<(&Key, &Field)> = HashSet::new();
    let (mut shapes, mut numbers) = (Vec::new(), Vec::new());
    for (index, operation) in operations.iter().enumerate() {
        let key = operation.key();
        let shape = shape(operation);
        if matches!(operation, Operation::Renew { .. }) {
            continue; // Fits every shape and changes none.
        }
        match wanted.insert(key, shape) {
            None => shapes.extend(shape.map(|shape| (index, shape))),
            Some(before) if before == shape => {}
            Some(_) => return Foresight::Unclear,
        }
        match operation {
            Operation::SetField { field, .. } => drop(written.insert((key, field))),
            Operation::AddField { field, .. } if written.contains(&(key, field)) => return Foresight::Unclear,
            Operation::AddField { field, .. } => numbers.push((index, field)),
            Operation::AddScore { by, .. } if !by.is_finite() => return Foresight::Unclear,
            Operation::Scale { by, .. } if !by.is_finite() || *by == 0.0 => return Foresight::Unclear,
            _ => {}
        }
    }
    Foresight::Looks { shapes, numbers }
}

/// The shape that an operation needs to find, as the server calls it; nothing for one that takes any.
fn shape(operation: &Operation) -> Option<&'static str> {
    match operation {
        Operation::Put { .. } | Operation::Drop { .. } | Operation::Renew { .. } => None,
        Operation::SetField { .. } | Operation::DropField { .. } | Operation::AddField { .. } => Some("hash"),
        Operation::Push { .. } => Some("list"),
        Operation::SetScore { .. }
        | Operation::AddScore { .. }
        | Operation::DropMember { .. }
        | Operation::KeepLowest { .. }
        | Operation::Scale { .. } => Some("zset"),
    }
}
