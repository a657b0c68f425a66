//! The only place that touches the network: it carries out what `connection` says and reports what happened.

use crate::connection::{Alarm, Answer, Connection, Effect, Input, Token};
use crate::error::ClientError;
use crate::mailbox::Mailbox;
use crate::update::Update;
use futures_util::{SinkExt, StreamExt};
use parlor_rules::Address;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

const OPEN_WITHIN: Duration = Duration::from_secs(10);
const WRITE_WITHIN: Duration = Duration::from_secs(10);

/// Requests of the program that may wait for the socket's task.
pub(crate) const REQUESTS_WAITING_MAX: usize = 1024;

/// A frame larger than this is not from a server of ours.
const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;

type Socket = Box<WebSocketStream<MaybeTlsStream<TcpStream>>>;
type Opening = Pin<Box<dyn Future<Output = Result<Socket, String>> + Send>>;
pub(crate) type Reply = oneshot::Sender<Result<Answer, ClientError>>;

/// What the program wants; the reply goes to whoever the token will name.
pub(crate) enum Request {
    Ask {
        verb: &'static str,
        room: Option<Address>,
        with: Option<serde_json::Value>,
        reply: Reply,
    },
    Enter {
        room: Address,
        host_key: Option<Arc<parlor_wire::Secret>>,
        mailbox: Weak<Mailbox>,
        reply: Reply,
    },
    /// Leaves if the mailbox is still the room's own.
    Exit {
        room: Address,
        mailbox: Weak<Mailbox>,
    },
    Act {
        room: Address,
        verb: &'static str,
        with: serde_json::Value,
        reply: Reply,
    },
    Say {
        room: Address,
        data: serde_json::Value,
    },
}

pub(crate) struct Driver {
    pub(crate) url: String,
    pub(crate) connection: Connection,
    pub(crate) requests: mpsc::Receiver<Request>,
    pub(crate) user_key: Arc<OnceLock<Arc<parlor_wire::Secret>>>,
    socket: Option<Socket>,
    opening: Option<Opening>,
    alarms: BTreeMap<(Instant, u64), Alarm>,
    counter: u64,
    waiting: HashMap<Token, Reply>,
    mailboxes: HashMap<Address, Weak<Mailbox>>,
    over: bool,
}

enum Happened {
    Request(Option<Request>),
    Opened(Result<Socket, String>),
    Read(Option<Result<Message, tungstenite::Error>>),
    Time,
}

impl Driver {
    pub(crate) fn new(
        url: String,
        connection: Connection,
        requests: mpsc::Receiver<Request>,
        user_key: Arc<OnceLock<Arc<parlor_wire::Secret>>>,
    ) -> Driver {
        Driver {
            url,
            connection,
            requests,
            user_key,
            socket: None,
            opening: None,
            alarms: BTreeMap::new(),
            counter: 0,
            waiting: HashMap::new(),
            mailboxes: HashMap::new(),
            over: false,
        }
    }

    /// Runs until the program drops the client and every room of it.
    pub(crate) async fn run(mut self, started: Reply) {
        let token = self.token(started);
        self.step(Input::Start(token)).await;
        while !self.over {
            match self.next().await {
                Happened::Request(None) => break,
                Happened::Request(Some(request)) => self.request(request).await,
                Happened::Opened(Ok(socket)) => {
                    (self.opening, self.socket) = (None, Some(socket));
                    self.step(Input::Opened).await;
                }
                Happened::Opened(Err(why)) => {
                    self.opening = None;
                    self.step(Input::Lost(why)).await;
                }
                Happened::Read(Some(Ok(Message::Text(text)))) => self.step(Input::Heard(text.as_str().to_owned())).await,
                Happened::Read(Some(Ok(Message::Close(_)))) => {} // Read on: the stream ends when the close is answered.
                Happened::Read(Some(Ok(_))) => {}
                Happened::Read(Some(Err(error))) => self.lost(error.to_string()).await,
                Happened::Read(None) => self.lost("the server closed the connection".to_owned()).await,
                Happened::Time => {
                    if let Some((_, alarm)) = self.alarms.pop_first() {
                        self.step(Input::Rang(alarm)).await;
                    }
                }
            }
        }
        if let Some(mut socket) = self.socket.take() {
            // Good manners only. Named in full: a box of a sink has a `close` of its own when some crate asks for that.
            let _ = tokio::time::timeout(WRITE_WITHIN, WebSocketStream::close(&mut socket, None)).await;
        }
        for mailbox in self.mailboxes.values().filter_map(Weak::upgrade) {
            mailbox.end();
        }
    }

