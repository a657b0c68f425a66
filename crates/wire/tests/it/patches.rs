//! A patch, applied to what was shown before, gives what is shown now: for random histories, and for the vectors that
//! the SDK is tested with too.

use parlor_rules::kinds::Shared;
use parlor_rules::poker::command::StoryEdit;
use parlor_rules::poker::{Change, Class, Command, Deck, NewStory, Poker, RevealBy, StoryId};
use parlor_rules::{Act, Address, Credential, Here, Kind, Mark, Millis, Place, Position, Room, SecretHash, UserId, When};
use parlor_wire::poker::{Patch, Table};
use parlor_wire::view::{self, Seen};
use proptest::prelude::*;
use serde_json::{Value, json};

const PEOPLE: [&str; 5] = ["ana", "bo", "cy", "dee", "eli"];
const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/js/test/patches.json");

/// A table that people act at, one commit an act.
#[derive(Clone)]
struct Play {
    table: Poker,
    here: Here,
    seq: u64,
    expires: Millis,
}

impl Play {
    fn new() -> Play {
        let id = "lusab-babad-gutih-tugad".parse().unwrap();
        let table = Poker::new(id, SecretHash::of(b"host key"), Deck::default());
        Play { table, here: Here::default(), seq: 1, expires: Millis(1_700_003_600_000) }
    }

    /// Refusals change nothing.
    fn act(&mut self, who: &str, command: Command) {
        let host = (who == "host").then(|| SecretHash::of(b"host key"));
        let by = self.table.recognise(&Credential { host, ..person(who) }).unwrap();
        self.seq += 1;
        self.expires = Millis(1_700_003_600_000 + self.seq * 1000);
        let at = Millis(1_700_000_000_000 + self.seq * 1000);
        for event in self.table.decide(&Act { by, at, dice: 0, command }).unwrap_or_default() {
            self.table.apply(When { at, seq: self.seq }, &event);
        }
    }

    fn id(&self, who: &str) -> UserId {
        person(who).user_id(&self.table.id).unwrap()
    }

    fn comes(&mut self, who: &str) {
        let id = self.id(who);
        if !self.here.comes(&id) {
            self.here.goes(&id);
        }
    }

    fn shared(&self) -> Shared {
        Shared::Poker(self.table.shared(Class::Everyone, &self.here))
    }

    fn words(&self) -> Table {
        let Shared::Poker(shared) = self.shared() else { unreachable!("a table") };
        Table::from(&shared)
    }

    fn place(&self) -> Place {
        Place { position: Position { epoch: 1_700_000_000_000, seq: self.seq }, mark: Mark(self.seq) }
    }

    /// Does what a line says: `ana votes 5`.
    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let story = |text: &str| text.parse::<StoryId>().unwrap();
        let edit = |id: &str| StoryEdit { story: story(id), title: None, link: None, estimate: None };
        let (who, command) = match *words.as_slice() {
            [who, "comes" | "goes"] => return self.comes(who),
            [who, "joins"] => (who, Command::Join { name: who.parse().ok(), observer: None }),
            [who, "watches"] => (who, Command::Join { name: who.parse().ok(), observer: Some(true) }),
            [who, "is", name] => (who, Command::Join { name: name.parse().ok(), observer: None }),
            [who, "leaves"] => (who, Command::Leave),
            [who, "forgets"] => (who, Command::Forget(None)),
            [who, "votes", card] => (who, Command::Vote(card.parse().unwrap())),
            [who, "takes", "back"] => (who, Command::TakeBack),
            [who, "shows"] => (who, Command::Show),
            [who, "hides"] => (who, Command::Hide),
            [who, "resets"] => (who, Command::Reset),
            [who, "kicks", whom] => (who, Command::Kick { user: self.id(whom), ban: true }),
            [who, "hands", "over", "to", whom] => (who, Command::HandOver(self.id(whom))),
            [who, "deals", ref cards @ ..] => (who, Command::SetDeck(cards.join(" ").parse().unwrap())),
            [who, "starts", "timer"] => (who, Command::StartTimer { seconds: 30, reveal: true }),
            [who, "stops", "timer"] => (who, Command::StopTimer),
            [who, "names", name] => (who, Command::Update(Change { name: Some(name.parse().ok()), ..Change::default() })),
            [who, "lets", "all"] => (who, Command::Update(Change { reveal_by: Some(RevealBy::Everyone), ..Change::default() })),
            [who, "adds", at, ref titles @ ..] => {
                let story = |title: &&str| NewStory { title: title.parse().unwrap(), link: None, estimate: None };
                (who, Command::AddStories { stories: titles.iter().map(story).collect(), at: at.parse().ok() })
            }
            [who, "retitles", id, title] => (who, Command::EditStory(StoryEdit { title: title.parse().ok(), ..edit(id) })),
            [who, "estimates", id, card] => {
                (who, Command::EditStory(StoryEdit { estimate: Some(card.parse().ok()), ..edit(id) }))
            }
            [who, "moves", id, to] => (who, Command::MoveStory { story: story(id), to: to.parse().unwrap() }),
            [who, "removes", id] => (who, Command::RemoveStory(story(id))),
            [who, "picks", "none"] => (who, Command::PickStory(None)),
            [who, "picks", id] => (who, Command::PickStory(Some(story(id)))),
            ref other => panic!("nobody can {other:?}"),
        };
        self.act(who, command);
    }

    fn lines(&mut self, lines: &str) {
        lines.split(';').filter(|line| !line.trim().is_empty()).for_each(|line| self.line(line));
    }
}

