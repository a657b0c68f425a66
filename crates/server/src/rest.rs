//! REST under `/v1`: the same asks as on the socket, one request each. Keys travel in headers, never in URLs.

pub mod session;

use crate::cookies;
use crate::doors::Doors;
use crate::headers::client_address;
use crate::limits::REQUEST_BODY_WITHIN;
use crate::logins::no_session;
use crate::pages;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, PathRejection};
use axum::extract::{Extension, FromRequest, FromRequestParts, Path, Request as HttpRequest, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use parlor_engine::Request;
use parlor_rules::{Address, ClientId, Code, Credential, Kind, Millis, Session};
use parlor_wire::export::{self, Form};
use parlor_wire::{Fault, Secret, Status, ask, say};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

pub const USER_KEY: &str = "parlor-user-key";
pub const HOST_KEY: &str = "parlor-host-key";
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// A shorter key could be guessed, and with it a room's host key.
pub const IDEMPOTENCY_KEY_CHARS_MIN: usize = 32;

/// A fault as an HTTP answer.
pub struct Failure(pub Fault);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = Status::from(self.0.code);
        let mut response = answer(status.http, say::error_body(&self.0).to_string().into());
        if status.retry {
            response.headers_mut().insert("retry-after", HeaderValue::from_static("1"));
        }
        // A cookie that opens nothing any more would come with every request, and no page can take it away.
        if self.0.code == Code::Unauthenticated {
            response.headers_mut().extend(cookies::forget().map(|cookie| (SET_COOKIE, cookie)));
        }
        response
    }
}

type Answer = Result<Response, Failure>;

pub async fn new_user(State(doors): State<Arc<Doors>>, Extension(peer): Extension<SocketAddr>, headers: HeaderMap) -> Answer {
    let from = client_address(&headers, peer, doors.config.trust_forwarded);
    let key = doors.new_user_key(from).map_err(Failure)?;
    Ok(json_answer(201, &json!({ "user_key": key.expose() })))
}

pub async fn create(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    let caller = Caller::acting(&doors, peer, &headers).await?;
    let wish = ask::new_room(body_text(&headers, &body)?).map_err(Failure)?;
    let made = doors.create(caller.from, &wish, caller.idempotency_key.as_ref()).await.map_err(Failure)?;
    Ok(json_answer(201, &say::created_body(&made.room, &made.host_key, made.place, &made.about)))
}

pub async fn look(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((kind, id)): Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await?;
    let room = address(&kind, &id)?;
    let seen = doors.engine.look(&room, caller.credential, doors.encode.clone()).await;
    let seen = seen.map_err(|error| Failure(doors.fault(caller.from, &error)))?;
    Ok(answer(200, seen.view))
}

pub async fn delete(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((kind, id)): Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    act(state, peer, Words((kind, id, "delete".to_owned())), headers, Body(Bytes::new())).await
}

