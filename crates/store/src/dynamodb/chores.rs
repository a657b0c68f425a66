//! Work that nobody waits for: trimming, renewing, clearing away. None of it is ever needed for an answer to be right.

use crate::error::StoreError;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Chores that may wait; one more is left undone and noticed again later.
const WAITING_MAX: usize = 1024;
/// Chores that are done at once.
const AT_ONCE: usize = 4;

pub(super) struct Chores {
    waiting: Arc<Semaphore>,
    working: Arc<Semaphore>,
}

impl Default for Chores {
    fn default() -> Chores {
        Chores { waiting: Arc::new(Semaphore::new(WAITING_MAX)), working: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Chores {
    pub(super) fn add(&self, what: &'static str, chore: impl Future<Output = Result<(), StoreError>> + Send + 'static) {
        let Ok(place) = self.waiting.clone().try_acquire_owned() else {
            metrics::counter!("parlor_dynamodb_chores_dropped_total", "what" => what).increment(1);
            return;
        };
        let working = self.working.clone();
        tokio::spawn(async move {
            let _turn = working.acquire_owned().await;
            if let Err(error) = chore.await {
                tracing::info!(what, %error, "a chore was left undone; it will be noticed again");
            }
            drop(place);
        });
    }

    /// Waits until nothing is left to do.
    pub(super) async fn done(&self) {
        let _all = self.waiting.acquire_many(WAITING_MAX as u32).await;
    }
}
