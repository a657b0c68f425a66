//! Carts: changed by atomic steps, so that what two tabs add at once all counts, and once each.

use crate::error::Error;
use crate::folding::ALWAYS;
use crate::shop::Shop;
use crate::terms::ATTEMPTS_MAX;
use crate::visits::whole;
use parlor_layout::shop::visits as layout;
use parlor_rules::shop::cart::{CHANGES_REMEMBERED, LINES_MAX, QUANTITY_MAX};
use parlor_rules::shop::{Cart, Change, Item, Shopper, Visit};
use parlor_rules::{Millis, SecretHash};
use parlor_store::records::COUNTER_MAX;
use parlor_store::{Answer, Batch, Condition, Key, Operation, Query, Score, Value};
use std::sync::PoisonError;

/// Changes of carts that are remembered to be shown.
const LATELY_MAX: usize = 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CartSeen {
    pub cart: Cart,
    /// When it goes unless it changes; nothing for an empty one.
    pub expires: Option<Millis>,
    /// Grows with every change.
    pub version: i64,
}

pub struct Changed {
    pub seen: CartSeen,
    /// It had happened before, under the same id.
    pub again: bool,
}

impl Shop {
    /// The cart of a visit: its own, or its shopper's.
    pub async fn cart(&self, visit: &Visit) -> Result<CartSeen, Error> {
        self.cart_under(&visit.cart).await
    }

    /// Changes a visit's cart; the id, if the client gave one, makes sure that it happens once.
    pub async fn change(&self, token: &SecretHash, change: &Change, id: Option<&str>) -> Result<Changed, Error> {
        let visit = self.visit(token).await?;
        // The batch below is on the condition that the visit rests in the store.
        if self.book.is_unborn(token) {
            self.fold_one(token).await?;
        }
        for _ in 0..ATTEMPTS_MAX {
            let now = self.now();
            let has_line = match change {
                Change::Set(item, count) | Change::Add(item, count) if *count > 0 => {
                    Some(self.has_line(&visit.cart, item).await?)
                }
                _ => None,
            };
            let batch = self.changing(&visit, change, id, has_line, now);
            match self.records.apply(batch).await? {
                parlor_store::Applied::Done(_) => {
                    self.book.touch(token, None, now);
                    self.note_change(visit.cart, now);
                    return Ok(Changed { seen: self.cart(&visit).await?, again: false });
                }
                parlor_store::Applied::Refused(0) => {
                    self.book.forget(token);
                    return Err(Error::NoVisit);
                }
                parlor_store::Applied::Refused(1) if id.is_some() => {
                    return Ok(Changed { seen: self.cart(&visit).await?, again: true });
                }
                // The line came or went meanwhile; or the cart is full.
                parlor_store::Applied::Refused(_) => {
                    if has_line == Some(false) && self.count_lines(&visit.cart).await? >= LINES_MAX {
                        return Err(Error::CartFull);
                    }
                }
            }
        }
        Err(Error::Contended)
    }

