//! Carts with something in them that nobody has changed for a while: told once, and kept until whoever wants to know has heard.

use crate::error::Error;
use crate::shop::Shop;
use crate::terms::CLEAN_BATCH;
use crate::visits::whole;
use parlor_layout::shop::visits::{self as layout, Abandoned};
use parlor_rules::{Millis, SecretHash, Span};
use parlor_store::{Answer, Batch, Condition, Operation, Query, Value};

/// Told of and not yet heard; beyond that the next wait in line, untold.
const UNHEARD_MAX: usize = 1000;
/// How long a node tells that does not say that it goes on.
const TELLS_FOR: Span = Span::seconds(30);

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
            // As many as may wait unheard, no more: the rest is found next time.
            for _ in 0..UNHEARD_MAX / CLEAN_BATCH {
                if self.find_abandoned(shard).await? < CLEAN_BATCH {
                    break;
                }
            }
            let answers = self.records.read(&layout::tag(shard), vec![Query::Whole(layout::abandoned())]).await?;
            let Some(Value::Hash(fields)) = whole(&answers, 0) else { continue };
            for (field, record) in fields {
                let Some(token) = layout::token(field) else { continue };
                unheard.push(AbandonedCart { token, what: layout::wake_abandoned(record)? });
            }
        }
        Ok(unheard)
    }

    /// Whether this node is the one that tells, of all that use the store; asked each time before it does.
    pub async fn is_teller(&self, node: u64) -> Result<bool, Error> {
        if self.alone {
            return Ok(true);
        }
        let (key, own, tag) = (layout::teller(), node.to_string(), layout::tag(0));
        let answers = self.records.read(&tag, vec![Query::Whole(key.clone())]).await?;
        let condition = match whole(&answers, 0) {
            None => Condition::Absent(key.clone()),
            Some(Value::Text(teller)) if *teller == own.as_bytes() => Condition::Holds(key.clone(), own.clone().into()),
            Some(_) => return Ok(false),
        };
        let tells = Operation::Put { key, value: Value::Text(own.into()), deadline: Some(self.now() + TELLS_FOR) };
        self.keep(Batch { tag, conditions: vec![condition], operations: vec![tells], ..Batch::default() }).await
    }

    /// Whoever wanted to know has heard of it.
    pub async fn heard_of_abandoned(&self, cart: &AbandonedCart) -> Result<(), Error> {
        let gone = Operation::DropField { key: layout::abandoned(), field: layout::field(&cart.token) };
        self.keep(Batch { tag: self.tag(&cart.token), operations: vec![gone], ..Batch::default() }).await.map(drop)
    }

    /// The next of those that changed longest ago; tells how many of them were abandoned.
    async fn find_abandoned(&self, shard: usize) -> Result<usize, Error> {
        let before = self.now() - self.terms.abandoned_after;
        let query = Query::Lowest { key: layout::carts(), skip: 0, take: CLEAN_BATCH };
        let answers = self.records.read(&layout::tag(shard), vec![query]).await?;
        let Some(Answer::Members(members)) = answers.into_iter().next() else { return Ok(0) };
        let mut found = 0;
        for (field, score) in members {
            let changed = layout::millis(score);
            let Some(token) = layout::token(&field).filter(|_| changed <= before) else { return Ok(found) };
            found += usize::from(self.abandon(&token, changed).await?);
        }
        Ok(found)
    }

    /// On the condition that nobody has changed the cart since it was seen; so one node tells of it.
    async fn abandon(&self, token: &SecretHash, changed: Millis) -> Result<bool, Error> {
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
        self.keep(Batch { tag: self.tag(token), conditions, operations, ..Batch::default() }).await
    }
}
