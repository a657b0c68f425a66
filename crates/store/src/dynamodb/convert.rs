//! Attributes as the service's library has them, and back.

use super::attribute::{Attribute, Attributes};
use crate::error::StoreError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

pub(super) type Raw = HashMap<String, AttributeValue>;

pub(super) fn raw(attribute: Attribute) -> AttributeValue {
    match attribute {
        Attribute::Text(text) => AttributeValue::S(text),
        Attribute::Number(number) => AttributeValue::N(number),
        Attribute::Bool(bool) => AttributeValue::Bool(bool),
        Attribute::Null => AttributeValue::Null(true),
        Attribute::Bytes(bytes) => AttributeValue::B(Blob::new(bytes)),
        Attribute::List(list) => AttributeValue::L(list.into_iter().map(raw).collect()),
        Attribute::Map(map) => AttributeValue::M(raws(map)),
    }
}

pub(super) fn raws(attributes: Attributes) -> Raw {
    attributes.into_iter().map(|(name, attribute)| (name, raw(attribute))).collect()
}

pub(super) fn own(value: AttributeValue) -> Result<Attribute, StoreError> {
    Ok(match value {
        AttributeValue::S(text) => Attribute::Text(text),
        AttributeValue::N(number) => Attribute::Number(number),
        AttributeValue::Bool(bool) => Attribute::Bool(bool),
        AttributeValue::Null(_) => Attribute::Null,
        AttributeValue::B(bytes) => Attribute::Bytes(bytes.into_inner()),
        AttributeValue::L(list) => Attribute::List(list.into_iter().map(own).collect::<Result<_, _>>()?),
        AttributeValue::M(map) => Attribute::Map(owns(map)?),
        other => return Err(StoreError::Damaged(format!("an attribute is of a type that nothing here writes: {other:?}"))),
    })
}

pub(super) fn owns(raw: Raw) -> Result<Attributes, StoreError> {
    raw.into_iter().map(|(name, value)| Ok((name, own(value)?))).collect()
}
