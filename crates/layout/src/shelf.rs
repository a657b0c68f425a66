//! Records on a plain shelf: what a store holds after a room's writes, without the store.
//!
//! The schema page and the properties lay writes down here. A hash that loses its last field is gone, as
//! it is on every backend.

use parlor_store::{Key, Value, Write};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Shelf(pub BTreeMap<Key, Value>);

impl Shelf {
    /// A field set on something that is no hash replaces it; no room writes one key in two shapes.
    pub fn lay(&mut self, writes: &[Write]) {
        for write in writes {
            match write {
                Write::Put { key, value } => {
                    self.0.insert(key.clone(), value.clone());
                }
                Write::Drop { key } => {
                    self.0.remove(key);
                }
                Write::SetField { key, field, value } | Write::Lapse { key, field, value } => match self.0.get_mut(key) {
                    Some(Value::Hash(fields)) => {
                        fields.insert(field.clone(), value.clone());
                    }
                    _ => {
                        let fields = BTreeMap::from([(field.clone(), value.clone())]);
                        self.0.insert(key.clone(), Value::Hash(fields));
                    }
                },
                Write::DropField { key, field } => {
                    if let Some(Value::Hash(fields)) = self.0.get_mut(key) {
                        fields.remove(field);
                        if fields.is_empty() {
                            self.0.remove(key);
                        }
                    }
                }
            }
        }
    }

    /// As `Rooms::load` hands them over.
    pub fn records(&self) -> Vec<(Key, Value)> {
        self.0.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
