//! The little of Redis' protocol that tests need to look into a server: one question, one answer, version 2.
//!
//! Written by hand, so that what a test looks with is not what it looks at.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Simple(String),
    Error(String),
    Number(i64),
    Bulk(Vec<u8>),
    Nil,
    Many(Vec<Reply>),
}

pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects; an answer that takes longer than five seconds is an error.
    pub fn open(addr: SocketAddr) -> Result<Connection, String> {
        Connection::open_with(addr, TIMEOUT)
    }

    /// Connects; an answer that takes longer than `timeout` is an error.
    pub fn open_with(addr: SocketAddr, timeout: Duration) -> Result<Connection, String> {
        let open = || {
            let stream = TcpStream::connect_timeout(&addr, timeout)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            stream.set_nodelay(true)?;
            Ok(Connection { stream: BufReader::new(stream) })
        };
        open().map_err(|error: std::io::Error| format!("{addr} cannot be reached: {error}"))
    }

    /// One command and its reply. A refusal is a reply; an error means that nobody knows what became of the command.
    pub fn ask<W: AsRef<[u8]>>(&mut self, words: &[W]) -> Result<Reply, String> {
        let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
        for word in words.iter().map(AsRef::as_ref) {
            bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            bytes.extend_from_slice(word);
            bytes.extend_from_slice(b"\r\n");
        }
        self.stream.get_mut().write_all(&bytes).map_err(|error| format!("not sent: {error}"))?;
        self.read()
    }

    fn read(&mut self) -> Result<Reply, String> {
        let line = self.line()?;
        let (kind, rest) = line.split_at_checked(1).ok_or("an empty line instead of a reply")?;
        let number = || rest.parse::<i64>().map_err(|_| format!("{line:?} has no number"));
        Ok(match kind {
            "+" => Reply::Simple(rest.into()),
            "-" => Reply::Error(rest.into()),
            ":" => Reply::Number(number()?),
            "$" | "*" if number()? < 0 => Reply::Nil,
            "$" => Reply::Bulk(self.bytes(number()?)?),
            "*" => Reply::Many((0..number()?).map(|_| self.read()).collect::<Result<_, _>>()?),
            _ => return Err(format!("{line:?} is no reply")),
        })
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).map_err(|error| format!("no reply: {error}"))?;
        line.strip_suffix("\r\n").map(String::from).ok_or_else(|| "no reply: the connection was closed".into())
    }

    fn bytes(&mut self, count: i64) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| "a negative length")? + 2];
        self.stream.read_exact(&mut bytes).map_err(|error| format!("half a reply: {error}"))?;
        bytes.truncate(bytes.len() - 2);
        Ok(bytes)
    }
}

impl Reply {
    /// What a person would read: the text of a word, a number or a refusal; nothing for the rest.
    pub fn text(&self) -> String {
        match self {
            Reply::Simple(text) | Reply::Error(text) => text.clone(),
            Reply::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Reply::Number(number) => number.to_string(),
            Reply::Nil | Reply::Many(_) => String::new(),
        }
    }

    /// The parts of a list; nothing for the rest.
    pub fn many(&self) -> &[Reply] {
        match self {
            Reply::Many(parts) => parts,
            Reply::Simple(_) | Reply::Error(_) | Reply::Number(_) | Reply::Bulk(_) | Reply::Nil => &[],
        }
    }

    /// A refusal as an error, for those who asked for something that must work.
    pub fn accepted(self) -> Result<Reply, String> {
        match self {
            Reply::Error(why) => Err(why),
            reply => Ok(reply),
        }
    }
}
