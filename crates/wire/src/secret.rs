//! A secret in clear, for the moment between the wire and the hash. It cannot be printed, logged or
//! serialized by accident, and its memory is wiped when it goes.

use parlor_rules::SecretHash;
use serde::{Deserialize, Deserializer};

pub struct Secret(String);

/// Long enough for 128 random bits in any common spelling.
pub const SECRET_CHARS_MIN: usize = 22;
pub const SECRET_CHARS_MAX: usize = 128;

impl Secret {
    pub fn new(clear: String) -> Secret {
        Secret(clear)
    }

    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.0.as_bytes())
    }

    /// For the one answer that hands the secret to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it could be a key at all: long enough that nobody guesses it.
    pub fn is_plausible(&self) -> bool {
        (SECRET_CHARS_MIN..=SECRET_CHARS_MAX).contains(&self.0.len()) && self.0.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret)
    }
}
