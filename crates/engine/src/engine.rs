//! The engine: finds or wakes a room and hands it what the doors bring. Every door makes the same calls.

use crate::dice::Dice;
use crate::encode::Encode;
use crate::error::Error;
use crate::hub::ListenerId;
pub use crate::inbox::Seen;
use crate::inbox::{Listen, Look, Message, Pending, Say, Show, TakeHome};
use crate::limits::Limits;
use crate::metronome::Metronome;
use crate::outbox::Outbox;
use crate::presences::{Bell, Slot};
use crate::task;
pub use crate::turn::Acted;
use bytes::Bytes;
use parlor_layout as layout;
use parlor_rules::kinds::Export;
use parlor_rules::space::{Page, Showing};
use parlor_rules::{Address, ClientId, Command, Commit, Credential, Kept, Mark, Place, State};
use parlor_store::clock::SharedClock;
use parlor_store::{NodeId, Rooms, StoreError};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::{Notify, mpsc, oneshot};

/// What the whole house shares.
pub struct House {
    pub rooms: Arc<dyn Rooms>,
    pub clock: SharedClock,
    pub dice: Arc<dyn Dice>,
    pub node: NodeId,
    pub limits: Limits,
    /// Where time is real: what gathers for a millisecond then does not wait for two. Without it the runtime's timers serve.
    pub metronome: Option<Metronome>,
}

/// Someone wants something of a room.
#[derive(Clone)]
pub struct Request {
    pub credential: Credential,
    /// The client program and its number for this command, so that it is applied once however often it is sent.
    pub ticket: Option<(ClientId, u64)>,
    pub command: Command,
}

/// Someone comes to listen.
pub struct Entrance {
    /// The number of the request that the welcome answers.
    pub request: u64,
    pub credential: Credential,
    /// The client program, so that it knows its own commands again among those it missed.
    pub client: Option<ClientId>,
    pub outbox: Arc<Outbox>,
    pub encode: Arc<dyn Encode>,
    pub resume: Option<Place>,
}

#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    house: Arc<House>,
    doors: Mutex<HashMap<Address, Door>>,
    listeners: AtomicU64,
    uses: AtomicU64,
    under_way: AtomicUsize,
    settled: Notify,
    draining: AtomicBool,
}

/// The way into a live room.
struct Door {
    inbox: mpsc::Sender<Message>,
    listening: Arc<AtomicUsize>,
    used: AtomicU64,
    task: tokio::task::AbortHandle,
}

/// A place at a room's hub, given up when dropped.
pub struct Listening {
    pub id: ListenerId,
    inbox: mpsc::Sender<Message>,
    /// Where what it shows goes, and the bell that tells the room.
    shows: Option<(Arc<Slot>, Arc<Bell>)>,
}

impl Engine {
    pub fn new(house: House) -> Engine {
        Engine {
            shared: Arc::new(Shared {
                house: Arc::new(house),
                doors: Mutex::default(),
                listeners: AtomicU64::new(1),
                uses: AtomicU64::new(0),
                under_way: AtomicUsize::new(0),
                settled: Notify::new(),
                draining: AtomicBool::new(false),
            }),
        }
    }

    pub fn house(&self) -> &House {
        &self.shared.house
    }

    /// A new room; `Exists` when the address is taken.
    pub async fn create(&self, address: &Address, state: State) -> Result<Place, Error> {
        let _under_way = self.begin()?;
        let house = &self.shared.house;
        let now = house.clock.now();
        let kept = Kept::new(state, now);
        let rest = layout::creation(address, &kept, &Commit { at: now, renews: true, done: Vec::new() });
        let commit = parlor_store::Commit {
            by: house.node,
            mark: Mark(house.dice.bits()),
            entry: rest.entry,
            writes: rest.writes,
            deadline: kept.expires,
        };
        match house.rooms.append(&layout::room_key(address), None, commit).await {
            Err(StoreError::Conflict) => Err(Error::Exists),
            kept => Ok(kept?),
        }
    }

    /// Decides and keeps a command. A yes means that it is durable.
    pub async fn act(&self, address: &Address, request: Request) -> Result<Acted, Error> {
        self.submit(address, request)?.await
    }

    /// Puts a command in the room's inbox at once, so that commands are decided in the order they are
    /// submitted; the answer comes later.
    pub fn submit(&self, address: &Address, request: Request) -> Result<Acting, Error> {
        self.submit_from(address, request, None)
    }

    /// The same from a listener: a room that tells answers there, in order with what others did, and says so.
    pub fn submit_from(&self, address: &Address, request: Request, from: Option<(&Listening, u64)>) -> Result<Acting, Error> {
        let from = from.map(|(listening, number)| (listening.id, number));
        let under_way = self.begin()?;
        let (answer, answered) = oneshot::channel();
        self.send(address, Message::Act(Box::new(Pending { request, from, answer })))?;
        Ok(Acting { answered, _under_way: under_way })
    }

