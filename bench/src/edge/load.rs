//! People who look at pages: each on a connection that is kept, asking again as soon as the page is there or at a steady pace.
//!
//! HTTP is read by hand, so that the generator costs less than what it measures.

use crate::child::Server;
use crate::{Result, machine};
use hdrhistogram::Histogram;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const WARM_UP: Duration = Duration::from_millis(500);
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// A connection that is kept, and what came over it.
pub struct Line {
    stream: TcpStream,
    bytes: Vec<u8>,
}

/// How long an answer was, after its head was checked.
pub struct Answer {
    pub body_bytes: usize,
}

impl Line {
    pub async fn open(address: SocketAddr) -> Result<Line> {
        let stream = TcpStream::connect(address).await.map_err(|error| format!("{address} takes no connection: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Line { stream, bytes: Vec::with_capacity(64 * 1024) })
    }

    pub async fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        self.send(request).await?;
        self.hear().await
    }

    pub async fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).await.map_err(|error| format!("the cache takes nothing more: {error}"))
    }

    /// The next answer, which must be a page.
    pub async fn hear(&mut self) -> Result<Answer> {
        tokio::time::timeout(ANSWER_WITHIN, self.read()).await.map_err(|_| "a cache did not answer")?
    }

    async fn read(&mut self) -> Result<Answer> {
        let end = loop {
            if let Some(end) = memchr::memmem::find(&self.bytes, b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let head = &self.bytes[..end];
        if !head.starts_with(b"HTTP/1.1 200") {
            return Err(format!("a page was answered {}", String::from_utf8_lossy(head)));
        }
        let length = length(head).ok_or_else(|| format!("an answer without a length: {}", String::from_utf8_lossy(head)))?;
        while self.bytes.len() < end + length {
            self.more().await?;
        }
        // Nearly always the answer is all there is, and nothing has to be moved.
        self.bytes.drain(..end + length);
        Ok(Answer { body_bytes: length })
    }

    async fn more(&mut self) -> Result<()> {
        match self.stream.read_buf(&mut self.bytes).await {
            Ok(0) => Err("a cache closed a connection".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("a connection broke: {error}")),
        }
    }
}

fn length(head: &[u8]) -> Option<usize> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let line = lines.find(|line| line.len() > 15 && line[..15].eq_ignore_ascii_case(b"content-length:"))?;
    std::str::from_utf8(&line[15..]).ok()?.trim().parse().ok()
}

pub fn request(path: &str) -> Vec<u8> {
    // About what a browser says.
    format!(
        "GET {path} HTTP/1.1\r\nHost: shop.test\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n\
         Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-GB,en;q=0.5\r\n\
         Cookie: theme=dark; parlor_visit=a-visit-of-somebody-who-looks\r\nUpgrade-Insecure-Requests: 1\r\n\r\n"
    )
    .into_bytes()
}

pub struct Plan {
    pub path: &'static str,
    pub lines: usize,
    /// All together; without it everybody asks as soon as they are answered.
    pub per_second: Option<f64>,
    pub seconds: Duration,
}

pub struct Looked {
    pub answers: u64,
    pub took: Duration,
    pub server_cpu: Duration,
    pub generator_cpu: Duration,
    pub latency: Histogram<u64>,
    pub body_bytes: usize,
}

impl Looked {
    pub fn cpu_us(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.answers.max(1) as f64
    }
    pub fn per_second(&self) -> f64 {
        self.answers as f64 / self.took.as_secs_f64()
    }
    pub fn generator_percent(&self) -> f64 {
        100.0 * self.generator_cpu.as_secs_f64() / self.took.as_secs_f64()
    }
    /// What cache and generator used together, of one core.
    pub fn busy_percent(&self) -> f64 {
        100.0 * (self.server_cpu + self.generator_cpu).as_secs_f64() / self.took.as_secs_f64()
    }
    pub fn us(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64
    }
}

struct Tally {
    counting: Cell<bool>,
    answers: Cell<u64>,
    body_bytes: Cell<usize>,
    latency: RefCell<Histogram<u64>>,
    trouble: RefCell<Option<String>>,
}

pub fn run(server: &Server, plan: &Plan) -> Result<Looked> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    tokio::task::LocalSet::new().block_on(&runtime, look(server, plan))
}

async fn look(server: &Server, plan: &Plan) -> Result<Looked> {
    let latency = Histogram::new_with_bounds(1, ANSWER_WITHIN.as_micros() as u64, 3).map_err(|error| error.to_string())?;
    let tally = Rc::new(Tally {
        counting: Cell::new(false),
        answers: Cell::new(0),
        body_bytes: Cell::new(0),
        latency: RefCell::new(latency),
        trouble: RefCell::new(None),
    });
    let request: Rc<[u8]> = request(plan.path).into();
    // Once first, so that everybody finds the page kept.
    Line::open(server.address).await?.ask(&request).await?;
    let begun = tokio::time::Instant::now();
    for number in 0..plan.lines {
        let (line, tally, request) = (Line::open(server.address).await?, Rc::clone(&tally), Rc::clone(&request));
        let pace = plan.per_second.map(|rate| {
            let every = Duration::from_secs_f64(plan.lines as f64 / rate);
            (begun + every.mul_f64(number as f64 / plan.lines as f64), every)
        });
        tokio::task::spawn_local(async move {
            if let Err(sentence) = keep_looking(line, &request, pace, &tally).await {
                *tally.trouble.borrow_mut() = Some(sentence);
            }
        });
    }
    tokio::time::sleep(WARM_UP).await;
    tally.counting.set(true);
    let (begun, server_cpu, own_cpu) = (Instant::now(), server.cpu()?, machine::cpu(std::process::id())?);
    tokio::time::sleep(plan.seconds).await;
    let (took, server_cpu) = (begun.elapsed(), server.cpu()?.saturating_sub(server_cpu));
    let generator_cpu = machine::cpu(std::process::id())?.saturating_sub(own_cpu);
    tally.counting.set(false);
    if let Some(sentence) = tally.trouble.borrow_mut().take() {
        return Err(sentence);
    }
    let latency = tally.latency.borrow().clone();
    Ok(Looked { answers: tally.answers.get(), took, server_cpu, generator_cpu, latency, body_bytes: tally.body_bytes.get() })
}

async fn keep_looking(
    mut line: Line,
    request: &[u8],
    pace: Option<(tokio::time::Instant, Duration)>,
    tally: &Tally,
) -> Result<()> {
    let mut pace = pace;
    loop {
        if let Some((next, every)) = &mut pace {
            tokio::time::sleep_until(*next).await;
            *next += *every;
        }
        let sent = Instant::now();
        let answer = line.ask(request).await?;
        if tally.counting.get() {
            tally.answers.set(tally.answers.get() + 1);
            tally.body_bytes.set(answer.body_bytes);
            tally.latency.borrow_mut().saturating_record(sent.elapsed().as_micros().max(1) as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_found_however_it_is_written() {
        for name in ["Content-Length:", "content-length: ", "CONTENT-LENGTH:  "] {
            assert_eq!(length(format!("HTTP/1.1 200 OK\r\nX: 1\r\n{name}10240\r\n\r\n").as_bytes()), Some(10240));
        }
        assert_eq!(length(b"HTTP/1.1 200 OK\r\nX-Content-Length: 5\r\n\r\n"), None);
    }
}
