//! REST under `/v1`: the same asks as on the socket, one request each. Keys travel in headers, never in URLs.

pub mod avatars;
pub mod parts;
pub mod session;
pub mod shop;

use crate::caller::Caller;
use crate::doors::Doors;
use crate::limits::REQUEST_BODY_WITHIN;
use crate::pages;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, PathRejection};
use axum::extract::{Extension, FromRequest, FromRequestParts, Path, Request as HttpRequest, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use parlor_rules::{Address, Code, Kind};
use parlor_wire::commands;
use parlor_wire::export::{self, Form};
use parlor_wire::space::told;
use parlor_wire::{Fault, Status, ask, say};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// A fault as an HTTP answer.
pub struct Failure(pub Fault);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = Status::from(self.0.code);
        let mut response = answer(status.http, say::error_body(&self.0).to_string().into());
        if status.retry {
            response.headers_mut().insert("retry-after", HeaderValue::from_static("1"));
        }
        response
    }
}

type Answer = Result<Response, Failure>;

pub async fn new_user(State(doors): State<Arc<Doors>>) -> Response {
    json_answer(201, &json!({ "user_key": doors.new_user_key().expose() }))
}

pub async fn create(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    let caller = Caller::acting(&doors, peer, &headers).await.map_err(Failure)?;
    doors.may_create_large(caller.from, body.len()).map_err(Failure)?;
    let wish = ask::new_room(body_text(&headers, &body)?).map_err(Failure)?;
    let made =
        doors.create(caller.from, caller.bearer.as_ref(), &wish, caller.idempotency_key.as_ref()).await.map_err(Failure)?;
    Ok(json_answer(201, &say::created_body(&made.room, &made.host_key, made.place, &made.about)))
}

pub async fn look(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((kind, id)): Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    let room = address(&kind, &id)?;
    Ok(answer(200, caller.look(&doors, &room, &doors.encode).await.map_err(Failure)?))
}

pub async fn delete(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((kind, id)): Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    // A kind that is not there is said to be so by the act.
    let verb = kind.parse().map_or("delete", commands::ending);
    act(state, peer, Words((kind, id, verb.to_owned())), headers, Body(Bytes::new())).await
}

pub async fn act(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((kind, id, verb)): Words<(String, String, String)>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    let caller = Caller::acting(&doors, peer, &headers).await.map_err(Failure)?;
    let room = address(&kind, &id)?;
    let with = body_text(&headers, &body)?;
    if verb == "say" {
        let data = ask::spoken(with).map_err(Failure)?;
        caller.say(&doors, &room, data).await.map_err(Failure)?;
        return Ok(json_answer(200, &json!({})));
    }
    if let Some(showing) = ask::showing(room.kind, &verb, with) {
        caller.show(&doors, &room, showing.map_err(Failure)?).await.map_err(Failure)?;
        return Ok(json_answer(200, &json!({})));
    }
    let command = ask::act(room.kind, &verb, with).map_err(Failure)?;
    let acted = caller.act(&doors, &room, command).await.map_err(Failure)?;
    if !acted.events.is_empty() {
        return Ok(answer(200, told::acted_body(acted.position, &acted.events)));
    }
    Ok(json_answer(200, &say::acted_body(acted.position, acted.again)))
}

pub async fn decks() -> Response {
    json_answer(200, &parlor_wire::poker::wish::decks())
}

pub async fn export_csv(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    words: Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    export(state, peer, words, headers, Form::Csv).await
}

pub async fn export_json(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    words: Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    export(state, peer, words, headers, Form::Json).await
}

async fn export(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((kind, id)): Words<(String, String)>,
    headers: HeaderMap,
    form: Form,
) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    let room = address(&kind, &id)?;
    let export = caller.export(&doors, &room).await.map_err(Failure)?;
    let mut response = answer(200, export::written(&export, form).into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    // A page may show JSON; a table is for a spreadsheet.
    if form == Form::Csv {
        response.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"parlor.csv\""));
    }
    Ok(response)
}

pub async fn nowhere(uri: Uri, headers: HeaderMap) -> Response {
    let nothing = || Failure(Fault::new(Code::Unsupported, "there is nothing here; /openapi.json lists what there is"));
    pages::file(&uri, &headers).unwrap_or_else(|| nothing().into_response())
}

pub async fn not_that_way() -> Response {
    let fault = Fault::new(Code::Unsupported, "this address does not take that method; /openapi.json lists what it takes");
    (StatusCode::METHOD_NOT_ALLOWED, Failure(fault)).into_response()
}

/// A request's body, if it comes whole, in time, and is not too large.
pub struct Body(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Failure;
    async fn from_request(request: HttpRequest, state: &S) -> Result<Body, Failure> {
        let Ok(read) = tokio::time::timeout(REQUEST_BODY_WITHIN, Bytes::from_request(request, state)).await else {
            return Err(Failure(Fault::bad("the body did not come in time")));
        };
        read.map(Body).map_err(|rejection| {
            Failure(match rejection {
                BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => Fault::new(
                    Code::TooLarge,
                    "the body is larger than this address takes (frame-bytes-max, or 1 MiB for a new room)",
                ),
                _ => Fault::bad("the body did not come whole"),
            })
        })
    }
}

/// The words of a path, as text.
pub struct Words<T>(T);

impl<S: Send + Sync, T: serde::de::DeserializeOwned + Send> FromRequestParts<S> for Words<T> {
    type Rejection = Failure;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Words<T>, Failure> {
        let read: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        read.map(|Path(words)| Words(words)).map_err(|_| Failure(Fault::bad("the path is not UTF-8 text")))
    }
}

fn address(kind: &str, id: &str) -> Result<Address, Failure> {
    let kind: Kind = kind.parse().map_err(|error| Failure(Fault::new(Code::Unsupported, error)))?;
    // An id that cannot be one is a room that is not there.
    let id = id.parse().map_err(|error| Failure(Fault::new(Code::RoomNotFound, error)))?;
    Ok(Address { kind, id })
}

fn body_text<'a>(headers: &HeaderMap, body: &'a Bytes) -> Result<Option<&'a str>, Failure> {
    if body.is_empty() {
        return Ok(None);
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        // It also keeps other sites' plain forms from posting here.
        return Err(Failure(Fault::bad("send JSON, with the header Content-Type: application/json")));
    }
    std::str::from_utf8(body).map(Some).map_err(|_| Failure(Fault::bad("the body is not UTF-8 text")))
}

fn json_answer(status: u16, body: &Value) -> Response {
    answer(status, body.to_string().into())
}

/// Answers are one person's own and change at any time: nobody may keep them.
fn answer(status: u16, body: Bytes) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], body).into_response()
}