    /// Whose cart it is, if it is a shopper's.
    pub async fn owner(&self, cart: &SecretHash) -> Result<Option<Shopper>, Error> {
        let answers = self.records.read(&self.tag(cart), vec![Query::Whole(layout::owner(cart))]).await?;
        let Some(Value::Text(name)) = whole(&answers, 0) else { return Ok(None) };
        Ok(std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()))
    }

    /// The cart that rests under a token.
    pub async fn cart_under(&self, token: &SecretHash) -> Result<CartSeen, Error> {
        let key = layout::cart(token);
        let version = Query::Field(layout::version(token), layout::VERSION.into());
        let asked = vec![Query::Whole(key.clone()), Query::Deadline(key), version];
        let answers = self.records.read(&self.tag(token), asked).await?;
        let cart = layout::wake_cart(whole(&answers, 0));
        let expires = if let Some(Answer::Deadline(deadline)) = answers.get(1) { *deadline } else { None };
        let version = if let Some(Answer::Bytes(text)) = answers.get(2) { whole_number(text) } else { 0 };
        Ok(CartSeen { cart, expires, version })
    }

    /// The visit lives, the change is new, the line is as it was seen: then all of it.
    fn changing(&self, visit: &Visit, change: &Change, id: Option<&str>, has_line: Option<bool>, now: Millis) -> Batch {
        let (cart, changes) = (layout::cart(&visit.cart), layout::changes(&visit.cart));
        let member = layout::field(&visit.token);
        let mut conditions = vec![Condition::ScoreAtMost(layout::recent(), member.clone(), ALWAYS)];
        conditions.extend(id.map(|id| Condition::MemberAbsent(changes.clone(), layout::client_change(id))));
        conditions.extend(match (change, has_line) {
            (Change::Set(item, _) | Change::Add(item, _), Some(true)) => {
                Some(Condition::FieldPresent(cart.clone(), layout::item(item)))
            }
            (_, Some(false)) => Some(Condition::FewerThan(cart.clone(), LINES_MAX)),
            _ => None,
        });
        let mut operations = vec![changed(cart.clone(), change)];
        let ends = now + self.terms.lifetimes.cart(visit.class());
        operations.push(Operation::Renew { key: cart, deadline: Some(ends) });
        operations.extend(next_version(&visit.cart, ends));
        operations.push(Operation::SetScore { key: layout::recent(), member, score: layout::seconds(now) });
        let member = layout::field(&visit.cart);
        operations.push(Operation::SetScore { key: layout::carts(), member, score: layout::seconds(now) });
        if let Some(id) = id {
            let (member, score) = (layout::client_change(id), newest_first(now));
            operations.push(Operation::SetScore { key: changes.clone(), member, score });
            operations.push(Operation::KeepLowest { key: changes.clone(), keep: CHANGES_REMEMBERED });
            operations.push(Operation::Renew { key: changes, deadline: Some(ends) });
        }
        Batch { tag: self.tag(&visit.token), conditions, operations, ..Batch::default() }
    }

    pub(crate) fn note_change(&self, cart: SecretHash, now: Millis) {
        {
            let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
            lately.retain(|(other, _)| *other != cart);
            lately.insert(0, (cart, now));
            lately.truncate(LATELY_MAX);
        }
        self.tell(cart);
    }

    async fn has_line(&self, cart: &SecretHash, item: &Item) -> Result<bool, Error> {
        let answers = self.records.read(&self.tag(cart), vec![Query::Field(layout::cart(cart), layout::item(item))]).await?;
        Ok(matches!(answers.first(), Some(Answer::Bytes(_))))
    }

    async fn count_lines(&self, cart: &SecretHash) -> Result<usize, Error> {
        self.count(layout::shard_of_token(cart), layout::cart(cart)).await
    }
}

/// The newest changes have the lowest score, so that they are the ones kept.
pub(crate) fn newest_first(now: Millis) -> Score {
    Score::new(-(now.0 as f64)).expect("a number of milliseconds is a number")
}

/// A cart has changed once more.
pub(crate) fn next_version(cart: &SecretHash, ends: Millis) -> [Operation; 2] {
    let (key, field) = (layout::version(cart), layout::VERSION.into());
    let add = Operation::AddField { key: key.clone(), field, by: 1, min: 0, max: COUNTER_MAX, drop_at: None };
    [add, Operation::Renew { key, deadline: Some(ends) }]
}

fn whole_number(text: &[u8]) -> i64 {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn changed(key: Key, change: &Change) -> Operation {
    match change {
        Change::Set(item, count) if *count <= 0 => Operation::DropField { key, field: layout::item(item) },
        Change::Set(item, count) => {
            let value = (*count).min(QUANTITY_MAX).to_string().into();
            Operation::SetField { key, field: layout::item(item), value }
        }
        Change::Add(item, by) => {
            let (field, by) = (layout::item(item), (*by).clamp(-QUANTITY_MAX, QUANTITY_MAX));
            Operation::AddField { key, field, by, min: 0, max: QUANTITY_MAX, drop_at: Some(0) }
        }
        Change::Remove(item) => Operation::DropField { key, field: layout::item(item) },
        Change::Clear => Operation::Drop { key },
    }
}
