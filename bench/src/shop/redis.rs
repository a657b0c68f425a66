//! Visits on Redis, beside Redis itself: `redis-benchmark` with the commands that one visit is.

use super::{item, open, said, token};
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, fill, machine};
use parlor_shop::Terms;
use parlor_testbed::Redis;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const VISITS: usize = 100_000;
const SHARE_ASKED: f64 = 0.7;
const PIPELINED: &str = "64";

/// What a visit is: check the token, its last use, the viewed list without and with the item, the popular items. Tokens are as long as
/// hashes are: `TOKEN` and twelve digits.
const COMMANDS: [&[&str]; 6] = [
    &["HGET", "b:login:", "TOKEN"],
    &["ZADD", "b:recent:", "__rand_int__", "TOKEN"],
    &["LREM", "b:viewed:TOKEN", "0", "00000007"],
    &["RPUSH", "b:viewed:TOKEN", "00000007"],
    &["LTRIM", "b:viewed:TOKEN", "-25", "-1"],
    &["ZINCRBY", "b:viewed:", "-1", "__rand_int__"],
];
const TOKEN: &str = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ff__rand_int__";

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::SERVER)?;
    let server = Redis::start();
    machine::pin(machine::GENERATOR)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        server.flush();
        theirs.push(itself(&server)?);
        server.flush();
        ours.push(parlor(&server)?);
    }
    machine::unpin()?;
    let (ours, theirs) = (median(ours), median(theirs));
    let share = ours / theirs;
    Ok(Section {
        name: "shop-redis",
        title: "Visits on Redis, beside Redis itself",
        about: format!(
            "{VISITS} visits, each with a view, until all are in their places in one redis-server on a core of its own; and what `redis-benchmark -P {PIPELINED}` gives for the six commands that a visit is, with names as long as Parlor's, one after the other. Medians of {} rounds.",
            options.rounds
        ),
        head: vec!["", "visits a second"],
        rows: vec![vec!["Parlor".into(), format!("{ours:.0}")], vec!["the commands alone".into(), format!("{theirs:.0}")]],
        targets: vec![Target {
            what: "of Redis's own rate".into(),
            reached: format!("{share:.2}"),
            asked: "≥ 0.7",
            met: share >= SHARE_ASKED,
        }],
    })
}

fn itself(server: &Redis) -> Result<f64> {
    let mut seconds = 0.0;
    for command in COMMANDS {
        let mut bench = Command::new("redis-benchmark");
        bench
            .args(["-p", &server.port().to_string(), "-P", PIPELINED, "-n", "200000", "-r", &VISITS.to_string(), "-q", "--csv"])
            .args(command.iter().map(|word| word.replace("TOKEN", TOKEN)));
        let output = bench
            .output()
            .map_err(|error| format!("redis-benchmark cannot be started ({error}); apt-get install redis-tools"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let rate: Option<f64> = text.lines().last().and_then(|line| line.split(',').nth(1)?.trim_matches('"').parse().ok());
        seconds += 1.0 / rate.ok_or_else(|| format!("redis-benchmark said something else: {text}"))?;
    }
    Ok(1.0 / seconds)
}

fn parlor(server: &Redis) -> Result<f64> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let address = server.url().parse()?;
        let store = parlor_store::Redis::open(&address, Arc::new(fill::now), parlor_store::redis::Options::default()).await?;
        let terms = Terms { known_max: 2 * VISITS, ..Terms::default() };
        let shop = open(Arc::new(store), false, terms).await?;
        (0..VISITS).for_each(|number| drop(shop.begin_soon(token(number))));
        shop.fold().await.map_err(said)?;
        let begun = Instant::now();
        for number in 0..VISITS {
            shop.touch(&token(number), Some(&item(number % 50_000)));
        }
        shop.fold().await.map_err(said)?;
        Ok(VISITS as f64 / begun.elapsed().as_secs_f64())
    })
}
