//! What a commit makes of the maps and lists: one path in one bucket for every key it sets, more only where a bucket is split.

use super::super::sheet::Sheet;
use super::super::{HEAD, is_creation, number, words};
use super::bucket::{self, Bucket, DATA, ENTRIES, Entry, Spread};
use super::tree::{Leaf, Tree};
use crate::damage::{Damaged, damaged};
use bytes::Bytes;
use parlor_store::items::attribute::{Attribute, Attributes, escaped};
use parlor_store::items::form::{Before, Laid};
use parlor_store::{Field, Value, Write};
use std::collections::{BTreeMap, BTreeSet};

/// New buckets of one commit, so that it stays within what one transaction takes. Whatever is still too large is split later.
const NEW_MAX: usize = 24;

const SPLITS: &str = "splits";
const CUTS: &str = "cuts";
const CUT: &str = "cut";
const TREE: &str = "tree";

/// The part of an item, and what names the bucket in it: nothing for the first. No part's name has a `#`.
pub(super) fn read_sk(sk: &str) -> Option<(&str, &str)> {
    let prefix = super::SHAPES.iter().find(|(prefix, _)| sk.starts_with(prefix))?.0;
    match sk[prefix.len()..].find('#') {
        Some(end) => Some((&sk[..prefix.len() + end], &sk[prefix.len() + end + 1..])),
        None => Some((sk, "")),
    }
}

/// How the parts are split that do not fit in one item, as the head says.
pub(super) struct Splits(BTreeMap<String, Split>);

#[derive(Clone)]
struct Split {
    /// Which of all the times that a part of this room was first split.
    cut: u64,
    tree: Tree,
}

impl Split {
    fn sk(&self, part: &str, leaf: Leaf) -> String {
        match leaf.name() {
            name if name.is_empty() => part.to_owned(),
            name => format!("{part}#{}.{name}", self.cut),
        }
    }
}

impl Splits {
    pub(super) fn wake(head: &Attributes) -> Result<Splits, Damaged> {
        let Some(splits) = head.get(SPLITS) else { return Ok(Splits(BTreeMap::new())) };
        let split = |(part, split): (&String, &Attribute)| {
            let what = format!("the split of {part}");
            let split = words::map(&what, split)?;
            let (Some(cut), Some(Attribute::Bytes(tree))) = (split.get(CUT), split.get(TREE)) else {
                return Err(damaged(&what, "it has no cut or no tree"));
            };
            Ok((part.clone(), Split { cut: words::whole(&what, cut)?, tree: Tree::wake(&what, tree)? }))
        };
        words::map(SPLITS, splits)?.iter().map(split).collect::<Result<_, _>>().map(Splits)
    }

    fn rest(&self) -> Attribute {
        let split = |split: &Split| {
            let tree = Attribute::Bytes(split.tree.rest());
            Attribute::Map(Attributes::from([(CUT.to_owned(), number(split.cut)), (TREE.to_owned(), tree)]))
        };
        Attribute::Map(self.0.iter().map(|(part, of)| (part.clone(), split(of))).collect())
    }

    /// Whether the item is of the part as it is now, and not of one that was cleared.
    pub(super) fn is_alive(&self, part: &str, name: &str) -> bool {
        let cut = name.split_once('.').and_then(|(cut, _)| cut.parse().ok());
        name.is_empty() || self.0.get(part).is_some_and(|split| Some(split.cut) == cut)
    }

    /// The items that a part is in.
    pub(super) fn sks(&self, part: &str) -> Vec<String> {
        match self.0.get(part) {
            Some(split) => split.tree.leaves().into_iter().map(|leaf| split.sk(part, leaf)).collect(),
            None => vec![part.to_owned()],
        }
    }

    /// Whether all that lies in an item belongs there.
    pub(super) fn check(&self, sk: &str, part: &str, bucket: &Bucket) -> Result<(), Damaged> {
        let Some(split) = self.0.get(part) else { return Ok(()) };
        let strays = |hash: u64| split.sk(part, split.tree.leaf(hash)) != sk;
        match bucket.keys().find(|(hash, _)| strays(*hash)) {
            Some((_, name)) => Err(damaged(sk, format!("{name:?} belongs in another bucket"))),
            None => Ok(()),
        }
    }
}

/// What a commit says about a part.
#[derive(Default)]
pub(super) struct Edit {
    /// It holds nothing but what is set.
    is_whole: bool,
    fields: BTreeMap<Field, Option<Bytes>>,
}

impl Edit {
    pub(super) fn write(&mut self, write: &Write) -> Result<(), Damaged> {
        match write {
            Write::SetField { field, value, .. } | Write::Lapse { field, value, .. } => {
                self.fields.insert(field.clone(), Some(value.clone()));
            }
            Write::DropField { field, .. } => drop(self.fields.insert(field.clone(), None)),
            Write::Drop { .. } => *self = Edit { is_whole: true, fields: BTreeMap::new() },
            Write::Put { value: Value::Hash(fields), .. } => {
                let fields = fields.iter().map(|(field, value)| (field.clone(), Some(value.clone())));
                *self = Edit { is_whole: true, fields: fields.collect() };
            }
            Write::Put { key, .. } => return Err(damaged(key, "it should be a hash")),
        }
        Ok(())
    }
}

/// A commit's parts, one after the other.
pub(super) struct Laying<'a> {
    before: &'a Before<'a>,
    spread: Spread,
    sheet: Sheet,
    splits: Splits,
    has_split: bool,
    cuts: u64,
    new_left: usize,
    unknown: BTreeSet<String>,
}

