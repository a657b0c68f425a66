//! The WebSocket at `/v1/ws`: one task a connection, which reads requests and writes what its outbox holds.

use crate::conversation::{Conversation, Waiting};
use crate::doors::{Connected, Doors};
use crate::headers::{client_address, origin_is_welcome};
use crate::limits::{COME_BACK_MS_MAX, WRITE_WITHIN};
use crate::rest::Failure;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::FuturesUnordered;
use futures_util::{SinkExt, StreamExt};
use parlor_engine::{Closed, Outbox};
use parlor_rules::Code;
use parlor_wire::{Fault, say};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

/// RFC 6455 close codes we use.
mod close {
    pub(super) const GOING_AWAY: u16 = 1001;
    pub(super) const NOT_TEXT: u16 = 1003;
    pub(super) const POLICY: u16 = 1008;
}

pub async fn upgrade(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if !origin_is_welcome(&headers, &doors.config.allow_origins) {
        let fault = Fault::new(Code::Forbidden, "this web origin may not use this server; its operator can add it to allow-origins");
        return Failure(fault).into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => return Failure(Fault::bad("this address speaks WebSocket; open it with ws:// or wss://")).into_response(),
    };
    let from = client_address(&headers, peer, doors.config.trust_forwarded);
    let connected = match doors.connect(from) {
        Ok(connected) => connected,
        Err(fault) => return Failure(fault).into_response(),
    };
    let bytes_max = doors.config.doors.frame_bytes_max;
    // Small buffers: most connections are idle most of the time.
    let upgrade = upgrade.read_buffer_size(1024).max_message_size(bytes_max).max_frame_size(bytes_max);
    upgrade.on_upgrade(move |socket| serve(socket, doors, from, connected))
}

async fn serve(socket: WebSocket, doors: Arc<Doors>, from: IpAddr, _connected: Connected) {
    let outbox = Arc::new(Outbox::new(&doors.config.engine));
    let conversation = Conversation::new(doors.clone(), outbox.clone(), from);
    let mut line = Line { socket, conversation, waiting: FuturesUnordered::new(), outbox: outbox.clone() };
    let ending = line.talk(&doors).await;
    outbox.close(Closed::Done);
    if let Some((code, reason)) = ending {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        // The reader may be gone or stuck; one second is enough to say goodbye.
        let _ = timeout(std::time::Duration::from_secs(1), line.socket.send(Message::Close(Some(frame)))).await;
    }
}

/// Resolves when the server is going; the guard of the flag must not live across a wait.
async fn told_to_go(going: &mut watch::Receiver<bool>) {
    let _ = going.wait_for(|going| *going).await;
}

struct Line {
    socket: WebSocket,
    conversation: Conversation,
    waiting: FuturesUnordered<Waiting>,
    outbox: Arc<Outbox>,
}

type Ending = Option<(u16, &'static str)>;

impl Line {
    async fn talk(&mut self, doors: &Doors) -> Ending {
        let limits = &doors.config.doors;
        let mut going = doors.going.clone();
        let started = Instant::now();
        let mut heard = started;
        let gone = told_to_go(&mut going);
        let check = sleep_until(started + limits.hello_within);
        // Kept across turns of the loop: making them anew for every message would cost more than the message.
        tokio::pin!(gone, check);
        loop {
            let may_hear = self.waiting.len() < limits.acts_waiting_max;
            tokio::select! {
                biased;
                () = self.outbox.ready() => {
                    if let Some(ending) = self.write().await {
                        return ending;
                    }
                }
                Some(outcome) = self.waiting.next(), if !self.waiting.is_empty() => self.conversation.settle(outcome),
                message = self.socket.recv(), if may_hear => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            if let Some(waiting) = self.conversation.hear(&text) {
                                self.waiting.push(waiting);
                            }
                        }
                        Some(Ok(Message::Binary(_))) => return Some((close::NOT_TEXT, "this protocol is text")),
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    }
                }
                () = &mut gone => return self.farewell().await,
                () = &mut check => {
                    let now = Instant::now();
                    if !self.conversation.has_said_hello() && now >= started + limits.hello_within {
                        return Some((close::POLICY, "hello was not said in time"));
                    }
                    if now >= heard + limits.ping_every * 2 {
                        return Some((close::POLICY, "nothing was heard for too long"));
                    }
                    if now >= heard + limits.ping_every && self.socket.send(Message::Ping(Bytes::new())).await.is_err() {
                        return None;
                    }
                    check.as_mut().reset(now + limits.ping_every.min(limits.hello_within));
                }
            }
        }
    }

    /// Writes all that waits, many frames in one go. Gives the ending when there is one.
    async fn write(&mut self) -> Option<Ending> {
        let mut frames = Vec::new();
        let closed = self.outbox.take(&mut frames);
        let writing = async {
            for frame in frames {
                // All our frames are text; the check costs less than proving it to the compiler.
                let Ok(text) = Utf8Bytes::try_from(frame) else { continue };
                self.socket.feed(Message::Text(text)).await?;
            }
            self.socket.flush().await
        };
        let written = tokio::select! {
            biased;
            written = timeout(WRITE_WITHIN, writing) => matches!(written, Ok(Ok(()))),
            () = self.outbox.overflown() => false,
        };
        match closed.or_else(|| self.outbox.closed()) {
            Some(Closed::TooSlow) => Some(Some((close::POLICY, "too slow to read what was asked for; come back and resume"))),
            Some(Closed::Done) => Some(None),
            None if !written => Some(None),
            None => None,
        }
    }

    /// The server is going: what is under way is answered, then the client is told to come back.
    async fn farewell(&mut self) -> Ending {
        while let Some(outcome) = self.waiting.next().await {
            self.conversation.settle(outcome);
        }
        self.outbox.push(say::bye("restart", COME_BACK_MS_MAX));
        self.write().await;
        Some((close::GOING_AWAY, "the server is restarting; come back"))
    }
}
