//! One WebSocket as a client without manners holds it: it sends what it is told and hears everything.

use super::inside::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) struct Socket {
    line: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: u64,
    pushes: VecDeque<Value>,
    /// Every frame there was, as it came.
    pub(crate) heard: Vec<String>,
}

/// What came.
#[derive(Debug)]
pub(crate) enum Came {
    Text(Value),
    /// A close frame's code and reason; 0 when the connection just ended.
    Closed(u16, String),
}

impl Socket {
    /// Gives the status and body when the server does not upgrade.
    pub(crate) async fn open(address: SocketAddr, headers: &[(&str, &str)]) -> Result<Socket, (u16, String)> {
        let mut request = format!("ws://{address}/v1/ws").into_client_request().unwrap();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        match tokio::time::timeout(PATIENCE, tokio_tungstenite::connect_async(request)).await.expect("an answer") {
            Ok((line, _)) => Ok(Socket { line, next_id: 0, pushes: VecDeque::new(), heard: Vec::new() }),
            Err(Error::Http(answer)) => {
                let body = answer.body().as_deref().map(|body| String::from_utf8_lossy(body).into_owned());
                Err((answer.status().as_u16(), body.unwrap_or_default()))
            }
            Err(error) => panic!("no connection: {error}"),
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.send_message(Message::text(text)).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        let _ = self.line.send(message).await; // The server may have closed; what it said is read next.
    }

    /// Sends a request and gives its reply; pushes that come before it are kept.
    pub(crate) async fn ask(&mut self, verb: &str, room: Option<&str>, number: Option<u64>, with: Option<Value>) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let mut request = json!({ "id": id, "do": verb });
        for (name, value) in [("room", room.map(Value::from)), ("n", number.map(Value::from)), ("with", with)] {
            if let Some(value) = value {
                request[name] = value;
            }
        }
        self.send(&request.to_string()).await;
        self.reply(id).await
    }

    pub(crate) async fn reply(&mut self, id: u64) -> Value {
        loop {
            match self.next().await {
                Came::Text(value) if value["id"] == id => return value,
                Came::Text(value) if value.get("push").is_some() => self.pushes.push_back(value),
                other => panic!("waited for the reply to {id}, got {other:?}"),
            }
        }
    }

    /// The next push, oldest first.
    pub(crate) async fn push(&mut self) -> Value {
        if let Some(push) = self.pushes.pop_front() {
            return push;
        }
        match self.next().await {
            Came::Text(value) if value.get("push").is_some() => value,
            other => panic!("waited for a push, got {other:?}"),
        }
    }

    /// Puts a push back, to be the next one again.
    pub(crate) fn unread(&mut self, push: Value) {
        self.pushes.push_front(push);
    }

    /// Passes over pushes until there is one of this name.
    pub(crate) async fn push_of(&mut self, name: &str) -> Value {
        loop {
            let push = self.push().await;
            if push["push"] == name {
                return push;
            }
        }
    }

    pub(crate) async fn next(&mut self) -> Came {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.line.next()).await.expect("the server says something");
            match message {
                Some(Ok(Message::Text(text))) => {
                    self.heard.push(text.to_string());
                    return Came::Text(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
                }
                Some(Ok(Message::Close(Some(frame)))) => return Came::Closed(frame.code.into(), frame.reason.to_string()),
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Came::Closed(0, String::new()),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Passes over everything until the server closes.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            if let Came::Closed(code, reason) = self.next().await {
                return (code, reason);
            }
        }
    }
}

/// `ok`, `ok again`, or the error's code.
pub(crate) fn code(reply: &Value) -> String {
    let error = &reply["error"];
    if error.is_null() {
        assert!(reply["ok"].is_object(), "{reply}");
        return if reply["ok"]["again"] == true { "ok again".to_owned() } else { "ok".to_owned() };
    }
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{reply}");
    assert!(error["retry"].is_boolean(), "{reply}");
    error["code"].as_str().unwrap().to_owned()
}
