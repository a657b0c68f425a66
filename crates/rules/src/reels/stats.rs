//! What is counted beside the scores, for the awards at the end.

use super::{PlayerId, SenderId};
use imbl::OrdMap;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    pub guesses: OrdMap<PlayerId, Guesses>,
    pub suspicions: OrdMap<SenderId, Suspicion>,
}

/// How a player guessed so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Guesses {
    /// Senders there were to be found.
    pub asked: u64,
    pub right: u64,
    /// Votes that named somebody.
    pub votes: u64,
    /// How long all those votes took together.
    pub ms: u64,
}

/// How a sender was guessed so far, by everyone but themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Suspicion {
    pub chances: u64,
    pub found: u64,
    /// How often they were named and it was somebody else.
    pub accused: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Award {
    BestGuesser,
    Fastest,
    MostMysterious,
    OpenBook,
    UsualSuspect,
}

/// Who gets an award, and the figure it was given for.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    pub award: Award,
    pub to: Honoured,
    pub value: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Honoured {
    Player(PlayerId),
    Sender(SenderId),
}

impl Award {
    pub fn name(self) -> &'static str {
        match self {
            Award::BestGuesser => "best_guesser",
            Award::Fastest => "fastest",
            Award::MostMysterious => "most_mysterious",
            Award::OpenBook => "open_book",
            Award::UsualSuspect => "usual_suspect",
        }
    }
}

impl Stats {
    /// The awards that somebody has earned. Of equals the first by id, so that every node says the same.
    pub fn awards(&self) -> Vec<Given> {
        let percent = |part: u64, whole: u64| part * 100 / whole;
        let guessed = || self.guesses.iter().filter(|(_, guesses)| guesses.right > 0);
        let best =
            guessed().max_by(|(id, a), (other, b)| (a.right * b.asked).cmp(&(b.right * a.asked)).then_with(|| other.cmp(id)));
        let voted = self.guesses.iter().filter(|(_, guesses)| guesses.votes > 0);
        let fastest = voted.min_by_key(|(_, guesses)| guesses.ms / guesses.votes);
        let sought = || self.suspicions.iter().filter(|(_, suspicion)| suspicion.chances > 0);
        let by_found = |a: &Suspicion, b: &Suspicion| (a.found * b.chances).cmp(&(b.found * a.chances));
        let hidden = sought().filter(|(_, suspicion)| suspicion.found < suspicion.chances);
        let mysterious = hidden.min_by(|(_, a), (_, b)| by_found(a, b));
        let open = sought().max_by(|(id, a), (other, b)| by_found(a, b).then_with(|| other.cmp(id)));
        let open = open.filter(|(id, suspicion)| suspicion.found > 0 && mysterious.is_none_or(|(other, _)| other != *id));
        let accused = self.suspicions.iter().filter(|(_, suspicion)| suspicion.accused > 0);
        let suspect = accused.max_by(|(id, a), (other, b)| a.accused.cmp(&b.accused).then_with(|| other.cmp(id)));
        let player = |award, id: &PlayerId, value| Given { award, to: Honoured::Player(id.clone()), value };
        let sender = |award, id: &SenderId, value| Given { award, to: Honoured::Sender(id.clone()), value };
        [
            best.map(|(id, guesses)| player(Award::BestGuesser, id, percent(guesses.right, guesses.asked.max(1)))),
            fastest.map(|(id, guesses)| player(Award::Fastest, id, guesses.ms / guesses.votes)),
            mysterious.map(|(id, of)| sender(Award::MostMysterious, id, percent(of.found, of.chances))),
            open.map(|(id, of)| sender(Award::OpenBook, id, percent(of.found, of.chances))),
            suspect.map(|(id, of)| sender(Award::UsualSuspect, id, of.accused)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(chances: u64, found: u64, accused: u64) -> Suspicion {
        Suspicion { chances, found, accused }
    }

    fn told(stats: &Stats) -> Vec<String> {
        let who = |given: &Given| match &given.to {
            Honoured::Player(id) => id.to_string(),
            Honoured::Sender(id) => id.to_string(),
        };
        stats.awards().iter().map(|given| format!("{} {} {}", given.award.name(), who(given), given.value)).collect()
    }

    #[test]
    fn awards_go_to_those_who_earned_them() {
        assert_eq!(told(&Stats::default()), Vec::<String>::new());
        let guesses = [("p1", (10, 5, 10, 50_000)), ("p2", (4, 3, 4, 30_000)), ("p3", (10, 0, 2, 1_000))];
        let guesses = guesses.map(|(id, (asked, right, votes, ms))| (id.parse().unwrap(), Guesses { asked, right, votes, ms }));
        let suspicions = [("s1", sender(4, 4, 0)), ("s2", sender(4, 1, 3)), ("s3", sender(0, 0, 3))];
        let suspicions = suspicions.map(|(id, suspicion)| (id.parse().unwrap(), suspicion));
        let stats = Stats { guesses: guesses.into_iter().collect(), suspicions: suspicions.into_iter().collect() };
        let expected =
            ["best_guesser p2 75", "fastest p3 500", "most_mysterious s2 25", "open_book s1 100", "usual_suspect s2 3"];
        assert_eq!(told(&stats), expected);
    }
}
