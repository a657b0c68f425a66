//! The way to the table: every request goes out here, is counted, and is tried again within a bound.
//!
//! The library's own retries are off: only here is it known what may be asked twice, and what an unheard answer means.

use super::action::{Action, Id, What};
use super::attribute::Attributes;
use super::convert::{Raw, owns, raws};
use super::counts::{Counts, Kind};
use super::dice::Dice;
use super::failure::{Failure, Refusal, given_up};
use super::options::Options;
use crate::error::StoreError;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    ConsumedCapacity, Get, KeysAndAttributes, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure as OnFailure, TransactGetItem,
};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first wait before something is tried again is at most this long; it doubles, up to the longest.
const WAIT_MS: u64 = 25;
const WAIT_MS_MAX: u64 = 1000;

/// Keys that one request may ask for.
pub(super) const KEYS_MAX: usize = 100;
/// Items that one unconditional batch may delete.
const DELETES_MAX: usize = 25;

pub(super) struct Link {
    pub(super) client: Client,
    pub(super) table: String,
    pub(super) counts: Arc<Counts>,
    pub(super) dice: Dice,
    pub(super) options: Options,
}

/// An item with where it lies.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) id: Id,
    pub(super) attributes: Attributes,
}

/// One try of a request.
type Asked<'a, T> = BoxFuture<'a, Result<T, Failure>>;

/// What came of a conditional write.
#[derive(Debug)]
pub(super) enum Written {
    Done,
    /// It did not happen. `again`: an earlier try went unanswered, so it may be that one which stands in the way.
    Refused {
        refusals: Vec<Refusal>,
        again: bool,
    },
}

