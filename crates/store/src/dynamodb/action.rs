//! What is written: one action on one item, alone or with others in a transaction.

use super::attribute::{Attribute, Attributes, attributes_bytes};
use super::convert::{Raw, raw, raws};
use super::expression::Expression;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure as OnFailure, TransactWriteItem, Update,
};

/// An item's place in the table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Id {
    pub(super) pk: String,
    pub(super) sk: String,
}

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) id: Id,
    pub(super) what: What,
    pub(super) condition: Option<String>,
    pub(super) expression: Expression,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// All of an item but its key.
    Put(Attributes),
    Update(String),
    Delete,
    /// Nothing but the condition.
    Check,
}

impl Id {
    pub(super) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Id {
        Id { pk: pk.into(), sk: sk.into() }
    }

    pub(super) fn raw(&self) -> Raw {
        [("pk", &self.pk), ("sk", &self.sk)].map(|(name, value)| (name.into(), raw(Attribute::text(value)))).into()
    }
}

impl Action {
    pub(super) fn put(id: Id, attributes: Attributes) -> Action {
        Action { id, what: What::Put(attributes), condition: None, expression: Expression::default() }
    }

    pub(super) fn delete(id: Id) -> Action {
        Action { id, what: What::Delete, condition: None, expression: Expression::default() }
    }

    pub(super) fn check(id: Id) -> Action {
        Action { id, what: What::Check, condition: None, expression: Expression::default() }
    }

    /// On the condition that these words make with the expression they are given.
    pub(super) fn when(mut self, condition: impl FnOnce(&mut Expression) -> String) -> Action {
        self.condition = Some(condition(&mut self.expression));
        self
    }

    /// What it counts for in a transaction, roughly and rather too much.
    pub(super) fn bytes(&self) -> usize {
        let item = match &self.what {
            What::Put(attributes) => attributes_bytes(attributes),
            What::Update(_) | What::Delete | What::Check => 0,
        };
        100 + self.id.pk.len() + self.id.sk.len() + item + self.expression.bytes()
    }

    pub(super) fn in_transaction(self, table: &str) -> TransactWriteItem {
        const WHOLE: &str = "a key, a table and what to do are given";
        let Action { id, what, condition, expression } = self;
        let (names, values) = (expression.names(), expression.values());
        let item = TransactWriteItem::builder();
        match what {
            What::Put(attributes) => {
                let mut raw = raws(attributes);
                raw.extend(id.raw());
                let put = Put::builder().table_name(table).set_item(Some(raw)).set_condition_expression(condition);
                let put = put.set_expression_attribute_names(names).set_expression_attribute_values(values);
                item.put(put.return_values_on_condition_check_failure(OnFailure::AllOld).build().expect(WHOLE))
            }
            What::Update(update) => {
                let change = Update::builder().table_name(table).set_key(Some(id.raw())).update_expression(update);
                let change = change.set_condition_expression(condition).set_expression_attribute_names(names);
                let change = change.set_expression_attribute_values(values);
                item.update(change.return_values_on_condition_check_failure(OnFailure::AllOld).build().expect(WHOLE))
            }
            What::Delete => {
                let delete = Delete::builder().table_name(table).set_key(Some(id.raw())).set_condition_expression(condition);
                let delete = delete.set_expression_attribute_names(names).set_expression_attribute_values(values);
                item.delete(delete.return_values_on_condition_check_failure(OnFailure::AllOld).build().expect(WHOLE))
            }
            What::Check => {
                let check = ConditionCheck::builder().table_name(table).set_key(Some(id.raw()));
                let check = check.condition_expression(condition.unwrap_or_default());
                let check = check.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let check = check.return_values_on_condition_check_failure(OnFailure::AllOld);
                item.condition_check(check.build().expect(WHOLE))
            }
        }
        .build()
    }
}
