//! Sixty-four people ask for a page that nobody has, at once: how often is it rendered?

use super::load::{Line, request};
use super::nginx::Lock;
use super::origin::Origin;
use super::{nginx, program};
use crate::child::Server;
use crate::options::Options;
use crate::report::{Section, Target};
use crate::{Result, machine};

const PEOPLE: usize = 64;
const MEGABYTES: u64 = 64;

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let origin = Origin::start()?;
    let nginx = |lock| nginx::start(&options.scratch, origin.address, lock, MEGABYTES);
    let theirs = renders(&origin, &nginx(Lock::Off)?, options.rounds)?;
    let locked = renders(&origin, &nginx(Lock::On)?, options.rounds)?;
    let ours = renders(&origin, &program::start(options, origin.address, MEGABYTES)?, options.rounds)?;
    eprintln!("edge cold: nginx {theirs}, with its lock {locked}, Parlor {ours}");
    let version = nginx::version()?;
    let row = |name: &str, renders: u64| vec![name.to_owned(), renders.to_string()];
    Ok(Section {
        name: "edge-cold",
        title: "A cold page that everybody wants",
        about: format!(
            "{PEOPLE} requests at once for a page that is not kept and takes a fifth of a second to render; the most renders of {} times.",
            options.rounds
        ),
        head: vec!["cache", "renders"],
        rows: vec![row(&version, theirs), row(&format!("{version}, proxy_cache_lock"), locked), row("Parlor", ours)],
        targets: vec![Target {
            what: format!("renders for {PEOPLE} requests").into(),
            reached: ours.to_string(),
            asked: "1",
            met: ours == 1,
        }],
    })
}

/// The most that any of the times took.
fn renders(origin: &Origin, server: &Server, times: usize) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut most = 0;
        for time in 0..times {
            let (before, request) = (origin.hits(), request(&format!("/cold/{time}")));
            let mut lines = Vec::new();
            for _ in 0..PEOPLE {
                lines.push(Line::open(server.address).await?);
            }
            for line in &mut lines {
                line.send(&request).await?;
            }
            for line in &mut lines {
                line.hear().await?;
            }
            most = most.max(origin.hits() - before);
        }
        Ok(most)
    })
}
