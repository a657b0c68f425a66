//! A hundred thousand rows of a real database on the schedule: what somebody who asks for one waits at worst, and how far behind
//! the schedule gets.

use crate::Result;
use crate::fill::{self, now};
use crate::options::Options;
use crate::report::{Section, Target};

use parlor_layout::shop::rows as layout;
use parlor_rows::{Rows, Sql, Terms};
use parlor_store::{Applied, Batch, Operation, Records, Score};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const ROWS: usize = 100_000;
/// Each is read anew so often: a thousand a second of all of them.
const DELAY_S: f64 = 100.0;
const WATCHED_FOR: Duration = Duration::from_secs(30);
const STALL_MS_ASKED: f64 = 50.0;

const TABLE: &str = "\
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('create table inventory (id text primary key, name text, price integer)')
db.executemany('insert into inventory values (?, ?, ?)', ((str(n), 'thing %d' % n, n % 1000) for n in range(int(sys.argv[2]))))
db.commit()";

pub fn run(options: &Options) -> Result<Section> {
    let folder = options.scratch.join("rows");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let database = folder.join("shop.db");
    let made = Command::new("python3").args(["-c", TABLE]).arg(&database).arg(ROWS.to_string()).status();
    if !made.map_err(|error| format!("python3: {error}"))?.success() {
        return Err("the database could not be made".into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let seen = runtime.block_on(watch_rows(&folder, &database))?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    let _ = std::fs::remove_dir_all(&folder);
    let ms = |span: Duration| span.as_secs_f64() * 1000.0;
    let (asked, pulse) = (ms(seen.asked), ms(seen.pulse));
    Ok(Section {
        name: "shop-rows",
        title: "A hundred thousand scheduled rows, on embedded",
        about: format!(
            "{ROWS} rows of a SQLite database, each read anew every {DELAY_S} s, one due each millisecond; watched for {} s from the start, the first \
             look at the whole schedule included. Meanwhile rows are asked for one after the other, and a task wakes every millisecond and says how late it was.",
            WATCHED_FOR.as_secs()
        ),
        head: vec!["", "read anew a second", "longest wait for a row", "latest pulse", "behind the schedule at the end"],
        rows: vec![vec![
            "Parlor".into(),
            format!("{:.0}", seen.refreshed as f64 / WATCHED_FOR.as_secs_f64()),
            format!("{asked:.1} ms"),
            format!("{pulse:.1} ms"),
            format!("{} rows", seen.overdue),
        ]],
        targets: vec![Target {
            what: "longest stall".into(),
            reached: format!("{:.1} ms", asked.max(pulse)),
            asked: "≤ 50 ms",
            met: asked.max(pulse) <= STALL_MS_ASKED,
        }],
    })
}

struct Watched {
    refreshed: u64,
    asked: Duration,
    pulse: Duration,
    overdue: usize,
}

async fn watch_rows(folder: &Path, database: &Path) -> Result<Watched> {
    let records: Arc<dyn Records> = Arc::new(fill::open(&folder.join("store"))?);
    schedule(&*records).await?;
    let source = Sql::connect(&format!("sqlite:{}", database.display()), None)?;
    let rows = Rows::new(records, Arc::new(now), Arc::new(source), Terms::default());
    let (stop, stopping) = watch::channel(false);
    let running = {
        let (rows, stopping) = (rows.clone(), stopping.clone());
        tokio::spawn(async move { rows.run(stopping).await })
    };
    let pulse = tokio::spawn(pulse(stopping.clone()));
    let mut changes = rows.changed();
    let counting = {
        let mut stopping = stopping.clone();
        tokio::spawn(async move {
            let mut refreshed = 0;
            loop {
                tokio::select! {
                    _ = stopping.wait_for(|stop| *stop) => return refreshed,
                    changed = changes.next() => if changed.is_none() { return refreshed } else { refreshed += 1 },
                }
            }
        })
    };
    let (begun, mut longest, mut number) = (Instant::now(), Duration::ZERO, 0usize);
    while begun.elapsed() < WATCHED_FOR {
        number = (number + 7919) % ROWS;
        let asked = Instant::now();
        rows.seen(&number.to_string()).await.map_err(|error| error.to_string())?;
        longest = longest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let counts = rows.counts().await.map_err(|error| error.to_string())?;
    let _ = stop.send(true);
    let pulse = pulse.await.map_err(|error| error.to_string())?;
    let refreshed = counting.await.map_err(|error| error.to_string())?;
    running.await.map_err(|error| error.to_string())?;
    Ok(Watched { refreshed, asked: longest, pulse, overdue: counts.due })
}

/// How late the latest wake-up was.
async fn pulse(mut stopping: watch::Receiver<bool>) -> Duration {
    let (every, mut latest) = (Duration::from_millis(1), Duration::ZERO);
    loop {
        let slept = Instant::now();
        tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return latest,
            () = tokio::time::sleep(every) => latest = latest.max(slept.elapsed().saturating_sub(every)),
        }
    }
}

async fn schedule(records: &dyn Records) -> Result<()> {
    let now = now().0 as f64 / 1000.0;
    let rows: Vec<usize> = (0..ROWS).collect();
    for rows in rows.chunks(4_000) {
        let operations = rows.iter().flat_map(|row| {
            let set = |key, score| Operation::SetScore {
                key,
                member: row.to_string().into(),
                score: Score::new(score).expect("a number"),
            };
            [set(layout::delay_key(), DELAY_S), set(layout::schedule_key(), now + *row as f64 / 1000.0)]
        });
        let batch = Batch { tag: layout::tag(0), operations: operations.collect(), ..Batch::default() };
        match records.apply(batch).await {
            Ok(Applied::Done(_)) => {}
            Ok(Applied::Refused(_)) => return Err("the schedule was refused".into()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
