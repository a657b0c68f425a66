//! What a program holds: the client, and a room it is in. Both talk to the one task that owns the socket.

use crate::connection::{Answer, Connection};
use crate::error::ClientError;
use crate::frame;
use crate::mailbox::Mailbox;
use crate::socket::{Driver, REQUESTS_WAITING_MAX, Reply, Request, dice};
use crate::update::{Acted, Entered, Update, View};
use parlor_rules::{Address, ClientId, Command, Millis, Place};
use parlor_wire::Secret;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot};

pub struct Options {
    /// Of a session, to be whoever is logged in with it.
    pub token: Option<Secret>,
    /// The private key of an earlier visit; without one the server makes one.
    pub user_key: Option<Secret>,
    /// The name of this running program; without one, a random one.
    pub client: Option<ClientId>,
    /// The number of the first act; a program that keeps its name goes on from its last number.
    pub next_number: u64,
    /// How often an act or an entrance that the server says may be tried again is, before the program hears of it.
    pub retries_max: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { token: None, user_key: None, client: None, next_number: 1, retries_max: 8 }
    }
}

/// A connection to a Parlor server that comes back by itself. It lives as long as this or any room of it does.
#[derive(Clone)]
pub struct Client {
    requests: mpsc::Sender<Request>,
    user_key: Arc<OnceLock<Arc<Secret>>>,
    name: ClientId,
}

/// A room that was made just now. Whoever holds the host key is its host.
pub struct Created {
    pub room: Address,
    pub host_key: Secret,
    pub valid_sizes: String,
    pub place: Place,
}

/// A room this client is in; dropping it leaves the room's audience, not the seat.
pub struct Room {
    entered: Entered,
    visit: Visit,
}

/// Being in a room or on the way in; given up when dropped.
struct Visit {
    address: Address,
    mailbox: Arc<Mailbox>,
    requests: mpsc::Sender<Request>,
}

impl Client {
    /// Connects to `ws://host:port/v1/ws` and says hello. Fails when the first attempt does; later cuts are mended.
    pub async fn connect(url: impl Into<String>, options: Options) -> Result<Client, ClientError> {
        let Options { token, user_key, client, next_number, retries_max } = options;
        let name = match client {
            Some(name) => name,
            None => format!("{:016x}{:016x}", dice(), dice()).parse().expect("hexadecimal digits are an id"),
        };
        let connection =
            Connection::new(user_key.map(Arc::new), name.clone(), next_number, retries_max).with_token(token.map(Arc::new));
        let (requests, waiting) = mpsc::channel(REQUESTS_WAITING_MAX);
        let user_key = Arc::new(OnceLock::new());
        let (started, answer) = oneshot::channel();
        tokio::spawn(Driver::new(url.into(), connection, waiting, user_key.clone()).run(started));
        answer.await.map_err(|_| ClientError::closed())??;
        Ok(Client { requests, user_key, name })
    }

    /// The private key that is this person; keep it to be the same one next time.
    pub fn user_key(&self) -> Option<&Secret> {
        self.user_key.get().map(|key| &**key)
    }

    pub fn name(&self) -> &ClientId {
        &self.name
    }

    /// A new poker room, with the default deck unless another is named. Not repeated after a cut.
    pub async fn create(&self, valid_sizes: Option<&str>) -> Result<Created, ClientError> {
        let mut with = json!({ "kind": "poker" });
        if let Some(sizes) = valid_sizes {
            with["valid_sizes"] = sizes.into();
        }
        let ok = self.ask("create", None, Some(with)).await?;
        let text = |name: &str| ok[name].as_str().map(str::to_owned);
        let created = || {
            Some(Created {
                room: text("room")?.parse().ok()?,
                host_key: Secret::new(text("host_key")?),
                valid_sizes: text("valid_sizes")?,
                place: frame::place(&ok)?,
            })
        };
        created().ok_or_else(|| ClientError::odd("a part of the new room"))
    }

