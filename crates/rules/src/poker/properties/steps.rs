//! What people may try: every command, right and wrong, and what happens without them.

use proptest::prelude::*;
use proptest::sample::Index;

/// One thing that happens; people and cards are chosen when it happens, by what is there then.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Act {
        who: Index,
        host_key: Key,
        wish: Wish,
    },
    Wait(u64),
    /// The engine fires what is due.
    Tick,
    /// Another node fires for a deadline it remembers.
    StaleTick(u64),
    /// Somebody has not been here for long.
    Away(Index),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    None,
    Right,
    Wrong,
}

#[derive(Clone, Debug)]
pub(super) enum Wish {
    Join(usize, Option<bool>),
    /// One of a person's two cards of the round.
    Vote(bool),
    /// The card that everyone has.
    VoteAlike,
    /// A card of no deck.
    VoteWrong(Index),
    TakeBack,
    Show,
    Hide,
    Reset,
    SetDeck(bool),
    Observe(bool, Option<Index>),
    Auto(bool),
    RevealByEveryone(bool),
    StartTimer(u64, bool),
    StopTimer,
    HandOver(Index),
    Kick(Index, bool),
    Leave,
    Forget(Option<Index>),
    Delete,
    AddStories(usize),
    EditStory(u64),
    MoveStory(u64, usize),
    RemoveStory(u64),
    PickStory(Option<u64>),
}

fn wish() -> impl Strategy<Value = Wish> {
    let whom = any::<Index>;
    let story = || 0u64..5;
    prop_oneof![
        8 => (0usize..5, prop::option::weighted(0.3, any::<bool>())).prop_map(|(name, part)| Wish::Join(name, part)),
        8 => any::<bool>().prop_map(Wish::Vote),
        4 => Just(Wish::VoteAlike),
        1 => any::<Index>().prop_map(Wish::VoteWrong),
        2 => Just(Wish::TakeBack),
        3 => Just(Wish::Show),
        2 => Just(Wish::Hide),
        3 => Just(Wish::Reset),
        1 => any::<bool>().prop_map(Wish::SetDeck),
        2 => (any::<bool>(), prop::option::of(whom())).prop_map(|(observer, whom)| Wish::Observe(observer, whom)),
        2 => any::<bool>().prop_map(Wish::Auto),
        1 => any::<bool>().prop_map(Wish::RevealByEveryone),
        2 => (prop_oneof![Just(0u64), 1u64..90, Just(u64::MAX)], any::<bool>()).prop_map(|(s, reveal)| Wish::StartTimer(s, reveal)),
        1 => Just(Wish::StopTimer),
        1 => whom().prop_map(Wish::HandOver),
        1 => (whom(), prop::bool::weighted(0.2)).prop_map(|(whom, ban)| Wish::Kick(whom, ban)),
        2 => Just(Wish::Leave),
        1 => prop::option::of(whom()).prop_map(Wish::Forget),
        1 => Just(Wish::Delete),
        2 => (0usize..3).prop_map(Wish::AddStories),
        1 => story().prop_map(Wish::EditStory),
        1 => (story(), 0usize..6).prop_map(|(story, to)| Wish::MoveStory(story, to)),
        1 => story().prop_map(Wish::RemoveStory),
        2 => prop::option::of(story()).prop_map(Wish::PickStory),
    ]
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![8 => Just(Key::None), 3 => Just(Key::Right), 1 => Just(Key::Wrong)];
    prop_oneof![
        12 => (any::<Index>(), key, wish()).prop_map(|(who, host_key, wish)| Step::Act { who, host_key, wish }),
        2 => (0u64..40_000).prop_map(Step::Wait),
        2 => Just(Step::Tick),
        1 => (0u64..90_000).prop_map(Step::StaleTick),
        1 => any::<Index>().prop_map(Step::Away),
    ]
}
