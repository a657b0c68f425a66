//! Writing to other nodes. A letter is under way to each at a time; what comes up meanwhile goes with the next one, and
//! what says the same is said once. Nobody waits for it, and what does not fit or does not arrive is forgotten.

use super::letter::{BYTES_MAX, Hint, Letter, NUMBER, Number, SIGNATURE, signature};
use super::options::Options;
use super::peers::{Place, place};
use crate::host;
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Method, Request};
use parlor_store::clock::SharedClock;
use parlor_store::dynamodb::{Member, Messenger};
use parlor_store::{Key, NodeId, RoomKey, Wake};
use prost::Message;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Nodes that are written to at once.
const PEERS_MAX: usize = 256;
/// Rooms of which something is to be said to one node.
const ROOMS_MAX: usize = 16 * 1024;
/// Words that nobody keeps, waiting for one node.
const TOLD_BYTES_MAX: usize = 4 * 1024 * 1024;
/// A node that nothing was to be written to for so long is forgotten.
const IDLE: Duration = Duration::from_secs(60);
/// After a letter that did not arrive, the next waits so long, twice as long each time.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// What a node answers with is not worth more.
const ANSWER_BYTES_MAX: usize = 4096;

pub struct Post {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    clock: SharedClock,
    /// Who writes, for this life of the process, and how many letters it has written: a node that was forgotten and is written
    /// to again must not be sent numbers that it knows.
    from: u64,
    written: AtomicU64,
    boxes: Mutex<HashMap<String, Arc<Mailbox>>>,
}

struct Mailbox {
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Default)]
struct Waiting {
    /// The newest of what a node did to a room: moved it or closed it.
    moved: BTreeMap<(Key, NodeId), Wake>,
    here: BTreeSet<(Key, NodeId)>,
    told: VecDeque<(Key, NodeId, Bytes)>,
    told_bytes: usize,
}

impl Post {
    pub fn new(options: &Options, clock: SharedClock) -> Post {
        Post {
            inner: Arc::new(Inner {
                options: options.clone(),
                clock,
                from: host::bits(),
                written: AtomicU64::new(0),
                boxes: Mutex::default(),
            }),
        }
    }
}

impl Messenger for Post {
    fn push(&self, to: &[Member], room: &RoomKey, by: NodeId, wake: &Wake) {
        let mut written = BTreeSet::new();
        for member in to {
            // Several tasks of one node may be at a room; itself it has told already.
            if member.address == self.inner.options.address || !written.insert(&*member.address) {
                continue;
            }
            match self.inner.mailbox(&member.address) {
                Some(mailbox) => mailbox.put(&room.spine, by, wake),
                None => lost("refused", 1),
            }
        }
    }
}

impl Inner {
    /// Nothing for an address that is no peer's.
    fn mailbox(self: &Arc<Inner>, address: &str) -> Option<Arc<Mailbox>> {
        let mut boxes = self.boxes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mailbox) = boxes.get(address) {
            return Some(mailbox.clone());
        }
        let allowed = place(address).ok().filter(|place| self.options.peers.allows(place));
        let Some(place) = allowed.filter(|_| boxes.len() < PEERS_MAX) else {
            tracing::warn!(
                address,
                "a node has announced itself at an address that is none of --node-peers; it is not written to"
            );
            return None;
        };
        let mailbox = Arc::new(Mailbox { waiting: Mutex::default(), news: Notify::new() });
        boxes.insert(address.to_owned(), mailbox.clone());
        tokio::spawn(deliver(self.clone(), address.to_owned(), place, mailbox.clone()));
        Some(mailbox)
    }

    fn number(&self) -> Number {
        Number { from: self.from, number: self.written.fetch_add(1, Ordering::Relaxed) + 1, at: self.clock.now() }
    }

    /// Whether nobody wants to write there any more: then the box is gone.
    fn forgets(&self, address: &str, mailbox: &Mailbox) -> bool {
        let mut boxes = self.boxes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_empty = mailbox.lock().is_empty();
        if is_empty {
            boxes.remove(address);
        }
        is_empty
    }
}