fn person(who: &str) -> Credential {
    Credential::guest(who.as_bytes())
}

fn room(play: &Play) -> Address {
    Address { kind: Kind::Poker, id: play.table.id.clone() }
}

fn patch_frame(from: &Play, to: &Play) -> Value {
    let (old, new) = (from.shared(), to.shared());
    let seen = |play: &Play, shared| Seen { place: play.place(), expires: Some(play.expires), shared };
    let frame = view::bare(&view::patch(&room(to), &seen(from, &old), &seen(to, &new)));
    serde_json::from_slice(&frame).expect("a patch is JSON")
}

/// Something somebody does, with numbers for what it is done with.
fn any_line() -> impl Strategy<Value = String> {
    let cards = ["1", "5", "8", "?", "S"];
    let whats: Vec<Box<dyn Fn(u64) -> String>> = vec![
        Box::new(|_| "comes".into()),
        Box::new(|_| "joins".into()),
        Box::new(|_| "joins".into()),
        Box::new(|_| "watches".into()),
        Box::new(|_| "leaves".into()),
        Box::new(|_| "forgets".into()),
        Box::new(move |n| format!("votes {}", cards[n as usize % 5])),
        Box::new(move |n| format!("votes {}", cards[n as usize % 2])),
        Box::new(|_| "takes back".into()),
        Box::new(|_| "shows".into()),
        Box::new(|_| "hides".into()),
        Box::new(|_| "resets".into()),
        Box::new(|n| format!("hands over to {}", PEOPLE[n as usize % 5])),
        Box::new(|n| format!("kicks {}", PEOPLE[n as usize % 5])),
        Box::new(|n| format!("deals 1 5 8 {}", n % 3 + 20)),
        Box::new(|_| "starts timer".into()),
        Box::new(|n| format!("adds {} Story{n} Other{n}", n % 4)),
        Box::new(|n| format!("retitles s{} Title{n}", n % 6)),
        Box::new(|n| format!("estimates s{} 5", n % 6)),
        Box::new(|n| format!("moves s{} {}", n % 6, n % 5)),
        Box::new(|n| format!("removes s{}", n % 6)),
        Box::new(|n| format!("picks s{}", n % 6)),
    ];
    (0..6usize, 0..whats.len(), 0..1000u64).prop_map(move |(who, what, number)| {
        let who = PEOPLE.get(who).copied().unwrap_or("host");
        format!("{who} {}", whats[what](number))
    })
}

proptest! {
    #[test]
    fn a_patch_between_any_two_moments_gives_the_later_one(
        lines in proptest::collection::vec(any_line(), 1..60),
        moments in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..8),
    ) {
        let mut play = Play::new();
        let mut plays = vec![play.clone()];
        for line in &lines {
            play.line(line);
            plays.push(play.clone());
        }
        let pairs = moments.iter().map(|(one, other)| (one.index(plays.len()), other.index(plays.len())));
        // Backwards too: a node that reads another history shows what it never led to.
        for (one, other) in pairs.chain((1..plays.len()).map(|at| (at - 1, at))) {
            let (from, to) = (&plays[one], &plays[other]);
            let frame = patch_frame(from, to);
            let patch: Patch = serde_json::from_value(frame.clone()).unwrap();
            prop_assert_eq!(patch.apply(&from.words()), Some(to.words()), "{} to {}: {}", one, other, frame);
            prop_assert_eq!(&frame["base"], &json!(from.place().position.to_string()));
        }
    }
}

