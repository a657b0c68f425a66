//! One connection: the server's end of it, run as the socket's task runs it, and the weather in between.
//!
//! Frames are late, in both directions, but never overtake each other: that is what a connection is. What a cut
//! takes with it depends on how it is cut.

use crate::dice::Dice;
use crate::ear::Ear;
use crate::house::Standing;
use crate::world::World;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parlor::conversation::{Conversation, Waiting};
use parlor::doors::{Connected, Doors};
use parlor_engine::{Closed, Outbox};
use parlor_wire::say;
use serde_json::Value;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep, sleep_until};

/// The client's end.
pub struct Link {
    up: mpsc::UnboundedSender<(Instant, String)>,
    up_from: Instant,
    down: Late<Value>,
    cut: Arc<Notify>,
    dice: Dice,
    delay_ms_max: u64,
}

/// What is under way in one direction.
struct Late<T> {
    coming: mpsc::UnboundedReceiver<(Instant, T)>,
    next: Option<(Instant, T)>,
}

impl<T> Late<T> {
    /// Nothing is lost when the wait is given up.
    async fn next(&mut self) -> Option<T> {
        if self.next.is_none() {
            self.next = Some(self.coming.recv().await?);
        }
        if let Some((at, _)) = &self.next {
            sleep_until(*at).await;
        }
        self.next.take().map(|(_, what)| what)
    }
}

impl Link {
    pub fn open(world: &Arc<World>, house: &Standing, ear: Arc<Ear>, from: IpAddr, dice: Dice) -> Option<Link> {
        let doors = dice.pick(&house.doors)?;
        let connected = doors.connect(from).ok()?;
        let (up, heard) = mpsc::unbounded_channel();
        let (down, coming) = mpsc::unbounded_channel();
        let cut = Arc::new(Notify::new());
        let outbox = Arc::new(Outbox::new(&doors.config.engine));
        let line = Line {
            world: world.clone(),
            conversation: Conversation::new(doors.clone(), outbox.clone(), from),
            waiting: FuturesUnordered::new(),
            outbox,
            up: Late { coming: heard, next: None },
            down,
            down_from: Instant::now(),
            ear,
            dice: dice.fork(1),
            _connected: connected,
        };
        let task = tokio::spawn(line.serve(doors.clone(), house.bell.clone(), cut.clone()));
        house.keep_line(task);
        let down = Late { coming, next: None };
        let delay_ms_max = world.plan.delay_ms_max;
        Some(Link { up, up_from: Instant::now(), down, cut, dice, delay_ms_max })
    }

    pub fn send(&mut self, frame: String) {
        self.up_from = self.up_from.max(Instant::now() + Duration::from_millis(self.dice.between(0, self.delay_ms_max)));
        // A line that has ended is noticed by its silence.
        let _ = self.up.send((self.up_from, frame));
    }

    pub async fn next(&mut self) -> Option<Value> {
        self.down.next().await
    }

    /// Cuts the line. What is under way to the server is lost with it, or still arrives at an end nobody listens to.
    pub fn cut(self, whole: bool) {
        if whole {
            self.cut.notify_one();
        }
    }
}

async fn going(doors: &Doors, bell: &Notify) {
    loop {
        let rung = bell.notified();
        if doors.is_going() {
            return;
        }
        rung.await;
    }
}

struct Line {
    world: Arc<World>,
    conversation: Conversation,
    waiting: FuturesUnordered<Waiting>,
    outbox: Arc<Outbox>,
    up: Late<String>,
    down: mpsc::UnboundedSender<(Instant, Value)>,
    down_from: Instant,
    ear: Arc<Ear>,
    dice: Dice,
    _connected: Connected,
}

/// However the line ends, whoever was on it is not there any more.
impl Drop for Line {
    fn drop(&mut self) {
        self.ear.hangs_up();
    }
}

impl Line {
    async fn serve(mut self, doors: Arc<Doors>, bell: Arc<Notify>, cut: Arc<Notify>) {
        loop {
            let may_hear = self.waiting.len() < doors.config.doors.acts_waiting_max && self.conversation.may_hear();
            tokio::select! {
                biased;
                () = cut.notified() => break,
                () = self.outbox.ready() => {
                    if self.write().await {
                        break;
                    }
                }
                Some(outcome) = self.waiting.next(), if !self.waiting.is_empty() => self.waiting.extend(self.conversation.settle(outcome)),
                frame = self.up.next(), if may_hear => match frame {
                    Some(frame) => {
                        self.waiting.extend(self.conversation.hear(&frame));
                    }
                    None => break,
                },
                () = going(&doors, &bell) => {
                    while let Some(outcome) = self.waiting.next().await {
                        self.waiting.extend(self.conversation.settle(outcome));
                    }
                    self.outbox.push(say::bye("restart", 3000));
                    self.write().await;
                    break;
                }
            }
        }
        self.outbox.close(Closed::Done);
    }

    /// Writes all that waits; says whether that was the end.
    async fn write(&mut self) -> bool {
        let mut frames = Vec::new();
        let closed = self.outbox.take(&mut frames);
        for frame in frames {
            let Some(said) = self.ear.hear(&frame) else { continue };
            let plan = &self.world.plan;
            self.down_from = self.down_from.max(Instant::now() + Duration::from_millis(self.dice.between(0, plan.delay_ms_max)));
            let _ = self.down.send((self.down_from, said)); // Whoever it is for may be gone.
        }
        if !self.world.is_calm() && self.dice.per_mille(self.world.plan.stall) {
            let stall = Duration::from_millis(self.dice.between(20, 2_000));
            tokio::select! {
                biased;
                () = sleep(stall) => {}
                () = self.outbox.overflown() => {}
            }
        }
        let closed = closed.or_else(|| self.outbox.closed());
        if closed == Some(Closed::TooSlow) {
            self.world.count(|tally| tally.too_slow += 1);
        }
        closed.is_some()
    }
}
