//! What parts, keys and items are called. A name can never be taken for anything but a name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub const PART_NAME_CHARS_MAX: usize = 64;
pub const ENTRY_KEY_BYTES_MAX: usize = 256;
pub const ITEM_ID_CHARS_MAX: usize = 64;

macro_rules! name {
    ($(#[$doc:meta])* $Name:ident, $Not:ident, $why:literal, $fits:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $Name(Arc<str>);

        #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
        #[error($why)]
        pub struct $Not;

        impl $Name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $Name {
            type Err = $Not;
            fn from_str(text: &str) -> Result<$Name, $Not> {
                let fits: fn(&str) -> bool = $fits;
                if fits(text) { Ok($Name(text.into())) } else { Err($Not) }
            }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// Of a map, a list or a presence.
    PartName, NotAPartName,
    "a map, list or presence is called by 1 to {PART_NAME_CHARS_MAX} letters, digits, '-', '_' or '.'",
    |text| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        (1..=PART_NAME_CHARS_MAX).contains(&text.len()) && text.bytes().all(plain)
    }
);
name!(
    /// Of an entry of a map: nearly any text.
    EntryKey, NotAnEntryKey,
    "a key has 1 to {ENTRY_KEY_BYTES_MAX} bytes and no control characters",
    |text| (1..=ENTRY_KEY_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
);
name!(
    /// Of an item of a list.
    ItemId, NotAnItemId,
    "an item's id is 1 to {ITEM_ID_CHARS_MAX} letters, digits, '-' or '_'",
    |text| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=ITEM_ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(plain)
    }
);

impl ItemId {
    /// No id comes after this one.
    pub fn last() -> ItemId {
        ItemId("z".repeat(ITEM_ID_CHARS_MAX).into())
    }

    /// 64 random bits as 13 letters and digits, for who brings no id.
    pub fn from_bits(bits: u64) -> ItemId {
        const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        ItemId((0..13).map(|place| char::from(ALPHABET[(bits >> (place * 5) & 31) as usize])).collect::<String>().into())
    }
}
