//! Nobody can tell from what they see and are answered what they are not to know: two evenings that differ in the secret alone
//! look alike. The secrets are the answers of items that have not ended, what others voted on them, what is not open yet, who is not in the
//! game, how many reels somebody sent, and whose device has which seat.
//!
//! What is known on purpose: the Master sees answers and votes when the vote is counted; points are seen when the item has ended.

mod words;

use super::avatar::tests::jpeg;
use super::evening::{BEGAN, Setup, chosen, take, user, which};
use super::properties::steps::{DEVICES, Key, LONG, Step, device, step};
use super::{Avatar, Ballot, Claim, Class, Command, Item, Loss, Lost, Player, PlayerId, Reel, Reels, Round, Sender, SenderId};
use super::{Spot, Stage};
use crate::here::Here;
use crate::identity::{Credential, Proof};
use crate::room::{Act, Room, When};
use crate::secret::SecretHash;
use crate::time::{Millis, Span};
use proptest::prelude::*;
use std::sync::Arc;

/// Two evenings, step by step: `other` differs from `one` in a secret.
struct Twins {
    one: Reels,
    other: Reels,
    now: Millis,
    seq: u64,
    differ: Differ,
}

#[derive(Clone, PartialEq, Debug)]
enum Differ {
    /// Whose the reels are that have not been played to their end.
    Answers,
    /// What is voted from this seat.
    Vote(PlayerId),
}

fn differ() -> impl Strategy<Value = Differ> {
    let seat = (1usize..=5).prop_map(|n| Differ::Vote(format!("p{n}").parse().unwrap()));
    prop_oneof![Just(Differ::Answers), seat]
}

proptest! {
    #[test]
    fn h92_h100_two_evenings_that_differ_in_an_answer_or_anothers_vote_look_alike(
        differ in differ(),
        timed: bool,
        begun in prop::bool::weighted(0.8),
        steps in prop::collection::vec(step(), 1..160),
    ) {
        let mut twins = Twins::new(differ, timed, begun);
        for step in &steps {
            twins.step(step)?;
        }
    }

    #[test]
    fn h86_h92_h93_phones_see_nothing_of_what_is_not_open_not_in_the_game_or_not_theirs(
        timed: bool,
        begun in prop::bool::weighted(0.8),
        steps in prop::collection::vec(step(), 1..160),
    ) {
        let mut twins = Twins::new(Differ::Answers, timed, begun);
        for step in &steps {
            twins.step(step)?;
            let game = &twins.one;
            let (unopened, bench) = (with_other_reels_ahead(game), with_another_bench(game));
            for credential in everyone().filter(|credential| credential.host.is_none()) {
                let seen = seen(game, &credential);
                prop_assert_eq!(&seen, &self::seen(&unopened, &credential), "what is not open shows");
                prop_assert_eq!(&seen, &self::seen(&bench, &credential), "who is not in the game shows");
                let devices = with_other_devices(game, &credential);
                prop_assert_eq!(&seen, &self::seen(&devices, &credential), "another's device shows");
            }
        }
    }
}

impl Twins {
    fn new(differ: Differ, timed: bool, begun: bool) -> Twins {
        let mut game = Setup { vote_seconds: timed.then_some(30), ..LONG }.game();
        for n in (1..=LONG.people).filter(|_| begun) {
            act(&mut game, BEGAN, 2, &device(n, Key::None), &take(&format!("p{n}"))).unwrap();
        }
        if begun {
            act(&mut game, BEGAN, 3, &device(DEVICES, Key::Right), &Command::StartGame).unwrap();
        }
        Twins { other: game.clone(), one: game, now: BEGAN, seq: 4, differ }
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        self.seq += 1;
        match step {
            Step::Wait(millis) => self.now = self.now + Span(*millis),
            Step::Again(_) => {}
            Step::Tick | Step::StaleTick(_) => self.tick()?,
            Step::Act { who, key, wish } => {
                self.tick()?;
                self.part();
                let credential = device(*who, *key);
                let command = wish.command(&self.one, &credential);
                let secret = self.secret(&credential, &command);
                let one = act(&mut self.one, self.now, self.seq, &credential, &command);
                let other = act(&mut self.other, self.now, self.seq, &credential, &secret);
                prop_assert_eq!(one, other, "{:?} is answered otherwise", command);
            }
        }
        self.part();
        self.look_alike()
    }

