//! Asking the server, whatever happens on the way. Every script may be sent twice without a second effect, so whatever
//! fails without a clear no is tried again until patience runs out.

use super::address::{Address, Kind, tcp};
use super::line::{Line, Source};
use super::options::Options;
use super::script::Script;
use crate::error::StoreError;
use redis::aio::ConnectionLike;
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::{Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Waiting for replicas holds a connection up, so there are several then.
const LINES_WHEN_WAITING: usize = 16;

pub(super) struct Link {
    via: Via,
    options: Options,
    dice: RandomState,
}

enum Via {
    Lines(Vec<Line>),
    Cluster(ClusterConnection),
}

/// An answer, and whether the question had to be asked more than once.
pub(super) struct Ran {
    pub(super) value: Value,
    pub(super) again: bool,
}

impl Link {
    pub(super) async fn open(address: &Address, source: Option<Arc<Source>>, options: &Options) -> RedisResult<Link> {
        let via = match (&address.kind, source) {
            (Kind::Cluster { nodes }, _) => Via::Cluster(cluster(nodes, options).build()?.get_async_connection().await?),
            (Kind::Single(_) | Kind::Sentinel { .. }, source) => {
                let source = source.expect("made for every address that is no cluster");
                let count = if options.wait_for_replicas > 0 { LINES_WHEN_WAITING } else { 1 };
                let lines: Vec<Line> = (0..count).map(|_| Line::new(source.clone(), options)).collect();
                lines[0].connection().await?;
                Via::Lines(lines)
            }
        };
        Ok(Link { via, options: options.clone(), dice: RandomState::new() })
    }

    /// Runs a script; `fill` adds the number of keys, the keys and the arguments.
    pub(super) async fn run(&self, script: &Script, first: &str, fill: impl Fn(&mut Cmd)) -> Result<Ran, StoreError> {
        let began = Instant::now();
        let command = |name: &str, what: &str| {
            let mut command = redis::cmd(name);
            command.arg(what);
            fill(&mut command);
            command
        };
        let known = command("EVALSHA", &script.hash);
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut answer = self.ask(first, &known, script.keeps).await;
            if answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)) {
                // A restart or a failover forgets scripts; sending one whole makes it known again.
                answer = self.ask(first, &command("EVAL", &script.code), script.keeps).await;
            }
            match answer {
                Ok(value) => {
                    metrics::histogram!("parlor_store_seconds", "script" => script.name).record(began.elapsed().as_secs_f64());
                    return Ok(Ran { value, again: attempt > 1 });
                }
                Err(error) if is_passing(&error) && began.elapsed() < self.options.patience => {
                    metrics::counter!("parlor_store_retries_total").increment(1);
                    tracing::debug!(%error, script = script.name, attempt, "asked again");
                    tokio::time::sleep(self.pause(attempt)).await;
                }
                Err(error) => return Err(StoreError::Unavailable(said(&error))),
            }
        }
    }

    /// One command that may be lost.
    pub(super) async fn send(&self, first: &str, command: &Cmd) -> Result<Value, StoreError> {
        self.ask(first, command, false).await.map_err(|error| StoreError::Unavailable(said(&error)))
    }

    /// One command to every server that takes writes, with each one's answer.
    pub(super) async fn everywhere(&self, command: &Cmd) -> RedisResult<Vec<Value>> {
        Ok(self.answers(None, command).await?.into_iter().map(|(_, answer)| answer).collect())
    }

    /// The same with each one's address, asked until patience runs out. A server that is alone has none.
    pub(super) async fn each_primary(&self, command: &Cmd) -> Result<Vec<(String, Value)>, StoreError> {
        self.patiently(None, command).await
    }

    /// One command, which may come twice, to one of `each_primary`.
    pub(super) async fn send_to(&self, address: &str, command: &Cmd) -> Result<Value, StoreError> {
        let answers = self.patiently(Some(address), command).await?;
        Ok(answers.into_iter().next().map_or(Value::Nil, |(_, answer)| answer))
    }

    async fn patiently(&self, address: Option<&str>, command: &Cmd) -> Result<Vec<(String, Value)>, StoreError> {
        let began = Instant::now();
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.answers(address, command).await {
                Ok(answers) => return Ok(answers),
                Err(error) if is_passing(&error) && began.elapsed() < self.options.patience => {
                    tokio::time::sleep(self.pause(attempt)).await;
                }
                Err(error) => return Err(StoreError::Unavailable(said(&error))),
            }
        }
    }

    /// Of the server at this address, or of every one that takes writes.
    async fn answers(&self, address: Option<&str>, command: &Cmd) -> RedisResult<Vec<(String, Value)>> {
        use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo, SingleNodeRoutingInfo};
        let Via::Cluster(connection) = &self.via else {
            return Ok(vec![(String::new(), self.ask("", command, false).await?)]);
        };
        let mut connection = connection.clone();
        if let Some(address) = address {
            let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
            let (host, port) = (host.to_owned(), port.parse().unwrap_or_default());
            let there = RoutingInfo::SingleNode(SingleNodeRoutingInfo::ByAddress { host, port });
            let answer = connection.route_command(command.clone(), there).await?.extract_error()?;
            return Ok(vec![(address.to_owned(), answer)]);
        }
        let everyone = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
        match connection.route_command(command.clone(), everyone).await? {
            Value::Map(answers) => {
                answers.into_iter().map(|(address, answer)| Ok((redis::from_redis_value(address)?, answer))).collect()
            }
            Value::Array(answers) => Ok(answers.into_iter().map(|answer| (String::new(), answer)).collect()),
            other => Ok(vec![(String::new(), other)]),
        }
    }

    async fn ask(&self, first: &str, command: &Cmd, keeps: bool) -> RedisResult<Value> {
        match &self.via {
            Via::Cluster(connection) => connection.clone().req_packed_command(command).await?.extract_error(),
            Via::Lines(lines) => {
                let line = &lines[if lines.len() == 1 { 0 } else { self.dice.hash_one(first) as usize % lines.len() }];
                let held = line.connection().await?;
                let mut connection = held.connection.clone();
                let answer = match self.options.wait_for_replicas {
                    wanted if keeps && wanted > 0 => self.ask_and_wait(&mut connection, command, wanted).await,
                    _ => connection.req_packed_command(command).await.and_then(Value::extract_error),
                };
                if answer.as_ref().is_err_and(breaks_the_line) {
                    line.broke(&held);
                }
                answer
            }
        }
    }

    /// In one round trip: the commit, and how many replicas have it.
    async fn ask_and_wait(&self, connection: &mut impl ConnectionLike, command: &Cmd, wanted: usize) -> RedisResult<Value> {
        let mut both = redis::pipe();
        both.add_command(command.clone());
        // Shorter than the answer may take: the server is to say how many, not to be given up on.
        both.cmd("WAIT").arg(wanted).arg((self.options.answer_within / 2).as_millis() as u64);
        let mut answers = connection.req_packed_commands(&both, 0, 2).await?.into_iter();
        let (answer, confirmed) = (answers.next().unwrap_or(Value::Nil).extract_error()?, answers.next().unwrap_or(Value::Nil));
        match confirmed.extract_error()? {
            Value::Int(confirmed) if confirmed >= wanted as i64 => Ok(answer),
            other => {
                let why = format!("the server keeps it, but of {wanted} replicas only {other:?} confirmed it in time");
                Err(RedisError::from((ErrorKind::Client, "too few replicas", why)))
            }
        }
    }

    /// Longer each time and never the same for two, so that a server which comes back is not stormed.
    fn pause(&self, attempt: u32) -> Duration {
        let most = 20u64 << attempt.min(5);
        Duration::from_millis(most / 2 + self.dice.hash_one(Instant::now()) % (most / 2 + 1))
    }
}

