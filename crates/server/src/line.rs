//! One WebSocket connection: its task reads requests and writes what its outbox holds, many frames in one write.
//!
//! Reading, control frames and closing are the library's. Our own frames are framed here, into a buffer that
//! lives for one write, because thousands of idle connections must not each keep the room of their largest view.

use crate::conversation::Waiting;
use crate::doors::{Connected, Doors};
use crate::limits::{COME_BACK_MS_MAX, WRITE_WITHIN};
use crate::talk::Talk;
use bytes::Bytes;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, SinkExt, StreamExt};
use parlor_engine::{Closed, Outbox};
use parlor_wire::say;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

pub type Socket = WebSocketStream<TcpStream>;

/// The reader may be gone or stuck; this is enough to say goodbye.
const GOODBYE_WITHIN: Duration = Duration::from_secs(1);

/// Turns of the runtime that an answer waits for others at most: beyond that it is the machine that is slow.
const COMPANY_TURNS_MAX: usize = 8;

/// How a line ends: silently, or with a close frame.
type Ending = Option<(CloseCode, &'static str)>;

/// Not an async function: that would keep the room of its arguments beside the line, in every connection.
pub fn serve<T: Talk>(
    socket: Socket,
    doors: Arc<Doors>,
    connected: Connected,
    talker: impl FnOnce(Arc<Outbox>) -> T,
) -> impl Future<Output = ()> + Send {
    let outbox = Arc::new(Outbox::new(&doors.config.engine));
    let mut line = Line { socket, talker: talker(outbox.clone()), waiting: FuturesUnordered::new(), outbox };
    async move {
        let ending = line.talk(&doors).await;
        line.outbox.close(Closed::Done);
        if let Some((code, reason)) = ending {
            let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
            let _ = timeout(GOODBYE_WITHIN, line.say_goodbye(frame)).await;
        }
        drop(connected);
    }
}

struct Line<T> {
    socket: Socket,
    talker: T,
    waiting: FuturesUnordered<Waiting>,
    outbox: Arc<Outbox>,
}

impl<T: Talk> Line<T> {
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
            let may_hear = self.waiting.len() < limits.acts_waiting_max && self.talker.may_hear();
            tokio::select! {
                biased;
                Some(outcome) = self.waiting.next(), if !self.waiting.is_empty() => {
                    self.waiting.extend(self.talker.settle(outcome));
                    self.settle_company().await;
                }
                () = self.outbox.ready() => {
                    if let Some(ending) = self.write().await {
                        return ending;
                    }
                }
                message = self.socket.next(), if may_hear => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            self.waiting.extend(self.talker.hear(&text));
                        }
                        Some(Ok(Message::Binary(bytes))) => {
                            let Some(answer) = self.talker.hear_bytes(bytes) else {
                                return Some((CloseCode::Unsupported, "this protocol is text"));
                            };
                            if Box::pin(self.socket.send(Message::Binary(answer))).await.is_err() {
                                return None;
                            }
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                        Some(Err(Error::Capacity(_))) => return Some((CloseCode::Size, "that message is larger than frame-bytes-max")),
                        Some(Err(Error::Utf8(_))) => return Some((CloseCode::Invalid, "that text is not UTF-8")),
                        Some(Err(Error::Protocol(_))) => return Some((CloseCode::Protocol, "that is not WebSocket")),
                        Some(Ok(Message::Close(_))) => {
                            // The library has the answer ready; it leaves with this, and then the library calls the line closed.
                            let _ = Box::pin(timeout(GOODBYE_WITHIN, self.socket.flush())).await;
                            return None;
                        }
                        Some(Err(_)) | None => return None,
                    }
                }
                () = &mut gone => return Box::pin(self.farewell()).await,
                () = &mut check => {
                    let now = Instant::now();
                    if !self.talker.has_said_hello() && now >= started + limits.hello_within {
                        return Some((CloseCode::Policy, "hello was not said in time"));
                    }
                    if now >= heard + limits.ping_every * 2 {
                        return Some((CloseCode::Policy, "nothing was heard for too long"));
                    }
                    if now >= heard + limits.ping_every && self.socket.send(Message::Ping(Bytes::new())).await.is_err() {
                        return None;
                    }
                    check.as_mut().reset(now + limits.ping_every.min(limits.hello_within));
                }
            }
        }
    }

    /// Many rooms share a sync, so where one answer is, more are about to be: they are let come for a few turns of the runtime,
    /// as long as they do, to share a write. Whoever waits for one answer only gets it at once.
    async fn settle_company(&mut self) {
        for _ in 0..COMPANY_TURNS_MAX {
            if self.waiting.is_empty() {
                return;
            }
            tokio::task::yield_now().await;
            let mut came = false;
            while let Some(Some(outcome)) = self.waiting.next().now_or_never() {
                self.waiting.extend(self.talker.settle(outcome));
                came = true;
            }
            if !came {
                return;
            }
        }
    }

    /// Writes all that waits in one go. Gives the ending when there is one.
    async fn write(&mut self) -> Option<Ending> {
        let mut frames = Vec::new();
        let closed = self.outbox.take(&mut frames);
        let buffer = framed(&frames);
        drop(frames);
        let written = match self.write_at_once(&buffer) {
            Ok(count) if count == buffer.len() => true,
            // Boxed, so that the many connections that never wait do not carry the room for it.
            Ok(count) => Box::pin(self.write_slowly(&buffer[count..])).await,
            Err(_) => false,
        };
        match closed.or_else(|| self.outbox.closed()) {
            // A frame may be half written, so no close frame could be read after it.
            Some(Closed::TooSlow) if !written => Some(None),
            Some(Closed::TooSlow) => Some(Some((CloseCode::Policy, "too slow to read what was asked for; come back and resume"))),
            Some(Closed::SentAway) if written => Some(Some((CloseCode::Policy, "the session has ended"))),
            Some(Closed::SentAway | Closed::Done) => Some(None),
            None if !written => Some(None),
            None => None,
        }
    }

    /// As much as the system takes without waiting, which is nearly always all of it.
    fn write_at_once(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        // A control frame of the library's may be half written; ours must not stand inside it.
        match self.socket.flush().now_or_never() {
            Some(Ok(())) => {}
            Some(Err(_)) => return Err(std::io::ErrorKind::BrokenPipe.into()),
            None => return Ok(0),
        }
        match self.socket.get_ref().try_write(buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(0),
            written => written,
        }
    }

    /// The rest, with patience, but not for ever.
    async fn write_slowly(&mut self, rest: &[u8]) -> bool {
        let outbox = self.outbox.clone();
        let writing = async { self.socket.flush().await.is_ok() && self.socket.get_mut().write_all(rest).await.is_ok() };
        tokio::select! {
            biased;
            written = timeout(WRITE_WITHIN, writing) => written == Ok(true),
            () = outbox.overflown() => false,
        }
    }

    /// What the client still sends is read and forgotten: a socket closed over unread bytes is reset, and then the client
    /// would hear that the line broke instead of why.
    async fn say_goodbye(&mut self, frame: CloseFrame) {
        if self.socket.close(Some(frame)).await.is_err() {
            return;
        }
        let stream = self.socket.get_mut();
        let mut rest = vec![0; 4096];
        let said = stream.shutdown().await;
        while said.is_ok() && matches!(stream.read(&mut rest).await, Ok(1..)) {}
    }

    /// The server is going: what is under way is answered, then the client is told to come back.
    async fn farewell(&mut self) -> Ending {
        while let Some(outcome) = self.waiting.next().await {
            self.waiting.extend(self.talker.settle(outcome));
        }
        self.outbox.push(say::bye("restart", COME_BACK_MS_MAX));
        match self.write().await {
            Some(ending) => ending,
            None => Some((CloseCode::Away, "the server is restarting; come back")),
        }
    }
}

