//! Visits: begun, looked up, listed and ended.

use crate::error::Error;
use crate::folding::ALWAYS;
use crate::shop::Shop;
use parlor_layout::shop::visits as layout;
use parlor_rules::SecretHash;
use parlor_rules::shop::visit::VISITS_PER_SHOPPER_MAX;
use parlor_rules::shop::{Item, Shopper, Visit};
use parlor_store::{Answer, Batch, Condition, Operation, Query, Value};

/// More than a shopper can have; those beyond are found next time.
const TOKENS_MAX: usize = 10 * VISITS_PER_SHOPPER_MAX;

impl Shop {
    /// A visit that begins now, kept before this returns.
    pub async fn begin(&self, token: SecretHash) -> Result<Visit, Error> {
        let visit = self.begin_soon(token);
        self.fold_one(&token).await?;
        Ok(visit)
    }

    /// The visit that a token opens now. Looking is not using.
    pub async fn visit(&self, token: &SecretHash) -> Result<Visit, Error> {
        if let Some(visit) = self.known(token) {
            return Ok(visit);
        }
        let (now, forgotten) = (self.now(), self.book.forgotten());
        let Some(found) = self.read_visit(token).await? else { return Err(Error::NoVisit) };
        let visit = self.book.learn(found, now, forgotten);
        if visit.lives(&self.terms.lifetimes, now) { Ok(visit) } else { Err(Error::NoVisit) }
    }

    /// What a visit looked at, the newest first.
    pub async fn viewed(&self, token: &SecretHash) -> Result<Vec<Item>, Error> {
        self.visit(token).await?;
        self.fold_one(token).await?;
        let tag = layout::tag(layout::shard_of_token(token));
        let answers = self.records.read(&tag, vec![Query::Whole(layout::viewed(token))]).await?;
        Ok(layout::wake_viewed(whole(&answers, 0)))
    }

    /// Ends a visit. A guest's cart goes with it; a shopper's waits for the next login.
    pub async fn end(&self, token: &SecretHash) -> Result<(), Error> {
        let visit = self.visit(token).await?;
        if self.end_visit(&visit, None).await? { Ok(()) } else { Err(Error::NoVisit) }
    }

