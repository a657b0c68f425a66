//! The reference store as one that keeps each key in a place of its own, where anything can stop between two steps.

use async_trait::async_trait;
use parlor_store::{Answer, Applied, Batch, Condition, Key, Memory, Query, Records, StoreError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

pub(crate) struct Scattered {
    inner: Memory,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    steps: usize,
    cut: Option<(usize, Cut)>,
    named: BTreeSet<Key>,
    /// While set, every call waits for others a number of times that these bits say.
    dice: Option<u64>,
}

/// What happens at a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// Whether the step itself still happens, and only its answer does not come.
    pub(crate) after: bool,
    pub(crate) how: How,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// One error, then all is well.
    Once,
    /// Errors from there on.
    Down,
    /// No answer, ever: whoever asked has gone.
    Hang,
}

impl Scattered {
    pub(crate) fn over(inner: Memory) -> Arc<Scattered> {
        Arc::new(Scattered { inner, state: Mutex::default() })
    }

    /// Cuts the step of this number, counted from now, or none any more.
    pub(crate) fn cut(&self, cut: Option<(usize, Cut)>) {
        let mut state = self.state.lock().unwrap();
        (state.steps, state.cut) = (0, cut);
    }

    pub(crate) fn steps(&self) -> usize {
        self.state.lock().unwrap().steps
    }

    /// Calls of tasks that run at the same time are mixed as this seed says.
    pub(crate) fn mix(&self, seed: u64) {
        self.state.lock().unwrap().dice = Some(seed);
    }

    /// Every key that was ever written.
    pub(crate) fn named(&self) -> Vec<Key> {
        self.state.lock().unwrap().named.iter().cloned().collect()
    }

    async fn wait_for_others(&self) {
        let waits = self.state.lock().unwrap().dice.as_mut().map_or(0, |dice| {
            *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*dice >> 60) % 6
        });
        for _ in 0..waits {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl Records for Scattered {
    async fn read(&self, tag: &str, queries: Vec<Query>) -> Result<Vec<Answer>, StoreError> {
        let keys: BTreeSet<&Key> = queries.iter().map(Query::key).collect();
        assert!(!tag.is_empty() || keys.len() <= 1, "one read over {keys:?}");
        self.wait_for_others().await;
        let answer = self.inner.read(tag, queries).await;
        self.wait_for_others().await;
        answer
    }

    async fn apply(&self, batch: Batch) -> Result<Applied, StoreError> {
        let operations = batch.operations.iter().map(|operation| operation.key());
        let keys: BTreeSet<Key> = operations.chain(batch.conditions.iter().map(Condition::key)).cloned().collect();
        assert!(!batch.tag.is_empty() || keys.len() <= 1, "one batch over {keys:?}");
        let cut = {
            let mut state = self.state.lock().unwrap();
            state.named.extend(keys);
            state.steps += 1;
            let step = state.steps;
            state.cut.filter(|(at, cut)| step == *at || (step > *at && cut.how == How::Down))
        };
        let Some((at, cut)) = cut else {
            self.wait_for_others().await;
            let applied = self.inner.apply(batch).await;
            self.wait_for_others().await;
            return applied;
        };
        if cut.after && self.steps() == at {
            self.inner.apply(batch).await?;
        }
        match cut.how {
            How::Once | How::Down => Err(StoreError::Unavailable("planted".into())),
            How::Hang => std::future::pending().await,
        }
    }

    fn is_scattered(&self) -> bool {
        true
    }
}