impl<'a> Laying<'a> {
    pub(super) fn new(before: &'a Before<'a>, sheet: Sheet, spread: Spread) -> Result<Laying<'a>, Damaged> {
        let cuts = before.head.get(CUTS).map(|cuts| words::whole(CUTS, cuts)).transpose()?.unwrap_or(0);
        // A new room may be laid down in many steps.
        let new_left = if is_creation(before) { usize::MAX } else { NEW_MAX };
        let (splits, unknown) = (Splits::wake(before.head)?, BTreeSet::new());
        Ok(Laying { before, spread, sheet, splits, has_split: false, cuts, new_left, unknown })
    }

    pub(super) fn lay(&mut self, sk: &str, edit: Edit, was: bool, is: bool) -> Result<(), Damaged> {
        if !is {
            if edit.fields.values().any(Option::is_some) {
                return Err(damaged(sk, "the settings do not name it"));
            }
            self.sheet.drop(sk);
            self.has_split |= self.splits.0.remove(sk).is_some();
            return Ok(());
        }
        if edit.is_whole || !was { self.put_whole(sk, edit) } else { self.change(sk, edit) }
    }

    /// All that the part holds is known, so nothing that was there matters.
    fn put_whole(&mut self, sk: &str, edit: Edit) -> Result<(), Damaged> {
        self.has_split |= self.splits.0.remove(sk).is_some();
        let mut bucket = Bucket::new();
        for (field, value) in edit.fields {
            self.put(sk, &mut bucket, &field, value.as_deref())?;
        }
        self.divide(sk, Tree::single(), BTreeMap::from([(Leaf::ROOT, bucket)]));
        Ok(())
    }

    fn put(&self, sk: &str, bucket: &mut Bucket, field: &str, value: Option<&[u8]>) -> Result<(), Damaged> {
        let place = (self.spread.hash(field), field.to_owned());
        match value {
            Some(value) => drop(bucket.insert(place, Entry::rest(&format!("{sk} {field}"), value)?)),
            None => drop(bucket.remove(&place)),
        }
        Ok(())
    }

    fn change(&mut self, sk: &str, edit: Edit) -> Result<(), Damaged> {
        let split = self.splits.0.get(sk).cloned().unwrap_or(Split { cut: 0, tree: Tree::single() });
        let mut by_leaf: BTreeMap<Leaf, Vec<(Field, Option<Bytes>, bool)>> = BTreeMap::new();
        for (field, value) in edit.fields {
            let hash = self.spread.hash(&field);
            let looks = value.as_ref().is_some_and(|value| self.spread.looks(hash, &field, value));
            by_leaf.entry(split.tree.leaf(hash)).or_default().push((field, value, looks));
        }
        let mut too_large = BTreeMap::new();
        for (leaf, fields) in by_leaf {
            let item = split.sk(sk, leaf);
            if fields.iter().any(|(_, _, looks)| *looks) {
                let Ok(known) = self.before.item(&item) else {
                    self.unknown.insert(item);
                    continue;
                };
                let known = known.ok_or_else(|| damaged(&item, "it is missing"))?;
                let mut bucket = bucket::read(&item, &self.spread, &known.attributes)?;
                for (field, value, _) in &fields {
                    self.put(sk, &mut bucket, field, value.as_deref())?;
                }
                if bucket.len() > 1 && bucket::bytes(&bucket) > bucket::BUCKET_BYTES_MAX {
                    too_large.insert(leaf, bucket);
                    continue;
                }
            }
            for (field, value, _) in fields {
                let name = escaped(&field);
                match value {
                    Some(value) => {
                        let Entry { value, note } = Entry::rest(&format!("{sk} {field}"), &value)?;
                        self.sheet.set_in(&item, DATA, &name, value);
                        self.sheet.set_in(&item, ENTRIES, &name, note);
                    }
                    None => {
                        self.sheet.remove_in(&item, DATA, &name);
                        self.sheet.remove_in(&item, ENTRIES, &name);
                    }
                }
            }
        }
        if !too_large.is_empty() {
            self.divide(sk, split.tree, too_large);
        }
        Ok(())
    }

    /// Puts these buckets down, as many as they must be. The others of the tree stay as they are.
    fn divide(&mut self, sk: &str, mut tree: Tree, mut buckets: BTreeMap<Leaf, Bucket>) {
        let new = bucket::divide(&mut tree, &mut buckets, self.new_left);
        self.new_left -= new;
        let cut = self.splits.0.get(sk).map_or(self.cuts + 1, |split| split.cut);
        let split = Split { cut, tree };
        for (leaf, bucket) in &buckets {
            self.sheet.put(split.sk(sk, *leaf), bucket::item(bucket));
        }
        if new > 0 {
            self.cuts = self.cuts.max(split.cut);
            self.has_split = true;
            self.splits.0.insert(sk.to_owned(), split);
        }
    }

    pub(super) fn laid(mut self) -> Result<Laid, Damaged> {
        if !self.unknown.is_empty() {
            self.unknown.extend(self.before.known.keys().cloned());
            return Ok(Laid::Unknown(self.unknown.into_iter().collect()));
        }
        if self.has_split {
            self.sheet.set(HEAD, SPLITS, self.splits.rest());
            self.sheet.set(HEAD, CUTS, number(self.cuts));
        }
        Ok(Laid::Changes(self.sheet.changes(is_creation(self.before))))
    }
}