    /// Listens to a room: the welcome, views and messages go to the outbox from now on.
    pub async fn listen(&self, address: &Address, entrance: Entrance) -> Result<Listening, Error> {
        let id = self.shared.listeners.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        let slot = address.kind.tells().then(Arc::<Slot>::default);
        let listen = Listen { id, entrance, slot: slot.clone(), answer };
        // Held while waiting: whoever gives up before the answer leaves no listener behind.
        let inbox = self.send(address, Message::Listen(Box::new(listen)))?;
        let mut listening = Listening { id, inbox, shows: None };
        let bell = answered.await.map_err(|_| Error::Interrupted)??;
        listening.shows = slot.zip(bell);
        Ok(listening)
    }

    /// What the credential's holder sees of a room now.
    pub async fn look(&self, address: &Address, credential: Credential, encode: Arc<dyn Encode>) -> Result<Seen, Error> {
        self.read(address, credential, encode, None).await
    }

    /// The same of one page of what the room holds.
    pub async fn page(
        &self,
        address: &Address,
        credential: Credential,
        encode: Arc<dyn Encode>,
        page: Page,
    ) -> Result<Seen, Error> {
        self.read(address, credential, encode, Some(page)).await
    }

    async fn read(
        &self,
        address: &Address,
        credential: Credential,
        encode: Arc<dyn Encode>,
        page: Option<Page>,
    ) -> Result<Seen, Error> {
        let (answer, answered) = oneshot::channel();
        self.send(address, Message::Look(Box::new(Look { credential, encode, page, answer })))?;
        answered.await.map_err(|_| Error::Interrupted)?
    }

    /// The room's past, for whoever may take it home.
    pub async fn export(&self, address: &Address, credential: Credential) -> Result<Export, Error> {
        let (answer, answered) = oneshot::channel();
        self.send(address, Message::Export(Box::new(TakeHome { credential, answer })))?;
        answered.await.map_err(|_| Error::Interrupted)?
    }

    /// Says something to those here now. Heard by everyone but the listener it comes from; not kept.
    pub async fn say(
        &self,
        address: &Address,
        credential: Credential,
        from: Option<ListenerId>,
        data: Bytes,
    ) -> Result<(), Error> {
        let (answer, answered) = oneshot::channel();
        let say = Say { credential, listener: from, data, answer: Some(answer) };
        self.send(address, Message::Say(Box::new(say)))?;
        answered.await.map_err(|_| Error::Interrupted)?
    }

    /// The same for a listener that wants no answer: what cannot be said is dropped.
    pub fn blurt(&self, address: &Address, credential: Credential, from: &Listening, data: Bytes) {
        let say = Message::Say(Box::new(Say { credential, listener: Some(from.id), data, answer: None }));
        if !from.tell(say) {
            metrics::counter!("parlor_ephemeral_dropped_total").increment(1);
            tracing::debug!(%address, "a message was dropped on its way in");
        }
    }

    /// Shows something of oneself to those who are here; not kept.
    pub async fn show(
        &self,
        address: &Address,
        credential: Credential,
        from: Option<ListenerId>,
        showing: Showing,
    ) -> Result<(), Error> {
        let (answer, answered) = oneshot::channel();
        let show = Show { credential, listener: from, showing, answer: Some(answer) };
        self.send(address, Message::Show(Box::new(show)))?;
        answered.await.map_err(|_| Error::Interrupted)?
    }

    /// The same for a listener that wants no answer: what cannot be shown is dropped.
    pub fn flash(&self, credential: Credential, from: &Listening, showing: Showing) {
        let taken = match (&from.shows, showing) {
            (Some((slot, bell)), showing @ (Showing::Set { .. } | Showing::Remove { .. })) => {
                let taken = slot.put(showing);
                // Should the inbox be full, the room is awake and hears the bell by itself.
                if taken && bell.ring() {
                    let _ = from.inbox.try_send(Message::Shown);
                }
                taken
            }
            (_, showing) => {
                from.tell(Message::Show(Box::new(Show { credential, listener: Some(from.id), showing, answer: None })))
            }
        };
        if !taken {
            metrics::counter!("parlor_ephemeral_dropped_total").increment(1);
        }
    }

    pub fn live_rooms(&self) -> usize {
        self.doors().len()
    }

    /// Takes no more acts and waits until every one under way is answered.
    pub async fn drain(&self) {
        self.shared.draining.store(true, Ordering::SeqCst);
        loop {
            let settled = self.shared.settled.notified();
            if self.shared.under_way.load(Ordering::SeqCst) == 0 {
                return;
            }
            settled.await;
        }
    }

    /// Stops every room where it stands, as a crash would.
    pub fn kill(&self) {
        for (_, door) in self.doors().drain() {
            door.task.abort();
        }
    }

