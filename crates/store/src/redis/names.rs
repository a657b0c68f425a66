//! What keys and channels are called on the server.
//!
//! On one machine they are what the layout says. In a cluster the tag stands in braces, so that what shares it is kept
//! on one machine. Records that a room has beside its named ones lie below its spine.

use crate::carry::{Catalogue, Thing};
use crate::rooms::RoomKey;

#[derive(Clone, Copy)]
pub(super) struct Names {
    pub(super) cluster: bool,
    pub(super) db: i64,
}

/// What a name on the server is about.
pub(super) enum Whose {
    /// A key of the layout's, and what it is.
    Known(String, Thing),
    /// Belongs to something else and means nothing by itself.
    Part,
    Foreign,
}

const UNNAMED: &str = "#records";
const HERE: &str = "#here";
const STAGED: &str = "#moving";
const ONCE: &str = "once:";

impl Names {
    pub(super) fn spine(&self, room: &RoomKey) -> String {
        self.with_tag(&room.tag, &room.spine)
    }

    /// Which records the room has besides its named ones.
    pub(super) fn unnamed(&self, room: &RoomKey) -> String {
        format!("{}{UNNAMED}", self.spine(room))
    }

    /// Who is at the room through which node.
    pub(super) fn here(&self, room: &RoomKey) -> String {
        format!("{}{HERE}", self.spine(room))
    }

    pub(super) fn record(&self, room: &RoomKey, key: &str) -> String {
        if room.names(key) { self.with_tag(&room.tag, key) } else { format!("{}/{key}", self.spine(room)) }
    }

    /// The layout's key for a name on the server.
    pub(super) fn key_of(&self, room: &RoomKey, name: &str) -> Option<String> {
        let named = room.records.iter().find(|key| self.with_tag(&room.tag, key) == name);
        let below = || {
            let below = room.below.as_ref()?;
            name.strip_prefix(&self.with_tag(&room.tag, below)).map(|rest| format!("{below}{rest}"))
        };
        let other = || name.strip_prefix(&self.spine(room))?.strip_prefix('/').map(str::to_owned);
        // What lies below the spine may look like what lies below the room, never the other way round.
        named.map(|key| key.to_string()).or_else(other).or_else(below)
    }

    /// Where a record waits until its room is put.
    pub(super) fn staged(&self, room: &RoomKey, key: &str) -> String {
        format!("{}{STAGED}", self.record(room, key))
    }

    /// What a name is about: as the catalogue says of the layout's key that would have this name.
    pub(super) fn whose(&self, name: &str, catalogue: &dyn Catalogue) -> Whose {
        if let Some((key, thing)) = self.known(name, catalogue) {
            return Whose::Known(key, thing);
        }
        if self.is_part(name, catalogue) { Whose::Part } else { Whose::Foreign }
    }

    fn known(&self, name: &str, catalogue: &dyn Catalogue) -> Option<(String, Thing)> {
        self.plain(name).into_iter().find_map(|key| {
            let thing = catalogue.thing(&key)?;
            let written = match &thing {
                Thing::Spine(room) => self.spine(room),
                Thing::Part(room) => self.record(room, &key),
                Thing::Record { tag } => self.loose(tag, &key),
            };
            (written == name).then_some((key, thing))
        })
    }

    fn is_part(&self, name: &str, catalogue: &dyn Catalogue) -> bool {
        let is_spine = |name: &str| matches!(self.known(name, catalogue), Some((_, Thing::Spine(_))));
        let is_record = |name: &str| {
            let is_named = matches!(self.known(name, catalogue), Some((_, Thing::Part(_))));
            is_named || name.match_indices('/').any(|(at, _)| is_spine(&name[..at]))
        };
        name.starts_with(ONCE)
            || [UNNAMED, HERE].iter().any(|ending| name.strip_suffix(ending).is_some_and(is_spine))
            || name.strip_suffix(STAGED).is_some_and(is_record)
            || is_record(name)
    }

