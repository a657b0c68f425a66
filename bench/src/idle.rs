//! Idle: what a joined connection costs in memory when nothing happens, and what the server is before anyone comes.

use crate::child::Server;
use crate::line::Line;
use crate::options::Options;
use crate::parlor::{create, enter_and_join, hello};
use crate::report::{Section, Target};
use crate::{Result, machine};
use std::path::Path;
use std::time::Duration;

const CONNECTIONS: usize = 5000;
/// Until the last views are out, the store has put away what was written, and nothing moves any more.
const SETTLE: Duration = Duration::from_secs(20);

struct Idle {
    base_kib: u64,
    full_kib: u64,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let folder = options.scratch.join("idle");
    let embedded = format!("embedded:{}", folder.display());
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (name, store) in [("memory:", "memory:"), ("embedded:", embedded.as_str())] {
        clear(&folder)?;
        let server = Server::parlor(options, store)?;
        let idle = one(&server, options.people)?;
        rows.push(vec![
            name.to_owned(),
            format!("{:.1}", idle.base_kib as f64 / 1024.0),
            format!("{:.1}", idle.full_kib as f64 / 1024.0),
            format!("{:.2}", idle.each_kib()),
        ]);
        all.push(idle);
    }
    clear(&folder)?;
    let each = all.iter().map(Idle::each_kib).fold(0.0, f64::max);
    let base = all.iter().map(|idle| idle.base_kib as f64 / 1024.0).fold(0.0, f64::max);
    Ok(Section {
        name: "idle",
        title: "Idle connections",
        about: format!(
            "{CONNECTIONS} connections, each seated in a room of {} people; resident memory before the first and {} s after the last.",
            options.people,
            SETTLE.as_secs()
        ),
        head: vec!["store", "base MiB", "with all MiB", "KiB per joined connection"],
        rows,
        targets: vec![
            Target { what: "KiB per joined connection".into(), reached: format!("{each:.2}"), asked: "≤ 8", met: each <= 8.0 },
            Target { what: "base MiB".into(), reached: format!("{base:.1}"), asked: "< 20", met: base < 20.0 },
        ],
    })
}

impl Idle {
    fn each_kib(&self) -> f64 {
        (self.full_kib as f64 - self.base_kib as f64) / CONNECTIONS as f64
    }
}

fn one(server: &Server, people: usize) -> Result<Idle> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let base_kib = server.resident_kib()?;
        let mut rooms = tokio::task::JoinSet::new();
        for room in 0..CONNECTIONS / people {
            rooms.spawn(fill(server.address, room, people));
        }
        let mut lines = Vec::with_capacity(CONNECTIONS);
        while let Some(filled) = rooms.join_next().await {
            lines.extend(filled.map_err(|error| error.to_string())??);
        }
        // Views go on arriving; a line that nobody reads would make its server keep them.
        let reading: Vec<_> = lines.into_iter().map(|line| tokio::spawn(read(line))).collect();
        tokio::time::sleep(SETTLE).await;
        if let Some(closed) = reading.iter().position(tokio::task::JoinHandle::is_finished) {
            return Err(format!("connection {closed} was closed while it was idle"));
        }
        Ok(Idle { base_kib, full_kib: server.resident_kib()? })
    })
}

async fn fill(address: std::net::SocketAddr, room: usize, people: usize) -> Result<Vec<Line>> {
    let mut lines = Vec::with_capacity(people);
    let mut name = String::new();
    for seat in 0..people {
        let person = room * people + seat;
        let mut line = Line::open(address, "/v1/ws").await?;
        line.ask(1, &hello(person)).await?;
        if seat == 0 {
            name = create(&mut line).await?;
        }
        enter_and_join(&mut line, &name, person).await?;
        lines.push(line);
    }
    Ok(lines)
}

async fn read(mut line: Line) {
    while let Ok(true) = line.fill().await {
        while let Ok(Some(_)) = line.frames.take() {}
    }
}

pub fn clear(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {error}", folder.display())),
        _ => folder
            .parent()
            .map_or(Ok(()), |parent| std::fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))),
    }
}
