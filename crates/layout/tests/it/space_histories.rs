//! Random histories of a space: few names, so that what is done meets what was done before, in commits of several acts.

use crate::support::{self, CREATED, Step, word};
use parlor_rules::space::{Change, Command, Life, Op, Settings, Spot, Wish};
use parlor_rules::{Address, Commit, Credential, Json, Kept, Millis, Right, SecretHash, Span, State};
use proptest::prelude::*;

/// The acts of one commit: by whom, with a number or not, and what.
pub(crate) type Batch = Vec<(u8, bool, Command)>;

pub(crate) struct SpaceHistory {
    pub(crate) address: Address,
    pub(crate) steps: Vec<Step>,
}

const NAMES: [&str; 3] = ["a", "b.c", "d-_"];
const KEYS: [&str; 5] = ["k", "a key with spaces", "quote\"back\\slash'", "é👩‍🚀/.:{}", "k.value"];
pub(crate) const VALUES: [&str; 12] = [
    "null",
    "true",
    "false",
    "0",
    "-0.50e-3",
    "12345678901234567890123456789012345678",
    "\"\"",
    "\"é \\u00e9 \\/ \\ud83d\\ude00 \\\" \\\\\"",
    "[]",
    "[1,[2,[3,{}]]]",
    "{}",
    "{\"z\":1,\"a\":{\"version\":7,\"value\":null},\"\":[]}",
];

pub(crate) fn value(text: &str) -> Json {
    Json::read(text, 1000).unwrap()
}

fn op() -> impl Strategy<Value = Op> {
    let part = || prop::sample::select(&NAMES[..]).prop_map(word);
    let key = || prop::sample::select(&KEYS[..]).prop_map(word);
    let item = || prop::sample::select(&["i1", "i2", "i3", "i4"][..]).prop_map(word);
    let json = || prop::sample::select(&VALUES[..]).prop_map(value);
    let spot = || {
        prop_oneof![
            Just(Spot::Last),
            Just(Spot::First),
            (0usize..4).prop_map(Spot::At),
            item().prop_map(|id| Spot::After { id, order: None, at: Some(1) }),
        ]
    };
    prop_oneof![
        1 => part().prop_map(|map| Op::MapCreate { map }),
        8 => (part(), key(), json()).prop_map(|(map, key, value)| Op::MapSet { map, key, value, if_version: None }),
        3 => (part(), key()).prop_map(|(map, key)| Op::MapRemove { map, key, if_version: None }),
        2 => part().prop_map(|map| Op::MapClear { map }),
        1 => part().prop_map(|map| Op::MapDelete { map }),
        1 => part().prop_map(|list| Op::ListCreate { list }),
        8 => (part(), prop::option::weighted(0.9, item()), json(), spot())
            .prop_map(|(list, id, value, to)| Op::ListInsert { list, id, value, to }),
        3 => (part(), item(), json()).prop_map(|(list, id, value)| Op::ListSet { list, id, value, if_version: None }),
        4 => (part(), item(), spot()).prop_map(|(list, id, to)| Op::ListMove { list, id, to }),
        3 => (part(), item()).prop_map(|(list, id)| Op::ListRemove { list, id }),
        2 => part().prop_map(|list| Op::ListClear { list }),
        1 => part().prop_map(|list| Op::ListDelete { list }),
        1 => (part(), 1u64..100).prop_map(|(presence, seconds)| Op::PresenceCreate { presence, seconds }),
        1 => part().prop_map(|presence| Op::PresenceDelete { presence }),
    ]
}

pub(crate) fn space_batches() -> impl Strategy<Value = Vec<Batch>> {
    let rights = || prop::sample::select(&[Right::None, Right::Read, Right::Presence, Right::Write][..]);
    let name = prop::option::weighted(0.7, "[a-z\"é]{1,9}").prop_map(|name| name.map(|name| word(&name)));
    let change = (prop::option::of(name), prop::option::of(rights()), prop::option::of(rights()))
        .prop_map(|(name, guests, members)| Change { name, guests, members });
    let command = prop_oneof![
        12 => prop::collection::vec(op(), 1..4).prop_map(Command::Edit),
        2 => change.prop_map(Command::Update),
        1 => Just(Command::Delete),
    ];
    let act = (0u8..3, any::<bool>(), command);
    prop::collection::vec(prop::collection::vec(act, 1..4), 0..14)
}

pub(crate) const HOST_KEY: &[u8] = b"host-key-5ce1fa77d0";

/// All have the host key, so that no setting shuts them out; the first has nothing else.
fn credential(who: u8) -> Credential {
    let user = (who > 0).then(|| SecretHash::of(format!("user-key-{who}-b7f1c09e5d").as_bytes()));
    Credential { user, host: Some(SecretHash::of(HOST_KEY)), ..Credential::default() }
}

impl SpaceHistory {
    pub(crate) fn play(batches: &[Batch]) -> SpaceHistory {
        let address: Address = "space/3f1c9c1e-6a5e-4b0a-9d6e-2f4c8a7b1d05".parse().unwrap();
        let mut now = CREATED;
        let life = batches.len().is_multiple_of(2).then(|| Life::minutes(1440).unwrap());
        let wish = Wish { settings: Settings { life, ..Settings::default() } };
        let state = State::create(address.id.clone(), SecretHash::of(HOST_KEY), parlor_rules::Wish::Space(wish));
        let mut steps = vec![Step::first(&address, state, vec![])];
        for batch in batches {
            now = now + Span(700_001);
            let last = steps.last().unwrap();
            let commit = decide_all(&last.kept, last.seq + 1, now, batch);
            if !commit.done.is_empty() {
                steps.push(last.then(&address, commit));
            }
        }
        SpaceHistory { address, steps }
    }

    pub(crate) fn last(&self) -> &Step {
        self.steps.last().unwrap()
    }
}

fn decide_all(kept: &Kept, seq: u64, at: Millis, batch: &Batch) -> Commit {
    let mut tentative = kept.clone();
    let mut commit = Commit { at, renews: true, done: vec![] };
    for ((who, numbered, command), place) in batch.iter().zip(0..) {
        let command = parlor_rules::Command::Space(command.clone());
        let client = numbered.then_some("c");
        let Some(done) = support::done(&tentative, at, seq * 100 + place, &credential(*who), client, &command) else { continue };
        tentative.apply(seq, &Commit { at, renews: false, done: vec![done.clone()] });
        commit.done.push(done);
    }
    commit
}
