//! What is of the moment on its way to the other nodes of a room: several things in one word, in the order they happened.
//!
//! The queue is bounded in bytes; what does not fit is dropped, as the first to go under pressure. A word is read by
//! nodes of this house only: one that cannot be read is passed over whole.

use bytes::{Buf, Bytes};
use parlor_rules::space::PartName;
use parlor_rules::{Json, UserId};

/// The first byte of every word, so that a later form is not taken for this one.
const FORM: u8 = 2;

pub(crate) struct Telling {
    waiting: Vec<u8>,
    count: u64,
    bytes_max: usize,
}

/// One thing that other nodes are told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    /// A message, and by whom if they sit.
    Message {
        from: Option<UserId>,
        data: Bytes,
    },
    /// What is said of somebody who is here through this node.
    Person {
        user: UserId,
        info: Option<Json>,
    },
    /// What somebody shows in a presence, for how many seconds and since when.
    Value {
        user: UserId,
        presence: PartName,
        seconds: u64,
        stamp: u64,
        json: Json,
    },
    Hidden {
        user: UserId,
        presence: PartName,
    },
    /// A node that has just come asks who shows what.
    Question,
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
        self.put(0, from.map_or("", UserId::as_str), "", &[], data)
    }

    pub(crate) fn add_person(&mut self, user: &UserId, info: Option<&Json>) -> bool {
        self.put(1, user.as_str(), "", &[], info.map_or("", Json::as_str).as_bytes())
    }

    pub(crate) fn add_value(&mut self, user: &UserId, presence: &PartName, seconds: u64, stamp: u64, json: &Json) -> bool {
        let times: Vec<u8> = seconds.to_be_bytes().into_iter().chain(stamp.to_be_bytes()).collect();
        self.put(2, user.as_str(), presence.as_str(), &times, json.as_str().as_bytes())
    }

    pub(crate) fn add_hidden(&mut self, user: &UserId, presence: &PartName) -> bool {
        self.put(3, user.as_str(), presence.as_str(), &[], &[])
    }

    pub(crate) fn add_question(&mut self) -> bool {
        self.put(4, "", "", &[], &[])
    }

    /// All that waits as one word, and how many things that is.
    pub(crate) fn take(&mut self) -> (Bytes, u64) {
        (std::mem::take(&mut self.waiting).into(), std::mem::take(&mut self.count))
    }

    fn put(&mut self, kind: u8, user: &str, presence: &str, times: &[u8], data: &[u8]) -> bool {
        // Ids and names of presences have at most 64 letters, so their length is one byte.
        let lengths = (u8::try_from(user.len()), u8::try_from(presence.len()), u32::try_from(data.len()));
        let (Ok(user_len), Ok(presence_len), Ok(data_len)) = lengths else { return false };
        let size = 1 + 1 + user.len() + 1 + presence.len() + times.len() + 4 + data.len();
        if self.waiting.len() + 1 + size > self.bytes_max {
            return false;
        }
        if self.waiting.is_empty() {
            self.waiting.push(FORM);
        }
        self.waiting.extend_from_slice(&[kind, user_len]);
        self.waiting.extend_from_slice(user.as_bytes());
        self.waiting.push(presence_len);
        self.waiting.extend_from_slice(presence.as_bytes());
        self.waiting.extend_from_slice(times);
        self.waiting.extend_from_slice(&data_len.to_be_bytes());
        self.waiting.extend_from_slice(data);
        self.count += 1;
        true
    }
}

/// What another node's word says; nothing when it is longer than any node here would say, or no such word.
pub(crate) fn read(mut word: Bytes, bytes_max: usize) -> Option<Vec<Said>> {
    if word.len() > bytes_max || word.try_get_u8().ok()? != FORM {
        return None;
    }
    let mut said = Vec::new();
    while word.has_remaining() {
        said.push(one(&mut word)?);
    }
    Some(said)
}

fn one(word: &mut Bytes) -> Option<Said> {
    let kind = word.try_get_u8().ok()?;
    let user = short(word)?;
    let presence = short(word)?;
    let times = if kind == 2 { Some((word.try_get_u64().ok()?, word.try_get_u64().ok()?)) } else { None };
    let length = usize::try_from(word.try_get_u32().ok()?).ok()?;
    let data = take(word, length)?;
    Some(match (kind, times) {
        (0, _) => Said::Message { from: if user.is_empty() { None } else { Some(user.parse().ok()?) }, data },
        (1, _) => {
            let info = if data.is_empty() { None } else { Some(json(&data)?) };
            Said::Person { user: user.parse().ok()?, info }
        }
        (2, Some((seconds, stamp))) => {
            let (user, presence) = (user.parse().ok()?, presence.parse().ok()?);
            Said::Value { user, presence, seconds, stamp, json: json(&data)? }
        }
        (3, _) => Said::Hidden { user: user.parse().ok()?, presence: presence.parse().ok()? },
        (4, _) => Said::Question,
        _ => return None,
    })
}

fn json(data: &[u8]) -> Option<Json> {
    Json::read(std::str::from_utf8(data).ok()?, data.len()).ok()
}

fn short(word: &mut Bytes) -> Option<String> {
    let length = usize::from(word.try_get_u8().ok()?);
    String::from_utf8(take(word, length)?.to_vec()).ok()
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
                    kept.push(Said::Message { from, data: data.into() });
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
        fn what_people_show_is_read_as_it_was_told(
            values in prop::collection::vec(("[a-z0-9]{1,16}", "[a-z.]{1,64}", 1u64..3600, any::<u64>(), -9i32..9), 1..8)
        ) {
            let mut telling = Telling::new(MAX * 10);
            let mut told = Vec::new();
            prop_assert!(telling.add_question());
            told.push(Said::Question);
            for (user, presence, seconds, stamp, x) in values {
                let (user, presence): (UserId, PartName) = (user.parse().unwrap(), presence.parse().unwrap());
                let json = Json::read(&format!("{{\"x\":{x}}}"), 100).unwrap();
                let info = (x > 0).then(|| json.clone());
                prop_assert!(telling.add_person(&user, info.as_ref()));
                prop_assert!(telling.add_value(&user, &presence, seconds, stamp, &json) && telling.add_hidden(&user, &presence));
                told.push(Said::Person { user: user.clone(), info });
                told.push(Said::Value { user: user.clone(), presence: presence.clone(), seconds, stamp, json });
                told.push(Said::Hidden { user, presence });
            }
            prop_assert_eq!(read(telling.take().0, MAX * 10), Some(told));
        }

        #[test]
        fn rubbish_is_passed_over(word in prop::collection::vec(any::<u8>(), 0..200)) {
            let said = read(word.clone().into(), MAX).into_iter().flatten();
            let messages = said.filter_map(|said| if let Said::Message { data, .. } = said { Some(data.len()) } else { None });
            prop_assert!(messages.sum::<usize>() <= word.len());
        }
    }
}
