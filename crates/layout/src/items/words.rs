//! A document's members as attributes, under the names that the item tables give them.

use super::number::plain;
use crate::damage::{Damaged, damaged};
use parlor_store::items::{Attribute, Attributes};
use serde_json::{Map, Value};

/// Each member's name in our documents, and the attribute's.
pub(crate) type Names = &'static [(&'static str, &'static str)];

/// A document as attributes; what is null is not there.
pub(crate) fn attributes(names: Names, what: &str, document: &[u8]) -> Result<Attributes, Damaged> {
    let members: Map<String, Value> = crate::text::parse(what, document)?;
    let present = members.iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| Ok((attribute_name(names, what, name)?.to_owned(), attribute(names, what, value)?))).collect()
}

/// The members that rest in an item. Attributes that are no members are somebody else's.
pub(crate) fn members(names: Names, what: &str, item: &Attributes) -> Result<Value, Damaged> {
    let own = names.iter().filter_map(|(member, name)| Some((*member, item.get(*name)?)));
    let members = own.map(|(member, value)| Ok((member.to_owned(), value_of(names, what, value)?)));
    members.collect::<Result<Map<String, Value>, Damaged>>().map(Value::Object)
}

fn attribute_name(names: Names, what: &str, member: &str) -> Result<&'static str, Damaged> {
    let found = names.iter().find(|(name, _)| *name == member);
    found.map(|(_, attribute)| *attribute).ok_or_else(|| damaged(what, format!("no attribute is known for {member:?}")))
}

fn attribute(names: Names, what: &str, value: &Value) -> Result<Attribute, Damaged> {
    Ok(match value {
        Value::Null => Attribute::Null,
        Value::Bool(is) => Attribute::Bool(*is),
        Value::Number(number) => Attribute::Number(number.to_string()),
        Value::String(text) => Attribute::Text(text.clone()),
        Value::Array(items) => Attribute::List(items.iter().map(|item| attribute(names, what, item)).collect::<Result<_, _>>()?),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| Ok((attribute_name(names, what, name)?.to_owned(), attribute(names, what, value)?)));
            Attribute::Map(members.collect::<Result<_, Damaged>>()?)
        }
    })
}

fn value_of(names: Names, what: &str, attribute: &Attribute) -> Result<Value, Damaged> {
    Ok(match attribute {
        Attribute::Null => Value::Null,
        Attribute::Bool(is) => Value::Bool(*is),
        Attribute::Number(_) => Value::from(whole(what, attribute)?),
        Attribute::Text(text) => Value::String(text.clone()),
        Attribute::List(items) => Value::Array(items.iter().map(|item| value_of(names, what, item)).collect::<Result<_, _>>()?),
        Attribute::Map(map) => {
            let member =
                |name: &str| names.iter().find(|(_, attribute)| *attribute == name).map(|(member, _)| (*member).to_owned());
            let members = map.iter().map(|(name, value)| {
                let member = member(name).ok_or_else(|| damaged(what, format!("there is no attribute {name:?}")))?;
                Ok((member, value_of(names, what, value)?))
            });
            Value::Object(members.collect::<Result<_, Damaged>>()?)
        }
        Attribute::Bytes(_) => return Err(damaged(what, "bytes stand where none are written")),
    })
}

/// A whole number, which is all that our documents hold.
pub(crate) fn whole(what: &str, attribute: &Attribute) -> Result<u64, Damaged> {
    let Attribute::Number(written) = attribute else { return Err(damaged(what, "it should be a number")) };
    plain(written).and_then(|plain| plain.parse().ok()).ok_or_else(|| damaged(what, format!("{written:?} is no whole number")))
}

pub(crate) fn text<'a>(what: &str, attribute: &'a Attribute) -> Result<&'a str, Damaged> {
    attribute.as_text().ok_or_else(|| damaged(what, "it should be a text"))
}

pub(crate) fn map<'a>(what: &str, attribute: &'a Attribute) -> Result<&'a Attributes, Damaged> {
    match attribute {
        Attribute::Map(map) => Ok(map),
        _ => Err(damaged(what, "it should be a map")),
    }
}
