//! What every backend must do, asked through its promises alone. A backend that passes is as good as the reference.
//!
//! Each case gets a fresh store. Time is moved through `Stand::advance`: stepped where the clock is ours, waited out
//! where it is not; a stand whose clock cannot be stepped is not asked about single milliseconds.

mod carry;
mod differential;
mod lifetimes;
mod records;
mod rivals;
mod rooms;

pub use differential::{Deadlines, Script, differential};

use crate::rooms::{Commit, Entry, NodeId, RoomKey, Rooms};
use crate::shapes::{Field, Key, Value, Write};
use crate::{Records, StoreError};
use bytes::Bytes;
use parlor_rules::position::{Mark, Place};
use parlor_rules::time::{Millis, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store to be asked, with a way to let time pass for it.
pub trait Stand: Send + Sync + 'static {
    type Store: Rooms + Records + Clone;

    fn store(&self) -> Self::Store;
    fn now(&self) -> Millis;
    fn advance(&self, span: Span) -> impl Future<Output = ()> + Send;
    /// Whether the clock moves only by `advance`.
    fn is_stepped(&self) -> bool;
    /// Whether the store is a server whose every answer takes a while: it is asked for fewer of them.
    fn is_far(&self) -> bool {
        !self.is_stepped()
    }
}

/// A clock that moves only when told to, shared by a store and its test.
#[derive(Clone)]
pub struct SteppedClock(Arc<AtomicU64>);

impl SteppedClock {
    pub fn new(at: Millis) -> SteppedClock {
        SteppedClock(Arc::new(AtomicU64::new(at.0)))
    }

    pub fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }

    pub fn advance(&self, span: Span) {
        self.0.fetch_add(span.0, Ordering::SeqCst);
    }

    pub fn set(&self, at: Millis) {
        self.0.store(at.0, Ordering::SeqCst);
    }

    pub fn shared(&self) -> crate::SharedClock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

/// A store in this process on a stepped clock.
pub struct Stepped<S> {
    pub store: S,
    pub clock: SteppedClock,
}

impl<S: Rooms + Records + Clone> Stand for Stepped<S> {
    type Store = S;

    fn store(&self) -> S {
        self.store.clone()
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }

    async fn advance(&self, span: Span) {
        self.clock.advance(span);
    }

    fn is_stepped(&self) -> bool {
        true
    }
}

macro_rules! cases {
    ($make:ident, $($module:ident :: { $($case:ident),* $(,)? }),* $(,)?) => {
        $($(
            println!("case {}::{}", stringify!($module), stringify!($case));
            $module::$case($make().await).await;
        )*)*
    };
}

/// Runs every case, each on a fresh store; panics in the first that fails.
pub async fn suite<S: Stand>(make: impl AsyncFn() -> S) {
    cases!(make,
        rooms::{
            a_room_is_created_once, an_append_follows_the_place_it_names, an_append_elsewhere_conflicts,
            asking_again_with_the_same_mark_answers_the_same, the_same_id_with_another_mark_is_another_history,
            a_closed_room_is_gone_and_stays_gone, closing_needs_the_right_place, a_closed_room_can_be_created_again,
            every_shape_is_loaded_as_it_was_put, writes_leave_what_they_say, a_refused_commit_changes_nothing,
            since_answers_what_came_after, the_tail_is_bounded, the_tail_is_bounded_in_bytes,
            too_large_is_refused, strange_names_do_not_collide, watchers_hear_of_others_only, nodes_know_who_is_at_the_others, what_is_told_is_heard_elsewhere_only,
        },
        rivals::{
            rivals_lose_nothing, a_load_is_exact_while_a_rival_commits, one_of_many_creations_wins,
            one_of_many_puts_wins, parallel_counting_counts_all,
        },
        lifetimes::{
            a_room_ends_at_its_deadline, renewal_moves_the_deadline, an_ended_room_can_be_created_again,
            a_late_writer_cannot_bring_a_room_back, a_record_ends_at_its_deadline, renewing_what_has_ended_does_nothing,
            what_ended_is_not_mixed_into_what_is_new, named_keys_are_kept_as_others_are,
        },
        records::{
            conditions_guard_operations, a_failing_batch_changes_nothing, fields_come_and_go, counters_stay_in_bounds,
            lists_keep_the_newest,
            batches_together_are_each_for_themselves, members_that_were_used_are_told_from_those_that_are_gone, sorted_sets_rank, popularity_is_trimmed_and_scaled, shapes_do_not_mix,
            deadlines_survive_small_changes, too_large_is_refused, everything_is_read_from_one_moment,
        },
    );
}

/// The same for stores that can be copied whole.
pub async fn carry_suite<S: Stand<Store: crate::carry::Carry>>(make: impl AsyncFn() -> S) {
    cases!(make,
        carry::{
            a_room_is_the_same_after_a_trip, what_a_store_made_itself_is_taken_as_the_reference_does, a_carried_room_goes_on,
            a_tail_is_bounded_in_bytes_on_its_way, what_is_there_is_not_replaced_unless_told, a_room_of_any_size_is_put_whole,
            what_does_not_hang_together_is_refused, what_has_ended_is_not_carried, records_are_the_same_after_a_trip,
            everything_is_listed, a_room_is_taken_at_one_moment_while_a_rival_commits,
        },
    );
}

pub(crate) fn room(name: &str) -> RoomKey {
    RoomKey { tag: Key::from(name), spine: Key::from(name), records: Arc::from([]), below: None }
}

pub(crate) fn text(bytes: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(bytes.as_ref())
}

pub(crate) fn put(key: &str, value: &str) -> Write {
    Write::Put { key: Key::from(key), value: Value::Text(text(value)) }
}

pub(crate) fn set(key: &str, field: &str, value: &str) -> Write {
    Write::SetField { key: Key::from(key), field: Field::from(field), value: text(value) }
}

/// A commit with one entry field and no deadline.
pub(crate) fn commit(mark: u64, said: &str, writes: Vec<Write>) -> Commit {
    Commit { by: NodeId(1), mark: Mark(mark), entry: vec![(Field::from("said"), text(said))], writes, deadline: None }
}

pub(crate) fn said(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| String::from_utf8_lossy(&entry.fields[0].1).into_owned()).collect()
}

/// Creates a room and appends as often as asked; the marks are 1, 2, 3 and so on.
pub(crate) async fn history(store: &impl Rooms, room: &RoomKey, count: u64) -> Place {
    let mut at = None;
    for mark in 1..=count {
        let kept = store.append(room, at, commit(mark, &mark.to_string(), vec![])).await;
        at = Some(kept.expect("nobody else writes here"));
    }
    at.expect("a history has at least one commit")
}

pub(crate) fn conflict<T>() -> Result<T, StoreError> {
    Err(StoreError::Conflict)
}
