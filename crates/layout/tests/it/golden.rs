//! Each event's writes, as a file: the diff of a golden file is the review of a change to what rests.
//! `INSTA_UPDATE=always cargo test -p parlor-layout` rewrites them.

use crate::support::{CREATED, Desk, golden};
use parlor_rules::poker::{Deck, Event, Life, Poker, RevealBy, Settings, Story, StoryId};
use parlor_rules::receipts::Holder;
use parlor_rules::{Address, Done, Kept, Proof, SecretHash, Span, State, Ticket, UserId};
use std::collections::BTreeSet;

/// A table in the making, and how many commands were numbered at it.
pub(crate) struct Table {
    desk: Desk,
    numbered: u64,
}

impl Table {
    pub(crate) fn created() -> (Table, String) {
        let room = |address: &Address| Poker::new(address.id.clone(), SecretHash::of(b"host key"), Deck::default());
        let (desk, writes) = Desk::created("poker/12345", |address| State::Poker(room(address)));
        (Table { desk, numbered: 0 }, writes)
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.desk.last.kept
    }

    pub(crate) fn commit(&mut self, done: Vec<Done>) -> String {
        let left = |done: &Done| done.events.iter().any(|event| matches!(event, parlor_rules::Event::Poker(Event::Left { .. })));
        let renews = !done.iter().all(|done| done.by.is_none() || left(done));
        self.desk.commit(renews, done)
    }

    pub(crate) fn done(&mut self, by: &str, event: Event) -> Done {
        self.numbered += 1;
        let by: UserId = by.parse().unwrap();
        let holder = Holder { user: Some(by.clone()), client: "tab".parse().unwrap() };
        Done {
            by: Some(by),
            ticket: Some(Ticket { holder, number: self.numbered }),
            events: vec![parlor_rules::Event::Poker(event)],
        }
    }
}

pub(crate) fn user(number: u8) -> UserId {
    format!("user_id_{number}").parse().unwrap()
}

pub(crate) fn joined(number: u8) -> Event {
    let proof = Proof::Key(SecretHash::of(format!("user key {number}").as_bytes()));
    Event::Joined { user: user(number), proof, name: format!("user_name_{number}").parse().unwrap(), observer: false }
}

pub(crate) fn voted(number: u8, card: &str) -> Event {
    Event::Voted { user: user(number), card: card.parse().unwrap() }
}

fn story(number: u64, title: &str) -> Story {
    Story { id: StoryId(number), title: title.parse().unwrap(), link: None, estimate: None }
}

fn settings() -> Settings {
    let life = Life::minutes(1440).unwrap();
    Settings { name: "Sprint 42".parse().ok(), auto_reveal: true, reveal_by: RevealBy::Everyone, life }
}

/// The compiler asks for a word for each event; the test below asks for a golden file for each word.
fn word(event: &Event) -> &'static str {
    match event {
        Event::Joined { .. } => "joined",
        Event::Renamed { .. } => "renamed",
        Event::Voted { .. } => "voted",
        Event::TookBack { .. } => "took_back",
        Event::ObserverSet { .. } => "observer_set",
        Event::Shown => "shown",
        Event::Hidden => "hidden",
        Event::Reset => "reset",
        Event::DeckSet(_) => "deck_set",
        Event::Updated(_) => "updated",
        Event::TimerStarted { .. } => "timer_started",
        Event::TimerStopped => "timer_stopped",
        Event::HandedOver { .. } => "handed_over",
        Event::Kicked { .. } => "kicked",
        Event::Left { .. } => "left",
        Event::Forgotten { .. } => "forgotten",
        Event::StoriesAdded { .. } => "stories_added",
        Event::StoryEdited(_) => "story_edited",
        Event::StoryMoved { .. } => "story_moved",
        Event::StoryRemoved { .. } => "story_removed",
        Event::StoryPicked(_) => "story_picked",
        Event::Deleted => "deleted",
    }
}

const WORDS: [&str; 22] = [
    "joined",
    "renamed",
    "voted",
    "took_back",
    "observer_set",
    "shown",
    "hidden",
    "reset",
    "deck_set",
    "updated",
    "timer_started",
    "timer_stopped",
    "handed_over",
    "kicked",
    "left",
    "forgotten",
    "stories_added",
    "story_edited",
    "story_moved",
    "story_removed",
    "story_picked",
    "deleted",
];

