//! What a space holds, page by page, for who does not listen: `GET /v1/rooms/space/{id}/maps/{name}` and its like.

use super::{Answer, Failure, Words, address, answer};
use crate::caller::Caller;
use crate::doors::Doors;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use parlor_rules::space::Page;
use parlor_wire::Fault;
use parlor_wire::space::pages::PAGE_MAX;
use serde::Deserialize;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

/// From where a page begins, and how long it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    after: Option<String>,
    limit: Option<usize>,
}

type Asked = (State<Arc<Doors>>, Extension<SocketAddr>, HeaderMap);

pub async fn map(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((id, map)): Words<(String, String)>,
    span: Result<Query<Span>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let (after, limit) = span_of(span)?;
    let page = Page::Map { map: name(&map)?, after: after.as_deref().map(name).transpose()?, limit };
    read((state, peer, headers), &id, page).await
}

pub async fn entry(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((id, map, key)): Words<(String, String, String)>,
    headers: HeaderMap,
) -> Answer {
    let page = Page::Entry { map: name(&map)?, key: name(&key)? };
    read((state, peer, headers), &id, page).await
}

pub async fn list(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((id, list)): Words<(String, String)>,
    span: Result<Query<Span>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let (after, limit) = span_of(span)?;
    let page = Page::List { list: name(&list)?, after: after.as_deref().map(name).transpose()?, limit };
    read((state, peer, headers), &id, page).await
}

pub async fn presence(
    state: State<Arc<Doors>>,
    peer: Extension<SocketAddr>,
    Words((id, presence)): Words<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    read((state, peer, headers), &id, Page::Presence { presence: name(&presence)? }).await
}

async fn read((State(doors), Extension(peer), headers): Asked, id: &str, page: Page) -> Answer {
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    let room = address("space", id)?;
    Ok(answer(200, caller.page(&doors, &room, page).await.map_err(Failure)?))
}

fn name<T: FromStr<Err: ToString>>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(|error: T::Err| Failure(Fault::bad(error.to_string())))
}

fn span_of(span: Result<Query<Span>, QueryRejection>) -> Result<(Option<String>, usize), Failure> {
    let why = || Failure(Fault::bad(format!("a page is asked for with after=… and limit=1 to {PAGE_MAX}, both optional")));
    let Query(Span { after, limit }) = span.map_err(|_| why())?;
    match limit.unwrap_or(PAGE_MAX) {
        limit @ 1..=PAGE_MAX => Ok((after, limit)),
        _ => Err(why()),
    }
}
