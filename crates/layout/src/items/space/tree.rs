//! How a part that is too large for one item is split: a binary tree over the bits of its keys' hashes, whose leaves are items.
//!
//! A leaf that grew too large becomes two, and no other leaf changes. The tree rests in the head as two bits a leaf: from the root,
//! 1 for a fork followed by both its sides, 0 for a leaf.

use crate::damage::{Damaged, damaged};

/// As many bits as a hash has.
pub(super) const DEPTH_MAX: u32 = 64;

/// In the order of the tree, from the root, the side of the zeros first: whether it forks here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree(Vec<bool>);

/// A leaf: the first bits of all hashes that are in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Leaf {
    bits: u64,
    depth: u32,
}

impl Tree {
    pub(super) fn single() -> Tree {
        Tree(vec![false])
    }

    pub(super) fn leaf(&self, hash: u64) -> Leaf {
        self.find(hash).0
    }

    /// The leaf of a hash, and where it stands in the tree.
    fn find(&self, hash: u64) -> (Leaf, usize) {
        let (mut leaf, mut at) = (Leaf::ROOT, 0);
        while self.0[at] {
            let [zeros, ones] = leaf.sides();
            at += 1;
            leaf = if ones.holds(hash) { ones } else { zeros };
            if leaf == ones {
                at = self.after(at);
            }
        }
        (leaf, at)
    }

    /// Where what begins here has ended.
    fn after(&self, mut at: usize) -> usize {
        let mut open = 1usize;
        while open > 0 {
            open = if self.0[at] { open + 1 } else { open - 1 };
            at += 1;
        }
        at
    }

    /// Makes two of a leaf.
    pub(super) fn fork(&mut self, leaf: Leaf) {
        let (found, at) = self.find(leaf.bits);
        if found == leaf {
            self.0.splice(at..=at, [true, false, false]);
        }
    }

    pub(super) fn leaves(&self) -> Vec<Leaf> {
        let (mut leaves, mut open) = (Vec::new(), vec![Leaf::ROOT]);
        for forks in &self.0 {
            let Some(here) = open.pop() else { break };
            match forks {
                true => open.extend(here.sides().into_iter().rev()),
                false => leaves.push(here),
            }
        }
        leaves
    }

    pub(super) fn rest(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().zip(0..).fold(0, |byte, (bit, place)| byte | u8::from(*bit) << (7 - place));
        self.0.chunks(8).map(byte).collect()
    }

    pub(super) fn wake(what: &str, bytes: &[u8]) -> Result<Tree, Damaged> {
        let mut bits = bytes.iter().flat_map(|byte| (0..8).map(move |place| byte >> (7 - place) & 1 == 1));
        let (mut tree, mut depths) = (Vec::new(), vec![0]);
        while let Some(depth) = depths.pop() {
            let forks = bits.next().ok_or_else(|| damaged(what, "its split ends too early"))?;
            if forks && depth == DEPTH_MAX {
                return Err(damaged(what, "its split goes too deep"));
            }
            if forks {
                depths.extend([depth + 1, depth + 1]);
            }
            tree.push(forks);
        }
        let rest: Vec<bool> = bits.collect();
        if rest.len() >= 8 || rest.contains(&true) {
            return Err(damaged(what, "its split says more than one tree"));
        }
        Ok(Tree(tree))
    }
}

impl Leaf {
    pub(super) const ROOT: Leaf = Leaf { bits: 0, depth: 0 };

    pub(super) fn holds(self, hash: u64) -> bool {
        self.depth == 0 || (hash ^ self.bits) >> (DEPTH_MAX - self.depth) == 0
    }

    pub(super) fn is_deepest(self) -> bool {
        self.depth == DEPTH_MAX
    }

    /// The two that it becomes.
    pub(super) fn sides(self) -> [Leaf; 2] {
        let depth = self.depth + 1;
        [Leaf { depth, ..self }, Leaf { bits: self.bits | 1 << (DEPTH_MAX - depth), depth }]
    }

    /// The bits without the zeros at their end: of the two that a leaf becomes the first keeps its name.
    pub(super) fn name(self) -> String {
        let bits: String =
            (1..=self.depth).map(|place| if self.bits >> (DEPTH_MAX - place) & 1 == 1 { '1' } else { '0' }).collect();
        bits.trim_end_matches('0').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grown(hashes: &[u64]) -> Tree {
        let mut tree = Tree::single();
        for hash in hashes {
            let leaf = tree.leaf(*hash);
            if !leaf.is_deepest() {
                tree.fork(leaf);
            }
        }
        tree
    }

    proptest! {
        #[test]
        fn a_tree_comes_back(hashes in prop::collection::vec(any::<u64>(), 0..60)) {
            let tree = grown(&hashes);
            prop_assert_eq!(Tree::wake("a tree", &tree.rest()), Ok(tree));
        }

        #[test]
        fn every_hash_has_one_leaf_and_every_leaf_its_own_name(hashes in prop::collection::vec(any::<u64>(), 0..60), hash: u64) {
            let tree = grown(&hashes);
            let leaves = tree.leaves();
            let holding: Vec<Leaf> = leaves.iter().copied().filter(|leaf| leaf.holds(hash)).collect();
            prop_assert_eq!(holding, vec![tree.leaf(hash)]);
            let mut names: Vec<String> = leaves.iter().map(|leaf| leaf.name()).collect();
            prop_assert!(names.contains(&String::new()));
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), leaves.len());
        }

        #[test]
        fn the_first_of_the_two_keeps_the_name(hashes in prop::collection::vec(any::<u64>(), 0..60), hash: u64) {
            let leaf = grown(&hashes).leaf(hash);
            prop_assume!(!leaf.is_deepest());
            let [first, second] = leaf.sides();
            prop_assert_eq!(first.name(), leaf.name());
            prop_assert!(second.name() > leaf.name());
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), hash: u64) {
            if let Ok(tree) = Tree::wake("a tree", &bytes) {
                prop_assert_eq!(tree.rest(), bytes);
                tree.leaf(hash);
            }
        }
    }

    #[test]
    fn the_deepest_leaf_is_one_hash() {
        let mut tree = Tree::single();
        while !tree.leaf(u64::MAX).is_deepest() {
            tree.fork(tree.leaf(u64::MAX));
        }
        assert_eq!(tree.leaves().len(), 65);
        assert!(tree.leaf(u64::MAX).holds(u64::MAX) && !tree.leaf(u64::MAX).holds(u64::MAX - 1));
        assert_eq!(Tree::wake("a tree", &tree.rest()), Ok(tree));
    }
}
