//! Addresses without end against a bound of memory: what the cache grows to, and how long those wait meanwhile who only want
//! the page that everybody wants.

use super::load::{Line, request};
use super::nginx::Lock;
use super::origin::{Origin, SMALL_BYTES};
use super::{nginx, program};
use crate::child::Server;
use crate::options::Options;
use crate::report::{Section, Target};
use crate::{Result, machine};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What the cache may keep.
const MEGABYTES: u64 = 64;
/// What its process may need besides: code, connections, a table of what it knows, and what an allocator holds back.
const BESIDES_MEGABYTES: u64 = 64;
const LINES: usize = 32;
/// The one who wants the page that everybody wants asks this often.
const EVERY: Duration = Duration::from_millis(2);
/// nginx keeps pages as files and would take minutes for a million.
const OF_NGINX: usize = 10;

struct Flooded {
    urls: usize,
    took: Duration,
    before_kib: u64,
    after_kib: u64,
    longest: Duration,
    hot_asked: u64,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let origin = Origin::start()?;
    let urls = options.urls;
    let server = nginx::start(&options.scratch, origin.address, Lock::Off, MEGABYTES)?;
    let theirs = flood(&server, (urls / OF_NGINX).max(1))?;
    drop(server);
    let ours = flood(&program::start(options, origin.address, MEGABYTES)?, urls)?;
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    eprintln!("edge flood: {} MiB after {urls} addresses, longest wait {:.1} ms", ours.after_kib / 1024, ms(ours.longest));
    let row = |name: String, it: &Flooded| {
        vec![
            name,
            it.urls.to_string(),
            format!("{:.0}", it.urls as f64 / it.took.as_secs_f64()),
            format!("{:.0}", it.before_kib as f64 / 1024.0),
            format!("{:.0}", it.after_kib as f64 / 1024.0),
            format!("{:.1}", ms(it.longest)),
            it.hot_asked.to_string(),
        ]
    };
    let bound_kib = (MEGABYTES + BESIDES_MEGABYTES) * 1024;
    Ok(Section {
        name: "edge-flood",
        title: "Addresses without end",
        about: format!(
            "Distinct addresses, {SMALL_BYTES} bytes each and all allowed to be kept, on {LINES} connections, against a bound of {MEGABYTES} MB; \
             meanwhile somebody asks for one page every {} ms. nginx keeps pages in files and is given a tenth of the addresses.",
            EVERY.as_millis()
        ),
        head: vec![
            "cache",
            "addresses",
            "addresses/s",
            "resident MiB before",
            "after",
            "longest wait of the hot page, ms",
            "hot asked",
        ],
        rows: vec![row(nginx::version()?, &theirs), row("Parlor".to_owned(), &ours)],
        targets: vec![
            Target {
                what: "longest wait of the hot page".into(),
                reached: format!("{:.1} ms", ms(ours.longest)),
                asked: "≤ 50 ms",
                met: ours.longest <= Duration::from_millis(50),
            },
            Target {
                what: format!("resident after {urls} addresses with {MEGABYTES} MB to keep pages in").into(),
                reached: format!("{} MiB", ours.after_kib / 1024),
                asked: "≤ 128 MiB",
                met: ours.after_kib <= bound_kib,
            },
        ],
    })
}

fn flood(server: &Server, urls: usize) -> Result<Flooded> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let hot = request("/page");
        let mut line = Line::open(server.address).await?;
        line.ask(&hot).await?;
        let (before_kib, begun) = (server.resident_kib()?, Instant::now());
        let (longest, asked, going) = (Rc::new(Cell::new(Duration::ZERO)), Rc::new(Cell::new(0)), Rc::new(Cell::new(true)));
        let wanting = {
            let (longest, asked, going) = (Rc::clone(&longest), Rc::clone(&asked), Rc::clone(&going));
            tokio::task::spawn_local(async move {
                while going.get() {
                    let sent = Instant::now();
                    line.ask(&hot).await?;
                    longest.set(longest.get().max(sent.elapsed()));
                    asked.set(asked.get() + 1);
                    tokio::time::sleep(EVERY).await;
                }
                Ok::<_, String>(())
            })
        };
        let mut asking = Vec::new();
        for number in 0..LINES {
            let mut line = Line::open(server.address).await?;
            asking.push(tokio::task::spawn_local(async move {
                for url in (number..urls).step_by(LINES) {
                    line.ask(&request(&format!("/url/{url}?of=many"))).await?;
                }
                Ok::<_, String>(())
            }));
        }
        for line in asking {
            line.await.map_err(|error| error.to_string())??;
        }
        let took = begun.elapsed();
        going.set(false);
        wanting.await.map_err(|error| error.to_string())??;
        Ok(Flooded { urls, took, before_kib, after_kib: server.resident_kib()?, longest: longest.get(), hot_asked: asked.get() })
    })
}
