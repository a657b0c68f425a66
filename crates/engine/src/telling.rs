//! Messages of the moment on their way to the other nodes of a room: several in one word, in the order they were said.
//!
//! The queue is bounded in bytes; what does not fit is dropped, as the first to go under pressure. A word is read by
//! nodes of this house only: one that cannot be read is passed over whole.

use bytes::{Buf, Bytes};
use parlor_rules::UserId;

/// The first byte of every word, so that a later form is not taken for this one.
const FORM: u8 = 1;

pub(crate) struct Telling {
    waiting: Vec<u8>,
    count: u64,
    bytes_max: usize,
}

/// Something that was said, and by whom if they sit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    pub(crate) from: Option<UserId>,
    pub(crate) data: Bytes,
}

impl Telling {
    pub(crate) fn new(bytes_max: usize) -> Telling {
        Telling { waiting: Vec::new(), count: 0, bytes_max }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// False when there is no room for it.
    pub(crate) fn add(&mut self, from: Option<&UserId>, data: &[u8]) -> bool {
        let from = from.map_or("", UserId::as_str);
        // An id has at most 64 letters, so its length is one byte.
        let (Ok(from_len), Ok(data_len)) = (u8::try_from(from.len()), u32::try_from(data.len())) else { return false };
        if self.waiting.len() + 1 + 1 + from.len() + 4 + data.len() > self.bytes_max {
            return false;
        }
        if self.waiting.is_empty() {
            self.waiting.push(FORM);
        }
        self.waiting.push(from_len);
        self.waiting.extend_from_slice(from.as_bytes());
        self.waiting.extend_from_slice(&data_len.to_be_bytes());
        self.waiting.extend_from_slice(data);
        self.count += 1;
        true
    }

    /// All that waits as one word, and how many messages that is.
    pub(crate) fn take(&mut self) -> (Bytes, u64) {
        (std::mem::take(&mut self.waiting).into(), std::mem::take(&mut self.count))
    }
}

/// What another node's word says; nothing when it is longer than any node here would say, or no such word.
pub(crate) fn read(mut word: Bytes, bytes_max: usize) -> Option<Vec<Said>> {
    if word.len() > bytes_max || word.try_get_u8().ok()? != FORM {
        return None;
    }
    let mut said = Vec::new();
    while word.has_remaining() {
        let from_len = usize::from(word.try_get_u8().ok()?);
        let from = take(&mut word, from_len)?;
        let data_len = usize::try_from(word.try_get_u32().ok()?).ok()?;
        let data = take(&mut word, data_len)?;
        let from = match &*from {
            [] => None,
            id => Some(std::str::from_utf8(id).ok()?.parse().ok()?),
        };
        said.push(Said { from, data });
    }
    Some(said)
}

fn take(word: &mut Bytes, len: usize) -> Option<Bytes> {
    (len <= word.len()).then(|| word.split_to(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: usize = 1000;

    proptest! {
        #[test]
        fn what_was_said_is_read_and_what_does_not_fit_is_dropped(
            messages in prop::collection::vec(("[a-z0-9_-]{0,64}", prop::collection::vec(any::<u8>(), 0..300)), 0..20)
        ) {
            let mut telling = Telling::new(MAX);
            let mut kept = Vec::new();
            for (from, data) in messages {
                let from: Option<UserId> = from.parse().ok();
                if telling.add(from.as_ref(), &data) {
                    kept.push(Said { from, data: data.into() });
                }
            }
            prop_assert_eq!(telling.is_empty(), kept.is_empty());
            let (word, count) = telling.take();
            prop_assert_eq!(count, kept.len() as u64);
            prop_assert!(word.len() <= MAX && telling.is_empty());
            prop_assert_eq!(read(word.clone(), MAX), (!kept.is_empty()).then_some(kept));
            if !word.is_empty() {
                prop_assert_eq!(read(word.clone(), word.len() - 1), None);
                prop_assert_eq!(read(word.slice(..word.len() - 1), MAX).is_some(), word.len() - 1 == 1);
            }
        }

        #[test]
        fn rubbish_is_passed_over(word in prop::collection::vec(any::<u8>(), 0..200)) {
            let said: usize = read(word.clone().into(), MAX).into_iter().flatten().map(|said| said.data.len()).sum();
            prop_assert!(said <= word.len());
        }
    }
}
