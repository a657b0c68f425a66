//! Bodies as the edge hands them on: nothing, one shared piece of bytes, or a stream that passes through.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::sync::{Notify, mpsc};

pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request's or an answer's body.
#[derive(Default)]
pub enum Body {
    #[default]
    Empty,
    Full(Bytes),
    Stream(Pin<Box<dyn http_body::Body<Data = Bytes, Error = BoxError> + Send>>),
    Tap(Tap),
}

impl std::fmt::Debug for Body {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Empty => "Empty",
            Self::Full(_) => "Full",
            Self::Stream(_) => "Stream",
            Self::Tap(_) => "Tap",
        })
    }
}

impl Body {
    pub fn stream<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        if body.is_end_stream() {
            return Self::Empty;
        }
        Self::Stream(Box::pin(http_body_util::BodyExt::map_err(body, Into::into)))
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        if bytes.is_empty() { Self::Empty } else { Self::Full(bytes) }
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut *self {
            Self::Empty => Poll::Ready(None),
            Self::Full(_) => match std::mem::take(&mut *self) {
                Self::Full(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                _ => Poll::Ready(None),
            },
            Self::Stream(inner) => inner.as_mut().poll_frame(context),
            Self::Tap(tap) => tap.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Full(_) | Self::Tap(_) => false,
            Self::Stream(inner) => inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(inner) => inner.size_hint(),
            Self::Tap(tap) => tap.length.map_or_else(SizeHint::default, SizeHint::with_exact),
        }
    }
}

/// The client's end of a body that is being kept while it is sent on.
pub struct Tap {
    frames: mpsc::UnboundedReceiver<Result<Frame<Bytes>, BoxError>>,
    flow: Arc<Flow>,
    length: Option<u64>,
}

/// The filling end. While the page is being kept its bytes are held anyway, so the sender need not wait for the client; a body
/// that turned out too large to keep must wait.
pub struct Faucet {
    frames: mpsc::UnboundedSender<Result<Frame<Bytes>, BoxError>>,
    flow: Arc<Flow>,
}

#[derive(Default)]
struct Flow {
    waiting: AtomicUsize,
    drunk: Notify,
}

/// How many bytes may wait for a client that reads slowly, once the body is no longer kept.
const WAITING_MAX: usize = 256 * 1024;

pub fn tap(length: Option<u64>) -> (Faucet, Tap) {
    let (sender, frames) = mpsc::unbounded_channel();
    let flow = Arc::new(Flow::default());
    (Faucet { frames: sender, flow: flow.clone() }, Tap { frames, flow, length })
}

impl Faucet {
    /// False when the client is gone.
    pub fn pour(&self, frame: Result<Frame<Bytes>, BoxError>) -> bool {
        let size = frame.as_ref().ok().and_then(|frame| frame.data_ref()).map_or(0, Bytes::len);
        self.flow.waiting.fetch_add(size, Ordering::SeqCst);
        self.frames.send(frame).is_ok()
    }

    /// Waits until the client has taken enough of what was poured.
    pub async fn settle(&self) {
        loop {
            let drunk = self.flow.drunk.notified();
            if self.flow.waiting.load(Ordering::SeqCst) < WAITING_MAX || self.frames.is_closed() {
                return;
            }
            tokio::select! { () = drunk => {}, () = self.frames.closed() => return }
        }
    }
}

impl Tap {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let next = std::task::ready!(self.frames.poll_recv(context));
        if let Some(Ok(frame)) = &next {
            let size = frame.data_ref().map_or(0, Bytes::len);
            self.flow.waiting.fetch_sub(size, Ordering::SeqCst);
            self.flow.drunk.notify_one();
        }
        Poll::Ready(next)
    }
}
