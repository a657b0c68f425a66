//! What changed between two pictures of a table, in words. Applied to the older table it gives the newer one exactly.
//!
//! Lists are sent by the item: what stayed is not said again, so that a vote costs the size of a vote and not of the
//! table. The order of a list is said only where it does not follow: what stays keeps its order, what is new comes last.

use super::view::{Round, Story, Table, User, head, round, story, user};
use parlor_rules::poker::{self, Shared};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
pub struct Patch {
    /// The fields that changed, but for the lists.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub view: Map<String, Value>,
    /// Whoever changed or is new, whole; new ones come last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<User>,
    /// Ids of those who left. Who is also in `users` came back and sits at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stories: Option<Listed<Story, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Listed<Round, u64>>,
}

/// What changed in a list whose items have a key.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Listed<T, K> {
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<T>,
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<K>,
    /// All keys in their order, where it is not the old one with new items at the end.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<K>>,
}

impl Patch {
    pub fn between(from: &Shared, to: &Shared) -> Patch {
        let (old, new) = (fields(&head(from)), fields(&head(to)));
        let view = new.into_iter().filter(|(name, value)| old.get(name) != Some(value)).collect();
        let seats = changes(&from.seats, &to.seats, |seat| seat.user.to_string(), user, Order::Kept);
        let stories = (!from.stories.ptr_eq(&to.stories))
            .then(|| changes(&from.stories, &to.stories, |story| story.id.to_string(), story, Order::Said))
            .filter(|listed| !listed.is_empty());
        let history = (!from.history.ptr_eq(&to.history))
            .then(|| changes(&from.history, &to.history, |round: &poker::Round| round.number, round, Order::Said))
            .filter(|listed| !listed.is_empty());
        Patch { view, users: seats.set, gone: seats.gone, stories, history }
    }

    /// The table after the patch; nothing when it is not a table any more.
    pub fn apply(&self, table: &Table) -> Option<Table> {
        let mut fields = fields(table);
        fields.extend(self.view.clone());
        let mut after: Table = serde_json::from_value(Value::Object(fields)).ok()?;
        let users = Listed { set: self.users.clone(), gone: self.gone.clone(), order: None };
        after.users = users.apply(after.users, |user| user.user_id.clone());
        if let Some(stories) = &self.stories {
            after.stories = stories.apply(after.stories, |story| story.story_id.clone());
        }
        if let Some(history) = &self.history {
            after.history = history.apply(after.history, |round| round.round);
        }
        Some(after)
    }
}

impl<T: Clone, K: Ord + Clone> Listed<T, K> {
    fn is_empty(&self) -> bool {
        self.set.is_empty() && self.gone.is_empty() && self.order.is_none()
    }

    fn apply(&self, list: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
        let gone: BTreeSet<&K> = self.gone.iter().collect();
        let mut set: Vec<Option<&T>> = self.set.iter().map(Some).collect();
        let places: BTreeMap<K, usize> = self.set.iter().enumerate().map(|(index, item)| (key(item), index)).collect();
        let stays = list.into_iter().filter(|item| !gone.contains(&key(item)));
        let mut after: Vec<T> = stays
            .map(|item| {
                let changed = places.get(&key(&item)).and_then(|index| set[*index].take());
                changed.cloned().unwrap_or(item)
            })
            .collect();
        after.extend(set.into_iter().flatten().cloned());
        if let Some(order) = &self.order {
            let places: BTreeMap<&K, usize> = order.iter().enumerate().map(|(index, key)| (key, index)).collect();
            after.sort_by_key(|item| places.get(&key(item)).copied().unwrap_or(usize::MAX));
        }
        after
    }
}

/// What to do when something has moved behind what came after it.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// People keep their order: whoever moved has left and come back.
    Kept,
    Said,
}

fn changes<'a, T: PartialEq + 'a, W, K: Ord + Clone>(
    from: impl IntoIterator<Item = &'a T>,
    to: impl IntoIterator<Item = &'a T>,
    key: impl Fn(&T) -> K,
    words: impl Fn(&T) -> W,
    order: Order,
) -> Listed<W, K> {
    let old: Vec<(K, &T)> = from.into_iter().map(|item| (key(item), item)).collect();
    let new: Vec<(K, &T)> = to.into_iter().map(|item| (key(item), item)).collect();
    let before: BTreeMap<&K, &T> = old.iter().map(|(key, item)| (key, *item)).collect();
    let there: BTreeSet<&K> = new.iter().map(|(key, _)| key).collect();
    // Walks what was there along the new list; what is not met where it should be has moved, or has been moved before.
    let mut walk = new.iter().map(|(key, _)| key).peekable();
    let stays = old.iter().map(|(key, _)| key).filter(|key| there.contains(key));
    let moved: BTreeSet<&K> = stays.filter(|key| walk.next_if_eq(key).is_none()).collect();
    let again = |key: &K| order == Order::Kept && moved.contains(key);
    let gone = old.iter().map(|(key, _)| key).filter(|key| !there.contains(key) || again(key)).cloned().collect();
    let differs = |(key, item): &&(K, &T)| again(key) || before.get(key).is_none_or(|older| older != item);
    let set = new.iter().filter(differs).map(|(_, item)| words(item)).collect();
    let order = (order == Order::Said && !moved.is_empty()).then(|| new.iter().map(|(key, _)| key.clone()).collect());
    Listed { set, gone, order }
}

fn fields(table: &Table) -> Map<String, Value> {
    match value(table) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn value(words: &impl Serialize) -> Value {
    serde_json::to_value(words).expect("views have text keys only")
}