    /// The visits of one shopper that live, the newest login first.
    pub async fn visits_of(&self, shopper: &Shopper) -> Result<Vec<Visit>, Error> {
        let mut visits = Vec::new();
        let mut tokens = self.tokens_of(shopper).await?;
        tokens.reverse();
        for token in tokens {
            match self.visit(&token).await {
                Ok(visit) if visit.shopper.as_ref() == Some(shopper) => visits.push(visit),
                Ok(_) | Err(Error::NoVisit) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(visits)
    }

    /// Ends the visits of a shopper that `which` says, and tells how many.
    pub async fn end_visits_of(&self, shopper: &Shopper, which: impl Fn(&Visit) -> bool) -> Result<usize, Error> {
        let mut ended = 0;
        for visit in self.visits_of(shopper).await?.into_iter().filter(which) {
            ended += usize::from(self.end_visit(&visit, None).await?);
        }
        Ok(ended)
    }

    /// More visits than one shopper may have: the oldest end.
    pub(crate) async fn end_surplus_of(&self, shopper: &Shopper) -> Result<(), Error> {
        let tokens = self.tokens_of(shopper).await?;
        let surplus = tokens.len().saturating_sub(VISITS_PER_SHOPPER_MAX);
        for token in &tokens[..surplus] {
            match self.visit(token).await {
                Ok(visit) => drop(self.end_visit(&visit, None).await?),
                Err(Error::NoVisit) => self.strike(shopper, token).await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// All that a visit has goes, if it was not used after `unused_since`. Says whether it was there to end.
    pub(crate) async fn end_visit(&self, visit: &Visit, unused_since: Option<parlor_rules::Millis>) -> Result<bool, Error> {
        let _folding = self.folding.of(&visit.token).await;
        if unused_since.is_some_and(|then| self.book.used_after(&visit.token, then)) {
            return Ok(false);
        }
        // A visit that is only noted is put into its place first, to be ended there.
        self.fold_one_held(&visit.token).await?;
        self.book.forget(&visit.token);
        let note = self.ended(&visit.token);
        let field = layout::field(&visit.token);
        let most = unused_since.map_or(ALWAYS, layout::seconds);
        let mut conditions = vec![Condition::ScoreAtMost(layout::recent(), field.clone(), most)];
        conditions.push(match &visit.shopper {
            Some(shopper) => Condition::FieldHolds(layout::login(), field, shopper.as_str().as_bytes().to_vec().into()),
            None => Condition::FieldAbsent(layout::login(), field),
        });
        let operations = ending(visit).into_iter().chain(note.operation()).collect();
        let ended = self.keep(Batch { tag: self.tag(&visit.token), conditions, operations, ..Batch::default() }).await?;
        // Whoever read it while it ended has learnt what is over.
        self.book.forget(&visit.token);
        if ended {
            note.arrived();
            self.tell(visit.token);
        }
        Ok(ended)
    }

    pub(crate) async fn read_visit(&self, token: &SecretHash) -> Result<Option<Visit>, Error> {
        let answers = self.records.read(&self.tag(token), layout::asked(token)).await?;
        Ok(layout::wake(*token, &answers)?)
    }

    pub(crate) fn tag(&self, token: &SecretHash) -> String {
        layout::tag(layout::shard_of_token(token))
    }

    /// Whoever listens hears it.
    pub(crate) fn tell(&self, token: SecretHash) {
        self.held.forget(&token);
        let _ = self.told.send(token);
        let _ = self.own.send(token);
    }

    /// The tokens under a shopper's name, the oldest login first.
    pub(crate) async fn tokens_of(&self, shopper: &Shopper) -> Result<Vec<SecretHash>, Error> {
        let tag = layout::tag(layout::shard_of_name(shopper.as_str()));
        let all = Query::Lowest { key: layout::visits_of(shopper), skip: 0, take: TOKENS_MAX };
        let answers = self.records.read(&tag, vec![all]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok(Vec::new()) };
        Ok(members.iter().filter_map(|(field, _)| layout::token(field)).collect())
    }

    async fn strike(&self, shopper: &Shopper, token: &SecretHash) -> Result<(), Error> {
        let tag = layout::tag(layout::shard_of_name(shopper.as_str()));
        let strike = Operation::DropMember { key: layout::visits_of(shopper), member: layout::field(token) };
        self.keep(Batch { tag, operations: vec![strike], ..Batch::default() }).await.map(drop)
    }
}

/// Every key that a visit has something in. A shopper's cart is not the visit's.
fn ending(visit: &Visit) -> Vec<Operation> {
    let (token, field) = (&visit.token, layout::field(&visit.token));
    let mut operations = vec![
        Operation::DropMember { key: layout::recent(), member: field.clone() },
        Operation::DropMember { key: layout::born(), member: field.clone() },
        Operation::Drop { key: layout::viewed(token) },
    ];
    match &visit.shopper {
        Some(shopper) => operations.extend([
            Operation::DropField { key: layout::login(), field: field.clone() },
            Operation::DropField { key: layout::home(), field: field.clone() },
            Operation::DropMember { key: layout::visits_of(shopper), member: field },
        ]),
        None => operations.extend([
            Operation::Drop { key: layout::cart(token) },
            Operation::Drop { key: layout::changes(token) },
            Operation::Drop { key: layout::version(token) },
            Operation::DropMember { key: layout::carts(), member: field },
        ]),
    }
    operations
}

pub(crate) fn whole(answers: &[Answer], index: usize) -> Option<&Value> {
    if let Some(Answer::Whole(value)) = answers.get(index) { Some(value) } else { None }
}
