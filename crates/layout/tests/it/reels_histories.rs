//! Random histories of a game: a few phones and the Master, who mostly lead it on, in commits of several acts.

use crate::support::{self, CREATED, Step, word};
use parlor_rules::reels::{
    Avatar, Command, Item, Player, PlayerId, Reel, Reels, Round, Sender, SenderId, Settings, Stage, Which, Wish,
};
use parlor_rules::{Address, Commit, Credential, Done, Kept, Member, Millis, SecretHash, Span, State, UserId};
use proptest::prelude::*;

/// What somebody tries; the rules say what comes of it.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    who: u8,
    with_master_key: bool,
    numbered: Option<u8>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Take(u8),
    Release(u8, Option<u8>),
    Rename(u8, String),
    Face(u8, u8),
    DropFace(u8),
    Toggle(u8, bool),
    Add(String),
    Delete(u8),
    Reset,
    /// Whatever the Master does next to lead the game on.
    Lead,
    Vote(u8),
    Hurry(u64),
    RunOut,
    Close,
}

/// The acts of one commit and how long after the one before it they came.
pub(crate) type Batch = (u64, Vec<Attempt>);

pub(crate) struct ReelsHistory {
    pub(crate) address: Address,
    pub(crate) secrets: Vec<Vec<u8>>,
    pub(crate) steps: Vec<Step>,
}

const PEOPLE: u8 = 4;
pub(crate) const MASTER_KEY: &[u8] = b"master-key-5ce1fa77d0";
pub(crate) const SEATS: [&str; 5] = ["p1", "p2", "p-3", "p4", "p5"];
pub(crate) const SENDERS: [&str; 4] = ["s1", "s2", "s_3", "s4"];

fn attempt(who: u8, what: What) -> Attempt {
    Attempt { who, with_master_key: false, numbered: Some(0), what }
}

/// Most begin with everyone in a seat and the game begun; the others find out for themselves.
pub(crate) fn reels_batches() -> impl Strategy<Value = Vec<Batch>> {
    let seat = || 0..5u8;
    let name = || "[a-z]{1,3}|[\"'\\\\é∞👩‍🚀{}:/]{1,4}|Camille";
    let what = prop_oneof![
        4 => seat().prop_map(What::Take),
        3 => (seat(), prop::option::of(0..PEOPLE)).prop_map(|(seat, user)| What::Release(seat, user)),
        3 => (seat(), name()).prop_map(|(seat, name)| What::Rename(seat, name)),
        3 => (seat(), 0..3u8).prop_map(|(seat, filling)| What::Face(seat, filling)),
        1 => seat().prop_map(What::DropFace),
        2 => (seat(), any::<bool>()).prop_map(|(seat, active)| What::Toggle(seat, active)),
        2 => name().prop_map(What::Add),
        1 => seat().prop_map(What::Delete),
        1 => Just(What::Reset),
        14 => Just(What::Lead),
        14 => (0..16u8).prop_map(What::Vote),
        2 => (0..20u64).prop_map(What::Hurry),
        1 => Just(What::RunOut),
        1 => Just(What::Close),
    ];
    let attempt_of = (0..=PEOPLE, prop::bool::weighted(0.3), prop::option::weighted(0.7, 0u8..3), what)
        .prop_map(|(who, with_master_key, numbered, what)| Attempt { who, with_master_key, numbered, what });
    let free = prop::collection::vec((0u64..900_000, prop::collection::vec(attempt_of, 1..6)), 0..20);
    (prop::bool::weighted(0.8), free).prop_map(|(begun, free)| {
        let seats = (0..3).map(|who| attempt(who, What::Take(who))).collect();
        let begin = [(1_000, seats), (500, vec![attempt(PEOPLE, What::Lead)])];
        begin.into_iter().filter(|_| begun).chain(free).collect()
    })
}

fn user_key(who: u8) -> Vec<u8> {
    format!("device-key-{who}-b7f1c09e5d").into_bytes()
}

/// The first has a session, the others a key of their device, and the last is nobody without the master key.
fn credential(who: u8, with_master_key: bool) -> Credential {
    let session = (who == 0).then(|| Member { id: word("member-0"), name: word("Mia") });
    let user = (who < PEOPLE).then(|| SecretHash::of(&user_key(who)));
    Credential { session, user, host: with_master_key.then(|| SecretHash::of(MASTER_KEY)), grant: None }
}

pub(crate) fn face(filling: u8) -> Avatar {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, b'J', b'F', 0xff, 0xc0, 0, 11, 8, 1, 44, 1, 44];
    bytes.extend([1, 1, 0x11, 0, 0xff, 0xda, 0, 3, filling, filling, 0xff, 0xd9]);
    Avatar::new(&bytes).unwrap()
}

pub(crate) fn item(id: &str, true_senders: &[&str]) -> Item {
    let reel = Reel { id: word(&format!("reel_{id}")), url: word("https://www.instagram.com/reel/XYZ/?a=\u{e9}&b='") };
    Item { id: word(id), reel, true_senders: true_senders.iter().map(|id| word(id)).collect() }
}

