//! What items and shoppers are called. Parsed at the door: inside the house such a name is harmless in a key, a header or a log.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The longest name of an item or a shopper.
pub const NAME_BYTES_MAX: usize = 128;

/// What the shop calls one thing it sells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Item(Arc<str>);

/// What the shop calls somebody who is logged in there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shopper(Arc<str>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameError {
    Empty,
    TooLong,
    /// It would be read as something else by a terminal, a log or another header.
    Unprintable,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Empty => f.write_str("it is empty"),
            NameError::TooLong => write!(f, "it is longer than {NAME_BYTES_MAX} bytes"),
            NameError::Unprintable => f.write_str("it holds characters that cannot be seen, or begins or ends with a space"),
        }
    }
}

fn name(text: &str) -> Result<Arc<str>, NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(NameError::TooLong);
    }
    if text.chars().any(is_unseen) || text.trim() != text {
        return Err(NameError::Unprintable);
    }
    Ok(text.into())
}

/// Control characters, and those that only turn the direction of others or join them.
fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

impl FromStr for Item {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Item, NameError> {
        name(text).map(Item)
    }
}

impl FromStr for Shopper {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Shopper, NameError> {
        name(text).map(Shopper)
    }
}

impl Item {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn shared(&self) -> &Arc<str> {
        &self.0
    }
}

impl Shopper {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Shopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h168_a_name_cannot_break_a_line_or_a_header() {
        for good in ["7", "237_row_id", "GTab 7inch", "ana@example.org", "名前", "a:b{c}", "x/y"] {
            assert_eq!(good.parse::<Item>().unwrap().as_str(), good);
            assert_eq!(good.parse::<Shopper>().unwrap().as_str(), good);
        }
        for bad in ["a\r\nset-cookie: x", "a\0b", "\u{1b}[31m", "a\u{202e}b", " a", "a ", "\u{7f}", "a\u{2028}b"] {
            assert_eq!(bad.parse::<Shopper>(), Err(NameError::Unprintable), "{bad:?}");
            assert_eq!(bad.parse::<Item>(), Err(NameError::Unprintable), "{bad:?}");
        }
        assert_eq!("".parse::<Item>(), Err(NameError::Empty));
        assert_eq!("x".repeat(NAME_BYTES_MAX + 1).parse::<Item>(), Err(NameError::TooLong));
    }
}
