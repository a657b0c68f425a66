//! Sessions on every store: who may log in, how long it lasts, and that half a session is nobody's.
//!
//! Where every change is one batch, which stores keep whole or not at all, what a crash between two writes would leave is
//! planted record by record. Where it is several steps, `apart` cuts it at each of them.

mod apart;

use crate::support::Scattered;
use async_trait::async_trait;
use parlor_engine::{Error, LoggedIn, Sessions};
use parlor_layout::session::records;
use parlor_rules::session::SESSION_LIFE;
use parlor_rules::{Millis, Name, SecretHash, Session, Span};
use parlor_store::clock::SharedClock;
use parlor_store::{Answer, Applied, Batch, Embedded, Memory, Operation, Options, Query, Records, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tempfile::TempDir;
use tokio::task::JoinSet;

const BEGAN: u64 = 1_700_000_000_000;

struct Hall {
    sessions: Arc<Sessions>,
    store: Arc<Counted>,
    now: Arc<AtomicU64>,
    name: &'static str,
    _folder: Option<TempDir>,
}

/// A store that counts what is written to it, and can refuse.
struct Counted {
    inner: Arc<dyn Records>,
    batches: AtomicUsize,
    down: AtomicBool,
    /// So many of the next changes are made and answered as if they were not.
    replies_to_lose: AtomicUsize,
}

#[async_trait]
impl Records for Counted {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        self.inner.read(tag, queries).await
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        if self.down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("planted".into()));
        }
        self.batches.fetch_add(1, Ordering::SeqCst);
        let applied = self.inner.apply(batch).await;
        let lose = self.replies_to_lose.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if lose.is_ok() { Err(StoreError::Unavailable("planted".into())) } else { applied }
    }

    fn is_scattered(&self) -> bool {
        self.inner.is_scattered()
    }
}