impl Link {
    /// Asks until there is an answer worth having. The second of the pair: whether a try before went unanswered.
    async fn ask<'a, T>(&self, request: impl Fn() -> Asked<'a, T> + Send) -> Result<T, (Failure, bool)> {
        let begun = Instant::now();
        let mut unanswered = false;
        for tried in 0u32.. {
            let failure = match request().await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match &failure {
                Failure::Later(_) => metrics::counter!("parlor_dynamodb_tried_again_total", "why" => "busy").increment(1),
                Failure::Unknown(_) => {
                    metrics::counter!("parlor_dynamodb_tried_again_total", "why" => "unanswered").increment(1);
                }
                Failure::Refused(_) | Failure::TooLarge | Failure::Wrong(_) => return Err((failure, unanswered)),
            }
            unanswered |= matches!(failure, Failure::Unknown(_));
            if tried as usize + 1 >= self.options.tries_max || begun.elapsed() >= self.options.patience {
                return Err((failure, unanswered));
            }
            self.wait(tried).await;
        }
        unreachable!("the tries are bounded")
    }

    /// Anywhere between no time and the longest for so many tries: those who met once do not meet again.
    pub(super) async fn wait(&self, tried: u32) {
        let most = (WAIT_MS << tried.min(10)).min(WAIT_MS_MAX);
        tokio::time::sleep(Duration::from_millis(self.dice.below(most + 1))).await;
    }

    async fn read<'a, T>(&self, request: impl Fn() -> Asked<'a, T> + Send) -> Result<T, StoreError> {
        // Reading changes nothing, so an unheard answer is only that.
        self.ask(request).await.map_err(|(failure, _)| given_up(failure, false))
    }

    async fn write<'a>(&self, request: impl Fn() -> Asked<'a, ()> + Send) -> Result<Written, StoreError> {
        match self.ask(request).await {
            Ok(()) => Ok(Written::Done),
            Err((Failure::Refused(refusals), again)) => Ok(Written::Refused { refusals, again }),
            Err((failure, unanswered)) => Err(given_up(failure, unanswered)),
        }
    }

    fn cost<'a>(&self, kind: Kind, consumed: impl IntoIterator<Item = &'a ConsumedCapacity>) {
        for consumed in consumed {
            self.counts.cost(kind, consumed.capacity_units.unwrap_or_default());
        }
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Option<Attributes>, StoreError> {
        let found = self.read(|| {
            Box::pin(async move {
                self.counts.asked("GetItem");
                let request = self.client.get_item().table_name(&self.table).set_key(Some(id.raw())).consistent_read(true);
                let answer = request.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.map_err(Failure::of)?;
                self.cost(Kind::Read, &answer.consumed_capacity);
                Ok(answer.item)
            })
        });
        found.await?.map(owned).transpose()
    }

    /// Each item as it is at some moment, absent ones left out.
    pub(super) async fn get_each(&self, ids: Vec<Id>) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        for ids in ids.chunks(KEYS_MAX) {
            let mut keys: Vec<Raw> = ids.iter().map(Id::raw).collect();
            let mut tried = 0;
            while !keys.is_empty() {
                let asked = &keys;
                let (found, left) = self
                    .read(|| {
                        Box::pin(async move {
                            self.counts.asked("BatchGetItem");
                            let keys = KeysAndAttributes::builder().set_keys(Some(asked.clone())).consistent_read(true);
                            let request = self.client.batch_get_item();
                            let request = request.request_items(&self.table, keys.build().expect("there are keys"));
                            let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
                            let answer = request.send().await.map_err(Failure::of)?;
                            self.cost(Kind::Read, answer.consumed_capacity.iter().flatten());
                            let found = answer.responses.and_then(|mut all| all.remove(&self.table)).unwrap_or_default();
                            let left = answer.unprocessed_keys.and_then(|mut all| all.remove(&self.table));
                            Ok((found, left.map(|left| left.keys).unwrap_or_default()))
                        })
                    })
                    .await?;
                rows.extend(found.into_iter().map(row).collect::<Result<Vec<Row>, _>>()?);
                if left.len() == keys.len() {
                    tried += 1;
                }
                keys = left;
                self.patience(&keys, tried).await?;
            }
        }
        Ok(rows)
    }

    /// All these items as they were at one moment; as many answers as ids.
    pub(super) async fn get_together(&self, ids: &[Id]) -> Result<Vec<Option<Attributes>>, StoreError> {
        let found = self.read(|| {
            Box::pin(async move {
                self.counts.asked("TransactGetItems");
                let get =
                    |id: &Id| Get::builder().table_name(&self.table).set_key(Some(id.raw())).build().expect("a key and a table");
                let items = ids.iter().map(|id| TransactGetItem::builder().get(get(id)).build()).collect();
                let request = self.client.transact_get_items().set_transact_items(Some(items));
                let answer = request.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.map_err(Failure::of)?;
                self.cost(Kind::Read, answer.consumed_capacity.iter().flatten());
                Ok(answer.responses.unwrap_or_default())
            })
        });
        let found = found.await?.into_iter();
        found.map(|response| response.item.filter(|item| !item.is_empty()).map(owned).transpose()).collect()
    }

    /// All or nothing. Asked again under one token, it happens once however many answers got lost.
    pub(super) async fn transact(&self, actions: Vec<Action>) -> Result<Written, StoreError> {
        let token = format!("{:016x}{:016x}", self.dice.roll(), self.dice.roll());
        let items: Vec<_> = actions.into_iter().map(|action| action.in_transaction(&self.table)).collect();
        let (items, token) = (&items, &token);
        self.write(|| {
            Box::pin(async move {
                self.counts.asked("TransactWriteItems");
                let request = self.client.transact_write_items().set_transact_items(Some(items.clone()));
                let request = request.client_request_token(token).return_consumed_capacity(ReturnConsumedCapacity::Total);
                let answer = request.send().await.map_err(Failure::of)?;
                self.cost(Kind::Write, answer.consumed_capacity.iter().flatten());
                Ok(())
            })
        })
        .await
    }

    /// One action by itself, at half of what it costs in a transaction. Without a token: an unheard answer is the caller's to
    /// make out.
    pub(super) async fn alone(&self, action: Action) -> Result<Written, StoreError> {
        let Action { id, what, condition, expression } = action;
        let (names, values) = (expression.names(), expression.values());
        let (id, what, condition, names, values) = (&id, &what, &condition, &names, &values);
        self.write(|| {
            Box::pin(async move {
                let (condition, names, values) = (condition.clone(), names.clone(), values.clone());
                let total = ReturnConsumedCapacity::Total;
                let consumed = match what {
                    What::Put(attributes) => {
                        self.counts.asked("PutItem");
                        let mut raw = raws(attributes.clone());
                        raw.extend(id.raw());
                        let request = self.client.put_item().table_name(&self.table).set_item(Some(raw));
                        let request = request.set_condition_expression(condition).set_expression_attribute_names(names);
                        let request = request.set_expression_attribute_values(values).return_consumed_capacity(total);
                        let request = request.return_values_on_condition_check_failure(OnFailure::AllOld);
                        request.send().await.map_err(Failure::of)?.consumed_capacity
                    }
                    What::Update(update) => {
                        self.counts.asked("UpdateItem");
                        let request = self.client.update_item().table_name(&self.table).set_key(Some(id.raw()));
                        let request = request.update_expression(update).set_condition_expression(condition);
                        let request = request.set_expression_attribute_names(names).set_expression_attribute_values(values);
                        let request = request.return_values_on_condition_check_failure(OnFailure::AllOld);
                        request.return_consumed_capacity(total).send().await.map_err(Failure::of)?.consumed_capacity
                    }
                    What::Delete => {
                        self.counts.asked("DeleteItem");
                        let request = self.client.delete_item().table_name(&self.table).set_key(Some(id.raw()));
                        let request = request.set_condition_expression(condition).set_expression_attribute_names(names);
                        let request = request.set_expression_attribute_values(values).return_consumed_capacity(total);
                        let request = request.return_values_on_condition_check_failure(OnFailure::AllOld);
                        request.send().await.map_err(Failure::of)?.consumed_capacity
                    }
                    What::Check => None,
                };
                self.cost(Kind::Write, &consumed);
                Ok(())
            })
        })
        .await
    }

    /// Puts or takes away one item whatever is there, and answers with what was.
    pub(super) async fn exchange(&self, id: &Id, attributes: Option<Attributes>) -> Result<Option<Attributes>, StoreError> {
        let attributes = &attributes;
        let was = self.ask(|| {
            Box::pin(async move {
                let (was, consumed) = match attributes.clone() {
                    Some(attributes) => {
                        self.counts.asked("PutItem");
                        let mut raw = raws(attributes);
                        raw.extend(id.raw());
                        let request = self.client.put_item().table_name(&self.table).set_item(Some(raw));
                        let request = request.return_values(ReturnValue::AllOld);
                        let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
                        let answer = request.send().await.map_err(Failure::of)?;
                        (answer.attributes, answer.consumed_capacity)
                    }
                    None => {
                        self.counts.asked("DeleteItem");
                        let request = self.client.delete_item().table_name(&self.table).set_key(Some(id.raw()));
                        let request = request.return_values(ReturnValue::AllOld);
                        let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
                        let answer = request.send().await.map_err(Failure::of)?;
                        (answer.attributes, answer.consumed_capacity)
                    }
                };
                self.cost(Kind::Write, &consumed);
                Ok(was)
            })
        });
        let was = was.await.map_err(|(failure, unanswered)| given_up(failure, unanswered))?;
        was.filter(|was| !was.is_empty()).map(owned).transpose()
    }

    /// Deletes items that nobody can mean otherwise, twenty-five at a time.
    pub(super) async fn delete_all(&self, ids: Vec<Id>) -> Result<(), StoreError> {
        use aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};
        for ids in ids.chunks(DELETES_MAX) {
            let delete = |id: &Id| DeleteRequest::builder().set_key(Some(id.raw())).build().expect("a key");
            let mut requests: Vec<_> = ids.iter().map(|id| WriteRequest::builder().delete_request(delete(id)).build()).collect();
            let mut tried = 0;
            while !requests.is_empty() {
                let asked = &requests;
                let left = self.ask(|| {
                    Box::pin(async move {
                        self.counts.asked("BatchWriteItem");
                        let request = self.client.batch_write_item().request_items(&self.table, asked.clone());
                        let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
                        let answer = request.send().await.map_err(Failure::of)?;
                        self.cost(Kind::Write, answer.consumed_capacity.iter().flatten());
                        Ok(answer.unprocessed_items.and_then(|mut all| all.remove(&self.table)).unwrap_or_default())
                    })
                });
                let left = left.await.map_err(|(failure, unanswered)| given_up(failure, unanswered))?;
                if left.len() == requests.len() {
                    tried += 1;
                }
                requests = left;
                self.patience(&requests, tried).await?;
            }
        }
        Ok(())
    }

    /// What the service left over is asked for again, but not for ever when it takes nothing at all.
    async fn patience<T>(&self, left: &[T], tried: u32) -> Result<(), StoreError> {
        if left.is_empty() {
            return Ok(());
        }
        if tried as usize >= self.options.tries_max {
            return Err(StoreError::Busy);
        }
        metrics::counter!("parlor_dynamodb_tried_again_total", "why" => "left over").increment(1);
        self.wait(tried).await;
        Ok(())
    }

    /// One page of a partition, or of all of the table.
    pub(super) async fn page(&self, of: &Of<'_>, after: Option<&Raw>) -> Result<Paged, StoreError> {
        let (items, next) = self
            .read(|| {
                Box::pin(async move {
                    let total = ReturnConsumedCapacity::Total;
                    let (names, values) = (of.expression.names(), of.expression.values());
                    let (items, next, consumed) = match of.keys {
                        Some(keys) => {
                            self.counts.asked("Query");
                            let request = self.client.query().table_name(&self.table).key_condition_expression(keys);
                            let request = request.set_expression_attribute_names(names).set_expression_attribute_values(values);
                            let request = request.consistent_read(of.consistent).scan_index_forward(!of.backward);
                            let request = request.set_projection_expression(of.only.map(str::to_owned));
                            let request = request.set_exclusive_start_key(after.cloned()).set_limit(of.limit);
                            let answer = request.return_consumed_capacity(total).send().await.map_err(Failure::of)?;
                            (answer.items, answer.last_evaluated_key, answer.consumed_capacity)
                        }
                        None => {
                            self.counts.asked("Scan");
                            let request = self.client.scan().table_name(&self.table).consistent_read(of.consistent);
                            let request = request.set_expression_attribute_names(names).set_expression_attribute_values(values);
                            let request = request.set_filter_expression(of.filter.map(str::to_owned));
                            let request = request.set_exclusive_start_key(after.cloned()).set_limit(of.limit);
                            let answer = request.return_consumed_capacity(total).send().await.map_err(Failure::of)?;
                            (answer.items, answer.last_evaluated_key, answer.consumed_capacity)
                        }
                    };
                    self.cost(Kind::Read, &consumed);
                    Ok((items.unwrap_or_default(), next.filter(|next| !next.is_empty())))
                })
            })
            .await?;
        Ok(Paged { rows: items.into_iter().map(row).collect::<Result<_, _>>()?, next })
    }
}

/// What a page is of.
#[derive(Clone, Default)]
pub(super) struct Of<'a> {
    /// The condition on the keys; without one it is of all of the table.
    pub(super) keys: Option<&'a str>,
    pub(super) filter: Option<&'a str>,
    pub(super) expression: super::expression::Expression,
    pub(super) consistent: bool,
    pub(super) backward: bool,
    pub(super) only: Option<&'a str>,
    pub(super) limit: Option<i32>,
}

pub(super) struct Paged {
    pub(super) rows: Vec<Row>,
    pub(super) next: Option<Raw>,
}

fn owned(raw: Raw) -> Result<Attributes, StoreError> {
    let mut attributes = owns(raw)?;
    attributes.remove("pk");
    attributes.remove("sk");
    Ok(attributes)
}

fn row(raw: Raw) -> Result<Row, StoreError> {
    let mut attributes = owns(raw)?;
    let mut key = |name| match attributes.remove(name) {
        Some(super::Attribute::Text(text)) => Ok(text),
        _ => Err(StoreError::Damaged("an item has no key of text".into())),
    };
    Ok(Row { id: Id { pk: key("pk")?, sk: key("sk")? }, attributes })
}
