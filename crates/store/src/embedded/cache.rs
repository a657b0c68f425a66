//! The heads of rooms that were written lately, so that an append to a hot room reads nothing.
//!
//! Two halves: when the young one is full it becomes the old one and the old one is forgotten. That keeps what is used,
//! costs no list, and forgets in an order that no hash seed decides.

use super::codec::Head;
use crate::shapes::Key;
use std::collections::{HashMap, VecDeque};

/// Records of one room whose shape is remembered.
const SHAPES_MAX: usize = 64;

/// A room as the committer remembers it.
pub(super) struct Known {
    pub(super) head: Head,
    /// Sizes of the newest kept commits; of all of them when there are as many as commits kept.
    pub(super) sizes: VecDeque<u32>,
    shapes: Vec<(Key, Shape)>,
    /// No record but those in `shapes` exists.
    complete: bool,
}

/// How a room's record rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Absent,
    Whole,
    /// A hash, perhaps one that has lost its last field.
    Fields,
}

pub(super) struct Cache {
    young: HashMap<Key, Known>,
    old: HashMap<Key, Known>,
    young_bytes: usize,
    half_bytes_max: usize,
}

impl Known {
    pub(super) fn created(head: Head) -> Known {
        Known { head, sizes: VecDeque::new(), shapes: Vec::new(), complete: true }
    }

    pub(super) fn read(head: Head) -> Known {
        Known { head, sizes: VecDeque::new(), shapes: Vec::new(), complete: false }
    }

    pub(super) fn shape(&self, key: &Key) -> Option<Shape> {
        let known = self.shapes.iter().find(|(name, _)| name == key).map(|(_, shape)| *shape);
        known.or(self.complete.then_some(Shape::Absent))
    }

    pub(super) fn set_shape(&mut self, key: &Key, shape: Shape) {
        match self.shapes.iter().position(|(name, _)| name == key) {
            Some(index) => self.shapes[index].1 = shape,
            None if self.shapes.len() < SHAPES_MAX => self.shapes.push((key.clone(), shape)),
            None => self.complete = false,
        }
    }

    fn bytes(&self, room: &Key) -> usize {
        size_of::<Known>() + room.len() + 4 * self.sizes.len() + 64 * self.shapes.len() + 64
    }
}

impl Cache {
    pub(super) fn new(bytes_max: usize) -> Cache {
        Cache { young: HashMap::new(), old: HashMap::new(), young_bytes: 0, half_bytes_max: bytes_max / 2 }
    }

    /// Takes the room out; whoever takes it puts it back, or has found it wanting.
    pub(super) fn take(&mut self, room: &Key) -> Option<Known> {
        if let Some(known) = self.young.remove(room) {
            self.young_bytes = self.young_bytes.saturating_sub(known.bytes(room));
            return Some(known);
        }
        self.old.remove(room)
    }

    pub(super) fn put(&mut self, room: Key, known: Known) {
        if self.young_bytes > self.half_bytes_max {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += known.bytes(&room);
        self.young.insert(room, known);
    }
}