/// One of each store.
fn halls() -> [Hall; 3] {
    let hall = |open: &dyn Fn(SharedClock) -> (Arc<dyn Records>, Option<TempDir>), name| {
        let now = Arc::new(AtomicU64::new(BEGAN));
        let reads = now.clone();
        let clock: SharedClock = Arc::new(move || Millis(reads.load(Ordering::SeqCst)));
        let (inner, _folder) = open(clock.clone());
        let (batches, replies_to_lose) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let store = Arc::new(Counted { inner, batches, down: AtomicBool::new(false), replies_to_lose });
        let count = AtomicU64::new(1);
        let dice = Arc::new(move || count.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Hall { sessions: Arc::new(Sessions::new(store.clone(), clock, dice)), store, now, name, _folder }
    };
    let memory = |clock| -> (Arc<dyn Records>, Option<TempDir>) { (Arc::new(Memory::new(clock)), None) };
    let embedded = |clock| -> (Arc<dyn Records>, Option<TempDir>) {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { free_bytes_min: 0, ..Options::default() };
        (Arc::new(Embedded::open(folder.path(), clock, options).unwrap()), Some(folder))
    };
    let scattered = |clock| -> (Arc<dyn Records>, Option<TempDir>) { (Scattered::over(Memory::new(clock)), None) };
    [hall(&memory, "memory"), hall(&embedded, "embedded"), hall(&scattered, "scattered")]
}

fn token(text: &str) -> SecretHash {
    SecretHash::of(text.as_bytes())
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

impl Hall {
    async fn login(&self, who: &str, with: &str) -> Result<Session, Error> {
        self.sessions.login(&name(who), token(with), None).await.map(|LoggedIn { session, .. }| session)
    }

    async fn lives(&self, with: &str) -> bool {
        self.sessions.find(&token(with)).await.unwrap().is_some()
    }

    fn step(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    fn now(&self) -> Millis {
        Millis(self.now.load(Ordering::SeqCst))
    }

    /// When each record of a session ends, as the store has it.
    async fn deadlines(&self, session: &Session) -> Vec<Option<Millis>> {
        let mut deadlines = Vec::new();
        for (key, _) in records(session) {
            match self.store.read("", vec![Query::Deadline(key)]).await.unwrap()[..] {
                [Answer::Deadline(deadline)] => deadlines.push(deadline),
                _ => deadlines.push(None),
            }
        }
        deadlines
    }

    async fn plant(&self, operation: Operation) {
        let batch = Batch { operations: vec![operation], ..Batch::default() };
        assert!(matches!(self.store.inner.apply(batch).await, Ok(Applied::Done(_))));
    }
}

#[tokio::test]
async fn a_name_is_taken_while_its_session_lives_and_its_twins_with_it() {
    for hall in halls() {
        hall.login("Zoë", "one").await.unwrap();
        for twin in ["Zoë", "ZOË", "zoe\u{308}", "ｚｏë", "Zoë\u{fe0f}"] {
            assert_eq!(hall.login(twin, "two").await.err(), Some(Error::NameTaken), "{}: {twin}", hall.name);
            assert!(hall.sessions.name_is_taken(&name(twin)).await.unwrap());
        }
        assert!(!hall.sessions.name_is_taken(&name("Zoe")).await.unwrap());
        hall.login("Zoe", "three").await.unwrap();
        assert!(!hall.lives("two").await, "a login that was refused leaves nothing");
        let zoe = hall.sessions.find(&token("one")).await.unwrap().unwrap();
        hall.sessions.logout(&zoe).await.unwrap();
        hall.login("ZOË", "four").await.unwrap();
    }
}

#[tokio::test]
async fn h26_of_a_hundred_logins_under_one_name_one_succeeds() {
    for hall in halls() {
        let mut rivals = JoinSet::new();
        for rival in 0..100 {
            let sessions = hall.sessions.clone();
            let spelling = if rival % 2 == 0 { "Ana" } else { "aNA" };
            rivals.spawn(
                async move { sessions.login(&name(spelling), token(&format!("token {rival}")), None).await.map(|_| rival) },
            );
        }
        let mut won = Vec::new();
        while let Some(login) = rivals.join_next().await {
            match login.unwrap() {
                Ok(rival) => won.push(rival),
                Err(error) => assert_eq!(error, Error::NameTaken, "{}", hall.name),
            }
        }
        assert_eq!(won.len(), 1, "{}", hall.name);
        for rival in 0..100 {
            assert_eq!(hall.lives(&format!("token {rival}")).await, won == [rival], "{}: token {rival}", hall.name);
        }
    }
}

#[tokio::test]
async fn h25_all_three_records_live_and_die_in_the_same_millisecond() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        hall.step(1_800_000);
        assert_eq!(hall.sessions.renew(&ana).await.unwrap(), hall.now() + SESSION_LIFE);
        assert_eq!(hall.deadlines(&ana).await, [Some(hall.now() + SESSION_LIFE); 3], "{}", hall.name);
        hall.step(SESSION_LIFE.0 - 1);
        assert!(hall.lives("token").await, "{}: a millisecond before the end", hall.name);
        assert_eq!(hall.sessions.user(&ana.member.id).await.unwrap().name, name("Ana"));
        assert_eq!(hall.login("ana", "other").await.err(), Some(Error::NameTaken));
        hall.step(1);
        assert!(!hall.lives("token").await, "{}: at the end", hall.name);
        assert_eq!(hall.sessions.user(&ana.member.id).await, Err(Error::NoUser));
        assert_eq!(hall.deadlines(&ana).await, [None; 3]);
        hall.login("ana", "other").await.unwrap();
    }
}

#[tokio::test]
async fn h25_half_a_session_is_honoured_by_nobody_and_its_name_can_be_taken() {
    for missing in 0..3 {
        for hall in halls() {
            let ana = hall.login("Ana", "token").await.unwrap();
            let (key, _) = records(&ana)[missing].clone();
            hall.plant(Operation::Drop { key }).await;
            let what = format!("{} without record {missing}", hall.name);
            assert!(!hall.lives("token").await, "{what}");
            assert_eq!(hall.sessions.user(&ana.member.id).await, Err(Error::NoUser), "{what}");
            assert!(!hall.sessions.name_is_taken(&name("Ana")).await.unwrap(), "{what}");
            assert_eq!(hall.sessions.renew(&ana).await, Err(Error::NoSession), "{what}");
            assert_eq!(hall.sessions.logout(&ana).await, Err(Error::NoSession), "{what}");
            let heir = hall.login("Ana", "heir").await.unwrap();
            assert!(hall.lives("heir").await && !hall.lives("token").await, "{what}");
            assert_ne!(heir.member.id, ana.member.id, "{what}: whoever takes the name is somebody else");
        }
    }
}

#[tokio::test]
async fn h25_two_who_take_over_the_same_half_gone_name_are_not_both_let_in() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        hall.plant(Operation::Drop { key: records(&ana)[0].0.clone() }).await;
        let (one, two) = tokio::join!(hall.login("Ana", "one"), hall.login("Ana", "two"));
        assert_eq!(one.is_ok() as u8 + two.is_ok() as u8, 1, "{}", hall.name);
        assert_eq!(hall.lives("one").await as u8 + hall.lives("two").await as u8, 1);
    }
}

