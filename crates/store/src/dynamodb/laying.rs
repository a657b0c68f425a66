//! What a form says about a commit, made into actions on items.

use super::DynamoDb;
use super::action::{Action, Id, What};
use super::attribute::{Attribute, Attributes};
use super::expression::Expression;
use super::form::{Before, Change, HEAD, Item, Laid, OWN, Path};
use super::head::{Head, keep};
use super::loading::of_the_form;
use crate::error::StoreError;
use crate::rooms::RoomKey;
use crate::shapes::Write;
use std::collections::{BTreeMap, BTreeSet};

/// How often a form may ask before it answers.
const ASKS_MAX: usize = 4;
/// The service takes 4 KB of an expression's text and 300 operators; an update of more paths than this becomes a whole item.
const PATHS_MAX: usize = 100;

impl DynamoDb {
    /// The changes that writes make to a room that stands at this head, or to one that is only now made.
    pub(super) async fn changes(
        &self,
        room: &RoomKey,
        pk: &str,
        head: Option<&Head>,
        writes: &[Write],
    ) -> Result<Vec<Change>, StoreError> {
        let nothing = Attributes::new();
        let form = head.map_or(&nothing, |head| &head.form);
        let mut known: BTreeMap<String, Option<Item>> = BTreeMap::new();
        for _ in 0..ASKS_MAX {
            match self.form.changes(room, &Before { head: form, known: &known, now: self.clock.now() }, writes)? {
                Laid::Changes(mut changes) => {
                    once(&changes)?;
                    match head {
                        Some(head) => self.make_whole(pk, head, &mut changes, &mut known).await?,
                        None => changes.iter_mut().try_for_each(make_new)?,
                    }
                    return Ok(changes);
                }
                Laid::Unknown(sks) => self.look_up(pk, head, sks, &mut known).await?,
            }
        }
        Err(StoreError::Damaged("a form goes on asking and does not answer".into()))
    }

    async fn look_up(
        &self,
        pk: &str,
        head: Option<&Head>,
        sks: Vec<String>,
        known: &mut BTreeMap<String, Option<Item>>,
    ) -> Result<(), StoreError> {
        let unknown: BTreeSet<String> = sks.into_iter().filter(|sk| !known.contains_key(sk)).collect();
        if let Some(head) = head.filter(|_| !unknown.is_empty()) {
            let rows = self.link.get_each(unknown.iter().map(|sk| Id::new(pk, &**sk)).collect()).await?;
            let own = |row: &super::link::Row| row.attributes.get("life").and_then(Attribute::as_text) == Some(&head.life);
            for row in rows.into_iter().filter(own) {
                let sk = row.id.sk;
                known.insert(sk.clone(), Some(Item { sk, attributes: of_the_form(row.attributes) }));
            }
        }
        for sk in unknown {
            known.entry(sk).or_insert(None);
        }
        Ok(())
    }

    /// Updates that are too wide for the service's language are made here, on the items as they are.
    async fn make_whole(
        &self,
        pk: &str,
        head: &Head,
        changes: &mut [Change],
        known: &mut BTreeMap<String, Option<Item>>,
    ) -> Result<(), StoreError> {
        for change in changes.iter_mut() {
            let may_make = makes_its_item(change);
            let Change::Update { sk, set, once, remove } = change else { continue };
            if sk == HEAD || set.len() + once.len() + remove.len() <= PATHS_MAX {
                continue;
            }
            self.look_up(pk, Some(head), vec![sk.clone()], known).await?;
            let none = || may_make.then(|| Item { sk: sk.clone(), attributes: Attributes::new() });
            let item = known.get(sk).cloned().flatten().or_else(none);
            let mut item = item.ok_or_else(|| StoreError::Damaged(format!("an update of {sk}, which is not there")))?;
            update(&mut item.attributes, set, once, remove)?;
            *change = Change::Put(item);
        }
        Ok(())
    }

