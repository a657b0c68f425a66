//! Where an item stands in a list: a text between those of its neighbours, compared byte by byte.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Order(Arc<str>);

/// No order is longer than this; before one would be, its neighbours are given room.
pub const ORDER_CHARS_MAX: usize = 48;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an order is 1 to {ORDER_CHARS_MAX} letters and digits, as this server gave it")]
pub struct NotAnOrder;

impl Order {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Order {
    type Err = NotAnOrder;
    fn from_str(text: &str) -> Result<Order, NotAnOrder> {
        let plain = !text.is_empty() && text.len() <= ORDER_CHARS_MAX && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if plain { Ok(Order(text.into())) } else { Err(NotAnOrder) }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
