//! Carts and cleaning under very many random schedules. The store keeps everybody waiting a random while before it looks and again before
//! it answers, so that what several tabs do at two nodes falls together in ever new ways, and the same ways for a seed.

use crate::stand::{TERMS, item};
use futures_util::future::join_all;
use parlor_rules::shop::{Cart, Change};
use parlor_rules::{Millis, SecretHash};
use parlor_shop::{Changed, Error, Shop, Terms};
use parlor_store::{Answer, Applied, Batch, Memory, Query, Records, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const TABS: usize = 3;
const CHANGES_A_TAB: usize = 2;
/// A fraction of those that were promised: every run plays others. `SHOP_SCHEDULES=1000000` plays all in three minutes.
const SCHEDULES: u64 = 100_000;
const CLEANINGS: u64 = 100_000;
/// How many schedules are played in one house.
const A_HOUSE: u64 = 5000;

struct Wavering {
    store: Memory,
    dice: Dice,
}

impl Wavering {
    async fn waver(&self) {
        for _ in 0..self.dice.below(4) {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait::async_trait]
impl Records for Wavering {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        self.waver().await;
        let answers = self.store.read(tag, queries).await;
        self.waver().await;
        answers
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.waver().await;
        let applied = self.store.apply(batch).await;
        self.waver().await;
        applied
    }
}

#[tokio::test]
async fn h149_random_interleavings_of_carts_lose_nothing_and_double_nothing() {
    let first = seed();
    let mut house = House::open(first, TERMS).await;
    let schedules = std::env::var("SHOP_SCHEDULES").ok().and_then(|count| count.parse().ok()).unwrap_or(SCHEDULES);
    for number in 0..schedules {
        // A full store would only cost time: the shop is made anew now and then.
        if number % A_HOUSE == A_HOUSE - 1 {
            house = House::open(first + number, TERMS).await;
        }
        house.play(first + number).await;
    }
}

/// Two are too many, and the oldest is used while they are counted: either it was in time and stays with all it has, or it is
/// told that it was not.
#[tokio::test]
async fn h141_whoever_is_used_while_the_oldest_go_stays_or_is_told() {
    let first = seed();
    let (mut stayed, mut told) = (0, 0);
    for number in 0..CLEANINGS {
        let house = House::open(first + number, Terms { visits_max: 2, ..TERMS }).await;
        match house.clean(first + number).await {
            true => stayed += 1,
            false => told += 1,
        }
    }
    assert!(stayed > 0 && told > 0, "both happen: {stayed} stayed, {told} were told");
}

/// A visit that is only noted yet is put into its place by whoever comes first; nobody finds it on the way and takes it for over.
#[tokio::test]
async fn h146_a_visit_that_has_just_begun_is_never_taken_for_over() {
    let first = seed();
    for number in 0..CLEANINGS / 5 {
        let house = House::open(first + number, TERMS).await;
        let (token, node) = (SecretHash::of(&number.to_le_bytes()), &house.nodes[0]);
        node.begin_soon(token);
        node.touch(&token, Some(&item("jam")));
        let (add, more) = (Change::Add(item("tea"), 1), Change::Add(item("tea"), 2));
        let tabs = async { tokio::join!(node.change(&token, &add, None), node.viewed(&token), node.change(&token, &more, None)) };
        let (folded, (one, viewed, other)) = tokio::join!(node.fold(), tabs);
        folded.expect("it is kept");
        assert_eq!(viewed.expect("it lives"), [item("jam")], "seed {}", first + number);
        one.and(other).unwrap_or_else(|error| panic!("seed {}: {error}", first + number));
    }
}

/// Whoever hangs up in the middle takes nothing along: a visit that is new stays, with what it viewed.
#[tokio::test]
async fn h146_a_request_that_is_dropped_in_the_middle_loses_no_note() {
    let first = seed();
    for number in 0..CLEANINGS / 20 {
        let house = House::open(first + number, TERMS).await;
        let (token, node) = (SecretHash::of(&number.to_le_bytes()), &house.nodes[0]);
        node.begin_soon(token);
        node.touch(&token, Some(&item("jam")));
        let add = Change::Add(item("tea"), 1);
        let hangs_up = async {
            for _ in 0..number % 40 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { biased; () = hangs_up => {}, changed = node.change(&token, &add, Some("1")) => drop(changed.expect("it lives")) }
        let seed = first + number;
        let again = node.change(&token, &add, Some("1")).await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(again.seen.cart.count(), 1, "seed {seed}");
        assert_eq!(node.viewed(&token).await.expect("it lives"), [item("jam")], "seed {seed}");
    }
}

fn seed() -> u64 {
    let asked = std::env::var("SHOP_SEED").ok().and_then(|seed| seed.parse().ok());
    let first = asked.unwrap_or_else(|| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0) >> 1);
    println!("SHOP_SEED={first}, and those after it");
    first
}

struct House {
    nodes: [Shop; 2],
    store: Arc<Wavering>,
    now: Arc<AtomicU64>,
}

impl House {
    async fn open(seed: u64, terms: Terms) -> House {
        let now = Arc::new(AtomicU64::new(1_700_000_000_000));
        let told = now.clone();
        let clock = Arc::new(move || Millis(told.load(Ordering::Relaxed)));
        let store = Arc::new(Wavering { store: Memory::new(clock.clone()), dice: Dice::of(seed) });
        let open = || async { Shop::open(store.clone(), clock.clone(), false, terms).await.expect("it opens") };
        House { nodes: [open().await, open().await], store: store.clone(), now }
    }

    async fn play(&self, seed: u64) {
        self.store.dice.roll(seed);
        let token = SecretHash::of(&seed.to_le_bytes());
        self.nodes[0].begin(token).await.expect("it begins");
        let dice = Dice::of(!seed);
        let tabs: Vec<Vec<Change>> = (0..TABS).map(|_| (0..CHANGES_A_TAB).map(|_| some_change(&dice)).collect()).collect();
        let again = dice.below(TABS as u64 * 2) as usize;
        let played = tabs.iter().enumerate().map(|(tab, changes)| self.tab(&token, tab, changes, tab == again));
        join_all(played).await;
        let visit = self.nodes[1].visit(&token).await.expect("a visit");
        let seen = self.nodes[1].cart(&visit).await.expect("a cart");
        assert_eq!(seen.version, (TABS * CHANGES_A_TAB) as i64, "seed {seed}: each change happens once, {tabs:?}");
        assert!(outcomes(&tabs).contains(&seen.cart.lines.into_iter().collect::<Vec<_>>()), "seed {seed}: {tabs:?}");
    }

    /// Whether the oldest stayed.
    async fn clean(&self, seed: u64) -> bool {
        let tokens = [0, 1, 2].map(|number: u64| SecretHash::of(&(seed.wrapping_mul(3) + number).to_le_bytes()));
        for token in tokens {
            self.nodes[0].begin(token).await.expect("it begins");
            self.nodes[0].fold().await.expect("it is kept");
            self.now.fetch_add(1000, Ordering::Relaxed);
        }
        let add = Change::Add(item("tea"), 2);
        let (cleaned, changed) = tokio::join!(self.nodes[0].clean(), self.nodes[1].change(&tokens[0], &add, None));
        cleaned.expect("it cleans");
        let oldest = self.nodes[0].visit(&tokens[0]).await;
        match changed {
            Ok(_) => {
                let cart = self.nodes[0].cart(&oldest.expect("it was used in time")).await.expect("a cart").cart;
                assert_eq!(cart.count(), 2, "seed {seed}");
                true
            }
            Err(error) => {
                assert!(matches!(error, Error::NoVisit), "seed {seed}: {error}");
                assert!(oldest.is_err(), "seed {seed}: it was told to be over");
                let left = self.nodes[1].cart_under(&tokens[0]).await.expect("readable").cart;
                assert!(left.is_empty(), "seed {seed}: {left:?}");
                false
            }
        }
    }

    /// One tab's changes, one after the other; where answers get lost, each is sent again before the first is answered.
    async fn tab(&self, token: &SecretHash, tab: usize, changes: &[Change], again: bool) {
        let mut version = 0;
        for (number, change) in changes.iter().enumerate() {
            let id = format!("{tab}-{number}");
            let node = &self.nodes[(tab + number) % 2];
            let send = || async { node.change(token, change, Some(&id)).await.expect("it is kept") };
            let answers: Vec<Changed> = if again { join_all([send(), send()]).await } else { vec![send().await] };
            assert_eq!(answers.iter().filter(|answer| !answer.again).count(), 1, "it happens once");
            let newest = answers.iter().map(|answer| answer.seen.version).max().expect("there is one");
            assert!(newest > version, "what a tab sees grows");
            version = newest;
        }
    }
}

fn some_change(dice: &Dice) -> Change {
    let name = item(["tea", "jam"][dice.below(2) as usize]);
    match dice.below(8) {
        0 => Change::Clear,
        1 => Change::Remove(name),
        2 | 3 => Change::Set(name, dice.below(5) as i64 - 1),
        _ => Change::Add(name, dice.below(6) as i64 - 2),
    }
}

type Lines = Vec<(parlor_rules::shop::Item, parlor_rules::shop::cart::Quantity)>;

/// Every cart that some order of all changes leaves, where each tab keeps its own order.
fn outcomes(tabs: &[Vec<Change>]) -> BTreeSet<Lines> {
    let mut reached = BTreeSet::from([(vec![0; tabs.len()], Lines::new())]);
    for _ in 0..tabs.iter().map(Vec::len).sum() {
        let mut next = BTreeSet::new();
        for (done, lines) in reached {
            let cart = Cart { lines: lines.into_iter().collect() };
            for (tab, changes) in tabs.iter().enumerate() {
                let Some(change) = changes.get(done[tab]) else { continue };
                let mut done = done.clone();
                done[tab] += 1;
                let cart = cart.changed(change).expect("two lines are not too many");
                next.insert((done, cart.lines.into_iter().collect()));
            }
        }
        reached = next;
    }
    reached.into_iter().map(|(_, lines)| lines).collect()
}

/// SplitMix64, for whoever shares it.
struct Dice(AtomicU64);

impl Dice {
    fn of(seed: u64) -> Dice {
        Dice(AtomicU64::new(seed))
    }

    fn roll(&self, seed: u64) {
        self.0.store(seed, Ordering::Relaxed);
    }

    fn below(&self, n: u64) -> u64 {
        let mut z = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}