    /// Comes to a room to watch it; joining the table is an act. One client is in a room once.
    pub async fn enter(&self, room: &Address, host_key: Option<&Secret>) -> Result<Room, ClientError> {
        let visit = Visit { address: room.clone(), mailbox: Arc::default(), requests: self.requests.clone() };
        let host_key = host_key.map(|key| Arc::new(Secret::new(key.expose().to_owned())));
        let mailbox = Arc::downgrade(&visit.mailbox);
        let answer = asked(&self.requests, |reply| Request::Enter { room: room.clone(), host_key, mailbox, reply }).await?;
        let Answer::Entered(entered) = answer else { return Err(ClientError::odd("an entrance")) };
        Ok(Room { entered, visit })
    }

    /// What this client would see of a room now, without entering it.
    pub async fn look(&self, room: &Address) -> Result<View, ClientError> {
        let ok = self.ask("look", Some(room.clone()), None).await?;
        frame::view(ok).ok_or_else(|| ClientError::odd("a view"))
    }

    /// The server's time.
    pub async fn ping(&self) -> Result<Millis, ClientError> {
        let ok = self.ask("ping", None, None).await?;
        ok["now"].as_u64().map(Millis).ok_or_else(|| ClientError::odd("the time"))
    }

    async fn ask(&self, verb: &'static str, room: Option<Address>, with: Option<Value>) -> Result<Value, ClientError> {
        match asked(&self.requests, |reply| Request::Ask { verb, room, with, reply }).await? {
            Answer::Other(ok) => Ok(ok),
            Answer::Hello | Answer::Entered(_) | Answer::Acted(_) => Err(ClientError::odd("an answer to this question")),
        }
    }
}

impl Room {
    pub fn address(&self) -> &Address {
        &self.visit.address
    }

    /// What the room said at the door, the first time.
    pub fn entered(&self) -> &Entered {
        &self.entered
    }

    /// Does it once, however often the connection breaks meanwhile. Acts of a room are done in the order of these calls.
    pub async fn act(&self, command: &Command) -> Result<Acted, ClientError> {
        let (verb, with) = match command {
            Command::Poker(command) => parlor_wire::poker::write(command),
            Command::Space(command) => parlor_wire::space::write(command),
            Command::Reels(command) => parlor_wire::reels::write(command),
        };
        let answer =
            asked(&self.visit.requests, |reply| Request::Act { room: self.visit.address.clone(), verb, with, reply }).await?;
        let Answer::Acted(acted) = answer else { return Err(ClientError::odd("an act's answer")) };
        Ok(acted)
    }

    /// Says something to those here now. Not kept, not repeated, not answered.
    pub async fn say(&self, data: Value) {
        let _ = self.visit.requests.send(Request::Say { room: self.visit.address.clone(), data }).await; // A closed client is heard by nobody.
    }

    /// What happens next in the room; `None` when there is no more.
    pub async fn next(&self) -> Option<Update> {
        self.visit.mailbox.next().await
    }

    /// The next view, passing over everything else.
    pub async fn next_view(&self) -> Option<View> {
        loop {
            match self.next().await? {
                Update::View(view) => return Some(*view),
                Update::Screen(_)
                | Update::Told(_)
                | Update::Now(_)
                | Update::Closing { .. }
                | Update::Ended(_)
                | Update::Status(_) => {}
            }
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let exit = Request::Exit { room: self.address.clone(), mailbox: Arc::downgrade(&self.mailbox) };
        if let Err(mpsc::error::TrySendError::Full(exit)) = self.requests.try_send(exit)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let requests = self.requests.clone();
            runtime.spawn(async move {
                let _ = requests.send(exit).await; // The client may be gone by then.
            });
        }
    }
}

async fn asked(requests: &mpsc::Sender<Request>, request: impl FnOnce(Reply) -> Request) -> Result<Answer, ClientError> {
    let (reply, answer) = oneshot::channel();
    requests.send(request(reply)).await.map_err(|_| ClientError::closed())?;
    answer.await.map_err(|_| ClientError::closed())?
}
