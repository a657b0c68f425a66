//! Sessions by REST: a login answers with the token and sets it as a cookie; either opens the rest.

use super::{Answer, Body, Failure, Words, body_text, json_answer};
use crate::caller::{Caller, acting_token, secure};
use crate::cookies;
use crate::doors::{Doors, fault};
use crate::headers::{client_address, origin_is_welcome};
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use parlor_engine::Error;
use parlor_rules::{Code, UserId};
use parlor_wire::{Fault, session};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;

pub async fn login(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    // Another site's page must not log its visitors in as somebody it chose.
    if !origin_is_welcome(&headers, &doors.config.allow_origins) {
        return Err(Failure(Fault::new(Code::Forbidden, "this web origin may not use this server")));
    }
    let from = client_address(&headers, peer, doors.config.trust_forwarded);
    let mut login = session::login(body_text(&headers, &body)?).map_err(Failure)?;
    if login.token.is_none() {
        login.token = acting_token(&doors, &headers).map_err(Failure)?;
    }
    let (made, token) = doors.login(from, &login).await.map_err(Failure)?;
    let mut response = json_answer(201, &session::login_body(&made, &token));
    response
        .headers_mut()
        .extend(cookies::SESSION.set(&token, secure(&doors, &headers), None).map(|cookie| (SET_COOKIE, cookie)));
    Ok(response)
}

pub async fn logout(State(doors): State<Arc<Doors>>, Extension(peer): Extension<SocketAddr>, headers: HeaderMap) -> Answer {
    let caller = Caller::acting(&doors, peer, &headers).await.map_err(Failure)?;
    let (session, _) = caller.member().map_err(Failure)?;
    doors.logout(session, || {}).await.map_err(Failure)?;
    let mut response = json_answer(200, &json!({}));
    response.headers_mut().extend(cookies::SESSION.forget().map(|cookie| (SET_COOKIE, cookie)));
    Ok(response)
}

pub async fn verify(State(doors): State<Arc<Doors>>, Extension(peer): Extension<SocketAddr>, headers: HeaderMap) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    let (member, expires) = caller.who().map_err(Failure)?;
    Ok(json_answer(200, &session::session_body(member, expires)))
}

pub async fn user(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words(user): Words<String>,
    headers: HeaderMap,
) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    caller.member().map_err(Failure)?;
    // An id that cannot be one is a user who is not there.
    let user: UserId = user.parse().map_err(|_| Failure(fault(&Error::NoUser)))?;
    let member = doors.sessions.user(&user).await.map_err(|error| Failure(fault(&error)))?;
    Ok(json_answer(200, &session::user_body(&member)))
}
