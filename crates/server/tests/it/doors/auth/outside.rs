//! A server of the app's, for keys or as a webhook: it remembers what it was asked, and answers as it is told to.

use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub(super) struct Outside {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
    accepting: JoinHandle<()>,
}

#[derive(Clone)]
pub(super) enum Says {
    /// A status, and a body that is JSON or pretends to be.
    Answer(u16, String),
    /// These bytes instead of HTTP.
    Raw(Vec<u8>),
    /// Nothing, for ever.
    Nothing,
    /// Nothing until it is told to say something else.
    Wait,
    /// The connection is closed at once.
    Down,
}

#[derive(Clone)]
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: String,
}

struct State {
    says: Says,
    asked: Vec<Asked>,
    at_once: usize,
    most_at_once: usize,
}

impl Outside {
    pub(super) async fn start(says: Says) -> Outside {
        Outside::open("http", says, |stream| async { Some(stream) }).await
    }

    /// The same over TLS.
    pub(super) async fn start_safe(says: Says, tls: TlsAcceptor) -> Outside {
        let greet = move |stream| {
            let tls = tls.clone();
            async move { tls.accept(stream).await.ok() }
        };
        Outside::open("https", says, greet).await
    }

    async fn open<L, F>(scheme: &str, says: Says, greet: impl Fn(TcpStream) -> F + Send + 'static) -> Outside
    where
        L: AsyncRead + AsyncWrite + Unpin + Send,
        F: Future<Output = Option<L>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}/asked", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State { says, asked: Vec::new(), at_once: 0, most_at_once: 0 }));
        let shared = state.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (greeting, shared) = (greet(stream), shared.clone());
                tokio::spawn(async move {
                    if let Some(line) = greeting.await {
                        talk(line, shared).await;
                    }
                });
            }
        });
        Outside { url, state, accepting }
    }

    pub(super) fn says(&self, says: Says) {
        self.state.lock().unwrap().says = says;
    }

    /// A status and a body from now on.
    pub(super) fn answers(&self, status: u16, body: impl ToString) {
        self.says(Says::Answer(status, body.to_string()));
    }

    /// How often it was asked.
    pub(super) fn count(&self) -> usize {
        self.state.lock().unwrap().asked.len()
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.state.lock().unwrap().most_at_once
    }

    pub(super) fn last(&self) -> Asked {
        self.state.lock().unwrap().asked.last().cloned().expect("it was asked")
    }
}

impl Asked {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, state: Arc<Mutex<State>>) {
    if matches!(state.lock().unwrap().says, Says::Down) {
        return;
    }
    let Some(asked) = read(&mut stream).await else { return };
    let mut says = {
        let mut state = state.lock().unwrap();
        state.asked.push(asked);
        state.at_once += 1;
        state.most_at_once = state.most_at_once.max(state.at_once);
        state.says.clone()
    };
    while matches!(says, Says::Wait) {
        tokio::time::sleep(Duration::from_millis(1)).await; // Between two looks, not instead of one.
        says = state.lock().unwrap().says.clone();
    }
    let bytes = match says {
        Says::Answer(status, body) => {
            // With a place to go, for those who would follow.
            let head = format!(
                "HTTP/1.1 {status} Said\r\nlocation: /asked\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body.into_bytes()].concat()
        }
        Says::Raw(bytes) => bytes,
        Says::Nothing => {
            // Until whoever asked gives up.
            let _ = stream.read(&mut [0]).await;
            Vec::new()
        }
        Says::Wait | Says::Down => Vec::new(),
    };
    state.lock().unwrap().at_once -= 1;
    let _ = stream.write_all(&bytes).await; // Whoever asked may have gone.
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Asked> {
    let (mut text, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        text.extend_from_slice(&piece[..count]);
        let said = String::from_utf8_lossy(&text);
        let Some((head, body)) = said.split_once("\r\n\r\n") else { continue };
        let asked = Asked { head: head.to_owned(), body: body.to_owned() };
        let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
        if asked.body.len() >= length {
            return Some(asked);
        }
    }
}
