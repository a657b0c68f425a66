//! A shop on a store, with a clock that is stepped.

use parlor_layout::shop::visits as layout;
use parlor_rules::shop::{Change, Item, Lifetimes, Merge, Shopper};
use parlor_rules::{Millis, SecretHash, Span};
use parlor_shop::{Error, LoggedIn, Shop, Terms};
use parlor_store::{Answer, Key, Query, Records, Score, Value};
use parlor_testbed::{Cluster, Redis};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct Stand {
    pub(crate) records: Arc<dyn Records>,
    pub(crate) alone: bool,
    now: Arc<AtomicU64>,
    drawn: AtomicUsize,
    /// What the store lives in.
    _home: Box<dyn Any>,
}

pub(crate) const TERMS: Terms = Terms {
    lifetimes: Lifetimes {
        guest_idle: Span::minutes(10),
        shopper_idle: Span::minutes(60),
        longest: Span::minutes(600),
        guest_cart: Span::minutes(20),
        shopper_cart: Span::minutes(2000),
    },
    visits_max: 1000,
    known_max: 1000,
    notes_max: 1000,
    abandoned_after: Span::minutes(5),
};

fn real_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

fn stand(records: Arc<dyn Records>, alone: bool, now: Arc<AtomicU64>, home: Box<dyn Any>) -> Stand {
    Stand { records, alone, now, drawn: AtomicUsize::new(0), _home: home }
}

fn clock(now: &Arc<AtomicU64>) -> Arc<dyn Fn() -> Millis + Send + Sync> {
    let now = now.clone();
    Arc::new(move || Millis(now.load(Ordering::SeqCst)))
}

pub(crate) async fn memory() -> Stand {
    let now = Arc::new(AtomicU64::new(1_700_000_000_000));
    let told = clock(&now);
    stand(Arc::new(parlor_store::Memory::new(Arc::new(move || told()))), true, now, Box::new(()))
}

pub(crate) async fn embedded() -> Stand {
    let now = Arc::new(AtomicU64::new(1_700_000_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let told = clock(&now);
    let options = parlor_store::Options { free_bytes_min: 0, ..parlor_store::Options::default() };
    let store = parlor_store::Embedded::open(folder.path(), Arc::new(move || told()), options).expect("it opens");
    stand(Arc::new(store), true, now, Box::new(folder))
}

pub(crate) async fn redis() -> Stand {
    let server = Redis::start();
    let store = open(&server.url()).await;
    stand(Arc::new(store), false, Arc::new(AtomicU64::new(real_now())), Box::new(server))
}

pub(crate) async fn cluster(cluster: &Cluster) -> Stand {
    let store = open(&cluster.url()).await;
    stand(Arc::new(store), false, Arc::new(AtomicU64::new(real_now())), Box::new(()))
}

async fn open(url: &str) -> parlor_store::Redis {
    let address = url.parse().expect("an address");
    let own: parlor_store::SharedClock = Arc::new(|| Millis(real_now()));
    parlor_store::Redis::open(&address, own, parlor_store::redis::Options::default()).await.expect("the server is there")
}

pub(crate) fn item(name: &str) -> Item {
    name.parse().expect("a name")
}

pub(crate) fn shopper(name: &str) -> Shopper {
    name.parse().expect("a name")
}

impl Stand {
    /// A shop on this store; another one is another node, or the same after a restart.
    pub(crate) async fn shop(&self) -> Shop {
        self.shop_with(TERMS).await
    }

    pub(crate) async fn shop_with(&self, terms: Terms) -> Shop {
        let told = clock(&self.now);
        Shop::open(self.records.clone(), Arc::new(move || told()), self.alone, terms).await.expect("it opens")
    }

    pub(crate) fn step(&self, span: Span) {
        self.now.fetch_add(span.0, Ordering::SeqCst);
    }

    /// What the clock shows, for those who step it themselves.
    pub(crate) fn hand(&self) -> Arc<AtomicU64> {
        self.now.clone()
    }

    pub(crate) fn draw(&self) -> SecretHash {
        SecretHash::of(format!("token {}", self.drawn.fetch_add(1, Ordering::SeqCst)).as_bytes())
    }

    /// A token that lies where the shopper's things lie.
    pub(crate) fn draw_for(&self, shop: &Shop, name: &str) -> SecretHash {
        loop {
            let token = self.draw();
            if shop.is_place_of(name, &token) {
                return token;
            }
        }
    }

    pub(crate) async fn guest(&self, shop: &Shop) -> SecretHash {
        let token = self.draw();
        shop.begin(token).await.expect("it begins");
        token
    }

    pub(crate) async fn login(&self, shop: &Shop, old: &SecretHash, name: &str, merge: Merge) -> Result<LoggedIn, Error> {
        shop.login(old, self.draw_for(shop, name), &shopper(name), merge).await
    }

    /// A shopper with a new visit.
    pub(crate) async fn known(&self, shop: &Shop, name: &str) -> SecretHash {
        let guest = self.guest(shop).await;
        self.login(shop, &guest, name, Merge::Sum).await.expect("logged in").visit.token
    }

    /// The whole of a key that lies with a token.
    pub(crate) async fn whole(&self, token: &SecretHash, key: Key) -> Option<Value> {
        let tag = layout::tag(layout::shard_of_token(token));
        match self.records.read(&tag, vec![Query::Whole(key)]).await.expect("readable").remove(0) {
            Answer::Whole(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) async fn score(&self, token: &SecretHash, key: Key) -> Option<Score> {
        let tag = layout::tag(layout::shard_of_token(token));
        match self.records.read(&tag, vec![Query::Score(key, layout::field(token))]).await.expect("readable").remove(0) {
            Answer::Score(score) => Some(score),
            _ => None,
        }
    }

    /// The score of an item.
    pub(crate) async fn views(&self, name: &str) -> Option<f64> {
        let tag = layout::tag(layout::shard_of_name(name));
        let query = Query::Score(layout::popular(), layout::item(&item(name)));
        match self.records.read(&tag, vec![query]).await.expect("readable").remove(0) {
            Answer::Score(score) => Some(-score.get()),
            _ => None,
        }
    }
}

/// `tea=2 jam=1`, as a visit's cart stands.
pub(crate) async fn lines(shop: &Shop, token: &SecretHash) -> String {
    let visit = shop.visit(token).await.expect("a visit");
    let cart = shop.cart(&visit).await.expect("a cart").cart;
    cart.lines.iter().map(|(item, quantity)| format!("{item}={}", quantity.get())).collect::<Vec<_>>().join(" ")
}

/// `add tea 2`, `set tea 0`, `remove tea`, `clear`.
pub(crate) fn change(words: &str) -> Change {
    let words: Vec<&str> = words.split(' ').collect();
    match words[..] {
        ["add", name, by] => Change::Add(item(name), by.parse().expect("a number")),
        ["set", name, to] => Change::Set(item(name), to.parse().expect("a number")),
        ["remove", name] => Change::Remove(item(name)),
        ["clear"] => Change::Clear,
        _ => panic!("{words:?}"),
    }
}

pub(crate) async fn does(shop: &Shop, token: &SecretHash, words: &str) -> bool {
    let changed = shop.change(token, &change(words), None).await;
    changed.map(|changed| !changed.again).unwrap_or_else(|error| panic!("{words}: {error}"))
}
