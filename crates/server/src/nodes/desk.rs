//! Letters of other nodes: signed, of now, for this node, each once; then whoever watches here hears of it.

use super::letter::{Hint, Letter, NUMBER, Number, SIGNATURE, is_signed};
use super::options::Options;
use crate::rest::Body;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use parlor_store::clock::SharedClock;
use parlor_store::dynamodb::DynamoDb;
use parlor_wire::Secret;
use prost::Message;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Writers that are remembered; every start of a node is one.
const WRITERS_MAX: usize = 4096;

pub struct Desk {
    store: DynamoDb,
    clock: SharedClock,
    secret: Arc<Secret>,
    own: String,
    /// The last letter of each writer: an older one is a copy that somebody kept.
    last: Mutex<HashMap<u64, Number>>,
}

type Refusal = (StatusCode, &'static str);

impl Desk {
    pub fn new(store: DynamoDb, options: &Options, clock: SharedClock) -> Desk {
        let (secret, own) = (options.secret.clone(), options.address.clone());
        Desk { store, clock, secret, own, last: Mutex::default() }
    }

    /// What can be said before anything is read: a stranger's letter is not waited for.
    fn look_at(&self, headers: &HeaderMap) -> Result<Number, Refusal> {
        let number = Number::read(shown(headers, NUMBER)).filter(|_| headers.contains_key(SIGNATURE));
        let number = number.ok_or((StatusCode::UNAUTHORIZED, "this is no letter of a node\n"))?;
        if !number.is_of(self.clock.now()) {
            let why = "not written now: the clocks of the two nodes are more than a minute apart\n";
            return Err((StatusCode::UNAUTHORIZED, why));
        }
        Ok(number)
    }

    fn check(&self, number: Number, headers: &HeaderMap, body: &[u8]) -> Result<(), Refusal> {
        let secret = self.secret.expose().as_bytes();
        if !is_signed(secret, &self.own, shown(headers, NUMBER), body, shown(headers, SIGNATURE)) {
            return Err((StatusCode::UNAUTHORIZED, "not signed for this node: is --node-secret the same everywhere?\n"));
        }
        let now = self.clock.now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.get(&number.from).is_some_and(|last| last.number >= number.number) {
            return Err((StatusCode::CONFLICT, "this letter, or a later one, was here before\n"));
        }
        if last.len() >= WRITERS_MAX {
            // What those whom this forgets wrote is too old by now to be taken a second time.
            last.retain(|_, number| number.is_of(now));
        }
        if last.len() >= WRITERS_MAX && !last.contains_key(&number.from) {
            return Err((StatusCode::TOO_MANY_REQUESTS, "more nodes write than can be\n"));
        }
        last.insert(number.from, number);
        Ok(())
    }
}

fn shown<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn refused((status, why): Refusal) -> Response {
    metrics::counter!("parlor_node_letters_refused_total").increment(1);
    // The node that wrote it says so in its own log; what strangers send is not to fill this one.
    tracing::debug!(why = why.trim_end(), "a letter was refused");
    (status, why).into_response()
}

pub async fn take(State(desk): State<Arc<Desk>>, request: Request) -> Result<StatusCode, Response> {
    let headers = request.headers().clone();
    let number = desk.look_at(&headers).map_err(refused)?;
    let Body(body) = Body::from_request(request, &()).await.map_err(IntoResponse::into_response)?;
    desk.check(number, &headers, &body).map_err(refused)?;
    let letter = Letter::decode(body).map_err(|_| refused((StatusCode::BAD_REQUEST, "this letter cannot be read\n")))?;
    metrics::counter!("parlor_node_hints_taken_total").increment(letter.hints.len() as u64);
    for (spine, by, wake) in letter.hints.into_iter().filter_map(Hint::read) {
        desk.store.hear(&spine, by, &wake);
    }
    Ok(StatusCode::NO_CONTENT)
}
