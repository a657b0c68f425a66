//! A visit is a token that is used and an item that is viewed: token, recent, viewed, popular. In this process, on one core, with
//! everything that keeps it: groups, places, the disk.

use super::{item, open, said, token};
use crate::options::Options;
use crate::report::{Section, Target};
use crate::{Result, fill, machine};
use parlor_shop::Terms;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const VISITS: usize = 100_000;
const ITEMS: usize = 50_000;
const ASKED: f64 = 200_000.0;

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::SERVER)?;
    let folder = options.scratch.join("visits");
    let _ = std::fs::remove_dir_all(&folder);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| error.to_string())?;
    let (rate, longest) = runtime.block_on(async {
        let terms = Terms { known_max: 2 * VISITS, notes_max: 4 * VISITS, ..Terms::default() };
        let shop = open(Arc::new(fill::open(&folder)?), true, terms).await?;
        (0..VISITS).for_each(|number| drop(shop.begin_soon(token(number))));
        shop.fold().await.map_err(said)?;
        let (go, going) = watch::channel(false);
        let running = {
            let shop = shop.clone();
            tokio::spawn(async move { shop.run(going).await })
        };
        let tokens: Vec<_> = (0..VISITS).map(token).collect();
        let items: Vec<_> = (0..ITEMS).map(item).collect();
        let touching = {
            let shop = shop.clone();
            let seconds = options.seconds;
            tokio::task::spawn_blocking(move || touch(&shop, &tokens, &items, seconds))
        };
        let (count, longest) = touching.await.map_err(|error| error.to_string())?;
        let begun = Instant::now();
        // What still waits is part of the price: until it is in its place.
        let _ = go.send(true);
        running.await.map_err(|error| error.to_string())?;
        let took = options.seconds + begun.elapsed();
        Ok::<_, String>((count as f64 / took.as_secs_f64(), longest))
    })?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    machine::unpin()?;
    let _ = std::fs::remove_dir_all(&folder);
    let thousands = |rate: f64| format!("{:.0},000/s", rate / 1000.0);
    Ok(Section {
        name: "shop-visits",
        title: "Visits, in process on embedded",
        about: format!(
            "{VISITS} visits view {ITEMS} items at random, through the shop in this process, all of it on one core: noting, groups every 50 ms, the disk, and the time until the last is in its place."
        ),
        head: vec!["", "visits a second and core", "longest pause between two"],
        rows: vec![vec!["Parlor".into(), thousands(rate), format!("{:.1} ms", longest.as_secs_f64() * 1000.0)]],
        targets: vec![Target {
            what: "visits a second and core".into(),
            reached: thousands(rate),
            asked: "≥ 200,000/s",
            met: rate >= ASKED,
        }],
    })
}

/// How many in this time, and the longest that one took.
fn touch(
    shop: &parlor_shop::Shop,
    tokens: &[parlor_rules::SecretHash],
    items: &[parlor_rules::shop::Item],
    seconds: Duration,
) -> (u64, Duration) {
    let dice = fill::dice();
    let (begun, mut count, mut longest) = (Instant::now(), 0, Duration::ZERO);
    let mut last = begun;
    while last.duration_since(begun) < seconds {
        for _ in 0..64 {
            let bits = dice();
            shop.touch(&tokens[bits as usize % tokens.len()], Some(&items[(bits >> 32) as usize % items.len()]));
        }
        count += 64;
        let now = Instant::now();
        longest = longest.max(now.duration_since(last));
        last = now;
    }
    (count, longest)
}
