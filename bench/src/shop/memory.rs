//! What a visit takes in memory: with 10 viewed items and 3 lines in its cart, ids of 8 bytes.

use super::{item, open, said, token};
use crate::options::Options;
use crate::report::{Section, Target};
use crate::{Result, fill, machine};
use futures_util::{StreamExt, TryStreamExt, stream};
use parlor_rules::shop::Change;
use parlor_shop::Terms;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const VISITS: usize = 1_000_000;
const BYTES_ASKED: f64 = 400.0;
/// Things that the shop sells.
const CATALOGUE: usize = 100_000;
/// Changes one after the other, at the end.
const CALM: usize = 10_000;
const STALL_ASKED: Duration = Duration::from_millis(50);
/// Carts that are being filled at once; they share the disk's syncs.
const AT_ONCE: usize = 2000;

pub fn run(options: &Options) -> Result<Section> {
    let folder = options.scratch.join("visits-memory");
    let _ = std::fs::remove_dir_all(&folder);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let resident = || machine::resident_kib(std::process::id()).map(|kib| kib as f64 * 1024.0);
    let (bytes, longest, alone) = runtime.block_on(async {
        let shop = open(Arc::new(fill::open(&folder)?), true, Terms::default()).await?;
        // As the server does: what is noted goes to its place by and by.
        let (stop, stopping) = watch::channel(false);
        let running = {
            let shop = shop.clone();
            tokio::spawn(async move { shop.run(stopping).await })
        };
        let before = resident()?;
        for number in 0..VISITS {
            shop.begin_soon(token(number));
            for view in 0..10 {
                shop.touch(&token(number), Some(&item((number * 7 + view) % CATALOGUE)));
            }
            if number % 20_000 == 19_999 {
                shop.fold().await.map_err(said)?;
                eprint!("\r{} of {VISITS} visits", number + 1);
            }
        }
        let mut longest = Duration::ZERO;
        for many in (0..VISITS).collect::<Vec<_>>().chunks(50_000) {
            let fill = many.iter().flat_map(|number| (0..3).map(move |line| (*number, line))).map(|(number, line)| {
                let shop = shop.clone();
                async move {
                    let begun = Instant::now();
                    shop.change(&token(number), &Change::Add(item(number + line), 1), None).await.map_err(said)?;
                    Ok::<_, String>(begun.elapsed())
                }
            });
            let took: Vec<Duration> = stream::iter(fill).buffer_unordered(AT_ONCE).try_collect().await?;
            longest = longest.max(took.into_iter().max().unwrap_or_default());
            eprint!("\r{} of {VISITS} carts ", many.last().map_or(0, |last| last + 1));
        }
        eprintln!();
        // With all of that there and a shop that keeps it: what one waits who is not in a crowd.
        let mut alone = Vec::with_capacity(CALM);
        for number in 0..CALM {
            let begun = Instant::now();
            let visit = token((number * 7919) % VISITS);
            shop.change(&visit, &Change::Add(item(number), 1), None).await.map_err(said)?;
            shop.touch(&visit, Some(&item(number)));
            alone.push(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let _ = stop.send(true);
        running.await.map_err(|error| error.to_string())?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        alone.sort_unstable();
        Ok::<_, String>(((resident()? - before) / VISITS as f64, longest, alone))
    })?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    let _ = std::fs::remove_dir_all(&folder);
    let at = |share: f64| alone[((alone.len() - 1) as f64 * share) as usize];
    let (nearly_all, alone) = (at(0.999), at(1.0));
    let bytes_text = format!("{bytes:.0} bytes");
    Ok(Section {
        name: "shop-memory",
        title: "What a visit takes in memory, on embedded",
        about: format!(
            "{VISITS} visits with 10 viewed items of {CATALOGUE} and 3 lines in the cart, put there by a crowd of {AT_ONCE}; then {CALM} changes of one after the other. Resident memory at the end less that at the beginning, divided. {} visits are known in memory, the rest lies on the disk. Redis needs 832 bytes for the same.",
            Terms::default().known_max
        ),
        head: vec![
            "",
            "bytes a visit",
            "longest change of a cart in a crowd",
            "of one after the other: 99.9 %",
            "and the longest",
        ],
        rows: vec![vec![
            "Parlor".into(),
            bytes_text.clone(),
            format!("{} ms", longest.as_millis()),
            format!("{:.1} ms", nearly_all.as_secs_f64() * 1000.0),
            format!("{:.1} ms", alone.as_secs_f64() * 1000.0),
        ]],
        targets: vec![
            Target { what: "bytes a visit".into(), reached: bytes_text, asked: "≤ 400", met: bytes <= BYTES_ASKED },
            Target {
                what: "longest wait with 10⁶ visits".into(),
                reached: format!("{:.1} ms", alone.as_secs_f64() * 1000.0),
                asked: "≤ 50 ms",
                met: alone <= STALL_ASKED,
            },
        ],
    })
}
