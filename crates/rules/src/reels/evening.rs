//! The games that are played in tests: a few people of one chat, one seat each, and rounds given by their answers.

use super::{Command, Item, Player, Reel, Reels, Round, Sender, SenderId, Settings, Which, Wish};
use crate::identity::Credential;
use crate::ids::{RoomId, UserId};
use crate::room::Room;
use crate::secret::SecretHash;
use crate::time::Millis;

pub(super) const BEGAN: Millis = Millis(1_700_000_000_000);
pub(super) const MASTER_KEY: &[u8] = b"master key";
const NAMES: [&str; 8] = ["Ana", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"];

/// How a game is set up: so many who play, then so many who are not in the game, and of each round's items the answers.
#[derive(Clone)]
pub(super) struct Setup<'a> {
    pub(super) people: usize,
    pub(super) benched: usize,
    pub(super) vote_seconds: Option<u64>,
    pub(super) rounds: &'a [&'a [&'a str]],
}

/// Ana, Bo and Cy play, Di is not in the game. Of three reels the first is Ana's, the second Bo's and Cy's, the last Cy's.
pub(super) const FRIDAY: Setup<'_> = Setup { people: 3, benched: 1, vote_seconds: None, rounds: &[&["s1", "s2 s3"], &["s3"]] };

impl Setup<'_> {
    pub(super) fn wish(&self) -> Wish {
        let settings = Settings { title: "Friday".parse().ok(), vote_seconds: self.vote_seconds };
        let senders = (1..=self.people + self.benched).map(|n| Sender {
            id: format!("s{n}").parse().unwrap(),
            name: NAMES[n - 1].parse().unwrap(),
            active: n <= self.people,
            reels_count: 100 + n as u64,
        });
        let rounds = self.rounds.iter().enumerate().map(|(n, items)| Round {
            id: format!("r{}", n + 1).parse().unwrap(),
            items: items.iter().enumerate().map(|(n, answer)| item(n + 1, answer)).collect(),
        });
        Wish::new(settings, senders.collect(), None, rounds.collect()).expect("this is a game")
    }

    pub(super) fn game(&self) -> Reels {
        Reels::create(code(), SecretHash::of(MASTER_KEY), self.wish())
    }
}

fn item(number: usize, answer: &str) -> Item {
    let reel = Reel { id: format!("reel{number}").parse().unwrap(), url: "https://reels.example/1".parse().unwrap() };
    Item { id: format!("i{number}").parse().unwrap(), reel, true_senders: chosen(answer) }
}

/// `s1 s3`.
pub(super) fn chosen(words: &str) -> Vec<SenderId> {
    words.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

pub(super) fn which(round: &str, item: &str) -> Which {
    Which { round: round.parse().unwrap(), item: item.parse().unwrap() }
}

pub(super) fn code() -> RoomId {
    "ABCD2345".parse().unwrap()
}

/// Somebody's phone; `ana+key` also shows the master key, `ana+wrong` another room's. `master` has no phone, `nobody` nothing.
pub(super) fn credential(who: &str) -> Credential {
    let (name, key) = who.split_once('+').unwrap_or((who, ""));
    let user = (name != "nobody" && name != "master").then(|| SecretHash::of(name.as_bytes()));
    let host = match (name, key) {
        ("master", "") | (_, "key") => Some(SecretHash::of(MASTER_KEY)),
        (_, "wrong") => Some(SecretHash::of(b"the key of another room")),
        (_, "") => None,
        (_, other) => panic!("nobody holds a {other}"),
    };
    match name.strip_prefix('@') {
        Some(member) => Credential { host, ..Credential::member(member.parse().unwrap(), member.parse().unwrap()) },
        None => Credential { user, host, ..Credential::default() },
    }
}

pub(super) fn user(who: &str) -> UserId {
    credential(who).user_id(&code()).expect("somebody with a phone")
}

pub(super) fn seat_of(players: &imbl::Vector<Player>, id: &str) -> Player {
    players.iter().find(|player| player.id.as_str() == id).expect("there is such a seat").clone()
}

pub(super) fn take(player: &str) -> Command {
    Command::TakePlayer(player.parse().unwrap())
}
