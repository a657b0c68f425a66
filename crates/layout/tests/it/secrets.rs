//! No secret rests in clear: of user and host keys only the hash is written, and it says that it is one.

use crate::histories::{History, batches};
use crate::support::Step;
use parlor_rules::SecretHash;
use parlor_store::Value;
use proptest::prelude::*;

/// All that a step leaves: names of keys and fields as well as what they hold.
pub(crate) fn bytes(step: &Step) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (field, value) in &step.entry {
        all.extend([field.as_bytes().to_vec(), value.to_vec()]);
    }
    for (key, value) in &step.shelf.0 {
        all.push(key.as_bytes().to_vec());
        match value {
            Value::Text(text) | Value::Document(text) => all.push(text.to_vec()),
            Value::Hash(fields) => {
                fields.iter().for_each(|(field, value)| all.extend([field.as_bytes().to_vec(), value.to_vec()]))
            }
            Value::List(items) => all.extend(items.iter().map(|item| item.to_vec())),
            Value::SortedSet(members) => all.extend(members.keys().map(|member| member.as_bytes().to_vec())),
        }
    }
    all
}

pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How many hashes were met, each with its prefix; panics at a secret.
pub(crate) fn hashes(steps: &[Step], secrets: &[Vec<u8>]) -> usize {
    let mut met = 0;
    for text in steps.iter().flat_map(bytes) {
        for secret in secrets {
            assert_eq!(find(&text, secret), None, "in clear: {}", String::from_utf8_lossy(&text));
            assert_eq!(find(&text, hex(secret).as_bytes()), None, "as hex: {}", String::from_utf8_lossy(&text));
            let hash = SecretHash::of(secret).hex();
            let mut rest = &text[..];
            while let Some(at) = find(rest, hash.as_bytes()) {
                assert!(rest[..at].ends_with(b"sha256:"), "a hash that does not say so: {}", String::from_utf8_lossy(&text));
                rest = &rest[at + hash.len()..];
                met += 1;
            }
        }
    }
    met
}

proptest! {
    #[test]
    fn h118_h119_secrets_rest_only_as_hashes(batches in batches()) {
        let history = History::play(&batches);
        prop_assert!(hashes(&history.steps, &history.secrets) >= 1, "the host key's hash is always there");
    }
}
