//! Which spaces a token is good for: `"spaces": {"board-*": "write", "*": ["read"]}`.

use parlor_rules::{Right, RoomId};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// More would make every look at a room slow.
pub(super) const PATTERNS_MAX: usize = 256;

/// Each pattern with what it gives; the greatest of those that match counts.
#[derive(Default)]
pub(super) struct Spaces(Vec<(Pattern, Right)>);

enum Pattern {
    Exactly(RoomId),
    /// Ids that begin like this; every id begins with nothing.
    Prefix(String),
}

impl Spaces {
    pub(super) fn right_in(&self, room: &RoomId) -> Right {
        let matching = self.0.iter().filter(|(pattern, _)| match pattern {
            Pattern::Exactly(id) => id == room,
            Pattern::Prefix(prefix) => room.as_str().starts_with(prefix.as_str()),
        });
        matching.map(|(_, right)| *right).max().unwrap_or_default()
    }

    /// What the pattern `*` alone gives.
    pub(super) fn right_everywhere(&self) -> Right {
        let everywhere = self.0.iter().filter(|(pattern, _)| matches!(pattern, Pattern::Prefix(prefix) if prefix.is_empty()));
        everywhere.map(|(_, right)| *right).max().unwrap_or_default()
    }
}

fn pattern(text: &str) -> Option<Pattern> {
    // An address says the same as its id, because there is nothing else here that has rights.
    let text = text.strip_prefix("space/").unwrap_or(text);
    match text.strip_suffix('*') {
        Some("") => Some(Pattern::Prefix(String::new())),
        Some(prefix) => prefix.parse::<RoomId>().ok().map(|_| Pattern::Prefix(prefix.to_owned())),
        None => text.parse().ok().map(Pattern::Exactly),
    }
}

/// One right, or several, of which the greatest counts.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Rights {
    One(String),
    Several(Vec<String>),
}

impl Rights {
    pub(super) fn greatest(&self) -> Option<Right> {
        match self {
            Rights::One(right) => right.parse().ok(),
            Rights::Several(rights) => {
                let read = rights.iter().map(|right| right.parse().ok());
                read.collect::<Option<Vec<Right>>>().map(|rights| rights.into_iter().max().unwrap_or_default())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Spaces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Spaces, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Spaces;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of patterns and rights")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Spaces, A::Error> {
                let mut spaces = Vec::new();
                while let Some((text, rights)) = map.next_entry::<String, Rights>()? {
                    let pattern = pattern(&text)
                        .ok_or_else(|| A::Error::custom("a pattern is an id, a beginning with * after it, or *"))?;
                    let right = rights.greatest().ok_or_else(|| A::Error::custom(parlor_rules::rights::NotARight))?;
                    if spaces.len() == PATTERNS_MAX {
                        return Err(A::Error::custom(format!("there are more than {PATTERNS_MAX} patterns")));
                    }
                    spaces.push((pattern, right));
                }
                Ok(Spaces(spaces))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(spaces: &str, room: &str) -> Right {
        serde_json::from_str::<Spaces>(spaces).unwrap().right_in(&room.parse().unwrap())
    }

    #[test]
    fn the_greatest_right_that_matches_counts() {
        let spaces = r#"{"a": "write", "team-*": ["read", "presence"], "team-7": "read", "space/b": "admin", "c": []}"#;
        for (room, expected) in [
            ("a", Right::Write),
            ("ab", Right::None),
            ("team-1", Right::Presence),
            ("team-7", Right::Presence),
            ("team", Right::None),
            ("b", Right::Admin),
            ("c", Right::None),
            ("A", Right::None),
        ] {
            assert_eq!(right(spaces, room), expected, "{room}");
        }
        assert_eq!(right(r#"{"*": "read", "x": "none"}"#, "x"), Right::Read);
        assert_eq!(right("{}", "x"), Right::None);
    }

    #[test]
    fn only_a_star_alone_is_everywhere() {
        let everywhere = |spaces: &str| serde_json::from_str::<Spaces>(spaces).unwrap().right_everywhere();
        assert_eq!(everywhere(r#"{"*": "admin"}"#), Right::Admin);
        assert_eq!(everywhere(r#"{"space/*": "admin"}"#), Right::Admin);
        assert_eq!(everywhere(r#"{"a*": "admin", "*": "write"}"#), Right::Write);
    }

    #[test]
    fn what_could_never_match_is_refused_instead_of_ignored() {
        for wrong in [
            r#"{"a*b":"read"}"#,
            r#"{"":"read"}"#,
            r#"{"poker/a":"read"}"#,
            r#"{"a":"own"}"#,
            r#"{"a":["read","own"]}"#,
            r#"{"a":1}"#,
            "[]",
            r#"{"**":"read"}"#,
        ] {
            assert!(serde_json::from_str::<Spaces>(wrong).is_err(), "{wrong}");
        }
    }
}
