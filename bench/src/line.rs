//! A WebSocket line made by hand, so that the generator costs less than what it measures: text or binary frames, no fragments,
//! no extensions. The mask is zero, which the protocol allows and which leaves the bytes as they are.

use crate::Result;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);

pub struct Line {
    pub stream: TcpStream,
    pub frames: Frames,
}

impl Line {
    pub async fn open(address: SocketAddr, path: &str) -> Result<Line> {
        let opening = async {
            let mut stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).await?;
            let mut frames = Frames::default();
            loop {
                let count = stream.read(frames.space(1024)).await?;
                if count == 0 {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                frames.filled(count);
                let head = frames.waiting();
                if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                    if !head.starts_with(b"HTTP/1.1 101") {
                        let first = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
                        return Err(std::io::Error::other(String::from_utf8_lossy(first).into_owned()));
                    }
                    frames.skip(end + 4);
                    return Ok(Line { stream, frames });
                }
            }
        };
        match tokio::time::timeout(ANSWER_WITHIN, opening).await {
            Ok(opened) => opened.map_err(|error| format!("{address}{path} opens no WebSocket: {error}")),
            Err(_) => Err(format!("{address}{path} does not answer")),
        }
    }

    pub async fn send(&mut self, text: &str) -> Result<()> {
        let mut frame = Vec::with_capacity(text.len() + 14);
        push_frame(&mut frame, text.as_bytes());
        self.write(&frame).await
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).await.map_err(|error| format!("the server takes nothing more: {error}"))
    }

    /// Waits for more bytes; says false when the server closed the line.
    pub async fn fill(&mut self) -> Result<bool> {
        let count = self.stream.read(self.frames.space(16 * 1024)).await.map_err(|error| format!("the line broke: {error}"))?;
        self.frames.filled(count);
        Ok(count > 0)
    }

    /// Asks with an id and waits for the reply that carries it; pushes on the way are passed over.
    pub async fn ask(&mut self, id: u64, text: &str) -> Result<String> {
        self.send(text).await?;
        let start = format!("{{\"id\":{id},");
        let reply = async {
            loop {
                while let Some(frame) = self.frames.take()? {
                    if frame.starts_with(start.as_bytes()) || ends_with_id(frame, id) {
                        return Ok(String::from_utf8_lossy(frame).into_owned());
                    }
                }
                if !self.fill().await? {
                    return Err(format!("the server closed the line instead of answering {text}"));
                }
            }
        };
        let reply = tokio::time::timeout(ANSWER_WITHIN, reply).await.map_err(|_| format!("no answer to {text}"))??;
        if reply.contains("\"error\":") { Err(format!("{text} was answered {reply}")) } else { Ok(reply) }
    }
}

/// Replies built as a tree have their members in another order.
fn ends_with_id(frame: &[u8], id: u64) -> bool {
    if frame.starts_with(b"{\"push\"") {
        return false;
    }
    serde_json::from_slice::<serde_json::Value>(frame).is_ok_and(|value| value["id"].as_u64() == Some(id))
}

/// A text frame.
pub fn push_frame(into: &mut Vec<u8>, payload: &[u8]) {
    push(into, 0x81, payload);
}

pub fn push_binary(into: &mut Vec<u8>, payload: &[u8]) {
    push(into, 0x82, payload);
}

fn push(into: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    into.push(kind);
    match payload.len() {
        length @ ..126 => into.push(0x80 | length as u8),
        length @ ..65536 => {
            into.push(0x80 | 126);
            into.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            into.push(0x80 | 127);
            into.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    into.extend_from_slice(&[0; 4]);
    into.extend_from_slice(payload);
}

/// Bytes as they arrive, taken out frame by frame.
#[derive(Default)]
pub struct Frames {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Frames {
    /// Where the next read goes, at least `least` bytes.
    pub fn space(&mut self, least: usize) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.bytes.len() - self.end < least {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            let size = (self.end + least).max(self.bytes.len());
            self.bytes.resize(size, 0);
        }
        &mut self.bytes[self.end..]
    }

    pub fn filled(&mut self, count: usize) {
        self.end += count;
    }

    pub fn waiting(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub fn skip(&mut self, count: usize) {
        self.start += count;
    }

    /// The payload of the next whole text or binary frame; other frames are passed over, a close is an error.
    pub fn take(&mut self) -> Result<Option<&[u8]>> {
        loop {
            let waiting = &self.bytes[self.start..self.end];
            let [first, second, ..] = *waiting else { return Ok(None) };
            let (head, length) = match (second & 127, waiting) {
                (126, [_, _, a, b, ..]) => (4, usize::from(u16::from_be_bytes([*a, *b]))),
                (127, [_, _, size @ ..]) if size.len() >= 8 => {
                    (10, size[..8].iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
                }
                (126 | 127, _) => return Ok(None),
                (length, _) => (2, usize::from(length)),
            };
            if waiting.len() < head + length {
                return Ok(None);
            }
            let from = self.start + head;
            self.start = from + length;
            match first {
                0x81 | 0x82 => return Ok(Some(&self.bytes[from..from + length])),
                0x88 => {
                    let reason = self.bytes[from..from + length].get(2..).unwrap_or_default();
                    return Err(format!("the server closed the line: {}", String::from_utf8_lossy(reason)));
                }
                0x89 | 0x8a => {}
                other => return Err(format!("a frame of kind {other:#x} was not expected")),
            }
        }
    }
}

/// Waits until `/healthz` says yes.
pub fn healthy(address: SocketAddr) -> Result<()> {
    let begun = std::time::Instant::now();
    loop {
        let asked = || -> std::io::Result<bool> {
            let mut stream = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer.starts_with("HTTP/1.1 200"))
        };
        match asked() {
            Ok(true) => return Ok(()),
            Ok(false) | Err(_) if begun.elapsed() < ANSWER_WITHIN => std::thread::sleep(Duration::from_millis(1)),
            Ok(false) | Err(_) => return Err(format!("{address} is not healthy")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let mut wire = Vec::new();
        for size in [0usize, 1, 125, 126, 65535, 65536] {
            let mut frame = Vec::new();
            push_frame(&mut frame, &vec![b'x'; size]);
            // As a server sends it: without the mask.
            let mask = frame.len() - size - 4;
            frame[1] &= 127;
            frame.drain(mask..mask + 4);
            wire.extend(frame);
        }
        for step in [1usize, 7, 100_000] {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in wire.chunks(step) {
                frames.space(piece.len())[..piece.len()].copy_from_slice(piece);
                frames.filled(piece.len());
                while let Some(frame) = frames.take().unwrap() {
                    found.push(frame.len());
                }
            }
            assert_eq!(found, [0, 1, 125, 126, 65535, 65536]);
        }
    }
}
