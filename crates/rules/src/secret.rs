//! What a room knows of a secret: its SHA-256. The clear text never gets further than the door.
//!
//! No Debug, no Display, no Serialize: the only ways to write a hash down are `hex` and `bytes`, and only `layout`
//! has a reason to call them. Comparison takes the same time wherever the first difference lies.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    pub fn of(secret: &[u8]) -> SecretHash {
        SecretHash(Sha256::digest(secret).into())
    }

    /// The first bytes of a digest over this hash and some public words: a name that can be shown.
    pub fn derive(&self, purpose: &str, of: &str) -> [u8; 10] {
        let digest =
            Sha256::new_with_prefix(purpose).chain_update([0]).chain_update(of).chain_update([0]).chain_update(self.0).finalize();
        let mut name = [0; 10];
        name.copy_from_slice(&digest[..10]);
        name
    }

    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        text
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn from_bytes(bytes: [u8; 32]) -> SecretHash {
        SecretHash(bytes)
    }

    /// One of `parts` equal parts that all hashes fall into.
    pub fn part_of(&self, parts: usize) -> usize {
        usize::from(self.0[31]) % parts
    }

    pub fn from_hex(text: &str) -> Option<SecretHash> {
        let mut bytes = [0; 32];
        // Digits only: `from_str_radix` would also take a sign.
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(SecretHash(bytes))
    }
}

impl PartialEq for SecretHash {
    fn eq(&self, other: &SecretHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

/// For maps in memory. A part is enough: nobody can choose what hashes alike in all of it.
impl std::hash::Hash for SecretHash {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write(&self.0[..16]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_survives_being_written_down() {
        let hash = SecretHash::of(b"a key");
        assert!(SecretHash::from_hex(&hash.hex()).is_some_and(|back| back == hash));
        assert!(SecretHash::from_hex("é".repeat(32).as_str()).is_none());
        assert!(SecretHash::from_hex(&format!("+f{}", "00".repeat(31))).is_none());
        assert!(SecretHash::of(b"another") != hash);
    }
}
