//! Items on a plain table: what the service holds after a room's commits, without the service.
//!
//! The schema page and the properties lay rooms down here. It is as strict as the service: a path through what is no map, an
//! empty name, two changes of one item or a number it would not keep exactly are refused.

use super::number::plain;
use parlor_rules::Millis;
use parlor_store::items::attribute::attributes_bytes;
use parlor_store::items::form::{Before, Change, Form, HEAD, Item, Laid};
use parlor_store::items::{Attribute, Attributes};
use parlor_store::{Key, RoomKey, StoreError, Value, Write};
use std::collections::{BTreeMap, BTreeSet};

/// Containers within each other.
const DEPTH_MAX: usize = 32;
const ITEM_BYTES_MAX: usize = 400 * 1024;
/// How often a form may ask for more items before it says what changes.
const ASKS_MAX: usize = 3;

/// One room's items by sort key, the head among them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table(pub BTreeMap<String, Attributes>);

/// What one commit did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Done {
    pub changes: Vec<Change>,
    /// Items that had to be read first.
    pub asked: BTreeSet<String>,
}

impl Table {
    /// Lays a commit down; refused by the form, or by what the service would say.
    pub fn lay(&mut self, form: &dyn Form, room: &RoomKey, writes: &[Write], now: Millis) -> Result<Done, StoreError> {
        let mut known: BTreeMap<String, Option<Item>> = BTreeMap::new();
        let head = self.0.get(HEAD).cloned().unwrap_or_default();
        for _ in 0..=ASKS_MAX {
            match form.changes(room, &Before { head: &head, known: &known, now }, writes)? {
                Laid::Unknown(sks) => known.extend(sks.into_iter().map(|sk| {
                    let item = self.0.get(&sk).map(|attributes| Item { sk: sk.clone(), attributes: attributes.clone() });
                    (sk, item)
                })),
                Laid::Changes(changes) => {
                    self.apply(&changes).map_err(refused)?;
                    return Ok(Done { changes, asked: known.into_keys().collect() });
                }
            }
        }
        Err(refused("the form never has enough".to_owned()))
    }

    /// The records that rest here.
    pub fn records(&self, form: &dyn Form, room: &RoomKey) -> Result<Vec<(Key, Value)>, StoreError> {
        let head = self.0.get(HEAD).cloned().unwrap_or_default();
        form.records(room, head, self.items())
    }

    /// All but the head.
    pub fn items(&self) -> Vec<Item> {
        let items = self.0.iter().filter(|(sk, _)| *sk != HEAD);
        items.map(|(sk, attributes)| Item { sk: sk.clone(), attributes: attributes.clone() }).collect()
    }

    fn apply(&mut self, changes: &[Change]) -> Result<(), String> {
        let mut met = BTreeSet::new();
        for change in changes {
            let sk = change.sk();
            if !met.insert(sk) {
                return Err(format!("{sk} is changed twice"));
            }
            match change {
                Change::Put(item) => {
                    let attributes = item.attributes.iter().map(|(name, value)| Ok((name.clone(), kept(sk, name, value)?)));
                    self.0.insert(sk.to_owned(), attributes.collect::<Result<_, String>>()?);
                }
                Change::Drop { .. } if sk == HEAD => return Err("the head is dropped".to_owned()),
                Change::Drop { .. } => drop(self.0.remove(sk)),
                Change::Update { set, once, remove, .. } => {
                    let paths: Vec<&Vec<String>> = set.iter().chain(once).map(|(path, _)| path).chain(remove).collect();
                    apart(&paths)?;
                    if paths.iter().any(|path| path.len() > 1) && !self.0.contains_key(sk) {
                        return Err(format!("{sk} is not there"));
                    }
                    let item = self.0.entry(sk.to_owned()).or_default();
                    for (path, value) in set {
                        let (last, map) = inward(item, path)?;
                        map.insert(last.clone(), kept(sk, last, value)?);
                    }
                    for (path, value) in once {
                        let (last, map) = inward(item, path)?;
                        map.entry(last.clone()).or_insert(kept(sk, last, value)?);
                    }
                    for path in remove {
                        let (last, map) = inward(item, path)?;
                        map.remove(last);
                    }
                }
            }
            if self.0.get(sk).is_some_and(|item| attributes_bytes(item) + sk.len() > ITEM_BYTES_MAX) {
                return Err(format!("{sk} is too large"));
            }
        }
        Ok(())
    }
}

/// No path is another's beginning.
fn apart(paths: &[&Vec<String>]) -> Result<(), String> {
    let mut sorted = paths.to_vec();
    sorted.sort();
    match sorted.windows(2).find(|two| two[1].starts_with(two[0])) {
        Some(two) => Err(format!("{:?} and {:?} overlap", two[0], two[1])),
        None => Ok(()),
    }
}

fn inward<'a, 'b>(item: &'a mut Attributes, path: &'b [String]) -> Result<(&'b String, &'a mut Attributes), String> {
    let (last, way) = path.split_last().ok_or("an empty path")?;
    let mut map = item;
    for name in way {
        map = match map.get_mut(name) {
            Some(Attribute::Map(inner)) => inner,
            _ => return Err(format!("{path:?} leads through what is no map")),
        };
    }
    Ok((last, map))
}

/// As the service keeps an attribute: numbers lose their digits' form.
fn kept(sk: &str, name: &str, value: &Attribute) -> Result<Attribute, String> {
    let mut value = value.clone();
    keep(name, &mut value, 0).map_err(|why| format!("{sk}: {why}"))?;
    Ok(value)
}

fn keep(name: &str, value: &mut Attribute, depth: usize) -> Result<(), String> {
    if name.is_empty() {
        return Err("an empty name".to_owned());
    }
    match value {
        Attribute::List(_) | Attribute::Map(_) if depth == DEPTH_MAX => Err("it nests too deep".to_owned()),
        Attribute::Number(written) => {
            *written = plain(written).ok_or_else(|| format!("{written:?} is no number"))?;
            Ok(())
        }
        Attribute::List(list) => list.iter_mut().try_for_each(|item| keep("item", item, depth + 1)),
        Attribute::Map(map) => map.iter_mut().try_for_each(|(name, value)| keep(name, value, depth + 1)),
        Attribute::Text(_) | Attribute::Bool(_) | Attribute::Null | Attribute::Bytes(_) => Ok(()),
    }
}

fn refused(why: String) -> StoreError {
    StoreError::Unavailable(why)
}
