//! Ids, parsed once at the door. Generators are strict (the server makes them from enough random bits),
//! parsers also take the ids that the founding documents use as examples.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what} is 1 to {ID_CHARS_MAX} letters, digits, '-' or '_'")]
pub struct NotAnId {
    pub(crate) what: &'static str,
}

pub const ID_CHARS_MAX: usize = 64;

macro_rules! id {
    ($(#[$doc:meta])* $Name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $Name(std::sync::Arc<str>);

        impl $Name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $Name {
            type Err = $crate::ids::NotAnId;
            fn from_str(text: &str) -> Result<$Name, $crate::ids::NotAnId> {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
                if text.is_empty() || text.len() > $crate::ids::ID_CHARS_MAX || !text.bytes().all(plain) {
                    return Err($crate::ids::NotAnId { what: $what });
                }
                Ok($Name(text.into()))
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use id;

id!(
    /// The public name of a room, unique within its kind.
    RoomId, "a room id"
);
id!(
    /// The public name of a person in a room; it does not say which key proves it.
    UserId, "a user id"
);
id!(
    /// One running instance of a client program (a tab, a process), which numbers its commands.
    ClientId, "a client id"
);

impl RoomId {
    /// 64 random bits as four pronounceable groups, so that an id can be read aloud over a call.
    pub fn from_bits(bits: u64) -> RoomId {
        const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
        const VOWELS: &[u8; 4] = b"aiou";
        let mut text = String::with_capacity(23);
        for group in 0..4 {
            let word = (bits >> (48 - 16 * group)) as u16;
            if group > 0 {
                text.push('-');
            }
            for (place, shift) in [12, 10, 6, 4, 0].into_iter().enumerate() {
                let letter = if place % 2 == 0 {
                    CONSONANTS[usize::from(word >> shift & 15)]
                } else {
                    VOWELS[usize::from(word >> shift & 3)]
                };
                text.push(char::from(letter));
            }
        }
        RoomId(text.into())
    }
}

impl RoomId {
    /// 40 random bits as eight letters and digits that are not taken for each other: typed from a big screen.
    pub fn code(bits: u64) -> RoomId {
        const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
        let letters = (0..8).map(|place| char::from(ALPHABET[(bits >> (5 * place) & 31) as usize]));
        RoomId(letters.collect::<String>().into())
    }

    /// 122 random bits as a UUID, version 4.
    pub fn uuid(high: u64, low: u64) -> RoomId {
        let (high, low) = (high & !0xf000 | 0x4000, low & (u64::MAX >> 2) | 1 << 63);
        let groups = (high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffff_ffff_ffff);
        RoomId(format!("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", groups.0, groups.1, groups.2, groups.3, groups.4).into())
    }
}

impl UserId {
    /// 80 bits as 16 letters and digits; used for ids derived from a key's hash.
    pub fn from_bytes(bytes: [u8; 10]) -> UserId {
        const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut bits = bytes.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        let mut text = [0u8; 16];
        for letter in text.iter_mut().rev() {
            *letter = ALPHABET[(bits & 31) as usize];
            bits >>= 5;
        }
        UserId(text.iter().map(|letter| char::from(*letter)).collect::<String>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn the_documents_example_ids_are_taken() {
        assert!("12345".parse::<RoomId>().is_ok());
        assert!("user_id_1".parse::<UserId>().is_ok());
    }

    #[test]
    fn what_could_be_taken_for_something_else_is_refused() {
        for text in ["", "a:b", "a/b", "{a}", "a b", "a\n", "é", "a#b", &"x".repeat(65)] {
            assert!(text.parse::<RoomId>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn different_bits_make_different_ids(a: u64, b: u64, c: [u8; 10], d: [u8; 10]) {
            prop_assert_eq!(RoomId::from_bits(a) == RoomId::from_bits(b), a == b);
            prop_assert_eq!(UserId::from_bytes(c) == UserId::from_bytes(d), c == d);
            prop_assert!(RoomId::from_bits(a).as_str().parse::<RoomId>().is_ok());
            prop_assert!(UserId::from_bytes(c).as_str().parse::<UserId>().is_ok());
        }
    }

    /// As good as dice for this, and the same every time.
    fn bits(n: u64) -> u64 {
        let mixed = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n >> 7)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) ^ (mixed >> 29)
    }

    #[test]
    fn h37_a_room_id_is_long_even_and_not_to_be_guessed() {
        let ids: HashSet<_> = (0..10_000).map(|n| RoomId::from_bits(bits(n))).collect();
        assert_eq!(ids.len(), 10_000);
        for place in 0..23 {
            let mut letters = std::collections::BTreeMap::new();
            for id in &ids {
                *letters.entry(id.as_str().as_bytes()[place]).or_insert(0usize) += 1;
            }
            // A hyphen between groups, one of 4 vowels, or one of 16 consonants, each about as often as the others.
            let even = ids.len() / letters.len();
            assert!([1, 4, 16].contains(&letters.len()), "place {place}: {letters:?}");
            assert!(letters.values().all(|count| count.abs_diff(even) < even / 4 + 1), "place {place}: {letters:?}");
        }
        assert!(ids.iter().all(|id| id.as_str().len() == 23));
        let guesses = (1_000_000..1_100_000).filter(|n| ids.contains(&RoomId::from_bits(bits(*n))));
        assert_eq!(guesses.count(), 0);
    }

    #[test]
    fn every_bit_of_an_id_shows() {
        let ids: HashSet<_> = (0..64).map(|bit| RoomId::from_bits(1 << bit)).collect();
        assert_eq!(ids.len(), 64);
    }
}