pub(crate) fn wish(vote_seconds: Option<u64>) -> Wish {
    let sender = |(id, name, active): (&str, &str, bool)| Sender { id: word(id), name: word(name), active, reels_count: 3 };
    let player = |(id, sender, name, active): (&str, Option<&str>, &str, bool)| Player {
        id: word(id),
        sender: sender.map(word),
        active,
        name: word(name),
    };
    let senders = [("s1", "Camille", true), ("s2", "Zoë \"Z\" O'Neill", true), ("s_3", "Nico", true), ("s4", "Eve", false)];
    let players = [
        ("p1", Some("s1"), "Camille", true),
        ("p2", Some("s2"), "Zoë", true),
        ("p-3", None, "Guest", true),
        ("p4", Some("s4"), "Eve", false),
    ];
    let rounds = vec![
        Round { id: word("r1"), items: vec![item("i1", &["s1", "s_3"]), item("i2", &["s2"])] },
        Round { id: word("r_2"), items: vec![item("i1", &["s2", "s1"])] },
    ];
    let settings = Settings { title: vote_seconds.map(|_| word("Friday's \"reels\"")), vote_seconds };
    let (senders, players) = (senders.map(sender).to_vec(), players.map(player).to_vec());
    Wish::new(settings, senders, Some(players), rounds).unwrap()
}

impl ReelsHistory {
    pub(crate) fn play(batches: &[Batch]) -> ReelsHistory {
        ReelsHistory::play_in("reels/ABCD2345", batches)
    }

    pub(crate) fn play_in(address: &str, batches: &[Batch]) -> ReelsHistory {
        let address: Address = word(address);
        let vote_seconds = batches.len().is_multiple_of(2).then_some(30);
        let wish = parlor_rules::Wish::Reels(wish(vote_seconds));
        let state = State::create(address.id.clone(), SecretHash::of(MASTER_KEY), wish);
        let first = Step::first(&address, state, vec![]);
        ReelsHistory::play_on(address, first, batches)
    }

    pub(crate) fn play_on(address: Address, first: Step, batches: &[Batch]) -> ReelsHistory {
        let mut steps = vec![first];
        let mut now = CREATED;
        for (later, attempts) in batches {
            now = now + Span(*later);
            let last = steps.last().unwrap();
            let commit = decide_all(&last.kept, now, attempts);
            if !commit.done.is_empty() {
                steps.push(last.then(&address, commit));
            }
        }
        let secrets = (0..PEOPLE).map(user_key).chain([MASTER_KEY.to_vec()]).collect();
        ReelsHistory { address, secrets, steps }
    }

    pub(crate) fn last(&self) -> &Step {
        self.steps.last().unwrap()
    }
}

pub(crate) fn game(kept: &Kept) -> &Reels {
    let State::Reels(game) = &kept.state else { unreachable!("a game") };
    game
}

/// Whatever has to happen at its time has happened before anybody acts, as at a real table.
fn decide_all(kept: &Kept, at: Millis, attempts: &[Attempt]) -> Commit {
    let mut tentative = kept.clone();
    let mut commit = Commit { at, renews: false, done: vec![] };
    let mut keep = |tentative: &mut Kept, done: Done| {
        tentative.apply(0, &Commit { at, renews: false, done: vec![done.clone()] });
        commit.done.push(done);
    };
    for attempt in attempts {
        let overdue = tentative.state.deadline().filter(|due| *due <= at || matches!(attempt.what, What::RunOut));
        let ticked = overdue.map(|due| tentative.state.tick(due)).unwrap_or_default();
        if !ticked.is_empty() {
            keep(&mut tentative, Done { by: None, ticket: None, events: ticked });
        }
        let Some(command) = command(game(&tentative), &attempt.what) else { continue };
        let leads = matches!(attempt.what, What::Lead);
        let who = credential(attempt.who, attempt.with_master_key || leads);
        let client = attempt.numbered.map(|client| format!("c{client}"));
        let command = parlor_rules::Command::Reels(command);
        if let Some(done) = support::done(&tentative, at, 0, &who, client.as_deref(), &command) {
            keep(&mut tentative, done);
        }
    }
    commit
}

fn command(game: &Reels, what: &What) -> Option<Command> {
    let seat = |seat: u8| -> PlayerId { word(SEATS[usize::from(seat)]) };
    let user = |who: u8| -> Option<UserId> { credential(who, false).user_id(&game.code) };
    let current = || game.current().map(|(round, item)| Which { round: round.id.clone(), item: item.id.clone() });
    Some(match what {
        What::Take(player) => Command::TakePlayer(seat(*player)),
        What::Release(player, of) => Command::ReleasePlayer { player: seat(*player), user: of.and_then(user) },
        What::Rename(player, name) => Command::RenamePlayer { player: seat(*player), name: name.parse().ok()? },
        What::Face(player, filling) => Command::UpdateAvatar { player: seat(*player), avatar: face(*filling) },
        What::DropFace(player) => Command::DeleteAvatar(seat(*player)),
        What::Toggle(player, active) => Command::TogglePlayer { player: seat(*player), active: *active },
        What::Add(name) => Command::AddPlayer(name.parse().ok()?),
        What::Delete(player) => Command::DeletePlayer(seat(*player)),
        What::Reset => Command::ResetClaims,
        What::Lead => match game.stage {
            Stage::Lobby => Command::StartGame,
            Stage::Idle => Command::ReelOpened(current()?),
            Stage::Vote => Command::ForceCloseVote { item: current()?, seconds: 0 },
            Stage::RevealWait => Command::EndItem(current()?),
            Stage::RoundRecap | Stage::Over => Command::StartNextRound(game.round()?.id.clone()),
        },
        What::Vote(chosen) => {
            let selections = SENDERS.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
            let selections: Vec<SenderId> = selections.map(|(_, id)| word(id)).collect();
            Command::SubmitVote { item: current()?, player: None, selections }
        }
        What::Hurry(seconds) => Command::ForceCloseVote { item: current()?, seconds: *seconds },
        What::RunOut => return None,
        What::Close => Command::RoomClosed,
    })
}
