//! The app is asked who holds a token and what they may do in one space. What it says is remembered for as long as it
//! says; a no is remembered for a moment, so that a client that insists does not become the app's burden.

mod answer;
mod remembered;

use super::options::WebhookOptions;
use super::signatures::hmac_hex;
use super::web::in_time;
use answer::ANSWER_BYTES_MAX;
pub use answer::Granted;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, StatusCode};
use parlor_rules::{Address, Code, Millis, Span};
use parlor_wire::{Fault, Secret};
use remembered::Remembered;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Questions under way at once; others wait for their turn as long as for an answer.
const QUESTIONS_MAX: usize = 32;
const NO_FOR: Span = Span::seconds(5);

pub(super) struct Webhook {
    options: WebhookOptions,
    places: Semaphore,
    remembered: Mutex<Remembered>,
}

/// A token that only the app can read.
pub struct Opaque {
    token: Secret,
    /// What it is remembered by.
    hash: String,
    webhook: Arc<Webhook>,
}

/// Why somebody was not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum No {
    /// The app does not know the token.
    Unknown,
    /// The app knows it and does not let its holder in here.
    NotHere,
    /// The app gave no answer that could be understood.
    Unanswered,
}

impl Opaque {
    pub(super) fn new(token: Secret, webhook: Arc<Webhook>) -> Opaque {
        let hash = token.hash().hex();
        Opaque { token, hash, webhook }
    }

    /// What its holder may do there, remembered or asked.
    pub async fn granted(&self, room: &Address, now: Millis) -> Result<Arc<Granted>, No> {
        let key = format!("{} {room}", self.hash);
        if let Some(said) = self.webhook.remembered(|remembered| remembered.find(&key, now)) {
            return said;
        }
        let said = match self.webhook.ask(&self.token, room, now).await {
            Ok(said) => said,
            Err(why) => {
                tracing::warn!(host = self.webhook.options.url.host(), why, "the auth webhook gave no answer that counts");
                return Err(No::Unanswered);
            }
        };
        let until = said.as_ref().map_or(now + NO_FOR, |granted| granted.until);
        self.webhook.remembered(|remembered| remembered.keep(key, said.clone(), until, now));
        said
    }
}

impl Webhook {
    pub(super) fn new(options: WebhookOptions) -> Webhook {
        Webhook { options, places: Semaphore::new(QUESTIONS_MAX), remembered: Mutex::default() }
    }

    async fn ask(&self, token: &Secret, room: &Address, now: Millis) -> Result<Result<Arc<Granted>, No>, String> {
        let body = json!({ "token": token.expose(), "room": room.to_string() }).to_string();
        let mut request = Request::post(self.options.url.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(secret) = &self.options.secret {
            let proof = hmac_hex(secret.expose().as_bytes(), body.as_bytes());
            request = request.header("parlor-signature", format!("sha256={proof}"));
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        let asking = async {
            let _place = self.places.acquire().await.map_err(|error| error.to_string())?;
            self.options.web.ask(request, ANSWER_BYTES_MAX).await
        };
        let (status, answer) = in_time(asking).await?;
        match status {
            StatusCode::OK => answer::read(&answer, now).map(|granted| Ok(Arc::new(granted))),
            StatusCode::UNAUTHORIZED => Ok(Err(No::Unknown)),
            StatusCode::FORBIDDEN => Ok(Err(No::NotHere)),
            other => Err(format!("the answer is {other}")),
        }
    }

    /// A panic elsewhere leaves it whole: every change to it is one step.
    fn remembered<T>(&self, of: impl FnOnce(&mut Remembered) -> T) -> T {
        of(&mut self.remembered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl From<No> for Fault {
    fn from(no: No) -> Fault {
        match no {
            No::Unknown => Fault::new(Code::Unauthenticated, "this token is not known; get a new one"),
            No::NotHere => Fault::new(Code::Forbidden, "this token does not open this space"),
            No::Unanswered => Fault::new(Code::Unavailable, "who holds this token cannot be found out now; try again"),
        }
    }
}