pub(super) fn cluster(nodes: &[redis::ConnectionInfo], options: &Options) -> ClusterClientBuilder {
    ClusterClientBuilder::new(nodes.to_vec())
        .tcp_settings(tcp())
        .connection_timeout(options.connect_within)
        .response_timeout(options.answer_within)
        .overall_response_timeout(Some(options.patience))
        .retries(8)
        .min_retry_wait(20)
        .max_retry_wait(1000)
}

/// Not a no: it may go well next time, and asking again does no harm.
fn is_passing(error: &RedisError) -> bool {
    if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || error.is_connection_refusal() {
        return true;
    }
    match error.kind() {
        ErrorKind::Server(kind) => matches!(
            kind,
            ServerErrorKind::BusyLoading
                | ServerErrorKind::TryAgain
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly
                | ServerErrorKind::Moved
                | ServerErrorKind::Ask
                | ServerErrorKind::NoScript
        ),
        ErrorKind::MasterNameNotFoundBySentinel | ErrorKind::ClusterConnectionNotFound => true,
        _ => false,
    }
}

fn breaks_the_line(error: &RedisError) -> bool {
    let demoted = [ServerErrorKind::ReadOnly, ServerErrorKind::MasterDown].map(ErrorKind::Server);
    error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || demoted.contains(&error.kind())
}

/// For the log and for `readyz`: what to do is in the page about operations.
pub(super) fn said(error: &RedisError) -> String {
    if error.is_connection_refusal() {
        return "nothing listens there; start the server, or correct the address".to_owned();
    }
    if error.to_string().contains("cluster support disabled") {
        return "it is no cluster; write redis:// instead of redis-cluster://".to_owned();
    }
    match error.code() {
        Some("OOM") => "the server's memory is full; raise maxmemory or wait until rooms end".to_owned(),
        Some("NOREPLICAS") => "the server takes no writes because too few replicas follow it (min-replicas-to-write)".to_owned(),
        Some("MISCONF") => "the server takes no writes because it cannot save to its disk".to_owned(),
        _ => error.to_string(),
    }
}
