//! What people are called: text for people, kept harmless for the page and the log that show it.

use caseless::Caseless;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

pub const NAME_CHARS_MAX: usize = 40;
/// One character folds to 18 at most (U+FDFA), of 4 bytes at most.
pub const FOLDED_BYTES_MAX: usize = NAME_CHARS_MAX * 18 * 4;

/// What all spellings of one name have in common: names that differ only by case, width, ligatures, composition
/// or characters nobody sees are twins. It is compared and kept, never shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FoldedName(Arc<str>);

/// A display name: composed form, single spaces, nothing that hides or turns text around.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(Arc<str>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAName {
    #[error("a name needs at least one visible character")]
    Empty,
    #[error("a name has at most {NAME_CHARS_MAX} characters")]
    TooLong,
    #[error("a name may not contain control, invisible or direction-changing characters")]
    Invisible,
}

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Unicode's compatibility caseless form (D146), composed again. It folds twice because decomposing a
    /// ligature may bring out a letter that has a case.
    pub fn folded(&self) -> FoldedName {
        let seen = self.0.chars().filter(|c| c.is_whitespace() || !unseen(*c));
        let folded: String = seen.nfd().default_case_fold().nfkd().default_case_fold().nfkc().collect();
        FoldedName(folded.split_whitespace().collect::<Vec<_>>().join(" ").into())
    }
}

impl FoldedName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NotAName;
    fn from_str(text: &str) -> Result<Name, NotAName> {
        shown(text, NAME_CHARS_MAX).map(|text| Name(text.into()))
    }
}

/// A line for people: what a room or a story is called. Written like a name, only longer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Title(Arc<str>);

pub const TITLE_CHARS_MAX: usize = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a title is 1 to {TITLE_CHARS_MAX} characters, at least one of them visible, none hidden or direction-changing")]
pub struct NotATitle;

impl Title {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Title {
    type Err = NotATitle;
    fn from_str(text: &str) -> Result<Title, NotATitle> {
        shown(text, TITLE_CHARS_MAX).map(|text| Title(text.into())).map_err(|_| NotATitle)
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One line in composed form, with single spaces and nothing that hides.
fn shown(text: &str, chars_max: usize) -> Result<String, NotAName> {
    // Before normalising, which may make text three times as long.
    if text.len() > chars_max * 16 {
        return Err(NotAName::TooLong);
    }
    let composed: String = text.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect();
    if composed.is_empty() {
        return Err(NotAName::Empty);
    }
    if composed.chars().count() > chars_max {
        return Err(NotAName::TooLong);
    }
    if composed.chars().any(hides) || composed.chars().all(unseen) {
        return Err(NotAName::Invisible);
    }
    Ok(composed)
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Control, format and filler characters; the joiner and the variation selectors stay, emoji need them.
pub fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Characters that are allowed and show nothing of their own; text needs at least one that is not.
pub fn unseen(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_is_its_own_spelling(text in "\\PC{0,45}") {
            if let Ok(name) = text.parse::<Name>() {
                prop_assert_eq!(name.as_str().parse::<Name>(), Ok(name.clone()));
                prop_assert!(name.as_str().chars().count() <= NAME_CHARS_MAX);
            }
        }
    }

    fn folded(text: &str) -> FoldedName {
        text.parse::<Name>().unwrap_or_else(|error| panic!("{text:?}: {error}")).folded()
    }

    #[test]
    fn twins_by_case_and_unicode_form_are_the_same_name() {
        for (one, other) in [
            ("Ana", "aNA"),
            ("Zoe\u{308}", "ZOË"),
            ("Straße", "STRASSE"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Ａｎａ", "ana"),
            ("ﬁona", "FIONA"),
            ("ｶﾐｰﾕ", "カミーユ"),
            ("Ana\u{fe0f}", "ana"),
            ("a\u{200d}na", "ana"),
            ("Ana\u{a0}\u{2003}B", "ana b"),
            ("Ⅳ", "iv"),
            ("ᾳ", "ΑΙ"),
        ] {
            assert_eq!(folded(one), folded(other), "{one:?} and {other:?}");
        }
        for (one, other) in [("Ana", "Anna"), ("Ana", "An a"), ("o", "ö"), ("👩‍🚀", "🚀")] {
            assert_ne!(folded(one), folded(other), "{one:?} and {other:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_again_changes_nothing_and_nobody_folds_to_nothing(text in "\\PC{1,40}") {
            if let Ok(name) = text.parse::<Name>() {
                let folded = name.folded();
                prop_assert!(!folded.as_str().is_empty());
                prop_assert!(folded.as_str().len() <= FOLDED_BYTES_MAX);
                if let Ok(again) = folded.as_str().parse::<Name>() {
                    prop_assert_eq!(again.folded(), folded);
                }
            }
        }
    }

    #[test]
    fn names_are_composed_and_trimmed() {
        assert_eq!("  Zoe\u{308}   B ".parse::<Name>().unwrap().as_str(), "Zoë B");
        assert_eq!("カミーユ".parse::<Name>().unwrap().as_str(), "カミーユ");
        assert!("👩‍🚀".parse::<Name>().is_ok());
    }

    #[test]
    fn a_title_is_a_longer_name() {
        assert_eq!(" As a  user\nI want ".parse::<Title>().unwrap().as_str(), "As a user I want");
        assert!("x".repeat(TITLE_CHARS_MAX).parse::<Title>().is_ok());
        for text in ["", " ", "a\u{202e}b", "a\u{0}b", &"x".repeat(TITLE_CHARS_MAX + 1)] {
            assert_eq!(text.parse::<Title>(), Err(NotATitle), "{text:?}");
        }
    }

    #[test]
    fn names_that_deceive_are_refused() {
        assert_eq!("".parse::<Name>(), Err(NotAName::Empty));
        assert_eq!(" \t ".parse::<Name>(), Err(NotAName::Empty));
        for unseen in ["\u{200d}", "\u{200d} \u{fe0f}", "\u{fe00}", "\u{e0100}", "\u{1d173}", "\u{180b}"] {
            assert_eq!(unseen.parse::<Name>(), Err(NotAName::Invisible), "{unseen:?}");
        }
        assert_eq!("a\u{202e}b".parse::<Name>(), Err(NotAName::Invisible));
        assert_eq!("a\u{0}b".parse::<Name>(), Err(NotAName::Invisible));
        assert_eq!("x".repeat(41).parse::<Name>(), Err(NotAName::TooLong));
        assert_eq!("x".repeat(1 << 20).parse::<Name>(), Err(NotAName::TooLong));
    }
}
