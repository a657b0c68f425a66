//! Cards and decks. A deck is written as document 003 writes `validSizes`: cards with a space between.

use crate::names::{hides, unseen};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

pub const CARD_CHARS_MAX: usize = 12;
pub const DECK_CARDS_MAX: usize = 40;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(Arc<str>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deck(Arc<[Card]>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotADeck {
    #[error("a card is 1 to {CARD_CHARS_MAX} visible characters without spaces")]
    Card,
    #[error("a deck has 1 to {DECK_CARDS_MAX} cards, written with spaces between them")]
    Size,
    #[error("a deck may not hold the same card twice")]
    Twice,
    #[error("there is no deck of that name; there are {}", Deck::PRESETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))]
    Preset,
}

impl Card {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the card counts in a sum: whole and decimal numbers and fractions, also those of one character.
    pub fn number(&self) -> Option<f64> {
        let simple = |text: &str| -> Option<f64> {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            // The library would also take "inf", "NaN", "1e5" and a dot at either end.
            let edges = digits.starts_with('.') || digits.ends_with('.');
            if plain && !edges { text.parse().ok() } else { None }
        };
        match (&*self.0, self.0.split_once('/')) {
            ("½", _) => Some(0.5),
            ("¼", _) => Some(0.25),
            ("¾", _) => Some(0.75),
            ("⅓", _) => Some(1.0 / 3.0),
            ("⅔", _) => Some(2.0 / 3.0),
            (_, Some((above, below))) => {
                simple(above).zip(simple(below).filter(|below| *below > 0.0)).map(|(above, below)| above / below)
            }
            (text, None) => simple(text),
        }
    }

    /// Whether the card says that its player cannot or will not say.
    pub fn abstains(&self) -> bool {
        let shown: String = self.0.chars().filter(|c| !unseen(*c)).collect();
        ["?", "❓", "∞", "☕"].contains(&shown.as_str())
    }

    /// Whether two cards differ only in what cannot be seen.
    fn looks_like(&self, other: &Card) -> bool {
        self.0.chars().filter(|c| !unseen(*c)).eq(other.0.chars().filter(|c| !unseen(*c)))
    }
}

impl Deck {
    /// Document 003's default.
    pub const DEFAULT: &'static str = "1 2 3 5 8 13 20 ? ∞";

    /// Decks that have a name.
    pub const PRESETS: &'static [(&'static str, &'static str)] = &[
        ("document", Deck::DEFAULT),
        ("fibonacci", "0 ½ 1 2 3 5 8 13 21 34 55 89 ? ∞ ☕"),
        ("powers", "1 2 4 8 16 32 64 ? ∞ ☕"),
        ("tshirt", "XS S M L XL XXL ? ∞ ☕"),
        ("emoji", "🐜 🐇 🐈 🐕 🐎 🐘 🐋 ❓ ☕"),
    ];

    pub fn preset(name: &str) -> Result<Deck, NotADeck> {
        let (_, cards) = Deck::PRESETS.iter().find(|(preset, _)| *preset == name).ok_or(NotADeck::Preset)?;
        cards.parse()
    }

    pub fn holds(&self, card: &Card) -> bool {
        self.0.contains(card)
    }

    pub fn cards(&self) -> &[Card] {
        &self.0
    }

    /// The 1-based place of a card.
    pub fn place(&self, card: &Card) -> Option<usize> {
        self.0.iter().position(|held| held == card).map(|index| index + 1)
    }
}

impl Default for Deck {
    fn default() -> Deck {
        Deck::DEFAULT.parse().expect("the default deck is a deck, and a test says so")
    }
}

impl FromStr for Card {
    type Err = NotADeck;
    fn from_str(text: &str) -> Result<Card, NotADeck> {
        // Before normalising, which may make text three times as long.
        if text.len() > CARD_CHARS_MAX * 16 {
            return Err(NotADeck::Card);
        }
        let composed: String = text.nfc().collect();
        let hidden = composed.chars().any(|c| c.is_whitespace() || hides(c)) || composed.chars().all(unseen);
        if hidden || composed.chars().count() > CARD_CHARS_MAX {
            return Err(NotADeck::Card);
        }
        Ok(Card(composed.into()))
    }
}

impl FromStr for Deck {
    type Err = NotADeck;
    fn from_str(text: &str) -> Result<Deck, NotADeck> {
        let mut cards: Vec<Card> = Vec::new();
        for word in text.split_whitespace() {
            let card: Card = word.parse()?;
            if cards.iter().any(|held| held.looks_like(&card)) {
                return Err(NotADeck::Twice);
            }
            if cards.len() == DECK_CARDS_MAX {
                return Err(NotADeck::Size);
            }
            cards.push(card);
        }
        if cards.is_empty() { Err(NotADeck::Size) } else { Ok(Deck(cards.into())) }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, card) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(&card.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_deck_is_its_own_spelling(text in "[ -~éà∞?☕\u{301}\u{200d}\u{fe0f}]{0,30}") {
            if let Ok(deck) = text.parse::<Deck>() {
                prop_assert_eq!(deck.to_string().parse::<Deck>(), Ok(deck.clone()));
                for card in deck.cards() {
                    prop_assert!(card.as_str().parse::<Card>().is_ok_and(|again| deck.holds(&again)));
                }
            }
        }
    }

    #[test]
    fn the_default_deck_is_document_003s() {
        assert_eq!(Deck::default().to_string(), "1 2 3 5 8 13 20 ? ∞");
        assert_eq!(Deck::default().cards().len(), 9);
    }

    #[test]
    fn every_preset_is_a_deck() {
        for (name, cards) in Deck::PRESETS {
            assert_eq!(Deck::preset(name).unwrap().to_string(), *cards);
        }
        assert_eq!(Deck::preset("document").unwrap(), Deck::default());
        assert_eq!(Deck::preset("planning"), Err(NotADeck::Preset));
    }

    #[test]
    fn cards_that_are_numbers() {
        let number = |text: &str| text.parse::<Card>().unwrap().number();
        for (text, expected) in [("0", 0.0), ("13", 13.0), ("0.5", 0.5), ("½", 0.5), ("1/2", 0.5), ("3/4", 0.75), ("-2", -2.0)] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for text in ["?", "∞", "☕", "XS", "inf", "NaN", "1e5", ".", ".5", "5.", "1/0", "/", "1/2/3", "--1", "+1", "½x", "1.2.3"]
        {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn cards_that_abstain() {
        for text in ["?", "∞", "☕", "☕\u{fe0f}", "❓"] {
            assert!(text.parse::<Card>().unwrap().abstains(), "{text}");
        }
        assert!(!"0".parse::<Card>().unwrap().abstains());
    }

    #[test]
    fn h126_spaces_only_separate() {
        assert_eq!("  XS  S\tM ".parse::<Deck>().unwrap().to_string(), "XS S M");
        assert_eq!("".parse::<Deck>(), Err(NotADeck::Size));
        assert_eq!("1 2 1".parse::<Deck>(), Err(NotADeck::Twice));
        assert_eq!("é e\u{301}".parse::<Deck>(), Err(NotADeck::Twice));
        assert_eq!("☕ ☕\u{fe0f}".parse::<Deck>(), Err(NotADeck::Twice));
        assert_eq!("1 \u{200d}".parse::<Deck>(), Err(NotADeck::Card));
        assert_eq!("".parse::<Card>(), Err(NotADeck::Card));
        assert_eq!("1 thirteen-chars".parse::<Deck>(), Err(NotADeck::Card));
        assert_eq!("1 a\u{202e}b".parse::<Deck>(), Err(NotADeck::Card));
        let long: Vec<_> = (0..41).map(|n| n.to_string()).collect();
        assert_eq!(long.join(" ").parse::<Deck>(), Err(NotADeck::Size));
    }
}
