//! An origin made by hand, so that it can say anything: it reads requests strictly and answers with raw bytes.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came over the wire.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names in lower case, in the order they came.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) raw_head: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the origin does with its connection after an answer.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    Stay,
    Close,
}

pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

impl Answer {
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>, then: Then) -> Answer {
        Answer { bytes: bytes.into(), then }
    }

    /// A well-formed answer; `head` is the further header lines, each with its line end.
    pub(crate) fn whole(status: &str, head: &str, body: impl AsRef<[u8]>) -> Answer {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Answer { bytes, then: Then::Stay }
    }

    pub(crate) fn ok(head: &str, body: impl AsRef<[u8]>) -> Answer {
        Answer::whole("200 OK", head, body)
    }
}

type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;
type Handler = Arc<dyn Fn(Request) -> Answering + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
    /// What no server should ever be sent; a test that looks for it finds it here.
    faults: Arc<Mutex<Vec<String>>>,
    accepting: Arc<tokio::task::JoinHandle<()>>,
}

impl Origin {
    pub(crate) async fn says(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Origin {
        Origin::slowly(move |request| {
            let answer = answer(&request);
            async move { answer }
        })
        .await
    }

    /// An origin that may wait before it answers.
    pub(crate) async fn slowly<F: Future<Output = Answer> + Send + 'static>(
        answer: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> Origin {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let handler: Handler = Arc::new(move |request| Box::pin(answer(request)));
        let (seen, faults) = (Arc::default(), Arc::default());
        let (all, wrong) = (Arc::clone(&seen), Arc::clone(&faults));
        let accepting = tokio::spawn(async move {
            // Connections end with the listener, so that an origin that goes down is down altogether.
            let mut lines = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                lines.spawn(converse(stream, Arc::clone(&handler), Arc::clone(&all), Arc::clone(&wrong)));
            }
        });
        Origin { address, seen, faults, accepting: Arc::new(accepting) }
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// Once more than so many requests have come; for waiting without guessing how long.
    pub(crate) async fn came(&self, count: usize) {
        while self.count() < count {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap().clone()
    }

    /// From now on nobody listens there, and every open connection is cut.
    pub(crate) async fn goes_down(&self) {
        self.accepting.abort();
        while !self.accepting.is_finished() {
            tokio::task::yield_now().await;
        }
    }
}

async fn converse(mut stream: TcpStream, handler: Handler, seen: Arc<Mutex<Vec<Request>>>, faults: Arc<Mutex<Vec<String>>>) {
    let mut waiting = Vec::new();
    loop {
        match read(&mut stream, &mut waiting).await {
            Ok(Some(request)) => {
                seen.lock().unwrap().push(request.clone());
                let answer = handler(request).await;
                if stream.write_all(&answer.bytes).await.is_err() || matches!(answer.then, Then::Close) {
                    return;
                }
            }
            Ok(None) => return,
            Err(fault) => {
                faults.lock().unwrap().push(fault);
                return;
            }
        }
    }
}

/// The next request, nothing at the end of the connection, or what was wrong with it.
async fn read(stream: &mut TcpStream, waiting: &mut Vec<u8>) -> Result<Option<Request>, String> {
    let end = loop {
        if let Some(end) = find(waiting, b"\r\n\r\n") {
            break end + 4;
        }
        if !more(stream, waiting).await {
            return if waiting.is_empty() { Ok(None) } else { Err(format!("half a request: {}", shown(waiting))) };
        }
    };
    let raw_head: Vec<u8> = waiting.drain(..end).collect();
    let mut request = parse(&raw_head)?;
    let lengths: Vec<&str> =
        request.headers.iter().filter(|(name, _)| name == "content-length").map(|(_, v)| v.as_str()).collect();
    let coded = request.header("transfer-encoding");
    let body = match (lengths.as_slice(), coded) {
        ([], None) => 0,
        ([], Some("chunked")) => {
            request.body = chunks(stream, waiting).await?;
            0
        }
        ([length], None) => length.parse::<usize>().map_err(|_| format!("a length of {length:?}"))?,
        _ => return Err(format!("two framings: {}", shown(&raw_head))),
    };
    while waiting.len() < body {
        if !more(stream, waiting).await {
            return Err("half a body".to_owned());
        }
    }
    if body > 0 {
        request.body = waiting.drain(..body).collect();
    }
    request.raw_head = raw_head;
    Ok(Some(request))
}

fn parse(head: &[u8]) -> Result<Request, String> {
    let text = std::str::from_utf8(head).map_err(|_| format!("a head that is no text: {}", shown(head)))?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1"), None) = (words.next(), words.next(), words.next(), words.next()) else {
        return Err(format!("no request line: {first:?}"));
    };
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or_else(|| format!("no header line: {line:?}"))?;
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) || line.contains(['\r', '\n']) {
            return Err(format!("no header line: {line:?}"));
        }
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Request { method: method.to_owned(), target: target.to_owned(), headers, ..Request::default() })
}

async fn chunks(stream: &mut TcpStream, waiting: &mut Vec<u8>) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = find(waiting, b"\r\n") {
                break end;
            }
            if !more(stream, waiting).await {
                return Err("half a chunked body".to_owned());
            }
        };
        let line = String::from_utf8_lossy(&waiting[..end]).into_owned();
        let size = usize::from_str_radix(line.trim(), 16).map_err(|_| format!("a chunk of size {line:?}"))?;
        while waiting.len() < end + 2 + size + 2 {
            if !more(stream, waiting).await {
                return Err("half a chunk".to_owned());
            }
        }
        body.extend_from_slice(&waiting[end + 2..end + 2 + size]);
        waiting.drain(..end + 2 + size + 2);
        if size == 0 {
            return Ok(body);
        }
    }
}

async fn more(stream: &mut TcpStream, waiting: &mut Vec<u8>) -> bool {
    matches!(stream.read_buf(waiting).await, Ok(1..))
}

pub(crate) fn find(in_: &[u8], what: &[u8]) -> Option<usize> {
    in_.windows(what.len()).position(|window| window == what)
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned()
}