async fn deliver(post: Arc<Inner>, address: String, place: Place, mailbox: Arc<Mailbox>) {
    let mut pause = PAUSE;
    loop {
        let letter = mailbox.lock().take();
        if letter.hints.is_empty() {
            if tokio::time::timeout(IDLE, mailbox.news.notified()).await.is_err() && post.forgets(&address, &mailbox) {
                return;
            }
            continue;
        }
        let count = letter.hints.len() as u64;
        match send(&post.options, &place, post.number(), letter.encode_to_vec().into()).await {
            Ok(()) => {
                metrics::counter!("parlor_node_hints_sent_total").increment(count);
                pause = PAUSE;
            }
            Err(error) => {
                tracing::warn!(%error, %address, "a node was not told what happened here; it finds out within its lease");
                lost("unanswered", count);
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
}

async fn send(options: &Options, place: &Place, number: Number, body: Bytes) -> Result<(), String> {
    let (to, number) = (place.to_string(), number.text());
    let signature = signature(options.secret.expose().as_bytes(), &to, &number, &body);
    let request = Request::builder().method(Method::POST).uri(format!("{to}{}", super::PATH));
    let request = request.header(NUMBER, number).header(SIGNATURE, signature);
    let request =
        request.header("content-type", "application/x-protobuf").body(Full::new(body)).map_err(|error| error.to_string())?;
    let (status, answer) = options.web.ask(request, ANSWER_BYTES_MAX).await?;
    if status.is_success() {
        return Ok(());
    }
    Err(format!("it answered {status}: {}", String::from_utf8_lossy(&answer)))
}

fn lost(why: &'static str, count: u64) {
    metrics::counter!("parlor_node_hints_lost_total", "why" => why).increment(count);
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, spine: &Key, by: NodeId, wake: &Wake) {
        if !self.lock().add(spine, by, wake) {
            lost("full", 1);
        }
        self.news.notify_one();
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.here.is_empty() && self.told.is_empty()
    }

    fn add(&mut self, spine: &Key, by: NodeId, wake: &Wake) -> bool {
        let key = (spine.clone(), by);
        match wake {
            Wake::Moved(_) | Wake::Closed if self.moved.len() < ROOMS_MAX || self.moved.contains_key(&key) => {
                self.moved.insert(key, wake.clone());
            }
            Wake::Here if self.here.len() < ROOMS_MAX || self.here.contains(&key) => {
                self.here.insert(key);
            }
            Wake::Told(word) if self.told_bytes + word.len() <= TOLD_BYTES_MAX => {
                self.told_bytes += word.len() + spine.len();
                self.told.push_back((key.0, by, word.clone()));
            }
            Wake::Moved(_) | Wake::Closed | Wake::Here | Wake::Told(_) => return false,
        }
        true
    }

    /// As much as one letter takes; commits first, since people wait for those.
    fn take(&mut self) -> Letter {
        let (mut hints, mut bytes) = (Vec::new(), 0);
        let mut add = |spine: &Key, by, wake, long| {
            bytes += spine.len() + 32 + long;
            hints.push(Hint::new(spine, by, wake));
            bytes < BYTES_MAX
        };
        let mut fits = true;
        while fits && let Some(((spine, by), wake)) = self.moved.pop_first() {
            fits = add(&spine, by, wake, 0);
        }
        while fits && let Some((spine, by)) = self.here.pop_first() {
            fits = add(&spine, by, Wake::Here, 0);
        }
        while fits && let Some((spine, by, word)) = self.told.pop_front() {
            let long = word.len();
            self.told_bytes -= long + spine.len();
            fits = add(&spine, by, Wake::Told(word), long);
        }
        Letter { hints }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::position::{Mark, Place as At, Position};

    fn moved(seq: u64) -> Wake {
        Wake::Moved(At { position: Position { epoch: 1, seq }, mark: Mark(seq) })
    }

    fn said(letter: Letter) -> Vec<(String, Wake)> {
        letter
            .hints
            .into_iter()
            .map(|hint| hint.read().expect("known"))
            .map(|(spine, _, wake)| (spine.to_string(), wake))
            .collect()
    }

    #[test]
    fn what_says_the_same_is_said_once_and_words_keep_their_order() {
        let mut waiting = Waiting::default();
        let (a, b) = (Key::from("a"), Key::from("b"));
        let told = |text: &'static str| Wake::Told(Bytes::from_static(text.as_bytes()));
        for wake in [moved(1), Wake::Here, told("x"), moved(2), Wake::Here, told("y"), moved(3)] {
            assert!(waiting.add(&a, NodeId(1), &wake));
        }
        assert!(waiting.add(&b, NodeId(1), &moved(9)) && waiting.add(&b, NodeId(1), &Wake::Closed));
        let wanted = [("a", moved(3)), ("b", Wake::Closed), ("a", Wake::Here), ("a", told("x")), ("a", told("y"))];
        assert_eq!(said(waiting.take()), wanted.map(|(spine, wake)| (spine.to_owned(), wake)));
        assert!(waiting.is_empty() && waiting.told_bytes == 0);
    }

    #[test]
    fn a_node_that_was_forgotten_is_written_to_under_numbers_it_does_not_know() {
        let peers = std::sync::Arc::new("10.0.0.0/8".parse().expect("peers"));
        let secret = std::sync::Arc::new(parlor_wire::Secret::new("s".repeat(32)));
        let web = crate::auth::web::Web::new().expect("certificates");
        let options = Options { address: "http://10.0.0.1:1".into(), peers, secret, web };
        let post = Post::new(&options, std::sync::Arc::new(host::now as fn() -> parlor_rules::Millis));
        // Whichever box a letter comes out of, and however often a box was thrown away in between.
        let numbers: Vec<u64> = (0..4).map(|_| post.inner.number().number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
    }

    #[test]
    fn a_node_that_does_not_read_is_not_kept_everything_for() {
        let mut waiting = Waiting::default();
        let word = Bytes::from(vec![0; 100_000]);
        let taken = (0..1000).filter(|_| waiting.add(&Key::from("a"), NodeId(1), &Wake::Told(word.clone()))).count();
        assert!((30..=42).contains(&taken), "{taken}");
        for number in 0..2 * ROOMS_MAX {
            waiting.add(&Key::from(number.to_string()), NodeId(1), &moved(1));
        }
        assert_eq!(waiting.moved.len(), ROOMS_MAX);
        assert!(waiting.add(&Key::from("1"), NodeId(1), &moved(2)), "what is known already is only replaced");
        let mut all = 0;
        while !waiting.is_empty() {
            let letter = waiting.take();
            all += letter.hints.len();
            assert!(letter.encoded_len() <= BYTES_MAX + 100_100, "{}", letter.encoded_len());
        }
        assert_eq!((all, waiting.told_bytes), (ROOMS_MAX + taken, 0));
    }
}