    /// One change as an action; the head is written otherwise.
    pub(super) fn action(&self, pk: &str, head: &Head, change: Change) -> Option<Action> {
        let kept = head.kept.max(keep(head.deadline)).filter(|_| head.deadline.is_some());
        let own = [
            ("at", Some(Attribute::number(head.place.position.seq))),
            ("life", Some(Attribute::text(&*head.life))),
            ("ttl", kept.map(Attribute::number)),
        ];
        let may_make = makes_its_item(&change);
        match change {
            change if change.sk() == HEAD => None,
            Change::Put(Item { sk, mut attributes }) => {
                attributes.extend(own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
                Some(Action::put(Id::new(pk, sk), attributes))
            }
            Change::Drop { sk } => Some(Action::delete(Id::new(pk, sk))),
            Change::Update { sk, set, once, mut remove } => {
                let mut expression = Expression::default();
                let mut sets: Vec<String> = Vec::new();
                let mut assign = |expression: &mut Expression, path: &[String], value, is_once: bool| {
                    let (path, value) = (expression.path(path), expression.value(value));
                    sets.push(if is_once {
                        format!("{path} = if_not_exists({path}, {value})")
                    } else {
                        format!("{path} = {value}")
                    });
                };
                set.into_iter().for_each(|(path, value)| assign(&mut expression, &path, value, false));
                once.into_iter().for_each(|(path, value)| assign(&mut expression, &path, value, true));
                for (name, value) in own {
                    match value {
                        Some(value) => assign(&mut expression, &[name.to_owned()], value, false),
                        None => remove.push(vec![name.to_owned()]),
                    }
                }
                let mut update = format!("SET {}", sets.join(", "));
                if !remove.is_empty() {
                    let paths: Vec<String> = remove.iter().map(|path| expression.path(path)).collect();
                    update.push_str(&format!(" REMOVE {}", paths.join(", ")));
                }
                let (name, life) = (expression.name("life"), expression.value(Attribute::text(&*head.life)));
                let own = format!("{name} = {life}");
                // What an earlier room left under this name is in the way of a new item, and is not added to.
                let condition = Some(if may_make { format!("attribute_not_exists({name}) OR {own}") } else { own });
                Some(Action { id: Id::new(pk, sk), what: What::Update(update), condition, expression })
            }
        }
    }
}

/// The form's attributes of the head after a commit.
pub(super) fn head_after(before: &Attributes, changes: &[Change]) -> Result<Attributes, StoreError> {
    let mut form = before.clone();
    match changes.iter().find(|change| change.sk() == HEAD) {
        None => {}
        Some(Change::Put(item)) => form = item.attributes.clone(),
        Some(Change::Update { set, once, remove, .. }) => update(&mut form, set, once, remove)?,
        Some(Change::Drop { .. }) => return Err(StoreError::Damaged("a form drops a room's head".into())),
    }
    form.retain(|name, _| !OWN.contains(&&**name));
    Ok(form)
}

fn once(changes: &[Change]) -> Result<(), StoreError> {
    let mut seen = BTreeSet::new();
    match changes.iter().find(|change| !seen.insert(change.sk())) {
        Some(twice) => Err(StoreError::Damaged(format!("a form changes {} twice in one commit", twice.sk()))),
        None => Ok(()),
    }
}

/// In a new room every item is new, whatever an earlier room left under its name.
fn make_new(change: &mut Change) -> Result<(), StoreError> {
    if let Change::Update { sk, set, once, remove } = change
        && sk != HEAD
    {
        let mut attributes = Attributes::new();
        update(&mut attributes, set, once, remove)?;
        *change = Change::Put(Item { sk: std::mem::take(sk), attributes });
    }
    Ok(())
}

/// What the service would do with these paths.
fn update(
    attributes: &mut Attributes,
    set: &[(Path, Attribute)],
    once: &[(Path, Attribute)],
    remove: &[Path],
) -> Result<(), StoreError> {
    let always = set.iter().map(|(path, value)| (path, value, true));
    for (path, value, is_new) in always.chain(once.iter().map(|(path, value)| (path, value, false))) {
        let Some((last, maps)) = path.split_last() else { continue };
        let map = descend(attributes, maps).ok_or_else(|| StoreError::Damaged(format!("the path {path:?} leads nowhere")))?;
        if is_new || !map.contains_key(last) {
            map.insert(last.clone(), value.clone());
        }
    }
    for path in remove {
        let Some((last, maps)) = path.split_last() else { continue };
        if let Some(map) = descend(attributes, maps) {
            map.remove(last);
        }
    }
    Ok(())
}

/// Whether an update goes through no map, so that it needs no item to be there.
fn makes_its_item(change: &Change) -> bool {
    let Change::Update { set, once, remove, .. } = change else { return false };
    set.iter().chain(once).map(|(path, _)| path).chain(remove).all(|path| path.len() == 1)
}

fn descend<'a>(attributes: &'a mut Attributes, maps: &[String]) -> Option<&'a mut Attributes> {
    maps.iter().try_fold(attributes, |map, name| match map.get_mut(name) {
        Some(Attribute::Map(inner)) => Some(inner),
        _ => None,
    })
}
