//! What a commit makes of items, gathered: several writes may be about one item, and it is changed once.

use parlor_store::items::{Attribute, Attributes, Change, Item};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Sheet {
    items: BTreeMap<String, Draft>,
}

enum Draft {
    Whole(Attributes),
    Parts(Parts),
    Gone,
}

#[derive(Default)]
struct Parts {
    set: BTreeMap<Vec<String>, Attribute>,
    once: BTreeMap<Vec<String>, Attribute>,
    remove: BTreeSet<Vec<String>>,
}

impl Sheet {
    /// The item holds this and nothing else.
    pub(crate) fn put(&mut self, sk: impl Into<String>, attributes: Attributes) {
        self.items.insert(sk.into(), Draft::Whole(attributes));
    }

    pub(crate) fn drop(&mut self, sk: impl Into<String>) {
        self.items.insert(sk.into(), Draft::Gone);
    }

    pub(crate) fn set(&mut self, sk: &str, name: &str, value: Attribute) {
        match self.draft(sk) {
            Draft::Whole(attributes) => drop(attributes.insert(name.to_owned(), value)),
            gone @ Draft::Gone => *gone = Draft::Whole(Attributes::from([(name.to_owned(), value)])),
            Draft::Parts(parts) => parts.set(vec![name.to_owned()], value),
        }
    }

    /// Sets what lies in a map that is there.
    pub(crate) fn set_in(&mut self, sk: &str, map: &str, name: &str, value: Attribute) {
        if let Draft::Parts(parts) = self.draft(sk) {
            parts.set(vec![map.to_owned(), name.to_owned()], value);
        }
    }

    /// Set unless something is there.
    pub(crate) fn once(&mut self, sk: &str, name: &str, value: Attribute) {
        match self.draft(sk) {
            Draft::Whole(attributes) => drop(attributes.entry(name.to_owned()).or_insert(value)),
            gone @ Draft::Gone => *gone = Draft::Whole(Attributes::from([(name.to_owned(), value)])),
            Draft::Parts(parts) => drop(parts.once.insert(vec![name.to_owned()], value)),
        }
    }

    pub(crate) fn remove(&mut self, sk: &str, name: &str) {
        match self.draft(sk) {
            Draft::Whole(attributes) => drop(attributes.remove(name)),
            Draft::Gone => {}
            Draft::Parts(parts) => parts.remove(vec![name.to_owned()]),
        }
    }

    pub(crate) fn remove_in(&mut self, sk: &str, map: &str, name: &str) {
        if let Draft::Parts(parts) = self.draft(sk) {
            parts.remove(vec![map.to_owned(), name.to_owned()]);
        }
    }

    fn draft(&mut self, sk: &str) -> &mut Draft {
        self.items.entry(sk.to_owned()).or_insert_with(|| Draft::Parts(Parts::default()))
    }

    /// Of a room that is only now made everything is known, so every item is put whole.
    pub(crate) fn changes(self, is_creation: bool) -> Vec<Change> {
        let change = |(sk, draft)| match draft {
            Draft::Whole(attributes) => Change::Put(Item { sk, attributes }),
            Draft::Parts(Parts { set, once, .. }) if is_creation => {
                let named = once.into_iter().chain(set).filter_map(|(path, value)| Some((path.into_iter().next()?, value)));
                Change::Put(Item { sk, attributes: named.collect() })
            }
            Draft::Gone => Change::Drop { sk },
            Draft::Parts(Parts { set, once, remove }) => Change::Update {
                sk,
                set: set.into_iter().collect(),
                once: once.into_iter().collect(),
                remove: remove.into_iter().collect(),
            },
        };
        self.items.into_iter().map(change).collect()
    }
}

impl Parts {
    fn set(&mut self, path: Vec<String>, value: Attribute) {
        self.remove.remove(&path);
        self.set.insert(path, value);
    }

    fn remove(&mut self, path: Vec<String>) {
        self.set.remove(&path);
        self.remove.insert(path);
    }
}