    fn send(&self, address: &Address, mut message: Message) -> Result<mpsc::Sender<Message>, Error> {
        // A room may go to rest between finding its door and knocking; then it is woken again.
        for _ in 0..3 {
            let (inbox, waiting) = self.door(address, message);
            let Some(waiting) = waiting else { return Ok(inbox) };
            message = match inbox.try_send(waiting) {
                Ok(()) => return Ok(inbox),
                Err(mpsc::error::TrySendError::Full(_)) => return Err(Error::Busy),
                Err(mpsc::error::TrySendError::Closed(message)) => message,
            };
        }
        Err(Error::Interrupted)
    }

    /// The inbox behind the room's door, and the message if it is still to be sent. A door made for it has it already: the task of a
    /// room that is not there is gone before anybody else could knock.
    fn door(&self, address: &Address, message: Message) -> (mpsc::Sender<Message>, Option<Message>) {
        let used = self.shared.uses.fetch_add(1, Ordering::Relaxed);
        let mut doors = self.doors();
        if let Some(door) = doors.get(address)
            && !door.inbox.is_closed()
        {
            door.used.store(used, Ordering::Relaxed);
            return (door.inbox.clone(), Some(message));
        }
        let (inbox, messages) = mpsc::channel(self.shared.house.limits.inbox_max);
        let left = inbox.try_send(message).err().map(mpsc::error::TrySendError::into_inner);
        let listening = Arc::new(AtomicUsize::new(0));
        let (house, room, heard) = (self.shared.house.clone(), address.clone(), listening.clone());
        // However the task ends, a panic included, its door does not stay in the list.
        let leave = Leaving { shared: Arc::downgrade(&self.shared), address: address.clone(), inbox: inbox.downgrade() };
        let own = inbox.downgrade();
        let task = tokio::spawn(async move {
            // Made in here: a future that is moved in keeps its old place too, in every live room.
            task::run(house, room, messages, own, heard).await;
            drop(leave);
        });
        let door = Door { inbox: inbox.clone(), listening, used: AtomicU64::new(used), task: task.abort_handle() };
        doors.insert(address.clone(), door);
        metrics::gauge!("parlor_rooms_live").set(doors.len() as f64);
        self.make_space(&doors);
        (inbox, left)
    }

    /// Asks the longest unused rooms that nobody listens to to go, a tenth of the limit at a time.
    fn make_space(&self, doors: &HashMap<Address, Door>) {
        let max = self.shared.house.limits.rooms_live_max;
        if doors.len() <= max {
            return;
        }
        let mut quiet: Vec<_> = doors.values().filter(|door| door.listening.load(Ordering::Relaxed) == 0).collect();
        quiet.sort_by_key(|door| door.used.load(Ordering::Relaxed));
        for door in quiet.into_iter().take(max / 10 + 1) {
            let _ = door.inbox.try_send(Message::Unload); // A room with a full inbox is not quiet.
        }
    }

    fn doors(&self) -> MutexGuard<'_, HashMap<Address, Door>> {
        self.shared.doors()
    }

    fn begin(&self) -> Result<UnderWay, Error> {
        self.shared.under_way.fetch_add(1, Ordering::SeqCst);
        let under_way = UnderWay(self.shared.clone());
        if self.shared.draining.load(Ordering::SeqCst) { Err(Error::Draining) } else { Ok(under_way) }
    }
}

impl Shared {
    /// A panic elsewhere leaves the list whole: every change to it is one step.
    fn doors(&self) -> MutexGuard<'_, HashMap<Address, Door>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a submitted command, when it comes.
pub struct Acting {
    answered: oneshot::Receiver<Result<Acted, Error>>,
    _under_way: UnderWay,
}

impl Future for Acting {
    type Output = Result<Acted, Error>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answered).poll(context).map(|answer| answer.unwrap_or(Err(Error::Interrupted)))
    }
}

struct UnderWay(Arc<Shared>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.under_way.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.settled.notify_waiters();
        }
    }
}

struct Leaving {
    shared: std::sync::Weak<Shared>,
    address: Address,
    inbox: mpsc::WeakSender<Message>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let mut doors = shared.doors();
        // A later task of the same room may already have its own door here.
        let mine = match (doors.get(&self.address), self.inbox.upgrade()) {
            (Some(door), Some(inbox)) => door.inbox.same_channel(&inbox),
            (Some(_), None) | (None, _) => false,
        };
        if mine {
            doors.remove(&self.address);
            metrics::gauge!("parlor_rooms_live").set(doors.len() as f64);
        }
    }
}

impl Listening {
    /// Something that may be lost. However much of it comes, half of a room's inbox is left for what may not.
    fn tell(&self, message: Message) -> bool {
        self.inbox.capacity() * 2 >= self.inbox.max_capacity() && self.inbox.try_send(message).is_ok()
    }

    /// The room ended or broke, so there is nothing more to hear.
    pub fn is_over(&self) -> bool {
        self.inbox.is_closed()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A full inbox must not keep a listener for ever: its outbox is closed with its connection as well.
        let inbox = self.inbox.clone();
        let id = self.id;
        if let Err(mpsc::error::TrySendError::Full(message)) = inbox.try_send(Message::Unlisten(id))
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                let _ = inbox.send(message).await;
            });
        }
    }
}
