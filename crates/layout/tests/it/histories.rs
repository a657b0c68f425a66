//! Random histories: people with keys act on a table through the rules, in commits of several acts.

use crate::support::{self, CREATED, Step};
use parlor_rules::poker::command::StoryEdit;
use parlor_rules::poker::{Change, Command, Deck, NewStory, Poker, RevealBy, StoryId};
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Commit, Credential, Done, Kept, Member, Millis, SecretHash, Span, State, Ticket, UserId};
use proptest::prelude::*;

/// What people try; the rules say what comes of it.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    who: u8,
    with_host_key: bool,
    numbered: Option<u8>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Join(String, Option<bool>),
    Vote(usize),
    TakeBack,
    Show,
    Reset,
    SetDeck(usize),
    Hide,
    Observe(bool, Option<u8>),
    Update(bool, bool, Option<String>),
    HandOver(u8),
    Forget(Option<u8>),
    AddStories(Vec<String>, usize),
    EditStory(u64, Option<bool>),
    MoveStory(u64, usize),
    RemoveStory(u64),
    PickStory(Option<u64>),
    StartTimer(u64, bool),
    StopTimer,
    RunOut,
    Kick(u8, bool),
    Leave,
    Delete,
}

/// The acts of one commit and how long after the one before it they came.
pub(crate) type Batch = (u64, Vec<Attempt>);

pub(crate) struct History {
    pub(crate) address: Address,
    pub(crate) secrets: Vec<Vec<u8>>,
    pub(crate) steps: Vec<Step>,
}

const PEOPLE: u8 = 5;
const DECKS: [&str; 4] = [Deck::DEFAULT, "XS S M L XL", "0 1 01 +2 -3 ½ 100 ?", "☕ \"quoted\" back\\slash 'single'"];

pub(crate) fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let what = prop_oneof![
        8 => "[a-z]{1,3}|[\"'\\\\é∞👩‍🚀{}:/]{1,4}|\\PC{1,8}".prop_flat_map(|name| any::<Option<bool>>().prop_map(move |observer| What::Join(name.clone(), observer))),
        8 => (0usize..10).prop_map(What::Vote),
        2 => Just(What::TakeBack),
        2 => Just(What::Show),
        2 => Just(What::Reset),
        1 => (0..DECKS.len()).prop_map(What::SetDeck),
        2 => Just(What::Hide),
        2 => (any::<bool>(), prop::option::of(0..PEOPLE)).prop_map(|(observer, whom)| What::Observe(observer, whom)),
        2 => (any::<bool>(), any::<bool>(), prop::option::of("[a-z\"é]{1,9}"))
            .prop_map(|(auto, everyone, name)| What::Update(auto, everyone, name)),
        1 => (0..PEOPLE).prop_map(What::HandOver),
        1 => prop::option::of(0..PEOPLE).prop_map(What::Forget),
        3 => (prop::collection::vec("[a-z\"'é👩‍🚀]{1,9}", 0..4), 0usize..6).prop_map(|(titles, at)| What::AddStories(titles, at)),
        2 => (1u64..4, any::<Option<bool>>()).prop_map(|(story, estimate)| What::EditStory(story, estimate)),
        1 => (1u64..4, 0usize..6).prop_map(|(story, to)| What::MoveStory(story, to)),
        1 => (1u64..4).prop_map(What::RemoveStory),
        3 => prop::option::weighted(0.8, 1u64..4).prop_map(What::PickStory),
        1 => (0u64..4000, any::<bool>()).prop_map(|(seconds, reveal)| What::StartTimer(seconds, reveal)),
        1 => Just(What::StopTimer),
        1 => Just(What::RunOut),
        2 => (0..PEOPLE, prop::bool::weighted(0.2)).prop_map(|(whom, ban)| What::Kick(whom, ban)),
        2 => Just(What::Leave),
        1 => Just(What::Delete),
    ];
    let attempt = (0..=PEOPLE, prop::bool::weighted(0.3), prop::option::weighted(0.7, 0u8..3), what)
        .prop_map(|(who, with_host_key, numbered, what)| Attempt { who, with_host_key, numbered, what });
    prop::collection::vec((0u64..900_000, prop::collection::vec(attempt, 1..6)), 0..14)
}

pub(crate) fn user_key(who: u8) -> Vec<u8> {
    format!("user-key-{who}-b7f1c09e5d").into_bytes()
}

const HOST_KEY: &[u8] = b"host-key-5ce1fa77d0";

/// The first has a session, the others a user key, and the last is nobody without the host key.
fn credential(who: u8, with_host_key: bool) -> Credential {
    let session = (who == 0).then(|| Member { id: "member-0".parse().unwrap(), name: "Mia".parse().unwrap() });
    let user = (who < PEOPLE).then(|| SecretHash::of(&user_key(who)));
    Credential { session, user, host: with_host_key.then(|| SecretHash::of(HOST_KEY)), grant: None }
}

