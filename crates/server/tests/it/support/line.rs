//! One raw WebSocket line to a house: what is sent is exactly what was asked for, and nothing is sent again by itself.

use super::house::PATIENCE;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// Why there is nothing more to hear.
#[derive(Debug)]
pub(crate) enum Gone {
    /// A close frame, with its code.
    Closed(u16),
    /// The connection broke, as it does when a process dies, or never came to be.
    Cut(String),
    /// A refusal that stands for the end: a house that goes lets nobody in.
    Refused(Value),
}

pub(crate) struct Line {
    socket: WebSocket<Patient>,
    last_id: u64,
    /// Pushes that came while a reply was waited for.
    pub(crate) pushed: Vec<Value>,
}

impl Line {
    /// Connects and says hello as this person (`user_key`, any 22 letters or more) and this program (`client`).
    pub(crate) fn open(url: &str, user_key: &str, client: &str) -> Result<Line, Gone> {
        let mut line = Line::connect(url)?;
        line.ask(json!({ "do": "hello", "with": { "user_key": user_key, "client": client } }))?;
        Ok(line)
    }

    /// Connects and says nothing yet.
    pub(crate) fn connect(url: &str) -> Result<Line, Gone> {
        let address = url.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(address).map_err(cut)?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let (socket, _) = tungstenite::client(url, Patient(stream)).map_err(cut)?;
        Ok(Line { socket, last_id: 0, pushed: Vec::new() })
    }

    /// Sends a request and gives the id its reply will have.
    pub(crate) fn send(&mut self, mut request: Value) -> Result<u64, Gone> {
        self.last_id += 1;
        request["id"] = self.last_id.into();
        self.socket.send(Message::text(request.to_string())).map_err(cut)?;
        Ok(self.last_id)
    }

    /// The next frame, reply or push.
    pub(crate) fn hear(&mut self) -> Result<Value, Gone> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(Some(frame))) => return Err(Gone::Closed(frame.code.into())),
                Ok(Message::Close(None)) => return Err(cut("a close frame without a code")),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("the server sent {other:?}"),
                Err(tungstenite::Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    panic!("the server neither answered nor hung up for {PATIENCE:?}")
                }
                Err(error) => return Err(cut(error)),
            }
        }
    }

    /// Sends a request and waits for its reply; what is pushed meanwhile is put aside.
    pub(crate) fn ask(&mut self, request: Value) -> Result<Value, Gone> {
        let id = self.send(request)?;
        loop {
            let frame = self.hear()?;
            if frame["id"] == id {
                return Ok(frame);
            }
            self.pushed.push(frame);
        }
    }
}

/// A stream with a time limit is interrupted by every signal; it goes on then.
struct Patient(TcpStream);

impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        uninterrupted(|| self.0.read(bytes))
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        uninterrupted(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn uninterrupted<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn cut(why: impl ToString) -> Gone {
    Gone::Cut(why.to_string())
}