    /// The keys that could have this name, undoing what `with_tag` does.
    fn plain(&self, name: &str) -> Vec<String> {
        let mut keys = vec![name.to_owned()];
        if let Some((before, rest)) = name.split_once('{').filter(|_| self.cluster)
            && let Some((tag, after)) = rest.split_once('}')
        {
            keys.push(format!("{before}{tag}{after}"));
            keys.extend(after.strip_prefix(':').filter(|_| before.is_empty()).map(str::to_owned));
        }
        keys
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
            return Some(format!("{ONCE}{id:016x}"));
        }
        if !tag.is_empty() {
            return Some(format!("{ONCE}{{{}}}:{id:016x}", spelt(tag)));
        }
        // The key's own tag, or all of it.
        let own = first.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(tag, _)| tag);
        let tag = own.filter(|tag| !tag.is_empty()).unwrap_or(first);
        (!tag.contains(['{', '}'])).then(|| format!("{ONCE}{{{tag}}}:{id:016x}"))
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
        RoomKey { tag: id.into(), spine: key("spine"), records: Arc::from([key("a"), key("b")]), below: None }
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
        let mut owner = room.clone();
        owner.below = Some("all:12345:".into());
        assert_eq!(one.record(&owner, "all:12345:x:1"), "all:12345:x:1");
        assert_eq!(many.record(&owner, "all:12345:x:1"), "all:{12345}:x:1");
        assert_eq!(many.record(&owner, "all:123456:x"), "spine:{12345}/all:123456:x");
        for names in [one, many] {
            for key in ["a:12345", "all:12345:x:1", "all:12345:", "all:123456:x", "c"] {
                assert_eq!(names.key_of(&owner, &names.record(&owner, key)).as_deref(), Some(key));
            }
        }
        assert_eq!(many.loose("", "token:7"), "token:7");
        assert_eq!(many.loose("7", "tied:7"), "tied:{7}");
        assert_eq!(many.loose("7", "tied"), "{7}:tied");
    }

    struct Known;

    impl Catalogue for Known {
        fn thing(&self, key: &str) -> Option<Thing> {
            let (kind, id) = key.split_once(':').filter(|(_, id)| !id.contains(['/', '#']))?;
            match (kind, id) {
                ("spine", id) => Some(Thing::Spine(room(id))),
                ("a" | "b", id) => Some(Thing::Part(room(id))),
                ("tied", id) => Some(Thing::Record { tag: id.into() }),
                ("token", _) => Some(Thing::Record { tag: "".into() }),
                ("user", _) => Some(Thing::Record { tag: "shared".into() }),
                _ => None,
            }
        }
    }

    #[test]
    fn every_name_is_known_again() {
        for names in [Names { cluster: false, db: 0 }, Names { cluster: true, db: 0 }] {
            for id in ["12345", "", "{", "a}b", "{a}", "x:y"] {
                let room = room(id);
                let known = |name: &str| match names.whose(name, &Known) {
                    Whose::Known(key, thing) => Some((key, thing)),
                    Whose::Part | Whose::Foreign => None,
                };
                assert_eq!(known(&names.spine(&room)), Some((room.spine.to_string(), Thing::Spine(room.clone()))));
                let named = known(&names.record(&room, &room.records[0]));
                assert_eq!(named, Some((room.records[0].to_string(), Thing::Part(room.clone()))));
                for (tag, key) in [(id, format!("tied:{id}")), ("", format!("token:{id}")), ("shared", format!("user:{id}"))] {
                    let thing = Thing::Record { tag: tag.into() };
                    assert_eq!(known(&names.loose(tag, &key)), Some((key, thing)), "{id}");
                }
                let unnamed = ["c", "", "x/y", "#here", "spine:7"].map(|key| names.record(&room, key));
                let staged = ["c", &room.records[1]].map(|key| names.staged(&room, key));
                let parts = unnamed.into_iter().chain(staged).chain([names.unnamed(&room), names.here(&room)]);
                for part in parts.chain(names.once(id, "token:7", 1)) {
                    assert!(matches!(names.whose(&part, &Known), Whose::Part), "{part}");
                }
            }
            for foreign in ["", "other", "spine", "other:{1}", "{1}:other", "other:1#here", "tied"] {
                assert!(matches!(names.whose(foreign, &Known), Whose::Foreign), "{foreign}");
            }
        }
        let many = Names { cluster: true, db: 0 };
        assert!(matches!(many.whose("spine:12345", &Known), Whose::Foreign), "a cluster's have braces");
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
            let room = RoomKey { tag: id.into(), spine: id.into(), records: Arc::from([]), below: None };
            let slot = |name: &str| name.split_once('{').unwrap().1.split_once('}').unwrap().0.to_owned();
            assert!(!slot(&many.spine(&room)).is_empty());
            assert_eq!(slot(&many.spine(&room)), slot(&many.record(&room, "x{y}")));
            assert_eq!(slot(&many.spine(&room)), slot(&many.here(&room)));
        }
    }
}
