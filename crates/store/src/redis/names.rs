//! What keys and channels are called on the server.
//!
//! On one machine they are what the layout says. In a cluster the tag stands in braces, so that what shares it is kept
//! on one machine. Records that a room has beside its named ones lie below its spine.

use crate::rooms::RoomKey;

#[derive(Clone, Copy)]
pub(super) struct Names {
    pub(super) cluster: bool,
    pub(super) db: i64,
}

impl Names {
    pub(super) fn spine(&self, room: &RoomKey) -> String {
        self.with_tag(&room.tag, &room.spine)
    }

    /// Which records the room has besides its named ones.
    pub(super) fn unnamed(&self, room: &RoomKey) -> String {
        format!("{}#records", self.spine(room))
    }

    /// Who is at the room through which node.
    pub(super) fn here(&self, room: &RoomKey) -> String {
        format!("{}#here", self.spine(room))
    }

    pub(super) fn record(&self, room: &RoomKey, key: &str) -> String {
        if room.records.iter().any(|named| &**named == key) {
            self.with_tag(&room.tag, key)
        } else {
            format!("{}/{key}", self.spine(room))
        }
    }

    /// The layout's key for a name on the server.
    pub(super) fn key_of(&self, room: &RoomKey, name: &str) -> Option<String> {
        let named = room.records.iter().find(|key| self.with_tag(&room.tag, key) == name);
        let below = || name.strip_prefix(&self.spine(room))?.strip_prefix('/').map(str::to_owned);
        named.map(|key| key.to_string()).or_else(below)
    }

    pub(super) fn channel(&self, room: &RoomKey) -> String {
        format!("{}:{}", self.db, self.spine(room))
    }

    /// Whatever belongs to no room.
    pub(super) fn loose(&self, tag: &str, key: &str) -> String {
        if tag.is_empty() { key.to_owned() } else { self.with_tag(tag, key) }
    }

    /// Where an answer waits in case it gets lost, beside the keys it is about; nothing where such a name cannot be made.
    pub(super) fn once(&self, tag: &str, first: &str, id: u64) -> Option<String> {
        if !self.cluster {
            return Some(format!("once:{id:016x}"));
        }
        if !tag.is_empty() {
            return Some(format!("once:{{{}}}:{id:016x}", spelt(tag)));
        }
        // The key's own tag, or all of it.
        let own = first.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(tag, _)| tag);
        let tag = own.filter(|tag| !tag.is_empty()).unwrap_or(first);
        (!tag.contains(['{', '}'])).then(|| format!("once:{{{tag}}}:{id:016x}"))
    }

    fn with_tag(&self, tag: &str, key: &str) -> String {
        if !self.cluster {
            return key.to_owned();
        }
        let spelt = spelt(tag);
        match segment(key, tag).filter(|_| spelt == tag) {
            Some(at) => format!("{}{{{tag}}}{}", &key[..at], &key[at + tag.len()..]),
            None => format!("{{{spelt}}}:{key}"),
        }
    }
}

/// Braces end where the server thinks they do; a tag that has some, or is empty, is stood for by a number.
fn spelt(tag: &str) -> String {
    if !tag.is_empty() && !tag.contains(['{', '}']) {
        return tag.to_owned();
    }
    // FNV-1a: the same on every node and in every version.
    let hash = tag.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// Where the tag stands in the key, between colons.
fn segment(key: &str, tag: &str) -> Option<usize> {
    key.match_indices(tag).map(|(at, _)| at).find(|at| {
        let (before, after) = (&key[..*at], &key[at + tag.len()..]);
        (before.is_empty() || before.ends_with(':')) && (after.is_empty() || after.starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn room(id: &str) -> RoomKey {
        let key = |name: &str| format!("{name}:{id}").into();
        RoomKey { tag: id.into(), spine: key("spine"), records: Arc::from([key("a"), key("b")]) }
    }

    #[test]
    fn one_machine_has_plain_names_and_a_cluster_has_braces() {
        let (one, many) = (Names { cluster: false, db: 2 }, Names { cluster: true, db: 0 });
        let room = room("12345");
        assert_eq!(one.spine(&room), "spine:12345");
        assert_eq!(one.record(&room, "a:12345"), "a:12345");
        assert_eq!(one.record(&room, "c"), "spine:12345/c");
        assert_eq!(one.channel(&room), "2:spine:12345");
        assert_eq!(many.spine(&room), "spine:{12345}");
        assert_eq!(many.record(&room, "a:12345"), "a:{12345}");
        assert_eq!(many.record(&room, "c"), "spine:{12345}/c");
        assert_eq!(many.here(&room), "spine:{12345}#here");
        for names in [one, many] {
            for key in ["a:12345", "b:12345", "c", ""] {
                assert_eq!(names.key_of(&room, &names.record(&room, key)).as_deref(), Some(key));
            }
        }
        assert_eq!(many.loose("", "token:7"), "token:7");
        assert_eq!(many.loose("7", "tray:7"), "tray:{7}");
        assert_eq!(many.loose("7", "tray"), "{7}:tray");
    }

    #[test]
    fn an_answer_waits_beside_its_key_or_nowhere() {
        let many = Names { cluster: true, db: 0 };
        assert_eq!(many.once("", "token:7", 1).unwrap(), "once:{token:7}:0000000000000001");
        assert_eq!(many.once("", "name:{x}y", 1).unwrap(), "once:{x}:0000000000000001");
        assert_eq!(many.once("", "name:a}b", 1), None);
    }

    #[test]
    fn a_tag_with_braces_still_ties_its_keys_together() {
        let many = Names { cluster: true, db: 0 };
        for id in ["", "{}", "}", "{", "a}b", "{a}"] {
            let room = RoomKey { tag: id.into(), spine: id.into(), records: Arc::from([]) };
            let slot = |name: &str| name.split_once('{').unwrap().1.split_once('}').unwrap().0.to_owned();
            assert!(!slot(&many.spine(&room)).is_empty());
            assert_eq!(slot(&many.spine(&room)), slot(&many.record(&room, "x{y}")));
            assert_eq!(slot(&many.spine(&room)), slot(&many.here(&room)));
        }
    }
}