impl History {
    pub(crate) fn play(batches: &[Batch]) -> History {
        let address: Address = "poker/lusab-babad-gutih-tugad".parse().unwrap();
        let mut now = CREATED;
        let table = Poker::new(address.id.clone(), SecretHash::of(HOST_KEY), Deck::default());
        let holder = Holder { user: credential(0, false).user_id(&address.id), client: "c0".parse().unwrap() };
        let done = Done { by: holder.user.clone(), ticket: Some(Ticket { holder, number: 1 }), events: vec![] };
        let mut steps = vec![Step::first(&address, State::Poker(table), vec![done])];
        for (later, attempts) in batches {
            now = now + Span(*later);
            let last = steps.last().unwrap();
            let commit = decide_all(&last.kept, now, attempts);
            if !commit.done.is_empty() {
                steps.push(last.then(&address, commit));
            }
        }
        let secrets = (0..PEOPLE).map(user_key).chain([HOST_KEY.to_vec()]).collect();
        History { address, secrets, steps }
    }

    pub(crate) fn last(&self) -> &Step {
        self.steps.last().unwrap()
    }
}

fn decide_all(kept: &Kept, at: Millis, attempts: &[Attempt]) -> Commit {
    let mut tentative = kept.clone();
    let mut commit = Commit { at, renews: false, done: vec![] };
    for attempt in attempts {
        let done = match &attempt.what {
            What::RunOut => {
                let events = tentative.state.deadline().map(|due| tentative.state.tick(due)).unwrap_or_default();
                (!events.is_empty()).then_some(Done { by: None, ticket: None, events })
            }
            what => {
                let State::Poker(table) = &tentative.state else { unreachable!("a table") };
                command(table, what).and_then(|command| decide(&tentative, at, attempt, &command.into()))
            }
        };
        let Some(done) = done else { continue };
        commit.renews |= !matches!(attempt.what, What::Leave | What::RunOut);
        tentative.apply(0, &Commit { at, renews: false, done: vec![done.clone()] });
        commit.done.push(done);
    }
    commit
}

fn decide(kept: &Kept, at: Millis, attempt: &Attempt, command: &Act) -> Option<Done> {
    let client = attempt.numbered.map(|client| format!("c{client}"));
    support::done(kept, at, 0, &credential(attempt.who, attempt.with_host_key), client.as_deref(), &command.0)
}

struct Act(parlor_rules::Command);

impl From<Command> for Act {
    fn from(command: Command) -> Act {
        Act(parlor_rules::Command::Poker(command))
    }
}

fn command(table: &Poker, what: &What) -> Option<Command> {
    let user = |who: u8| -> Option<UserId> { credential(who, false).user_id(&table.id) };
    Some(match what {
        What::Join(name, observer) => {
            // The member may say no other name; so every other attempt says none.
            Command::Join { name: Some(name.parse().ok()?).filter(|_| name.len() % 2 == 0), observer: *observer }
        }
        What::Vote(place) => Command::Vote(table.deck.cards()[place % table.deck.cards().len()].clone()),
        What::TakeBack => Command::TakeBack,
        What::Show => Command::Show,
        What::Reset => Command::Reset,
        What::SetDeck(which) => Command::SetDeck(DECKS[*which].parse().unwrap()),
        What::Hide => Command::Hide,
        What::Observe(observer, whom) => Command::SetObserver { observer: *observer, user: whom.and_then(user) },
        What::Update(auto, everyone, name) => {
            let name = Some(name.as_ref().and_then(|name| name.parse().ok()));
            let reveal_by = Some(if *everyone { RevealBy::Everyone } else { RevealBy::Host });
            Command::Update(Change { name, auto_reveal: Some(*auto), reveal_by })
        }
        What::HandOver(who) => Command::HandOver(user(*who)?),
        What::Forget(whom) => Command::Forget(whom.and_then(user)),
        What::AddStories(titles, at) => {
            let story = |title: &String| Some(NewStory { title: title.parse().ok()?, link: None, estimate: None });
            Command::AddStories { stories: titles.iter().filter_map(story).collect(), at: Some(*at) }
        }
        What::EditStory(story, estimate) => Command::EditStory(StoryEdit {
            story: StoryId(*story),
            title: None,
            link: Some("https://example.org/?a=\u{e9}".parse().ok()),
            estimate: estimate.map(|some| some.then(|| "½".parse().unwrap())),
        }),
        What::MoveStory(story, to) => Command::MoveStory { story: StoryId(*story), to: *to },
        What::RemoveStory(story) => Command::RemoveStory(StoryId(*story)),
        What::PickStory(story) => Command::PickStory(story.map(StoryId)),
        What::StartTimer(seconds, reveal) => Command::StartTimer { seconds: *seconds, reveal: *reveal },
        What::StopTimer => Command::StopTimer,
        What::RunOut => return None,
        What::Kick(who, ban) => Command::Kick { user: user(*who)?, ban: *ban },
        What::Leave => Command::Leave,
        What::Delete => Command::Delete,
    })
}
