//! Looking into stores without a server, filling them, and a move that can be met in the middle.

use crate::support::table;
use parlor_layout::catalogue::Documents;
use parlor_rules::position::Mark;
use parlor_rules::{Address, Kind, Millis};
use parlor_store::redis::Address as Url;
use parlor_store::{CarriedRecord, CarriedRoom, Carry, Commit, Embedded, Field, NodeId, Options, RoomKey, Value, Write};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A store that is opened for a look and closed again.
pub(super) enum Shop {
    Folder(PathBuf),
    Server(String),
    Table(String),
}

/// All that a store holds.
#[derive(Debug, PartialEq)]
pub(super) struct Contents {
    pub(super) rooms: BTreeMap<String, CarriedRoom>,
    pub(super) records: BTreeMap<String, CarriedRecord>,
}

pub(super) fn embedded(folder: &Path) -> Shop {
    Shop::Folder(folder.to_owned())
}

pub(super) fn redis(url: &str) -> Shop {
    Shop::Server(url.to_owned())
}

pub(super) fn dynamodb(url: &str) -> Shop {
    Shop::Table(url.to_owned())
}

pub(super) fn wait<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(task)
}

pub(super) async fn open_redis(url: &str) -> parlor_store::Redis {
    let address: Url = url.parse().unwrap();
    parlor_store::Redis::open(&address, Arc::new(now), parlor_store::redis::Options::default()).await.unwrap()
}

impl Shop {
    pub(super) async fn open(&self) -> Arc<dyn Carry> {
        match self {
            Shop::Folder(folder) => Arc::new(Embedded::open(folder, Arc::new(now), Options::default()).unwrap()),
            Shop::Server(url) => Arc::new(open_redis(url).await),
            Shop::Table(url) => {
                let opened = parlor::nodes::open_store(&url.parse().unwrap(), Arc::new(now), table::options()).await;
                Arc::new(opened.unwrap())
            }
        }
    }
}

fn now() -> Millis {
    Millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64)
}

pub(super) fn contents(shop: &Shop) -> Contents {
    wait(async {
        let store = shop.open().await;
        let mut contents = Contents { rooms: BTreeMap::new(), records: BTreeMap::new() };
        let mut after = None;
        loop {
            let page = store.list(&Documents, after).await.unwrap();
            for room in page.rooms {
                contents.rooms.insert(room.spine.to_string(), store.take_room(&room).await.unwrap().unwrap());
            }
            for record in page.records {
                contents.records.insert(record.key.to_string(), store.take_record(&record).await.unwrap().unwrap());
            }
            after = page.next;
            if after.is_none() {
                return contents;
            }
        }
    })
}

pub(super) fn room(number: usize) -> RoomKey {
    parlor_layout::room_key(&Address { kind: Kind::Poker, id: format!("room-{number:05}").parse().unwrap() })
}

/// A commit that lives as long as any test.
pub(super) fn commit(mark: u64) -> Commit {
    let entry = vec![(Field::from("said"), mark.to_string().into())];
    Commit { by: NodeId(1), mark: Mark(mark), entry, writes: Vec::new(), deadline: Some(Millis(now().0 + 3_600_000)) }
}

/// Rooms of two commits with some records each.
pub(super) fn fill(shop: &Shop, count: usize) {
    wait(async {
        let store = shop.open().await;
        let makers = (0..8).map(|maker| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in (maker..count).step_by(8) {
                    let key = room(number);
                    let seat = Write::SetField { key: key.records[1].clone(), field: "f".into(), value: "x".repeat(200).into() };
                    let settings = Write::Put { key: key.records[0].clone(), value: Value::Document("{}".into()) };
                    let created = store.append(&key, None, Commit { writes: vec![seat, settings], ..commit(1) }).await.unwrap();
                    store.append(&key, Some(created), commit(2)).await.unwrap();
                }
            })
        });
        for maker in makers.collect::<Vec<_>>() {
            maker.await.unwrap();
        }
    });
}

/// One request; what is answered, as JSON.
pub(super) fn http(address: SocketAddr, what: &str, token: &str, body: &str) -> serde_json::Value {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let shown = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    let length = body.len();
    let head = format!(
        "{what} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n{shown}content-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// A move that is under way.
pub(super) struct Moving {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Moving {
    pub(super) fn start(from: &str, to: &str) -> Moving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(["move", "--from", from, "--to", to]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Moving { child, lines }
    }

    /// Reads until a line begins so.
    pub(super) fn until(&mut self, beginning: &str) {
        let mut line = String::new();
        while !line.starts_with(beginning) {
            line.clear();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ended before it said {beginning:?}");
        }
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(super) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    pub(super) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    pub(super) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// How it ended, and what else it said.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.lines.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.child.id() as i32).unwrap(), signal).unwrap();
    }
}
