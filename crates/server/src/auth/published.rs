//! Keys that the app publishes at a URL. They are fetched when the first token comes, again when a token names a key that
//! is not known, and now and then; while the URL is down those that are held go on.

use super::keyring::{Keyring, Origin};
use super::web::Web;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::ACCEPT;
use hyper::{Request, StatusCode, Uri};
use parlor_rules::{Millis, Span};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// However many unknown keys are named, the URL is not asked more often.
const FETCH_EVERY_MIN: Span = Span::seconds(30);
/// A key that is withdrawn is not good for much longer than this.
const FRESH_FOR: Span = Span::minutes(5);
const SET_BYTES_MAX: usize = 256 * 1024;

pub(super) struct Published {
    url: Uri,
    web: Web,
    held: Mutex<Held>,
    /// One fetches; the others wait for what comes.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Held {
    keys: Arc<Keyring>,
    tried: Option<Millis>,
    fetched: Option<Millis>,
    reached: bool,
}

impl Published {
    pub(super) fn new(url: Uri, web: Web) -> Published {
        Published { url, web, held: Mutex::default(), fetching: tokio::sync::Mutex::default() }
    }

    pub(super) fn keys(&self) -> Arc<Keyring> {
        self.held().keys.clone()
    }

    /// Whether the last look found a set of keys.
    pub(super) fn was_reached(&self) -> bool {
        self.held().reached
    }

    /// Somebody waits for a key that is not known. A task of its own, because whoever waits may go: what is under way
    /// then comes for the others, who would not be fetched for again so soon.
    pub(super) async fn look_again(self: &Arc<Self>, now: Millis) {
        let published = self.clone();
        let _ = tokio::spawn(async move { published.look(now).await }).await;
    }

    async fn look(&self, now: Millis) {
        let _fetching = self.fetching.lock().await;
        if self.held().tried.is_some_and(|tried| now < tried + FETCH_EVERY_MIN) {
            return;
        }
        self.held().tried = Some(now);
        let fetched = self.fetch().await;
        let mut held = self.held();
        held.reached = fetched.is_ok();
        match fetched {
            Ok(keys) => (held.keys, held.fetched) = (Arc::new(keys), Some(now)),
            Err(why) => tracing::warn!(host = self.url.host(), why, "the keys for tokens cannot be fetched"),
        }
    }

    /// Nobody waits for this: the keys that are held serve meanwhile.
    pub(super) fn refresh_in_time(self: &Arc<Self>, now: Millis) {
        let old = |since: Option<Millis>, span| since.is_none_or(|since| now >= since + span);
        let due = {
            let held = self.held();
            old(held.fetched, FRESH_FOR) && old(held.tried, FETCH_EVERY_MIN)
        };
        if due {
            let published = self.clone();
            tokio::spawn(async move { published.look(now).await });
        }
    }

    async fn fetch(&self) -> Result<Keyring, String> {
        let request = Request::get(self.url.clone()).header(ACCEPT, "application/jwk-set+json, application/json");
        let request = request.body(Full::<Bytes>::default()).map_err(|error| error.to_string())?;
        let (status, body) = self.web.ask(request, SET_BYTES_MAX).await?;
        if status != StatusCode::OK {
            return Err(format!("the answer is {status}"));
        }
        let mut keys = Keyring::default();
        keys.add_set(&body, Origin::Url)?;
        Ok(keys)
    }

    /// A panic elsewhere leaves it whole: every change to it is one step.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
