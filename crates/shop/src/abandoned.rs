//! Carts with something in them that nobody has changed for a while: told once, and kept until whoever wants to know has heard.

use crate::error::Error;
use crate::shop::Shop;
use crate::terms::CLEAN_BATCH;
use crate::visits::whole;
use parlor_layout::shop::visits::{self as layout, Abandoned};
use parlor_rules::{Millis, SecretHash};
use parlor_store::{Answer, Batch, Condition, Operation, Query, Value};

/// Told of and not yet heard; beyond that the next wait in line, untold.
const UNHEARD_MAX: usize = 1000;

#[derive(Clone)]
pub struct AbandonedCart {
    /// Under which the cart rests.
    pub token: SecretHash,
    pub what: Abandoned,
}

impl Shop {
    /// Finds carts that were abandoned meanwhile, and gives all that nobody has heard of yet.
    pub async fn abandoned(&self) -> Result<Vec<AbandonedCart>, Error> {
        let mut unheard = Vec::new();
        for shard in self.shards() {
            self.find_abandoned(shard).await?;
            let answers = self.records.read(&layout::tag(shard), vec![Query::Whole(layout::abandoned())]).await?;
            let Some(Value::Hash(fields)) = whole(&answers, 0) else { continue };
            for (field, record) in fields {
                let Some(token) = layout::token(field) else { continue };
                unheard.push(AbandonedCart { token, what: layout::wake_abandoned(record)? });
            }
        }
        Ok(unheard)
    }

    /// Whoever wanted to know has heard of it.
    pub async fn heard_of_abandoned(&self, cart: &AbandonedCart) -> Result<(), Error> {
        let gone = Operation::DropField { key: layout::abandoned(), field: layout::field(&cart.token) };
        self.keep(Batch { tag: self.tag(&cart.token), operations: vec![gone], ..Batch::default() }).await.map(drop)
    }

    async fn find_abandoned(&self, shard: usize) -> Result<(), Error> {
        let before = self.now() - self.terms.abandoned_after;
        let query = Query::Lowest { key: layout::carts(), skip: 0, take: CLEAN_BATCH };
        let answers = self.records.read(&layout::tag(shard), vec![query]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok(()) };
        for (field, score) in members {
            let changed = layout::millis(score);
            let Some(token) = layout::token(&field).filter(|_| changed <= before) else { return Ok(()) };
            self.abandon(&token, changed).await?;
        }
        Ok(())
    }

    /// On the condition that nobody has changed the cart since it was seen; so one node tells of it.
    async fn abandon(&self, token: &SecretHash, changed: Millis) -> Result<(), Error> {
        let (cart, shopper) = (self.cart_under(token).await?.cart, self.owner(token).await?);
        let member = layout::field(token);
        let conditions = vec![
            Condition::ScoreAtMost(layout::carts(), member.clone(), layout::seconds(changed)),
            Condition::FewerThan(layout::abandoned(), UNHEARD_MAX),
        ];
        let mut operations = vec![Operation::DropMember { key: layout::carts(), member: member.clone() }];
        if !cart.is_empty() {
            let value = layout::abandoned_record(&Abandoned { shopper, cart, changed });
            operations.push(Operation::SetField { key: layout::abandoned(), field: member, value });
        }
        self.keep(Batch { tag: self.tag(token), conditions, operations, ..Batch::default() }).await.map(drop)
    }
}