    fn tick(&mut self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.one.deadline(), self.other.deadline());
        if let Some(due) = self.one.deadline().filter(|due| *due <= self.now) {
            for game in [&mut self.one, &mut self.other] {
                let events = game.tick(due);
                events.iter().for_each(|event| game.apply(When { at: self.now, seq: self.seq }, event));
            }
        }
        Ok(())
    }

    /// Between items nothing is secret that was; what comes is.
    fn part(&mut self) {
        if !matches!(self.one.stage, Stage::Vote | Stage::RevealWait) {
            self.other = match self.differ {
                Differ::Answers => with_other_answers(&self.one),
                Differ::Vote(_) => self.one.clone(),
            };
        }
    }

    /// The same command, but for a vote from the seat that votes otherwise.
    fn secret(&self, credential: &Credential, command: &Command) -> Command {
        let Differ::Vote(secret) = &self.differ else { return command.clone() };
        let own = self.one.recognise(credential).ok().and_then(|viewer| self.one.seat_of(&viewer).cloned());
        match command {
            Command::SubmitVote { item, player, selections } if own.as_ref() == Some(secret) => {
                let selections = selections.iter().map(another).collect();
                Command::SubmitVote { item: item.clone(), player: player.clone(), selections }
            }
            command => command.clone(),
        }
    }

    fn look_alike(&self) -> Result<(), TestCaseError> {
        for credential in everyone() {
            let viewer = self.one.recognise(&credential).expect("the keys are right");
            let known = match &self.differ {
                Differ::Answers => viewer.host && self.one.stage == Stage::RevealWait,
                Differ::Vote(seat) => {
                    let left = self.one.vote.as_ref().is_some_and(|vote| vote.left.contains(seat));
                    (viewer.host && self.one.stage == Stage::RevealWait) || (!left && self.one.seat_of(&viewer) == Some(seat))
                }
            };
            if !known {
                let (one, other) = (seen(&self.one, &credential), seen(&self.other, &credential));
                prop_assert_eq!(one, other, "{:?} shows in {:?}", self.differ, self.one.stage);
            }
        }
        Ok(())
    }
}

/// Takes in what an act comes to; answers as its sender is answered: a refusal, or which kinds of things happened.
fn act(game: &mut Reels, at: Millis, seq: u64, credential: &Credential, command: &Command) -> Result<String, String> {
    let by = game.recognise(credential).map_err(|refusal| refusal.to_string())?;
    let act = Act { by, at, dice: 0, command: command.clone() };
    let events = game.decide(&act).map_err(|refusal| refusal.to_string())?;
    events.iter().for_each(|event| game.apply(When { at, seq }, event));
    Ok(format!("{events:?}"))
}

/// Everyone who could be looking: each device, with the master key and without, and those who have none.
fn everyone() -> impl Iterator<Item = Credential> {
    (0..=DEVICES).flat_map(|who| [device(who, Key::None), device(who, Key::Right)])
}

/// All that somebody is shown, with everybody here.
fn seen(game: &Reels, credential: &Credential) -> String {
    let viewer = game.recognise(credential).expect("the keys are right");
    let here: Here = game.claims.values().map(|claim| claim.user.clone()).collect();
    words::shared(&game.shared(game.class(&viewer), &here)) + &words::mine(&game.mine(&viewer))
}

/// The next of the senders in the game; of others each stays who they are.
fn another(sender: &SenderId) -> SenderId {
    let senders = ["s1", "s2", "s3", "s4", "s5"];
    let next = senders.iter().position(|id| *id == sender.as_str()).map(|place| senders[(place + 1) % senders.len()]);
    next.map_or_else(|| sender.clone(), |next| next.parse().unwrap())
}

/// The same game with the items from a place on changed; without a place, all of them.
fn with_items(game: &Reels, from: Option<Spot>, change: impl Fn(&mut Item)) -> Reels {
    let rounds = game.rounds.iter().enumerate().map(|(round, known)| {
        let mut known: Round = (**known).clone();
        let ahead = |item: usize| from.is_none_or(|from| Spot { round, item } >= from);
        known.items.iter_mut().enumerate().filter(|(item, _)| ahead(*item)).for_each(|(_, item)| change(item));
        Arc::new(known)
    });
    Reels { rounds: rounds.collect(), ..game.clone() }
}

fn with_other_answers(game: &Reels) -> Reels {
    with_items(game, game.at, |item| item.true_senders = item.true_senders.iter().map(another).collect())
}