#[tokio::test]
async fn h31_logging_in_again_gives_a_new_token_and_revokes_the_old_one_in_the_same_step() {
    for hall in halls() {
        let ana = hall.login("Ana", "first").await.unwrap();
        let LoggedIn { session: again, ended } =
            hall.sessions.login(&name("ANA"), token("second"), Some(&token("first"))).await.unwrap();
        assert!(ended.is_some_and(|ended| ended.is(&ana)), "{}", hall.name);
        assert_eq!(again.member.id, ana.member.id, "the same name is the same person");
        assert!(!hall.lives("first").await && hall.lives("second").await);
        let LoggedIn { session: bo, .. } =
            hall.sessions.login(&name("Bo"), token("third"), Some(&token("second"))).await.unwrap();
        assert_ne!(bo.member.id, ana.member.id, "another name is another person");
        assert!(!hall.lives("second").await && hall.lives("third").await);
        hall.login("ana", "fourth").await.expect("the name is free again");
        // One that is refused revokes nothing.
        let refused = hall.sessions.login(&name("ana"), token("fifth"), Some(&token("third"))).await;
        assert_eq!(refused.err(), Some(Error::NameTaken));
        assert!(hall.lives("third").await && !hall.lives("fifth").await);
        // A token that was made up, or has ended, revokes nothing and is accepted for nothing.
        hall.sessions.login(&name("Cy"), token("sixth"), Some(&token("made up"))).await.unwrap();
        assert!(!hall.lives("made up").await);
    }
}

#[tokio::test]
async fn h31_of_two_logins_that_leave_the_same_session_each_is_whole() {
    for hall in halls() {
        hall.login("Ana", "first").await.unwrap();
        let (bo, cy, first) = (name("Bo"), name("Cy"), token("first"));
        let (one, two) = tokio::join!(
            hall.sessions.login(&bo, token("bo"), Some(&first)),
            hall.sessions.login(&cy, token("cy"), Some(&first))
        );
        let ended = [one.unwrap().ended, two.unwrap().ended].iter().flatten().count();
        assert_eq!(ended, 1, "{}: a session ends once", hall.name);
        assert!(!hall.lives("first").await && hall.lives("bo").await && hall.lives("cy").await);
    }
}

#[tokio::test]
async fn h33_a_thousand_commands_in_ten_seconds_are_written_at_most_eleven_times_and_none_is_forgotten() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        let before = hall.store.batches.load(Ordering::SeqCst);
        let mut last = hall.now();
        for _ in 0..1000 {
            hall.step(10);
            last = hall.now();
            assert_eq!(hall.sessions.renew(&ana).await.unwrap(), last + SESSION_LIFE);
            let shown = hall.deadlines(&ana).await[0].unwrap();
            assert!(shown <= last + SESSION_LIFE, "{}: the key shows more than 3600 s", hall.name);
            assert!(shown + Span(1000) > last + SESSION_LIFE, "{}: more than a second behind", hall.name);
            hall.sessions.write_renewals().await;
        }
        hall.step(1000);
        hall.sessions.write_renewals().await;
        let written = hall.store.batches.load(Ordering::SeqCst) - before;
        let batches = if hall.store.is_scattered() { 3 } else { 1 };
        assert!(written <= 11 * batches, "{}: {written} writes", hall.name);
        assert_eq!(hall.deadlines(&ana).await, [Some(last + SESSION_LIFE); 3], "{}: exactly 60 min after the last", hall.name);
        for _ in 0..3 {
            hall.step(1000);
            hall.sessions.write_renewals().await;
        }
        assert_eq!(hall.store.batches.load(Ordering::SeqCst) - before, written, "who is idle costs no writes");
    }
}

