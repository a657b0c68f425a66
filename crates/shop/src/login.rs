//! A login: a guest turns out to be a shopper. The token changes, what was viewed comes along, and two carts become one, once.
//!
//! Two steps, because the guest's things and the shopper's may lie in different places. The first ends the guest's visit and
//! leaves a mark: from then on its cart stands still. The second makes the new visit and merges, under the name of that
//! login. Whoever is cut off in between logs in again with the same old token and finds the mark.

use crate::carts::{newest_first, next_version};
use crate::error::Error;
use crate::folding::ALWAYS;
use crate::shop::Shop;
use crate::terms::ATTEMPTS_MAX;
use crate::visits::whole;
use parlor_layout::shop::visits::{self as layout, Left};
use parlor_rules::shop::cart::CHANGES_REMEMBERED;
use parlor_rules::shop::visit::VIEWED_MAX;
use parlor_rules::shop::{Cart, Class, Item, Merge, Shopper, Visit};
use parlor_rules::{SecretHash, Span};
use parlor_store::{Answer, Batch, Condition, Field, Operation, Query, Score, Value};

/// How long somebody who was cut off may try again.
const LEFT_FOR: Span = Span::minutes(60);

pub struct LoggedIn {
    pub visit: Visit,
    pub cart: Cart,
}

/// What comes along from the visit that ends.
#[derive(Default)]
struct Luggage {
    cart: Cart,
    /// The changes that made it: one of them may be sent again after the login.
    changes: Vec<(Field, Score)>,
    /// The newest first.
    viewed: Vec<Item>,
}

impl Luggage {
    /// What was looked at elsewhere comes after what was looked at just now.
    fn add_viewed(&mut self, elsewhere: Vec<Item>) {
        for item in elsewhere {
            if !self.viewed.contains(&item) {
                self.viewed.push(item);
            }
        }
        self.viewed.truncate(VIEWED_MAX);
    }
}

impl Shop {
    /// Logs a visit in: the old token ends and `new` opens the shopper's visit. `new` must be drawn so that `is_place_of`.
    pub async fn login(&self, old: &SecretHash, new: SecretHash, shopper: &Shopper, merge: Merge) -> Result<LoggedIn, Error> {
        let left = self.leave(old).await?;
        let mut luggage = self.luggage(old, left).await?;
        luggage.add_viewed(self.viewed_lately(shopper).await?);
        for _ in 0..ATTEMPTS_MAX {
            if let Some(logged_in) = self.arrive(old, new, shopper, merge, &luggage).await? {
                self.tidy_up(old, left).await;
                self.end_surplus_of(shopper).await?;
                self.note_change(logged_in.visit.cart, self.now());
                return Ok(logged_in);
            }
        }
        Err(Error::Contended)
    }

