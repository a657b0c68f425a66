//! The page cache's back office by REST: purging, and why a page is or is not kept. Needs the admin key.

use super::{Asked, Counters};
use crate::rest::{Answer, Body, Failure, body_text, json_answer};
use crate::shop::Counter;
use crate::shop::front::Front;
use axum::extract::{Extension, State};
use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, HeaderValue, Request};
use parlor_edge::Edge;
use parlor_engine::Bulletin;
use parlor_layout::shop::visits as layout;
use parlor_rules::Code;
use parlor_wire::Fault;
use parlor_wire::shop as words;
use serde::Deserialize;
use serde_json::json;
use std::net::SocketAddr;

/// The cookie that a request about which one asks would carry.
const WHY_COOKIE: &str = "parlor-why-cookie";

const FORWARDED_PROTO: &str = "x-forwarded-proto";

pub(super) async fn purge(
    State(counter): Counters,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    Body(body): Body,
) -> Answer {
    counter.is_admin(peer, &headers).map_err(Failure)?;
    let (what, soft) = words::purge(body_text(&headers, &body)?).map_err(Failure)?;
    let purged = counter.purge_for_good(edge(&counter)?, &what, soft).await.map_err(Failure)?;
    // Other nodes have pages in memory too; what rests in the store is gone for all.
    let house = counter.doors.engine.house();
    Bulletin::tell(house, &layout::bulletin(), layout::told_purge(&words::purge_words(&what, soft))).await;
    Ok(json_answer(200, &json!({ "purged": purged })))
}

#[derive(Deserialize)]
pub(super) struct About {
    url: String,
}

pub(super) async fn why(
    State(counter): Counters,
    Extension(peer): Extension<SocketAddr>,
    Asked(About { url }): Asked<About>,
    headers: HeaderMap,
) -> Answer {
    counter.is_admin(peer, &headers).map_err(Failure)?;
    let edge = edge(&counter)?;
    let uri = counter.page(&url).map_err(Failure)?;
    let mut request = Request::new(());
    // As the one in front of the edge would say it; an edge that believes nobody does not look at it.
    if let Some(scheme) = uri.scheme_str().and_then(|scheme| HeaderValue::from_str(scheme).ok()) {
        request.headers_mut().insert(FORWARDED_PROTO, scheme);
    }
    if let Some(host) = uri.authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok()) {
        request.headers_mut().insert(HOST, host);
    }
    *request.uri_mut() = uri;
    if let Some(cookie) = headers.get(WHY_COOKIE) {
        request.headers_mut().insert(COOKIE, cookie.clone());
    }
    // The visit may be known to the store alone.
    let front = Front(counter.clone());
    if let Some(token) = front.token(request.headers()) {
        front.prepare(&token).await.map_err(|error| Failure(crate::shop::fault(error)))?;
    }
    let why = edge.why(&request.into_parts().0);
    let said = serde_json::to_value(&why).map_err(|_| Failure(Fault::new(Code::Internal, "the answer cannot be written")))?;
    Ok(json_answer(200, &said))
}

fn edge(counter: &Counter) -> Result<&Edge, Failure> {
    let none = || Failure(Fault::new(Code::Unsupported, "this server has no edge: set edge and origin"));
    counter.edge.get().ok_or_else(none)
}
