//! The same votes without a door: through the engine in one process, on the server's core.

use crate::options::Options;
use crate::{Result, fill};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub const ROOMS: usize = 1000;
pub const WARM_UP: Duration = Duration::from_secs(2);

/// Prints acks per second; `acks` started this and reads it.
pub fn main(options: &Options) -> Result<()> {
    fill::folder(&options.folder, ROOMS)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let per_second = runtime.block_on(async {
        let engine = fill::engine(Arc::new(fill::open(&options.folder)?));
        let counting = Counting::new();
        for room in 0..ROOMS {
            let address = fill::address(room);
            engine.act(&address, fill::join(room)).await.map_err(|error| error.to_string())?;
            let (engine, counting) = (engine.clone(), counting.clone());
            tokio::spawn(async move {
                for number in 1.. {
                    let vote = match engine.submit(&address, fill::vote(room, number)) {
                        Ok(acting) => acting.await,
                        Err(error) => Err(error),
                    };
                    if let Err(error) = vote {
                        eprintln!("a vote failed: {error}");
                        return;
                    }
                    counting.one();
                }
            });
        }
        Ok::<_, String>(counting.measure(options.seconds).await)
    })?;
    println!("{per_second}");
    // Voters never stop by themselves.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(())
}

/// Counts while it is told to.
pub struct Counting {
    on: AtomicBool,
    count: AtomicU64,
}

impl Counting {
    pub fn new() -> Arc<Counting> {
        Arc::new(Counting { on: AtomicBool::new(false), count: AtomicU64::new(0) })
    }

    pub fn one(&self) {
        if self.on.load(Ordering::Relaxed) {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// So many a second, after a warm-up.
    pub async fn measure(&self, seconds: Duration) -> f64 {
        tokio::time::sleep(WARM_UP).await;
        let begun = Instant::now();
        self.on.store(true, Ordering::Relaxed);
        tokio::time::sleep(seconds).await;
        self.on.store(false, Ordering::Relaxed);
        self.count.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
    }
}
