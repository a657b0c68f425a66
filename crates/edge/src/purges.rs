//! What was purged lately, so that a page that was fetched before a purge is not kept after it.

use crate::below::Purged;
use crate::clock::Millis;
use crate::key::{Hash, hash};
use std::collections::{HashMap, VecDeque};

/// A name by which pages go together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tag {
    Url(String),
    /// A path and query, on every host.
    Path(String),
    Group(String),
    SurrogateKey(String),
    Row(String),
    All,
}

impl Tag {
    /// Its name in a store below: of one length, however long the name is.
    pub fn hash(&self) -> Hash {
        let (kind, name) = match self {
            Self::Url(name) => ("url", name.as_str()),
            Self::Path(name) => ("path", name.as_str()),
            Self::Group(name) => ("group", name.as_str()),
            Self::SurrogateKey(name) => ("surrogate-key", name.as_str()),
            Self::Row(name) => ("row", name.as_str()),
            Self::All => ("all", ""),
        };
        hash(&format!("{kind} {name}"))
    }
}

/// A moment between purges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u64);

/// How many names are remembered. When more are purged during one fetch, that fetch is not kept: safe, and rare.
const REMEMBERED_MAX: usize = 16_384;

/// The last purge of each name.
#[derive(Debug, Default)]
pub struct Purges {
    now: u64,
    last: HashMap<Tag, (u64, Millis)>,
    order: VecDeque<(u64, Tag)>,
    /// The newest purge that is no longer remembered.
    forgotten: (u64, Millis),
    /// What was purged before this process began, as a store below remembers it.
    before: HashMap<Hash, Millis>,
}

impl Purges {
    pub fn generation(&self) -> Generation {
        Generation(self.now)
    }

    pub fn note(&mut self, tag: Tag, at: Millis) {
        self.now += 1;
        self.last.insert(tag.clone(), (self.now, at));
        self.order.push_back((self.now, tag));
        while self.order.len() > REMEMBERED_MAX {
            let Some((number, tag)) = self.order.pop_front() else { break };
            // A name that was purged again has a newer place in the order.
            if self.last.get(&tag).is_some_and(|(last, _)| *last == number) {
                let (_, at) = self.last.remove(&tag).unwrap_or_default();
                self.forgotten = (self.forgotten.0.max(number), self.forgotten.1.max(at));
            }
        }
    }

    /// Takes in what a store below remembers.
    pub fn remember(&mut self, purged: Purged) {
        self.before = purged.names.into_iter().collect();
        self.forgotten.1 = self.forgotten.1.max(purged.forgotten);
    }

    /// Whether a page with one of these names was, or may have been, purged since.
    pub fn hit_since<'a>(&self, since: Generation, tags: impl Iterator<Item = &'a Tag>) -> bool {
        self.forgotten.0 > since.0 || self.any(tags, |number, _| number > since.0)
    }

    /// The same, for a page that comes out of a store below and knows only when it was kept.
    pub fn hit_after<'a>(&self, kept: Millis, tags: impl Iterator<Item = &'a Tag> + Clone) -> bool {
        let before = |tag: &Tag| self.before.get(&tag.hash()).is_some_and(|at| *at >= kept);
        self.forgotten.1 >= kept.max(1)
            || self.any(tags.clone(), |_, at| at >= kept)
            || (!self.before.is_empty() && (before(&Tag::All) || tags.into_iter().any(before)))
    }

    fn any<'a>(&self, tags: impl Iterator<Item = &'a Tag>, newer: impl Fn(u64, Millis) -> bool) -> bool {
        let mut tags = tags.chain(std::iter::once(&Tag::All));
        tags.any(|tag| self.last.get(tag).is_some_and(|(number, at)| newer(*number, *at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h167_what_was_purged_since() {
        let mut purges = Purges::default();
        let row = Tag::Row("7".into());
        let before = purges.generation();
        purges.note(row.clone(), 1000);
        let after = purges.generation();
        assert!(purges.hit_since(before, [&row].into_iter()));
        assert!(!purges.hit_since(after, [&row].into_iter()));
        assert!(!purges.hit_since(before, [&Tag::Row("8".into())].into_iter()));
        assert!(!purges.hit_since(before, [&Tag::Group("7".into())].into_iter()));
        assert!(purges.hit_after(1000, [&row].into_iter()));
        assert!(!purges.hit_after(1001, [&row].into_iter()));
        purges.note(Tag::All, 2000);
        assert!(purges.hit_since(after, std::iter::empty()));
    }

    #[test]
    fn h167_what_a_store_remembers_counts_for_what_it_kept_before() {
        let mut purges = Purges::default();
        let (row, group) = (Tag::Row("7".into()), Tag::Group("7".into()));
        let began = purges.generation();
        purges.remember(Purged { names: vec![(row.hash(), 1000)], forgotten: 500 });
        assert!(purges.hit_after(1000, [&row].into_iter()));
        assert!(!purges.hit_after(1001, [&row].into_iter()));
        assert!(!purges.hit_after(900, [&group].into_iter()));
        assert!(purges.hit_after(500, [&group].into_iter()), "so old that nobody knows");
        assert!(!purges.hit_since(began, [&row].into_iter()), "what is fetched now was purged before");
        purges.remember(Purged { names: vec![(Tag::All.hash(), 2000)], forgotten: 0 });
        assert!(purges.hit_after(2000, std::iter::empty()) && !purges.hit_after(2001, std::iter::empty()));
    }

    #[test]
    fn what_is_forgotten_counts_as_purged() {
        let mut purges = Purges::default();
        let before = purges.generation();
        for n in 0..=REMEMBERED_MAX {
            purges.note(Tag::Row(n.to_string()), 1);
        }
        assert!(purges.hit_since(before, [&Tag::Row("other".into())].into_iter()));
        assert!(!purges.hit_since(purges.generation(), std::iter::empty()));
        assert!(purges.last.len() <= REMEMBERED_MAX);
    }
}