#[tokio::test]
async fn a_server_that_goes_writes_what_is_still_only_noted() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        for _ in 0..2 {
            hall.step(300);
            hall.sessions.renew(&ana).await.unwrap();
        }
        hall.sessions.write_last_renewals().await;
        assert_eq!(hall.deadlines(&ana).await, [Some(hall.now() + SESSION_LIFE); 3], "{}", hall.name);
    }
}

#[tokio::test]
async fn h34_a_dead_session_is_never_revived() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        // At the boundary, with and without a command of the last second still to be written.
        hall.step(10_000);
        hall.sessions.renew(&ana).await.unwrap();
        hall.step(500);
        hall.sessions.renew(&ana).await.unwrap();
        hall.step(SESSION_LIFE.0 - 500);
        assert_eq!(hall.sessions.renew(&ana).await, Err(Error::NoSession), "{}", hall.name);
        hall.sessions.write_renewals().await;
        hall.sessions.write_last_renewals().await;
        assert_eq!(hall.deadlines(&ana).await, [None; 3], "{}", hall.name);
        // Logged out, while a command is noted and while somebody else has the name already.
        let bo = hall.login("Bo", "bo").await.unwrap();
        hall.sessions.renew(&bo).await.unwrap();
        hall.step(100);
        hall.sessions.renew(&bo).await.unwrap();
        hall.sessions.logout(&bo).await.unwrap();
        let heir = hall.login("Bo", "heir").await.unwrap();
        assert_eq!(hall.sessions.renew(&bo).await, Err(Error::NoSession));
        hall.step(5000);
        hall.sessions.write_renewals().await;
        assert_eq!(hall.deadlines(&heir).await, [Some(heir.expires); 3], "{}: another's command renewed it", hall.name);
        assert!(!hall.lives("bo").await);
        assert_eq!(hall.sessions.logout(&bo).await, Err(Error::NoSession));
    }
}

#[tokio::test]
async fn a_renewal_that_the_store_could_not_keep_is_written_later() {
    for hall in halls() {
        let ana = hall.login("Ana", "token").await.unwrap();
        hall.step(60_000);
        hall.store.down.store(true, Ordering::SeqCst);
        assert!(matches!(hall.sessions.renew(&ana).await, Err(Error::Store(_))), "{}", hall.name);
        hall.sessions.write_renewals().await;
        hall.store.down.store(false, Ordering::SeqCst);
        let used = hall.now();
        hall.step(2000);
        hall.sessions.write_renewals().await;
        assert_eq!(hall.deadlines(&ana).await, [Some(used + SESSION_LIFE); 3], "{}", hall.name);
    }
}

#[tokio::test]
async fn a_login_that_the_store_did_not_answer_holds_no_name() {
    for hall in halls() {
        hall.store.replies_to_lose.store(1, Ordering::SeqCst);
        assert!(matches!(hall.login("Ana", "lost").await, Err(Error::Store(_))), "{}", hall.name);
        assert!(!hall.lives("lost").await, "{}", hall.name);
        hall.login("Ana", "token").await.unwrap();
        // Nor does one that left an earlier session; it is not known whether that has ended.
        hall.store.replies_to_lose.store(1, Ordering::SeqCst);
        let again = hall.sessions.login(&name("Bo"), token("bo"), Some(&token("token"))).await;
        assert!(matches!(again, Err(Error::Store(_))), "{}", hall.name);
        assert!(!hall.lives("bo").await, "{}", hall.name);
        hall.login("Bo", "other").await.unwrap();
    }
}

#[tokio::test]
async fn h39_only_the_houses_clock_counts_however_it_runs() {
    for hall in halls() {
        hall.login("Ana", "token").await.unwrap();
        hall.step(10_000_000); // Set forward by more than a life: over.
        assert!(!hall.lives("token").await, "{}", hall.name);
        let bo = hall.login("Bo", "bo").await.unwrap();
        hall.step(1000);
        hall.sessions.renew(&bo).await.unwrap();
        hall.now.fetch_sub(3_600_000, Ordering::SeqCst); // Set back by an hour: it goes on, and can be renewed.
        assert!(hall.lives("bo").await, "{}", hall.name);
        hall.sessions.renew(&bo).await.unwrap();
    }
}
