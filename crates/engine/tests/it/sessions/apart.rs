//! Sessions whose records are in different places: whatever is cut short, and however rivals mix, half a session is
//! nobody's and a name is free or held by a whole one.

use super::{BEGAN, name, token};
use crate::support::Scattered;
use crate::support::scattered::{Cut, How};
use futures_util::FutureExt;
use parlor_engine::{Error, LoggedIn, Sessions};
use parlor_layout::session as layout;
use parlor_rules::session::SESSION_LIFE;
use parlor_rules::{Millis, Session};
use parlor_store::clock::SharedClock;
use parlor_store::{Answer, Memory, Query, Records, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinSet;

/// More steps than any change has.
const STEPS_MAX: usize = 20;

struct Hall {
    sessions: Arc<Sessions>,
    store: Arc<Scattered>,
    now: Arc<AtomicU64>,
}

impl Hall {
    fn new() -> Hall {
        let now = Arc::new(AtomicU64::new(BEGAN));
        let reads = now.clone();
        let clock: SharedClock = Arc::new(move || Millis(reads.load(Ordering::SeqCst)));
        let store = Scattered::over(Memory::new(clock.clone()));
        let count = AtomicU64::new(1);
        let dice = Arc::new(move || count.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Hall { sessions: Arc::new(Sessions::new(store.clone(), clock, dice)), store, now }
    }

    async fn login(&self, who: &str, with: &str, earlier: Option<&str>) -> Result<LoggedIn, Error> {
        self.sessions.login(&name(who), token(with), earlier.map(token).as_ref()).await
    }

    async fn find(&self, with: &str) -> Option<Session> {
        self.sessions.find(&token(with)).await.unwrap()
    }

    async fn raw(&self, key: parlor_store::Key) -> Option<Value> {
        match &self.store.read("", vec![Query::Whole(key)]).await.unwrap()[..] {
            [Answer::Whole(value)] => Some(value.clone()),
            _ => None,
        }
    }

    /// What the store shows of a session, looked at without the code that is tested.
    async fn is_whole(&self, session: &Session) -> bool {
        for (key, value) in layout::records(session) {
            if self.raw(key).await != Some(value) {
                return false;
            }
        }
        true
    }

    /// After whatever happened: who is honoured is whole, and a name is free unless somebody whole has it.
    async fn check(&self, what: &str, names: &[&str], tokens: &[&str]) {
        let mut holders: BTreeMap<String, &str> = BTreeMap::new();
        for with in tokens {
            let Some(session) = self.find(with).await else { continue };
            assert!(self.is_whole(&session).await, "{what}: half a session is honoured for {with}");
            assert_eq!(self.sessions.user(&session.member.id).await.unwrap(), session.member, "{what}");
            let holds = session.holds().as_str().to_owned();
            assert_eq!(holders.insert(holds, with), None, "{what}: two sessions have one name");
        }
        for who in names {
            let holder = holders.get(name(who).folded().as_str());
            match self.login(who, &format!("heir of {who}"), None).await {
                Ok(_) => assert_eq!(holder, None, "{what}: {who} was taken from a session that lives"),
                Err(error) => {
                    assert_eq!(error, Error::NameTaken, "{what}");
                    assert!(holder.is_some(), "{what}: nobody can have the name {who}");
                }
            }
        }
        // Nothing is left for ever.
        self.now.fetch_add(SESSION_LIFE.0 + 1, Ordering::SeqCst);
        for key in self.store.named() {
            assert_eq!(self.raw(key.clone()).await, None, "{what}: {key} has no end");
        }
        for who in names {
            self.login(who, &format!("later {who}"), None).await.unwrap();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Login,
    TakeOver,
    LoginAgain,
    LoginAsAnother,
    Logout,
    Renew,
}

impl Change {
    /// The name of the session that it makes.
    fn called(self) -> Option<&'static str> {
        match self {
            Change::Login | Change::LoginAsAnother => Some("Cy"),
            Change::TakeOver => Some("Ana"),
            Change::LoginAgain => Some("ANA"),
            Change::Logout | Change::Renew => None,
        }
    }
}

/// Does it, Ana being logged in. Nothing: it hangs, and whoever asked has gone.
async fn happen(hall: &Hall, change: Change, ana: &Session) -> Option<Result<(), Error>> {
    let done = async {
        match change {
            Change::Login => hall.login("Cy", "new", None).await.map(drop),
            Change::TakeOver => hall.login("Ana", "new", None).await.map(drop),
            Change::LoginAgain => hall.login("ANA", "new", Some("old")).await.map(drop),
            Change::LoginAsAnother => hall.login("Cy", "new", Some("old")).await.map(drop),
            Change::Logout => hall.sessions.logout(ana).await,
            Change::Renew => hall.sessions.renew(ana).await.map(drop),
        }
    };
    done.now_or_never() // The store of these tests answers at once or never.
}

#[tokio::test]
async fn h25_a_change_that_is_cut_at_any_step_leaves_no_half_session_and_no_name_that_is_held_for_nobody() {
    let mut cuts = 0;
    for change in [Change::Login, Change::TakeOver, Change::LoginAgain, Change::LoginAsAnother, Change::Logout, Change::Renew] {
        for how in [How::Once, How::Down, How::Hang] {
            for after in [false, true] {
                for at in 1..STEPS_MAX {
                    let hall = Hall::new();
                    let ana = hall.login("Ana", "old", None).await.unwrap().session;
                    hall.now.fetch_add(5000, Ordering::SeqCst);
                    if change == Change::TakeOver {
                        // Half gone: its logout was cut after the token.
                        hall.store.cut(Some((1, Cut { after: true, how: How::Hang })));
                        assert!(happen(&hall, Change::Logout, &ana).await.is_none());
                    }
                    hall.store.cut(Some((at, Cut { after, how })));
                    let happened = happen(&hall, change, &ana).await;
                    let was_cut = hall.store.steps() >= at;
                    hall.store.cut(None);
                    let what = format!("{change:?} cut at {at}, after: {after}, {how:?}: {happened:?}");
                    if !was_cut {
                        assert_eq!(happened, Some(Ok(())), "{what}");
                        break;
                    }
                    cuts += 1;
                    if let (Some(Ok(())), Some(called)) = (&happened, change.called()) {
                        let new = hall.find("new").await;
                        assert!(new.is_some_and(|new| new.member.name == name(called)), "{what}: it was said to be done");
                    }
                    if matches!(happened, Some(Err(_))) && how == How::Once {
                        assert!(hall.find("new").await.is_none(), "{what}: a session whose token nobody has");
                    }
                    if happened == Some(Ok(())) && matches!(change, Change::LoginAgain | Change::LoginAsAnother | Change::Logout)
                    {
                        assert!(hall.find("old").await.is_none(), "{what}: it was said to have ended");
                    }
                    hall.check(&what, &["Ana", "Cy"], &["old", "new"]).await;
                    assert!(at + 1 < STEPS_MAX, "{what}: more steps than anybody thought");
                }
            }
        }
    }
    assert!(cuts > 60, "only {cuts} cuts");
}

#[tokio::test]
async fn h26_of_a_hundred_logins_under_one_name_one_succeeds_however_they_mix() {
    for seed in 0..20 {
        let hall = Hall::new();
        hall.store.mix(seed);
        let mut rivals = JoinSet::new();
        for rival in 0..100 {
            let sessions = hall.sessions.clone();
            rivals.spawn(async move { sessions.login(&name("Ana"), token(&format!("token {rival}")), None).await.is_ok() });
        }
        let won = rivals.join_all().await.into_iter().filter(|won| *won).count();
        assert_eq!(won, 1, "seed {seed}");
        let mut living = 0;
        for rival in 0..100 {
            living += usize::from(hall.find(&format!("token {rival}")).await.is_some());
        }
        assert_eq!(living, 1, "seed {seed}");
    }
}

/// Somebody with a token of their own who logs in, again, under another name, and out, as their dice say.
async fn wander(sessions: Arc<Sessions>, who: u64, mut dice: u64) -> Vec<(String, &'static str)> {
    let mut mine: Option<(String, &'static str)> = None;
    for turn in 0..6 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let called = ["Ana", "Bo"][(dice >> 62) as usize % 2];
        let new = format!("{who} at {turn}");
        match (&mine, (dice >> 40) % 4) {
            (Some((with, _)), 0) => {
                let session = sessions.find(&token(with)).await.unwrap().expect("nobody else ends it");
                sessions.logout(&session).await.expect("nobody else ends it");
                mine = None;
            }
            (Some((with, _)), 1) => {
                let session = sessions.find(&token(with)).await.unwrap().expect("nobody else ends it");
                sessions.renew(&session).await.expect("nobody else ends it");
            }
            (before, _) => {
                let earlier = before.as_ref().map(|(with, _)| token(with));
                match sessions.login(&name(called), token(&new), earlier.as_ref()).await {
                    Ok(made) => {
                        assert_eq!(made.ended.is_some(), before.is_some(), "{who}: the earlier one ends with it");
                        mine = Some((new, called));
                    }
                    Err(Error::NameTaken | Error::Contended) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
    }
    mine.into_iter().collect()
}

#[tokio::test]
async fn h31_nobody_loses_a_session_to_others_however_their_steps_mix() {
    for seed in 0..300 {
        let hall = Hall::new();
        hall.store.mix(seed);
        let mut people = JoinSet::new();
        for who in 0..5 {
            people.spawn(wander(hall.sessions.clone(), who, seed * 31 + who));
        }
        let mut names = Vec::new();
        while let Some(person) = people.join_next().await {
            let kept = person.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for (with, called) in kept {
                let session = hall.find(&with).await;
                assert!(session.is_some_and(|session| session.member.name == name(called)), "seed {seed}: {with} is gone");
                names.push(called);
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "seed {seed}: a name is held twice");
    }
}

#[tokio::test]
async fn h31_of_two_tabs_that_log_in_again_and_out_at_once_whoever_is_let_in_stays_in() {
    for seed in 0..500 {
        let hall = Hall::new();
        let ana = hall.login("Ana", "old", None).await.unwrap().session;
        hall.store.mix(seed);
        let (again, other, out, stranger) = tokio::join!(
            hall.login("Ana", "again", Some("old")),
            hall.login("Ana", "other", Some("old")),
            hall.sessions.logout(&ana),
            hall.login("ana", "stranger", None),
        );
        let mut whole = 0;
        for (with, login) in [("again", again), ("other", other), ("stranger", stranger)] {
            let lives = hall.find(with).await.is_some();
            assert_eq!(login.is_ok(), lives, "seed {seed}: {with} was told {:?}", login.err());
            whole += usize::from(lives);
        }
        assert!(hall.find("old").await.is_none(), "seed {seed}: {out:?}");
        assert!(whole <= 1, "seed {seed}");
    }
}