    async fn next(&mut self) -> Happened {
        let Driver { requests, opening, socket, alarms, .. } = self;
        let first = alarms.keys().next().map(|(at, _)| *at);
        tokio::select! {
            opened = async { opening.as_mut().expect("guarded by the branch's condition").await }, if opening.is_some() => Happened::Opened(opened),
            read = async { socket.as_mut().expect("guarded by the branch's condition").next().await }, if socket.is_some() => Happened::Read(read),
            request = requests.recv() => Happened::Request(request),
            () = tokio::time::sleep_until(first.unwrap_or_else(Instant::now)), if first.is_some() => Happened::Time,
        }
    }

    async fn lost(&mut self, why: String) {
        self.socket = None;
        self.step(Input::Lost(why)).await;
    }

    async fn request(&mut self, request: Request) {
        let input = match request {
            Request::Ask { verb, room, with, reply } => Input::Ask { token: self.token(reply), verb, room, with },
            Request::Enter { room, host_key, mailbox, reply } => {
                let here = self.mailboxes.get(&room).is_some_and(|mailbox| mailbox.strong_count() > 0);
                if !here {
                    self.mailboxes.insert(room.clone(), mailbox);
                }
                Input::Enter { token: self.token(reply), room, host_key }
            }
            Request::Exit { room, mailbox } => {
                if !self.mailboxes.get(&room).is_some_and(|own| own.ptr_eq(&mailbox)) {
                    return;
                }
                self.mailboxes.remove(&room);
                Input::Exit(room)
            }
            Request::Act { room, verb, with, reply } => Input::Act { token: self.token(reply), room, verb, with },
            Request::Say { room, data } => Input::Say { room, data },
        };
        self.step(input).await;
    }

    async fn step(&mut self, input: Input) {
        let effects = self.connection.step(input, dice());
        if let Some(key) = self.connection.user_key() {
            self.user_key.get_or_init(|| key.clone());
        }
        let mut broken = None;
        let mut written = false;
        for effect in effects {
            match effect {
                Effect::Open => self.opening = Some(open(self.url.clone())),
                Effect::Close => (self.socket, self.opening) = (None, None),
                Effect::Send(text) => {
                    if let Some(socket) = &mut self.socket {
                        written = true;
                        broken = broken.or(within(socket.feed(Message::text(text))).await);
                    }
                }
                Effect::Ring(wait, alarm) => {
                    self.counter += 1;
                    self.alarms.insert((Instant::now() + wait, self.counter), alarm);
                }
                Effect::Answer(token, result) => {
                    if let Some(reply) = self.waiting.remove(&token) {
                        let _ = reply.send(result); // Whoever asked may have stopped waiting.
                    }
                }
                Effect::Tell(room, update) => self.tell(&room, update),
                Effect::GiveUp => self.over = true,
            }
        }
        if let Some(socket) = self.socket.as_mut().filter(|_| written) {
            broken = broken.or(within(socket.flush()).await);
        }
        if let Some(why) = broken {
            Box::pin(self.lost(why)).await;
        }
    }

    fn tell(&mut self, room: &Address, update: Update) {
        let last = matches!(update, Update::Ended(_));
        if let Some(mailbox) = self.mailboxes.get(room).and_then(Weak::upgrade) {
            mailbox.push(update);
        }
        if last {
            self.mailboxes.remove(room);
        }
    }

    fn token(&mut self, reply: Reply) -> Token {
        self.counter += 1;
        self.waiting.insert(self.counter, reply);
        self.counter
    }
}

fn open(url: String) -> Opening {
    let config = WebSocketConfig::default()
        .read_buffer_size(4096)
        .write_buffer_size(4096)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX));
    Box::pin(async move {
        let opening = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
        match tokio::time::timeout(OPEN_WITHIN, opening).await {
            Ok(Ok((socket, _))) => Ok(Box::new(socket)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("it did not answer in time".to_owned()),
        }
    })
}

/// Why writing failed, if it did.
async fn within(write: impl Future<Output = Result<(), tungstenite::Error>>) -> Option<String> {
    match tokio::time::timeout(WRITE_WITHIN, write).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("the server takes nothing more".to_owned()),
    }
}

/// Random enough to keep clients out of step and their ids apart; no secret is made of it.
pub(crate) fn dice() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
