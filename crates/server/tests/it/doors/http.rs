//! The smallest HTTP client: one request, one answer, nothing hidden. It can also send what no client would.

use super::inside::PATIENCE;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The status line and the headers, as they came.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// `ok`, or the error's code; what is neither is not an answer of ours.
    pub(crate) fn code(&self) -> String {
        if (200..300).contains(&self.status) {
            return "ok".to_owned();
        }
        let body = self.json();
        let error = &body["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        assert!(error["retry"].is_boolean(), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        error["code"].as_str().unwrap().to_owned()
    }
}

pub(crate) async fn ask(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    if let Some(body) = body {
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request += "content-type: application/json\r\n";
        }
        request += &format!("content-length: {}\r\n", body.len());
    }
    request += "\r\n";
    raw(address, &[request.as_bytes(), body.unwrap_or_default().as_bytes()].concat()).await
}

/// Sends these bytes and reads until the server closes.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> Answer {
    let talking = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(bytes).await; // The server may refuse before it has read everything.
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        // A server that refuses early may reset the connection after its answer.
        while let Ok(count @ 1..) = stream.read(&mut piece).await {
            answer.extend_from_slice(&piece[..count]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    };
    let text = tokio::time::timeout(PATIENCE, talking).await.expect("the server answers");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}
