//! What a round's cards come to. Made from the cards alone, so it may be shown exactly when they may.

use super::{Card, Deck};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tally {
    pub votes: usize,
    /// Of the cards that are numbers; nothing without any.
    pub average: Option<f64>,
    pub median: Option<f64>,
    /// The most frequent cards, in the deck's order.
    pub mode: Vec<Card>,
    /// Which part of the votes is on the most frequent card, in whole percent.
    pub agreement: u64,
    /// At least two voted, all the same, and it was an estimate.
    pub unanimous: bool,
    /// How often each card was laid, in the deck's order; cards nobody laid are left out.
    pub distribution: Vec<(Card, usize)>,
}

impl Tally {
    pub fn of<'a>(deck: &Deck, cards: impl Iterator<Item = &'a Card>) -> Tally {
        let mut distribution: Vec<(Card, usize)> = Vec::new();
        let mut numbers: Vec<f64> = Vec::new();
        for card in cards {
            match distribution.iter_mut().find(|(laid, _)| laid == card) {
                Some((_, count)) => *count += 1,
                None => distribution.push((card.clone(), 1)),
            }
            numbers.extend(card.number());
        }
        distribution.sort_by_key(|(card, _)| deck.place(card).unwrap_or(usize::MAX));
        let votes: usize = distribution.iter().map(|(_, count)| count).sum();
        let most = distribution.iter().map(|(_, count)| *count).max().unwrap_or_default();
        let mode: Vec<Card> = distribution.iter().filter(|(_, count)| *count == most).map(|(card, _)| card.clone()).collect();
        let agreement = (most * 100 + votes / 2).checked_div(votes).unwrap_or_default();
        Tally {
            votes,
            average: average(&numbers),
            median: median(&mut numbers),
            unanimous: votes >= 2 && most == votes && !mode.iter().any(Card::abstains),
            mode,
            agreement: agreement as u64,
            distribution,
        }
    }

    /// The card that all laid, when they agree.
    pub fn agreed(&self) -> Option<&Card> {
        self.mode.first().filter(|_| self.unanimous)
    }
}

fn average(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() { None } else { Some(rounded(numbers.iter().sum::<f64>() / numbers.len() as f64)) }
}

fn median(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let (below, above) = (numbers.get(numbers.len().checked_sub(1)? / 2)?, numbers.get(numbers.len() / 2)?);
    Some(rounded((below + above) / 2.0))
}

/// Two decimals are more than an estimate is worth.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(deck: &str, cards: &str) -> Tally {
        let cards: Vec<Card> = cards.split_whitespace().map(|card| card.parse().unwrap()).collect();
        Tally::of(&deck.parse().unwrap(), cards.iter())
    }

    /// `votes average median mode agreement unanimous | distribution`.
    fn words(tally: &Tally) -> String {
        let Tally { votes, average, median, mode, agreement, unanimous, distribution } = tally;
        let number = |number: &Option<f64>| number.map_or("-".into(), |number| number.to_string());
        let mode: Vec<_> = mode.iter().map(Card::as_str).collect();
        let spread: Vec<_> = distribution.iter().map(|(card, count)| format!("{card}×{count}")).collect();
        let unanimous = if *unanimous { "all" } else { "not" };
        let (average, median) = (number(average), number(median));
        format!("{votes} {average} {median} [{}] {agreement}% {unanimous} | {}", mode.join(" "), spread.join(" "))
    }

    #[test]
    fn a_table_of_results() {
        let decks = ["0 ½ 1 2 3 5 8 13 ? ∞ ☕", "XS S M L", "1/2 0.5 1"];
        for (deck, cards, expected) in [
            (0, "", "0 - - [] 0% not | "),
            (0, "5", "1 5 5 [5] 100% not | 5×1"),
            (0, "5 5", "2 5 5 [5] 100% all | 5×2"),
            (0, "5 8", "2 6.5 6.5 [5 8] 50% not | 5×1 8×1"),
            (0, "8 5 5", "3 6 5 [5] 67% not | 5×2 8×1"),
            (0, "1 2 3 5", "4 2.75 2.5 [1 2 3 5] 25% not | 1×1 2×1 3×1 5×1"),
            (0, "½ 1", "2 0.75 0.75 [½ 1] 50% not | ½×1 1×1"),
            (0, "? ?", "2 - - [?] 100% not | ?×2"),
            (0, "∞ ∞ ∞", "3 - - [∞] 100% not | ∞×3"),
            (0, "☕ ☕", "2 - - [☕] 100% not | ☕×2"),
            (0, "3 ? 3 ☕", "4 3 3 [3] 50% not | 3×2 ?×1 ☕×1"),
            (0, "0 0", "2 0 0 [0] 100% all | 0×2"),
            (0, "1 1 2", "3 1.33 1 [1] 67% not | 1×2 2×1"),
            (1, "L M M XS", "4 - - [M] 50% not | XS×1 M×2 L×1"),
            (1, "S S S", "3 - - [S] 100% all | S×3"),
            (2, "1/2 0.5 1", "3 0.67 0.5 [1/2 0.5 1] 33% not | 1/2×1 0.5×1 1×1"),
            (1, "9 9 M", "3 9 9 [9] 67% not | M×1 9×2"),
        ] {
            assert_eq!(words(&tally(decks[deck], cards)), expected, "{cards:?}");
        }
    }

    proptest! {
        #[test]
        fn the_distribution_adds_up(cards in prop::collection::vec(0usize..9, 0..40)) {
            let deck = Deck::default();
            let laid: Vec<&Card> = cards.iter().map(|index| &deck.cards()[*index]).collect();
            let tally = Tally::of(&deck, laid.iter().copied());
            prop_assert_eq!(tally.votes, laid.len());
            prop_assert_eq!(tally.distribution.iter().map(|(_, count)| count).sum::<usize>(), laid.len());
            prop_assert!(tally.distribution.is_sorted_by_key(|(card, _)| deck.place(card)));
            prop_assert!(tally.agreement <= 100 && (tally.agreement > 0) != laid.is_empty());
            prop_assert_eq!(tally.agreed().is_some(), tally.unanimous);
            prop_assert!(tally.mode.iter().all(|card| laid.contains(&card)));
        }
    }
}