pub async fn act(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((kind, id, verb)): Words<(String, String, String)>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    let caller = Caller::acting(&doors, peer, &headers).await?;
    let room = address(&kind, &id)?;
    let with = body_text(&headers, &body)?;
    if verb == "say" {
        let data = ask::spoken(with).map_err(Failure)?;
        let said = doors.engine.say(&room, caller.credential, None, data).await;
        said.map_err(|error| Failure(doors.fault(caller.from, &error)))?;
        return Ok(json_answer(200, &json!({})));
    }
    let command = ask::act(room.kind, &verb, with).map_err(Failure)?;
    if let (None, Some(name)) = (&caller.session, command.claims()) {
        doors.may_be_called(name).await.map_err(Failure)?;
    }
    let ticket = caller.idempotency_key.as_ref().map(|key| (client_of(key), 1));
    let acted = doors.engine.act(&room, Request { credential: caller.credential, ticket, command }).await;
    let acted = acted.map_err(|error| Failure(doors.fault(caller.from, &error)))?;
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
    let caller = Caller::looking(&doors, peer, &headers).await?;
    let room = address(&kind, &id)?;
    let export = doors.engine.export(&room, caller.credential).await;
    let export = export.map_err(|error| Failure(doors.fault(caller.from, &error)))?;
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

/// Who asks, as far as the headers prove it.
struct Caller {
    from: IpAddr,
    credential: Credential,
    /// Whoever is logged in, and until when that lasts unless they ask something more.
    session: Option<(Session, Millis)>,
    idempotency_key: Option<Secret>,
}

impl Caller {
    /// Of a request that changes nothing.
    async fn looking(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Failure> {
        Caller::read(doors, peer, headers, shown_token(doors, headers)).await
    }

    /// Of a request that changes something: a cookie proves it only together with a page of ours.
    async fn acting(doors: &Doors, peer: SocketAddr, headers: &HeaderMap) -> Result<Caller, Failure> {
        Caller::read(doors, peer, headers, acting_token(doors, headers)?).await
    }

    fn member(&self) -> Result<(&Session, Millis), Failure> {
        self.session.as_ref().map(|(session, expires)| (session, *expires)).ok_or_else(|| Failure(no_session()))
    }

    async fn read(doors: &Doors, peer: SocketAddr, headers: &HeaderMap, token: Option<Secret>) -> Result<Caller, Failure> {
        let from = client_address(headers, peer, doors.config.trust_forwarded);
        let user = secret(headers, USER_KEY)?;
        if user.as_ref().is_some_and(|key| !key.is_plausible()) {
            return Err(Failure(Fault::new(Code::BadKey, "that cannot be a user key; POST /v1/users gives one")));
        }
        let idempotency_key = secret(headers, IDEMPOTENCY_KEY)?;
        if idempotency_key.as_ref().is_some_and(|key| key.expose().len() < IDEMPOTENCY_KEY_CHARS_MIN || !key.is_plausible()) {
            return Err(Failure(Fault::bad("an Idempotency-Key has 32 to 128 characters, for example a random UUID")));
        }
        let host = secret(headers, HOST_KEY)?;
        if host.is_some() {
            doors.may_try_key(from).map_err(Failure)?;
        }
        let session = match token {
            Some(token) => {
                let session = doors.session(&token.hash()).await.map_err(Failure)?;
                let expires = doors.renew(&session).await.map_err(Failure)?;
                Some((session, expires))
            }
            None => None,
        };
        let member = session.as_ref().map(|(session, _)| session.member.clone());
        let (user, host) = (user.as_ref().map(Secret::hash), host.as_ref().map(Secret::hash));
        let credential = Credential { session: member, user, host };
        Ok(Caller { from, credential, session, idempotency_key })
    }
}

/// The token a request shows: in its header, or in a cookie.
fn shown_token(doors: &Doors, headers: &HeaderMap) -> Option<Secret> {
    bearer(headers).or_else(|| cookies::token(headers, secure(doors, headers)))
}

fn acting_token(doors: &Doors, headers: &HeaderMap) -> Result<Option<Secret>, Failure> {
    if let Some(token) = bearer(headers) {
        return Ok(Some(token));
    }
    let Some(token) = cookies::token(headers, secure(doors, headers)) else { return Ok(None) };
    if !cookies::is_from_our_page(headers, &doors.config.allow_origins) {
        let why = "a request that changes something needs more than a cookie: an Origin that is allowed here, or the token in Authorization: Bearer";
        return Err(Failure(Fault::new(Code::Forbidden, why)));
    }
    Ok(Some(token))
}

/// Other schemes are between the client and some proxy.
fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret::new(token.trim().to_owned()))
}

fn secure(doors: &Doors, headers: &HeaderMap) -> bool {
    doors.config.secure_cookies.apply_to(headers, doors.config.trust_forwarded)
}

/// A request's body, if it comes whole, in time, and is not too large.
pub struct Body(Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Failure;
    async fn from_request(request: HttpRequest, state: &S) -> Result<Body, Failure> {
        let Ok(read) = tokio::time::timeout(REQUEST_BODY_WITHIN, Bytes::from_request(request, state)).await else {
            return Err(Failure(Fault::bad("the body did not come in time")));
        };
        read.map(Body).map_err(|rejection| {
            Failure(match rejection {
                BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
                    Fault::new(Code::TooLarge, "the body is larger than frame-bytes-max")
                }
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

fn secret(headers: &HeaderMap, name: &str) -> Result<Option<Secret>, Failure> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().map_err(|_| Failure(Fault::bad(format!("the header {name} must be plain text"))))?;
    Ok(Some(Secret::new(text.to_owned())))
}

/// A one-time client program for each idempotency key.
fn client_of(key: &Secret) -> ClientId {
    let name = format!("once-{}", &key.hash().hex()[..40]);
    name.parse().expect("letters, digits and a dash, 45 of them")
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
