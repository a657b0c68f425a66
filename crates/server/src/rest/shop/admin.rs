//! The shop's back office by REST: what is going on, and whose visits end. All of it needs the admin key.

use super::{Counters, popular_items, refused};
use crate::rest::{Answer, Failure, json_answer};
use crate::shop::Counter;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use parlor_rules::Span;
use parlor_rules::shop::Shopper;
use parlor_wire::shop as words;
use serde_json::{Value, json};
use std::net::SocketAddr;

type Peer = Extension<SocketAddr>;

pub(super) async fn visits(
    State(counter): Counters,
    Extension(peer): Peer,
    Path(user): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let shopper = asked(&counter, peer, &headers, &user)?;
    let visits = counter.shop.visits_of(&shopper).await.map_err(refused)?;
    let lifetimes = &counter.shop.terms().lifetimes;
    let listed: Vec<Value> = visits.iter().map(|visit| words::listed_visit_body(visit, lifetimes)).collect();
    Ok(json_answer(200, &json!({ "visits": listed })))
}

pub(super) async fn end_visits(
    State(counter): Counters,
    Extension(peer): Peer,
    Path(user): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let shopper = asked(&counter, peer, &headers, &user)?;
    let ended = counter.shop.end_visits_of(&shopper, |_| true).await.map_err(refused)?;
    Ok(json_answer(200, &json!({ "ended": ended })))
}

pub(super) async fn end_visit(
    State(counter): Counters,
    Extension(peer): Peer,
    Path((user, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    let shopper = asked(&counter, peer, &headers, &user)?;
    let ended = counter.shop.end_visits_of(&shopper, |visit| words::short_id(&visit.token) == id).await.map_err(refused)?;
    Ok(json_answer(200, &json!({ "ended": ended })))
}

pub(super) async fn stats(State(counter): Counters, Extension(peer): Peer, headers: HeaderMap) -> Answer {
    counter.is_admin(peer, &headers).map_err(Failure)?;
    let totals = counter.shop.totals().await.map_err(refused)?;
    let mut recent = Vec::new();
    let lately = counter.shop.lately();
    for (cart, changed) in &lately {
        let seen = counter.shop.cart_under(cart).await.map_err(refused)?;
        if seen.cart.is_empty() {
            continue;
        }
        let owner = counter.shop.owner(cart).await.map_err(refused)?;
        recent.push(json!({
            "id": words::short_id(cart),
            "user": owner.as_ref().map(Shopper::as_str),
            "count": seen.cart.count(),
            "changed": changed.0,
        }));
    }
    let rows = match &counter.rows {
        Some(rows) => rows.counts().await.ok().map(|counts| {
            json!({ "total": counts.total, "due": counts.due, "failing": counts.failing, "oldest_age_ms": counts.oldest_age.map(|age| age.0) })
        }),
        None => None,
    };
    let minute_ago = counter.shop.now() - Span::minutes(1);
    let stats = json!({
        "visits": { "total": totals.visits, "logged_in": totals.logged_in, "max": counter.shop.terms().visits_max },
        "carts": {
            "total": totals.carts,
            "with_lines": totals.carts,
            "changes_last_minute": lately.iter().filter(|(_, changed)| *changed > minute_ago).count(),
            "recent": recent,
        },
        "popular": popular_items(&counter, 20),
        "rows": rows,
        "pages": counter.edge.get().map(|edge| edge.counts()),
    });
    Ok(json_answer(200, &stats))
}

fn asked(counter: &Counter, peer: SocketAddr, headers: &HeaderMap, user: &str) -> Result<Shopper, Failure> {
    counter.is_admin(peer, headers).map_err(Failure)?;
    words::shopper(user).map_err(Failure)
}
