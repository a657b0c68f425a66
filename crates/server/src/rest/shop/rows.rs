//! Rows of the shop's database by REST: which are kept, how often they are read, and that one is to be read now. Needs the admin key.

use super::{Asked, Counters};
use crate::rest::{Answer, Body, Failure, body_text, json_answer};
use crate::shop::Counter;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use parlor_rows::{RowSeen, Rows, RowsError};
use parlor_rules::Code;
use parlor_wire::{Fault, shop as words};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;

const PAGE_MAX: usize = 1000;

type Peer = Extension<SocketAddr>;

#[derive(Deserialize)]
pub(super) struct From {
    after: Option<String>,
    n: Option<usize>,
}

pub(super) async fn list(
    State(counter): Counters,
    Extension(peer): Peer,
    Asked(From { after, n }): Asked<From>,
    headers: HeaderMap,
) -> Answer {
    let rows = asked(&counter, peer, &headers)?;
    let n = n.unwrap_or(100);
    if !(1..=PAGE_MAX).contains(&n) {
        return Err(Failure(Fault::bad(format!("n is 1 to {PAGE_MAX}"))));
    }
    let page = rows.page(after.as_deref(), n).await.map_err(refused)?;
    let listed: Vec<Value> = page.rows.iter().map(|row| body(&counter, row)).collect();
    Ok(json_answer(200, &json!({ "rows": listed, "next": page.next })))
}

pub(super) async fn look(State(counter): Counters, Extension(peer): Peer, Path(row): Path<String>, headers: HeaderMap) -> Answer {
    let rows = asked(&counter, peer, &headers)?;
    let seen = rows.seen(&row).await.map_err(refused)?.ok_or_else(|| refused(RowsError::NotKept))?;
    Ok(json_answer(200, &body(&counter, &seen)))
}

pub(super) async fn keep(
    State(counter): Counters,
    Extension(peer): Peer,
    Path(row): Path<String>,
    headers: HeaderMap,
    Body(with): Body,
) -> Answer {
    let rows = asked(&counter, peer, &headers)?;
    let delay = words::delay(body_text(&headers, &with)?).map_err(Failure)?;
    Ok(match rows.keep(&row, delay).await.map_err(refused)? {
        Some(seen) => json_answer(200, &body(&counter, &seen)),
        None => json_answer(200, &json!({ "row": row, "removed": true })),
    })
}

pub(super) async fn remove(
    State(counter): Counters,
    Extension(peer): Peer,
    Path(row): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let rows = asked(&counter, peer, &headers)?;
    let removed = rows.unschedule(&row).await.map_err(refused)?;
    if removed { Ok(json_answer(200, &json!({ "row": row, "removed": true }))) } else { Err(refused(RowsError::NotKept)) }
}

pub(super) async fn refresh(
    State(counter): Counters,
    Extension(peer): Peer,
    Path(row): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let rows = asked(&counter, peer, &headers)?;
    let seen = rows.refresh(&row).await.map_err(refused)?;
    Ok(json_answer(200, &body(&counter, &seen)))
}

fn asked<'a>(counter: &'a Counter, peer: SocketAddr, headers: &HeaderMap) -> Result<&'a Rows, Failure> {
    counter.is_admin(peer, headers).map_err(Failure)?;
    let none = || Failure(Fault::new(Code::Unsupported, "this server reads no rows: set rows-source"));
    counter.rows.as_ref().ok_or_else(none)
}

fn body(counter: &Counter, seen: &RowSeen) -> Value {
    let now = counter.doors.now();
    json!({
        "row": &*seen.id,
        "delay": seen.delay.seconds(),
        "next": seen.next.0,
        "age_ms": seen.row.as_ref().map(|row| row.age(now).0),
        "failures": seen.failures,
        "missing_since": seen.missing_since.map(|since| since.0),
        "value": seen.row.as_ref().map(|row| Value::Object(row.columns.clone())),
    })
}

/// Detail that is not for the client is logged here, once.
fn refused(error: RowsError) -> Failure {
    let code = match &error {
        RowsError::NotKept => Code::NotFound,
        RowsError::Id | RowsError::Delay(_) => Code::BadRequest,
        RowsError::Source(inner) => {
            tracing::warn!(error = %inner, "a row could not be read");
            return Failure(Fault::new(
                Code::Unavailable,
                "the row could not be read from its database; the server's log says why",
            ));
        }
        RowsError::Store(inner) => {
            tracing::error!(error = %inner, "the store refused");
            return Failure(Fault::new(Code::Unavailable, "the store is not available; try again"));
        }
        RowsError::Contended => Code::Contended,
    };
    Failure(Fault::new(code, error))
}