/// What each vector does, after what.
const CASES: &[(&str, &str, &str)] = &[
    ("nothing but time", "", "bo resets"),
    ("a vote", "", "bo votes 5"),
    ("a card taken back", "ana votes 5", "ana takes back"),
    ("the cards are shown", "ana votes 5; bo votes 8", "ana shows"),
    ("the cards are hidden again", "ana votes 5; ana shows", "ana hides"),
    ("a new round", "ana votes 5; ana shows", "ana resets"),
    ("all agree on a story", "ana picks s1; ana votes 5; bo votes 5", "ana shows"),
    ("somebody comes to the table", "", "dee joins"),
    ("somebody leaves", "", "bo leaves"),
    ("the admin leaves", "", "ana leaves"),
    ("somebody leaves and comes back", "", "ana leaves; ana joins"),
    ("one leaves, one comes, one changes", "", "bo leaves; dee joins; cy is Cyrus"),
    ("two come back in another order", "", "ana leaves; bo leaves; bo joins; ana joins"),
    ("somebody is kicked", "", "ana kicks bo"),
    ("somebody becomes an observer", "", "eli watches"),
    ("somebody connects", "", "bo comes"),
    ("somebody disconnects", "bo comes", "bo goes"),
    ("a timer", "", "ana starts timer"),
    ("a timer is stopped", "ana starts timer", "ana stops timer"),
    ("a name and other rights", "", "ana names Sprint; ana lets all"),
    ("another deck", "ana votes 5", "ana deals S M L"),
    ("another admin", "", "ana hands over to cy"),
    ("a story at the end", "", "ana adds 9 Last"),
    ("stories at the beginning", "", "ana adds 0 First Second"),
    ("a story is changed", "", "ana retitles s2 Log-out"),
    ("a story is estimated", "", "ana estimates s2 5"),
    ("a story moves down", "", "ana moves s1 2"),
    ("a story is removed", "", "ana removes s2"),
    (
        "a story is removed, one moved, one added, one changed",
        "",
        "ana removes s1; ana moves s3 0; ana adds 1 New; ana estimates s2 8",
    ),
    ("all stories are removed", "", "ana removes s1; ana removes s2; ana removes s3"),
    ("a story is picked", "", "ana picks s2"),
    ("somebody is forgotten", "ana votes 5; bo votes 8; ana shows", "bo forgets"),
    ("three rounds at once", "", "ana votes 5; ana shows; ana resets; bo votes 8; ana shows; ana resets; cy votes 1; ana shows"),
    (
        "nearly everything",
        "ana votes 5; ana shows",
        "ana resets; bo leaves; dee joins; dee votes 8; ana adds 0 Top; ana picks s4; ana shows; cy comes",
    ),
];

fn vectors() -> String {
    let mut lines = Vec::new();
    for (name, before, then) in CASES {
        let mut from = Play::new();
        from.lines("ana joins; bo joins; cy joins; ana comes; ana adds 0 Login Logout Search");
        from.lines(before);
        let mut to = from.clone();
        to.lines(then);
        let shown = |play: &Play| {
            let place = play.place();
            let (at, mark) = (place.position.to_string(), place.mark.to_string());
            json!({ "at": at, "mark": mark, "expires_at": play.expires.0, "view": play.words() })
        };
        lines.push(
            json!({ "name": name, "before": shown(&from), "patch": patch_frame(&from, &to), "after": shown(&to) }).to_string(),
        );
    }
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn the_vectors_of_the_sdk_are_true() {
    let vectors = vectors();
    for vector in serde_json::from_str::<Vec<Value>>(&vectors).unwrap() {
        let table = |when: &str| serde_json::from_value::<Table>(vector[when]["view"].clone()).unwrap();
        let patch: Patch = serde_json::from_value(vector["patch"].clone()).unwrap();
        assert_eq!(patch.apply(&table("before")), Some(table("after")), "{}", vector["name"]);
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(VECTORS, &vectors).unwrap();
    }
    let kept = std::fs::read_to_string(VECTORS).unwrap_or_default();
    assert!(kept == vectors, "sdk/js/test/patches.json is stale; UPDATE_DOCS=1 cargo test -p parlor-wire vectors rewrites it");
}

#[test]
fn a_vote_says_nothing_of_stories_and_history() {
    let mut play = Play::new();
    play.lines("ana joins; bo joins; ana adds 0 One Two Three; ana votes 5; ana shows; ana resets");
    let from = play.clone();
    play.line("bo votes 8");
    let patch = patch_frame(&from, &play);
    let named: Vec<&String> = patch.as_object().unwrap().keys().collect();
    assert_eq!(named, ["at", "base", "expires_at", "mark", "push", "room", "users"]);
    assert_eq!(patch["users"].as_array().map(Vec::len), Some(1));
}
