//! Faces of players, where `avatar_url` says they are. A browser asks for them without any header of ours.

use super::{Answer, Failure, Words, address};
use crate::caller::Caller;
use crate::doors::Doors;
use crate::words::Portrait;
use axum::extract::{Extension, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use parlor_engine::Encode;
use parlor_rules::reels::Avatar;
use parlor_rules::{Code, Kind};
use parlor_wire::Fault;
use serde::Deserialize;
use std::net::SocketAddr;
use std::sync::Arc;

#[derive(Deserialize)]
pub struct Meant {
    /// Which picture is meant: another has another tag.
    v: Option<String>,
}

pub async fn avatar(
    State(doors): State<Arc<Doors>>,
    Extension(peer): Extension<SocketAddr>,
    Words((id, player)): Words<(String, String)>,
    Query(Meant { v }): Query<Meant>,
    headers: HeaderMap,
) -> Answer {
    let nobody = || Failure(Fault::new(Code::NotFound, "there is no such player, or they have no face"));
    let caller = Caller::looking(&doors, peer, &headers).await.map_err(Failure)?;
    let room = address(Kind::Reels.name(), &id)?;
    let player = player.parse().map_err(|_| nobody())?;
    let portrait: Arc<dyn Encode> = Arc::new(Portrait { player, tag: v.clone() });
    let face = caller.look(&doors, &room, &portrait).await.map_err(Failure)?;
    let tag = format!("\"{}\"", Avatar::new(&face).map_err(|_| nobody())?.tag());
    // An address with the picture's own tag never shows another; the room lives twelve hours at most.
    let meant = v.is_some_and(|v| tag.trim_matches('"') == v);
    let keep = if meant { "private, max-age=43200, immutable" } else { "no-cache" };
    if headers.get(IF_NONE_MATCH).is_some_and(|known| *known == *tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(CACHE_CONTROL, keep.to_owned()), (ETAG, tag)]).into_response());
    }
    let headers = [(CONTENT_TYPE, "image/jpeg".to_owned()), (CACHE_CONTROL, keep.to_owned()), (ETAG, tag)];
    Ok((headers, face).into_response())
}
