//! A client made by hand: it sends bytes that no library would, and says exactly what came back.

use super::origin::find;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Only so that a test which would hang fails; nothing is measured by it.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body ended as its head said it would.
    pub(crate) whole: bool,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn holds(&self, word: &str) -> bool {
        find(&self.body, word.as_bytes()).is_some() || self.headers.iter().any(|(_, value)| value.contains(word))
    }
}

pub(crate) struct Client {
    stream: TcpStream,
    waiting: Vec<u8>,
}

impl Client {
    pub(crate) async fn open(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, waiting: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        // The other side may have refused and gone already; what it said is read below.
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// The next answer; nothing when the connection ended before one began.
    pub(crate) async fn hear(&mut self, to: &str) -> Option<Response> {
        tokio::time::timeout(ANSWER_WITHIN, self.read(to)).await.unwrap_or_else(|_| panic!("no answer to {to}"))
    }

    /// Every answer until the other side closes, or until it has nothing more to say and we close our half.
    pub(crate) async fn hear_all(mut self) -> Vec<Response> {
        let _ = self.stream.shutdown().await; // It may be gone already.
        let mut all = Vec::new();
        while let Some(response) = self.hear("GET").await {
            all.push(response);
        }
        all
    }

    pub(crate) async fn ask(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
        self.send(request(method, target, headers)).await;
        self.hear(method).await.unwrap_or_else(|| panic!("{method} {target} was not answered"))
    }

    async fn read(&mut self, method: &str) -> Option<Response> {
        loop {
            let end = loop {
                if let Some(end) = find(&self.waiting, b"\r\n\r\n") {
                    break end + 4;
                }
                if !self.more().await {
                    return None;
                }
            };
            let head: Vec<u8> = self.waiting.drain(..end).collect();
            let head = String::from_utf8_lossy(&head).into_owned();
            let mut lines = head.trim_end().split("\r\n");
            let status: u16 = lines.next()?.split(' ').nth(1)?.parse().ok()?;
            if (100..200).contains(&status) && status != 101 {
                continue;
            }
            let headers: Vec<(String, String)> = lines
                .filter_map(|line| line.split_once(':'))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
                .collect();
            let mut response = Response { status, headers, body: Vec::new(), whole: true };
            if method != "HEAD" && status != 204 && status != 304 {
                self.body(&mut response).await;
            }
            return Some(response);
        }
    }

    async fn body(&mut self, response: &mut Response) {
        if response.header("transfer-encoding").is_some() {
            response.whole = self.chunks(&mut response.body).await;
        } else if let Some(length) = response.header("content-length").and_then(|length| length.parse::<usize>().ok()) {
            while self.waiting.len() < length && self.more().await {}
            let there = self.waiting.len().min(length);
            response.body.extend(self.waiting.drain(..there));
            response.whole = there == length;
        } else {
            while self.more().await {}
            response.body.append(&mut self.waiting);
        }
    }

    async fn chunks(&mut self, body: &mut Vec<u8>) -> bool {
        loop {
            let end = loop {
                if let Some(end) = find(&self.waiting, b"\r\n") {
                    break end;
                }
                if !self.more().await {
                    return false;
                }
            };
            let Ok(size) = usize::from_str_radix(String::from_utf8_lossy(&self.waiting[..end]).trim(), 16) else { return false };
            while self.waiting.len() < end + 2 + size + 2 {
                if !self.more().await {
                    return false;
                }
            }
            body.extend_from_slice(&self.waiting[end + 2..end + 2 + size]);
            self.waiting.drain(..end + 2 + size + 2);
            if size == 0 {
                return true;
            }
        }
    }

    async fn more(&mut self) -> bool {
        matches!(self.stream.read_buf(&mut self.waiting).await, Ok(1..))
    }
}

/// A request of a well-behaved client; a `Host` among the headers replaces the usual one.
pub(crate) fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut text = format!("{method} {target} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text += "Host: shop.test\r\n";
    }
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
    text + "\r\n"
}
