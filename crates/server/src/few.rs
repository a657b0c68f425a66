//! A map of a few entries, as a list in the order they came: it takes no more memory than what it holds, which counts when
//! each of thousands of connections has one, and it is the same in every run.

pub(crate) struct Few<K, V>(Vec<(K, V)>);

impl<K: PartialEq, V> Few<K, V> {
    pub(crate) fn new() -> Few<K, V> {
        Few(Vec::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.iter_mut().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// What was there under this key is dropped.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.get_mut(&key) {
            Some(held) => *held = value,
            None => {
                if self.0.is_empty() {
                    self.0.reserve_exact(1); // Most never have a second one.
                }
                self.0.push((key, value));
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.retain(|other, _| other != key);
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_found_replaced_and_removed() {
        let mut few = Few::new();
        few.insert("a", 1);
        few.insert("b", 2);
        few.insert("a", 3);
        assert_eq!((few.len(), few.get(&"a"), few.get(&"b")), (2, Some(&3), Some(&2)));
        few.remove(&"a");
        assert!(!few.contains_key(&"a") && few.contains_key(&"b"));
        few.retain(|_, value| *value > 2);
        assert_eq!(few.len(), 0);
    }
}
