//! What a room says, as a stream. Each has an outbox and a place among the connections, as a socket has.
//!
//! A stream never just stops: its last word is `ended`, or a status that says why and whether to come back.

use super::{Asked, status, status_after, too_late};
use crate::attendance::Attending;
use crate::auth::visits::Visiting;
use crate::caller::Caller;
use crate::doors::{Connected, Doors};
use crate::headers::client_address;
use crate::limits::{COME_BACK_MS_MAX, WRITE_WITHIN};
use crate::logins::no_session;
use parlor_engine::{Closed, Entrance, Listening, Outbox};
use parlor_proto::Frame;
use parlor_proto::frame::Update;
use parlor_rules::{Address, Code, Place};
use parlor_wire::Fault;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_stream::Stream;
use tonic::Status;

/// Dropping it, which is what cancelling the call does, takes the listener from the room.
pub(super) struct Updates {
    said: mpsc::Receiver<Result<Frame, Status>>,
    /// The last word has been said.
    over: bool,
    _connected: Connected,
}

impl Stream for Updates {
    type Item = Result<Frame, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.over {
            return Poll::Ready(None);
        }
        self.said.poll_recv(context).map(|said| {
            // Whoever spoke gave up on a reader that took nothing for too long.
            let said = said.unwrap_or_else(|| Err(too_slow()));
            self.over = said.as_ref().map_or(true, |Frame(frame)| Update::Ended.is_in(frame));
            Some(said)
        })
    }
}

/// A place among the connections of the caller's address.
pub(super) fn place(doors: &Arc<Doors>, asked: &Asked) -> Result<Connected, Fault> {
    doors.connect(client_address(&asked.headers, asked.peer, doors.config.trust_forwarded))
}

pub(super) async fn open(
    doors: Arc<Doors>,
    caller: Caller,
    room: &Address,
    resume: Option<Place>,
    deadline: Option<Instant>,
    connected: Connected,
) -> Result<Updates, Fault> {
    let outbox = Arc::new(Outbox::new(&doors.config.engine));
    let attending = match &caller.session {
        Some((session, _)) => Some(doors.attend(&session.token, outbox.clone()).await?),
        None => None,
    };
    let visiting = caller.bearer.as_ref().and_then(|bearer| doors.visit(bearer, &outbox));
    let (credential, encode) = (caller.credential(&doors, room).await?, doors.protobuf.clone());
    let entrance = Entrance { request: 0, credential, client: None, outbox: outbox.clone(), encode, resume };
    let listening = doors.engine.listen(room, entrance).await;
    let listening = listening.map_err(|error| doors.fault(caller.from, &error))?;
    let (say, said) = mpsc::channel(1);
    let speaker = Speaker { doors, outbox, say, _listening: listening, _attending: attending, _visiting: visiting };
    tokio::spawn(speaker.speak(deadline));
    Ok(Updates { said, over: false, _connected: connected })
}

/// Takes from the outbox what the reader has room for.
struct Speaker {
    doors: Arc<Doors>,
    outbox: Arc<Outbox>,
    say: mpsc::Sender<Result<Frame, Status>>,
    _listening: Listening,
    _attending: Option<Attending>,
    _visiting: Option<Visiting>,
}

impl Speaker {
    async fn speak(self, deadline: Option<Instant>) {
        if let Some(last) = self.until_the_end(deadline).await {
            self.said(Err(last)).await;
        }
        self.outbox.close(Closed::Done);
    }

    /// The last word, if it has not been said and somebody may hear it.
    async fn until_the_end(&self, deadline: Option<Instant>) -> Option<Status> {
        let mut going = self.doors.going.clone();
        let mut frames = Vec::new();
        loop {
            let reason = tokio::select! {
                biased;
                () = self.say.closed() => return None,
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => Some(too_late()),
                _ = going.wait_for(|going| *going) => Some(self.come_back("the server is restarting; come back")),
                () = self.outbox.ready() => None,
            };
            let closed = self.outbox.take(&mut frames);
            if closed == Some(Closed::SentAway) {
                frames.pop(); // The goodbye is for sockets; here a status says it.
            }
            for frame in frames.drain(..) {
                if frame.is_empty() {
                    return Some(self.come_back("this server stopped serving the room; come back"));
                }
                let last = Update::Ended.is_in(&frame);
                if !self.said(Ok(Frame(frame))).await || last {
                    return None;
                }
            }
            match closed {
                Some(Closed::TooSlow) => return Some(too_slow()),
                Some(Closed::SentAway) => return Some(status(&no_session())),
                Some(Closed::Done) => return None,
                None if reason.is_some() => return reason,
                None => {}
            }
        }
    }

    async fn said(&self, word: Result<Frame, Status>) -> bool {
        matches!(timeout(WRITE_WITHIN, self.say.send(word)).await, Ok(Ok(())))
    }

    /// Not all at once.
    fn come_back(&self, why: &str) -> Status {
        let wait = self.doors.engine.house().dice.bits() % COME_BACK_MS_MAX;
        status_after(&Fault::new(Code::Unavailable, why), Duration::from_millis(wait))
    }
}

fn too_slow() -> Status {
    status(&Fault::new(Code::Unavailable, "too slow to read what was asked for; come back and resume"))
}
