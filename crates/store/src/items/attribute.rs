//! What an item's attributes hold: the service's own types, without its library.

use std::collections::BTreeMap;

pub type Attributes = BTreeMap<String, Attribute>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    Text(String),
    /// Decimal digits as the service takes them: at most 38 significant ones. What it gives back is the same number, not
    /// always the same digits.
    Number(String),
    Bool(bool),
    Null,
    Bytes(Vec<u8>),
    List(Vec<Attribute>),
    /// No name may be empty: see `escaped`.
    Map(Attributes),
}

impl Attribute {
    pub fn text(text: impl Into<String>) -> Attribute {
        Attribute::Text(text.into())
    }

    pub fn number(number: impl ToString) -> Attribute {
        Attribute::Number(number.to_string())
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Attribute::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Attribute::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// Bytes rest as text where they are text, so that a person can read them.
    pub fn of_bytes(bytes: &[u8]) -> Attribute {
        match std::str::from_utf8(bytes) {
            Ok(text) => Attribute::Text(text.into()),
            Err(_) => Attribute::Bytes(bytes.into()),
        }
    }

    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Attribute::Text(text) => Some(text.as_bytes()),
            Attribute::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// What the service counts it for, never less.
    pub fn bytes(&self) -> usize {
        match self {
            Attribute::Text(text) => text.len(),
            // Two digits a byte and one for the exponent, and one more for a sign.
            Attribute::Number(number) => number.len().div_ceil(2) + 2,
            Attribute::Bool(_) | Attribute::Null => 1,
            Attribute::Bytes(bytes) => bytes.len(),
            Attribute::List(list) => 3 + list.iter().map(|one| 1 + one.bytes()).sum::<usize>(),
            Attribute::Map(map) => 3 + map.iter().map(|(name, one)| 1 + name.len() + one.bytes()).sum::<usize>(),
        }
    }
}

/// What the service counts an item's attributes for, without its key.
pub fn attributes_bytes(attributes: &Attributes) -> usize {
    attributes.iter().map(|(name, one)| name.len() + one.bytes()).sum()
}

/// A name inside a map: the service takes no empty ones, so those are written `%`, and what begins so gets one more.
pub fn escaped(name: &str) -> String {
    if name.is_empty() || name.starts_with('%') { format!("%{name}") } else { name.into() }
}

/// The other way.
pub fn unescaped(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_comes_back() {
        for name in ["", "%", "%%", "a", "a%", "%a", "\0"] {
            assert!(!escaped(name).is_empty());
            assert_eq!(unescaped(&escaped(name)), name);
        }
        let names = ["", "%", "%%", "a"].map(escaped);
        assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "no two become one: {names:?}");
    }
}