/// Resolves when the server is going; the guard of the flag must not live across a wait.
async fn told_to_go(going: &mut watch::Receiver<bool>) {
    let _ = going.wait_for(|going| *going).await;
}

/// Frames as unmasked, unfragmented WebSocket text messages, one after the other (RFC 6455, 5.2).
fn framed(frames: &[Bytes]) -> Vec<u8> {
    const TEXT_FINAL: u8 = 0x81;
    let mut buffer = Vec::with_capacity(frames.iter().map(|frame| frame.len() + 10).sum());
    for frame in frames {
        buffer.push(TEXT_FINAL);
        match frame.len() {
            length @ 0..=125 => buffer.push(length as u8),
            length @ 126..=0xffff => {
                buffer.push(126);
                buffer.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                buffer.push(127);
                buffer.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        buffer.extend_from_slice(frame);
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn our_frames_are_what_a_websocket_reader_reads() {
        use tokio_tungstenite::tungstenite::protocol::Role;
        let texts: Vec<String> = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000].iter().map(|length| "x".repeat(*length)).collect();
        let frames: Vec<Bytes> = texts.iter().map(|text| Bytes::from(text.clone())).collect();
        let written = std::io::Cursor::new(framed(&frames));
        let mut reader = WebSocketStream::from_raw_socket(written, Role::Client, None).await;
        for text in texts {
            assert_eq!(reader.next().await.unwrap().unwrap(), Message::text(text));
        }
    }
}