/// Other reels, with other numbers of senders, wherever nothing is open yet.
fn with_other_reels_ahead(game: &Reels) -> Reels {
    let open = usize::from(matches!(game.stage, Stage::Vote | Stage::RevealWait));
    let from = game.at.map(|at| Spot { item: at.item + open, ..at });
    with_items(game, from, |item| {
        item.reel = Reel { id: "another".parse().unwrap(), url: "https://reels.example/another".parse().unwrap() };
        item.true_senders = chosen(if item.k() == 1 { "s5 s4" } else { "s5" });
    })
}

/// Others who are not in the game, and other numbers of reels for those who are.
fn with_another_bench(game: &Reels) -> Reels {
    let mut changed = game.clone();
    for player in changed.players.iter_mut().filter(|player| !player.active) {
        (player.name, player.sender) = ("Nobody you know".parse().unwrap(), None);
        changed.avatars.insert(player.id.clone(), Avatar::new(&jpeg(300, 300, 99)).unwrap());
    }
    for sender in changed.senders.iter_mut() {
        sender.reels_count += 1000;
        if !sender.active {
            sender.name = "Nobody you know either".parse().unwrap();
        }
    }
    let (id, name) = ("p77".parse().unwrap(), "One more".parse().unwrap());
    changed.players.push_back(Player { id, sender: None, active: false, name });
    let (id, name) = ("s77".parse().unwrap(), "One more".parse().unwrap());
    changed.senders.push_front(Sender { id, name, active: false, reels_count: 7 });
    changed
}

/// The same seats in the hands of other devices, but for the one that looks.
fn with_other_devices(game: &Reels, credential: &Credential) -> Reels {
    let (mut changed, own) = (game.clone(), credential.user_id(&game.code));
    for (player, claim) in game.claims.iter().filter(|(_, claim)| Some(&claim.user) != own.as_ref()) {
        let other = user(&format!("another device for {player}"));
        let proof = Proof::Key(SecretHash::of(claim.user.as_str().as_bytes()));
        changed.claims.insert(player.clone(), Claim { user: other, proof });
    }
    let others: Vec<_> = game.lost.keys().filter(|user| Some(*user) != own.as_ref()).cloned().collect();
    others.iter().for_each(|user| {
        changed.lost.remove(user);
    });
    changed.lost.insert(user("a stranger"), Lost { player: "p1".parse().unwrap(), why: Loss::Released });
    changed.master_key = SecretHash::of(b"another master key");
    changed
}

/// A search that finds nothing must be one that would have found something.
#[test]
fn the_search_sees_answers_votes_and_devices_where_they_show() {
    let mut twins = Twins::new(Differ::Answers, false, true);
    twins.part();
    let master = device(DEVICES, Key::Right);
    let item = which("r1", "i1");
    let vote = Command::SubmitVote { item: item.clone(), player: None, selections: chosen("s1") };
    let commands = [
        (device(DEVICES, Key::Right), Command::ReelOpened(item.clone())),
        (device(1, Key::None), vote),
        (device(DEVICES, Key::Right), Command::ForceCloseVote { item, seconds: 0 }),
    ];
    for (who, command) in &commands {
        for game in [&mut twins.one, &mut twins.other] {
            act(game, BEGAN, 5, who, command).unwrap();
        }
        let counted = twins.one.stage == Stage::RevealWait;
        assert_eq!(seen(&twins.one, &master) != seen(&twins.other, &master), counted, "the Master, in {:?}", twins.one.stage);
        assert_eq!(seen(&twins.one, &device(1, Key::None)), seen(&twins.other, &device(1, Key::None)));
        let other_vote = Reels { ballots: twins.one.ballots.iter().map(otherwise).collect(), ..twins.one.clone() };
        let voted = !twins.one.ballots.is_empty();
        assert_eq!(seen(&twins.one, &device(1, Key::None)) != seen(&other_vote, &device(1, Key::None)), voted, "one's own vote");
        assert_eq!(seen(&twins.one, &master) != seen(&other_vote, &master), counted, "a vote, to the Master");
    }
    // If phones were shown what the Master is shown, each of these would tell.
    let shown = |game: &Reels| words::shared(&game.shared(Class::Master, &Here::default()));
    let phone = device(1, Key::None);
    for other in [with_another_bench(&twins.one), with_other_devices(&twins.one, &phone)] {
        assert_ne!(shown(&twins.one), shown(&other));
    }
    let idle = Twins::new(Differ::Answers, false, true).one;
    assert_ne!(shown(&idle), shown(&with_other_reels_ahead(&idle)));
}

fn otherwise((player, ballot): (&PlayerId, &Ballot)) -> (PlayerId, Ballot) {
    (player.clone(), Ballot { selections: ballot.selections.iter().map(another).collect(), at: ballot.at })
}