    /// Whether somebody with this token has logged in lately: its browser is about to get another one.
    pub async fn has_left(&self, token: &SecretHash) -> Result<bool, Error> {
        match self.left_before(token).await {
            Ok(_) => Ok(true),
            Err(Error::NoVisit) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The first step: the old visit is over, and its cart stands still.
    async fn leave(&self, old: &SecretHash) -> Result<Left, Error> {
        let visit = match self.visit(old).await {
            Ok(visit) => visit,
            Err(Error::NoVisit) => return self.left_before(old).await,
            Err(error) => return Err(error),
        };
        let _folding = self.folding.of(old).await;
        self.fold_one_held(old).await?;
        self.book.forget(old);
        let note = self.ended(old);
        let left = if visit.class() == Class::Guest { Left::Guest } else { Left::Shopper };
        let field = layout::field(old);
        let mut operations = vec![
            Operation::DropMember { key: layout::recent(), member: field.clone() },
            Operation::DropMember { key: layout::born(), member: field.clone() },
            Operation::DropField { key: layout::login(), field: field.clone() },
            Operation::DropField { key: layout::home(), field: field.clone() },
            Operation::Put { key: layout::left(old), value: layout::left_record(left), deadline: Some(self.now() + LEFT_FOR) },
        ];
        if let Some(shopper) = &visit.shopper {
            operations.push(Operation::DropMember { key: layout::visits_of(shopper), member: field.clone() });
        }
        operations.extend(note.operation());
        let is_there = Condition::ScoreAtMost(layout::recent(), field, ALWAYS);
        let left_now =
            self.keep(Batch { tag: self.tag(old), conditions: vec![is_there], operations, ..Batch::default() }).await?;
        self.book.forget(old);
        self.tell(*old);
        if !left_now {
            return self.left_before(old).await;
        }
        note.arrived();
        Ok(left)
    }

    /// Somebody with this token was cut off in the middle of a login, or has only lost its answer.
    async fn left_before(&self, old: &SecretHash) -> Result<Left, Error> {
        let answers = self.records.read(&self.tag(old), vec![Query::Whole(layout::left(old))]).await?;
        whole(&answers, 0).and_then(layout::wake_left).ok_or(Error::NoVisit)
    }

    async fn luggage(&self, old: &SecretHash, left: Left) -> Result<Luggage, Error> {
        let asked = vec![
            Query::Whole(layout::viewed(old)),
            Query::Whole(layout::cart(old)),
            Query::Lowest { key: layout::changes(old), skip: 0, take: CHANGES_REMEMBERED },
        ];
        let mut answers = self.records.read(&self.tag(old), asked).await?;
        let viewed = layout::wake_viewed(whole(&answers, 0));
        if left == Left::Shopper {
            return Ok(Luggage { viewed, ..Luggage::default() });
        }
        let cart = layout::wake_cart(whole(&answers, 1));
        let changes = if let Some(Answer::Members(changes)) = answers.pop() { changes } else { Vec::new() };
        Ok(Luggage { cart, changes, viewed })
    }

    /// What the shopper looked at, as far as their newest visit tells. After a login whose answer was lost that is the visit it made, so
    /// that what came along then comes along again.
    async fn viewed_lately(&self, shopper: &Shopper) -> Result<Vec<Item>, Error> {
        let Some(newest) = self.tokens_of(shopper).await?.pop() else { return Ok(Vec::new()) };
        match self.viewed(&newest).await {
            Err(Error::NoVisit) => Ok(Vec::new()),
            viewed => viewed,
        }
    }

    /// The second step; nothing when a rival was faster.
    async fn arrive(
        &self,
        old: &SecretHash,
        new: SecretHash,
        shopper: &Shopper,
        merge: Merge,
        luggage: &Luggage,
    ) -> Result<Option<LoggedIn>, Error> {
        let (now, tag) = (self.now(), self.tag(&new));
        let answers = self.records.read(&tag, vec![Query::Whole(layout::cart_of(shopper))]).await?;
        let pointer = whole(&answers, 0).and_then(pointed_at);
        let cart_token = pointer.unwrap_or(new);
        let (cart_key, changes) = (layout::cart(&cart_token), layout::changes(&cart_token));
        let this_login = layout::login_change(old);
        let asked = vec![Query::Whole(cart_key.clone()), Query::Score(changes.clone(), this_login.clone())];
        let answers = self.records.read(&tag, asked).await?;
        let theirs = layout::wake_cart(whole(&answers, 0));
        let merged_before = matches!(answers.get(1), Some(Answer::Score(_)));
        let cart = if merged_before { theirs.clone() } else { merge.merge(&luggage.cart, &theirs) };

        let mut conditions = vec![match pointer {
            Some(token) => Condition::Holds(layout::cart_of(shopper), token.hex().into()),
            None => Condition::Absent(layout::cart_of(shopper)),
        }];
        conditions.extend(unchanged(&cart_token, &theirs));
        if !merged_before {
            conditions.push(Condition::MemberAbsent(changes.clone(), this_login.clone()));
        }
        let visit = Visit { token: new, shopper: Some(shopper.clone()), cart: cart_token, since: now, last_used: now };
        let ends = now + self.terms.lifetimes.shopper_cart;
        // No visit of theirs, and no cart, outlives this.
        let known_until = Some(visit.ends(&self.terms.lifetimes) + self.terms.lifetimes.shopper_cart);
        let (member, seconds) = (layout::field(&new), layout::seconds(now));
        let name: bytes::Bytes = shopper.as_str().as_bytes().to_vec().into();
        let mut operations = vec![
            Operation::SetField { key: layout::login(), field: member.clone(), value: name.clone() },
            Operation::SetScore { key: layout::recent(), member: member.clone(), score: seconds },
            Operation::SetScore { key: layout::born(), member: member.clone(), score: seconds },
            Operation::SetScore { key: layout::visits_of(shopper), member: member.clone(), score: seconds },
            Operation::Put { key: layout::cart_of(shopper), value: Value::Text(cart_token.hex().into()), deadline: known_until },
            Operation::Put { key: layout::owner(&cart_token), value: Value::Text(name), deadline: known_until },
            Operation::Put {
                key: layout::viewed(&new),
                value: viewed_record(&luggage.viewed),
                deadline: Some(visit.ends(&self.terms.lifetimes)),
            },
            Operation::Put { key: cart_key, value: layout::cart_record(&cart), deadline: Some(ends) },
            Operation::SetScore { key: changes.clone(), member: this_login, score: newest_first(now) },
            Operation::KeepLowest { key: changes.clone(), keep: CHANGES_REMEMBERED },
            Operation::Renew { key: changes, deadline: Some(ends) },
        ];
        if !merged_before {
            let before_last = operations.len() - 2;
            let known = luggage.changes.iter().map(|(member, score)| Operation::SetScore {
                key: layout::changes(&cart_token),
                member: member.clone(),
                score: *score,
            });
            operations.splice(before_last..before_last, known);
            operations.extend(next_version(&cart_token, ends));
        }
        if cart_token != new {
            operations.push(Operation::SetField { key: layout::home(), field: member, value: cart_token.hex().into() });
        }
        if !cart.is_empty() {
            operations.push(Operation::SetScore { key: layout::carts(), member: layout::field(&cart_token), score: seconds });
        }
        if !self.keep(Batch { tag, conditions, operations, ..Batch::default() }).await? {
            return Ok(None);
        }
        self.book.learn(visit.clone(), now, self.book.forgotten());
        Ok(Some(LoggedIn { visit, cart }))
    }

    /// What came along is taken from where it was. What stays behind ends by itself.
    async fn tidy_up(&self, old: &SecretHash, left: Left) {
        let mut operations = vec![Operation::Drop { key: layout::viewed(old) }];
        if left == Left::Guest {
            operations.extend([
                Operation::Drop { key: layout::cart(old) },
                Operation::Drop { key: layout::changes(old) },
                Operation::Drop { key: layout::version(old) },
                Operation::DropMember { key: layout::carts(), member: layout::field(old) },
            ]);
        }
        let batch = Batch { tag: self.tag(old), operations, ..Batch::default() };
        if let Err(error) = self.keep(batch).await {
            tracing::warn!(%error, "what a guest left behind ends by itself");
        }
    }
}

/// That a cart holds exactly these lines.
fn unchanged(token: &SecretHash, cart: &Cart) -> Vec<Condition> {
    let key = layout::cart(token);
    let holds = |(item, quantity): (&Item, &parlor_rules::shop::Quantity)| {
        Condition::FieldHolds(key.clone(), layout::item(item), quantity.get().to_string().into())
    };
    let mut conditions: Vec<Condition> = cart.lines.iter().map(holds).collect();
    conditions.push(Condition::FewerThan(key.clone(), cart.lines.len() + 1));
    conditions
}

fn pointed_at(record: &Value) -> Option<SecretHash> {
    let Value::Text(text) = record else { return None };
    SecretHash::from_hex(std::str::from_utf8(text).ok()?)
}

fn viewed_record(newest_first: &[Item]) -> Value {
    let newest = newest_first.iter().take(VIEWED_MAX).rev();
    Value::List(newest.map(|item| item.as_str().as_bytes().to_vec().into()).collect())
}