#[test]
fn each_event_writes_what_its_golden_file_says() {
    let (mut table, created) = Table::created();
    golden("created", &created);
    let history = [
        joined(1),
        joined(2),
        joined(3),
        Event::Renamed { user: user(2), name: "Zoë O'Neill".parse().unwrap() },
        voted(1, "5"),
        voted(2, "?"),
        Event::TookBack { user: user(1) },
        Event::TimerStarted { ends: CREATED + Span::seconds(90), reveals: false },
        Event::TimerStopped,
        Event::StoriesAdded { stories: vec![story(1, "Log in"), story(2, "Log out"), story(3, "Sign up")], at: 0 },
        Event::StoryEdited(Story { link: "https://example.org/2".parse().ok(), ..story(2, "Leave") }),
        Event::StoryMoved { story: StoryId(3), to: 0 },
        Event::StoryPicked(Some(StoryId(1))),
        voted(1, "5"),
        voted(2, "5"),
        // It becomes part of the history, and the story that all agreed on gets its estimate.
        Event::Shown,
        Event::Hidden,
        Event::StoryRemoved { story: StoryId(1) },
        Event::Reset,
        voted(3, "∞"),
        Event::DeckSet("XS S M L".parse().unwrap()),
        Event::ObserverSet { user: user(3), observer: true },
        Event::Updated(settings()),
        Event::HandedOver { user: user(2) },
        Event::Kicked { user: user(2), ban: true },
        Event::Forgotten { user: user(1), cut: false },
        joined(1),
        Event::Left { user: user(1) },
        Event::Deleted,
    ];
    let mut shown = BTreeSet::new();
    for event in history {
        let by = match &event {
            Event::Joined { user, .. } | Event::Renamed { user, .. } | Event::Voted { user, .. } => user.clone(),
            Event::Deleted => user(3),
            _ => user(1),
        };
        let name = word(&event);
        let done = table.done(by.as_str(), event);
        let writes = table.commit(vec![done]);
        if shown.insert(name) {
            golden(name, &writes);
        }
    }
    assert_eq!(shown, BTreeSet::from(WORDS));
}

#[test]
fn a_commit_of_several_acts_writes_each_record_once() {
    let (mut table, _) = Table::created();
    let done =
        vec![table.done("user_id_1", joined(1)), table.done("user_id_2", joined(2)), table.done("user_id_1", voted(1, "2"))];
    golden("several_acts", &table.commit(done));
}

#[test]
fn what_a_timer_does_has_no_author_and_no_ticket() {
    let (mut table, _) = Table::created();
    let events = vec![parlor_rules::Event::Poker(Event::Shown)];
    golden("timer_ran_out", &table.commit(vec![Done { by: None, ticket: None, events }]));
}

#[test]
fn an_act_without_effect_still_has_its_receipt() {
    let (mut table, _) = Table::created();
    let mut done = table.done("user_id_1", Event::Shown);
    done.events.clear();
    golden("nothing_to_change", &table.commit(vec![done]));
}

/// The keys that a commit's golden file shows to be written, without the stream and the deadlines.
fn written(writes: &str) -> Vec<&str> {
    let lines = writes.lines().filter(|line| !line.starts_with("XADD") && !line.starts_with("PEXPIREAT"));
    lines.map(|line| line.split(' ').nth(1).unwrap()).collect()
}

#[test]
fn a_vote_and_a_newcomer_write_a_seat_and_a_receipt_and_nothing_else() {
    let (mut table, _) = Table::created();
    let mut commit = |event: Event| {
        let done = table.done("user_id_1", event);
        table.commit(vec![done])
    };
    commit(joined(1));
    commit(Event::StoriesAdded { stories: vec![story(1, "Log in")], at: 0 });
    commit(Event::StoryPicked(Some(StoryId(1))));
    commit(voted(1, "5"));
    commit(Event::Shown);
    commit(Event::Reset);
    for event in [joined(2), voted(2, "5"), voted(1, "8"), Event::Left { user: user(2) }] {
        let name = word(&event);
        assert_eq!(written(&commit(event)), ["room_seats:12345", "room_clients:12345"], "{name}");
    }
}

/// Several turns of the game in one commit: the second round is the one that is remembered.
#[test]
fn a_round_is_remembered_under_its_own_number_although_the_commit_began_before_it() {
    let (mut table, _) = Table::created();
    let events = [joined(1), voted(1, "5"), Event::Shown, Event::Reset, voted(1, "8"), Event::Shown];
    let done = events.map(|event| table.done("user_id_1", event));
    golden("two_rounds", &table.commit(done.to_vec()));
}
