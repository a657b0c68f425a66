//! The shop by REST (document 004): visits, what they viewed, what is popular, carts. The routes of a shop's pages and of its origin.

pub mod admin;
pub mod cache;
pub mod events;
pub mod rows;

use super::{Answer, Body, Failure, body_text, json_answer};
use crate::cookies;
use crate::shop::{Counter, fault};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, FromRequestParts, Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::routing::{any, delete, get, post};
use parlor_rules::{Code, SecretHash};
use parlor_shop::CartSeen;
use parlor_wire::{Fault, shop as words};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// How many popular items are told at once.
const POPULAR_MAX: usize = 1000;

pub fn router<S>(counter: Arc<Counter>) -> Router<S> {
    Router::new()
        .route("/v1/shop/visits", post(begin))
        .route("/v1/shop/visit", get(look))
        .route("/v1/shop/visit/touch", post(touch))
        .route("/v1/shop/visit/login", post(login))
        .route("/v1/shop/visit/logout", post(logout))
        .route("/v1/shop/visit/viewed", get(viewed))
        .route("/v1/shop/popular", get(popular))
        .route("/v1/shop/cart", get(cart))
        .route("/v1/shop/cart/events", get(events::stream))
        .route("/v1/shop/cart/{verb}", post(change))
        .route("/v1/shop/users/{user}/visits", get(admin::visits).delete(admin::end_visits))
        .route("/v1/shop/users/{user}/visits/{id}", delete(admin::end_visit))
        .route("/v1/shop/stats", get(admin::stats))
        .route("/v1/shop/rows", get(rows::list))
        .route("/v1/shop/rows/{row}", get(rows::look).put(rows::keep).delete(rows::remove))
        .route("/v1/shop/rows/{row}/refresh", post(rows::refresh))
        .route("/v1/shop/purge", post(cache::purge))
        .route("/v1/shop/why", get(cache::why))
        .with_state(counter)
}

/// Where the store keeps no shop.
pub fn not_here<S: Clone + Send + Sync + 'static>() -> Router<S> {
    async fn sorry() -> Failure {
        Failure(Fault::new(Code::Unsupported, "this server's store keeps no shop; one with the embedded store or Redis does"))
    }
    Router::new().route("/v1/shop/{*rest}", any(sorry))
}

type Counters = State<Arc<Counter>>;

async fn begin(State(counter): Counters, Extension(peer): Extension<SocketAddr>, headers: HeaderMap, Body(_): Body) -> Answer {
    let (visit, token) = counter.begin(counter.from(peer, &headers)).await.map_err(Failure)?;
    let lifetimes = &counter.shop.terms().lifetimes;
    let mut response = json_answer(201, &words::new_visit_body(&visit, lifetimes, &token));
    response.headers_mut().extend(counter.cookie(&token, &headers).map(|cookie| (SET_COOKIE, cookie)));
    Ok(response)
}

async fn look(State(counter): Counters, headers: HeaderMap) -> Answer {
    let token = counter.shown(&headers).map_err(Failure)?;
    let visit = counter.shop.visit(&token).await.map_err(refused)?;
    let seen = counter.shop.cart(&visit).await.map_err(refused)?;
    let viewed = viewed_by(&counter, &token).await?;
    let visit = words::visit_body(&visit, &counter.shop.terms().lifetimes);
    Ok(json_answer(200, &json!({ "visit": visit, "cart": cart_body(&seen), "viewed": viewed })))
}

async fn touch(State(counter): Counters, headers: HeaderMap, Body(body): Body) -> Answer {
    let token = counter.acting(&headers).map_err(Failure)?;
    let item = words::touch(body_text(&headers, &body)?).map_err(Failure)?;
    counter.shop.visit(&token).await.map_err(refused)?;
    counter.shop.touch(&token, item.as_ref());
    Ok(json_answer(200, &json!({})))
}

async fn login(State(counter): Counters, Extension(peer): Extension<SocketAddr>, headers: HeaderMap, Body(body): Body) -> Answer {
    counter.is_origin(peer, &headers).map_err(Failure)?;
    // The origin passes the visitor's token on; its key proves that it may.
    let old = counter.shown(&headers).map_err(Failure)?;
    let (shopper, merge) = words::login(body_text(&headers, &body)?).map_err(Failure)?;
    let token = counter.token_for(shopper.as_str());
    let logged_in = counter.shop.login(&old, token.hash(), &shopper, merge).await.map_err(refused)?;
    let lifetimes = &counter.shop.terms().lifetimes;
    let mut said = words::new_visit_body(&logged_in.visit, lifetimes, &token);
    said["cart"] = cart_body(&counter.shop.cart(&logged_in.visit).await.map_err(refused)?);
    let mut response = json_answer(201, &said);
    response.headers_mut().extend(counter.cookie(&token, &headers).map(|cookie| (SET_COOKIE, cookie)));
    Ok(response)
}

async fn logout(State(counter): Counters, headers: HeaderMap) -> Answer {
    let token = counter.acting(&headers).map_err(Failure)?;
    counter.shop.end(&token).await.map_err(refused)?;
    let mut response = json_answer(200, &json!({}));
    for cookie in cookies::VISIT.forget() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

async fn viewed(State(counter): Counters, headers: HeaderMap) -> Answer {
    let token = counter.shown(&headers).map_err(Failure)?;
    Ok(json_answer(200, &json!({ "items": viewed_by(&counter, &token).await? })))
}

/// What stands after the question mark.
pub(super) struct Asked<T>(T);

impl<S: Send + Sync, T: serde::de::DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Failure> {
        let read: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        let bad =
            |_| Failure(Fault::bad("what stands after the question mark is not understood; /openapi.json says what it may be"));
        read.map(|Query(asked)| Asked(asked)).map_err(bad)
    }
}

#[derive(Deserialize)]
struct First {
    n: Option<usize>,
}

async fn popular(State(counter): Counters, Asked(First { n }): Asked<First>) -> Answer {
    let n = n.unwrap_or(20);
    if n > POPULAR_MAX {
        return Err(Failure(Fault::bad(format!("n is at most {POPULAR_MAX}"))));
    }
    Ok(json_answer(200, &json!({ "items": popular_items(&counter, n) })))
}

async fn cart(State(counter): Counters, headers: HeaderMap) -> Answer {
    let token = counter.shown(&headers).map_err(Failure)?;
    let visit = counter.shop.visit(&token).await.map_err(refused)?;
    Ok(json_answer(200, &cart_body(&counter.shop.cart(&visit).await.map_err(refused)?)))
}

async fn change(State(counter): Counters, Path(verb): Path<String>, headers: HeaderMap, Body(body): Body) -> Answer {
    let token = counter.acting(&headers).map_err(Failure)?;
    let (change, id) = words::change(&verb, body_text(&headers, &body)?).map_err(Failure)?;
    let changed = counter.shop.change(&token, &change, id.as_deref()).await.map_err(refused)?;
    let mut said = cart_body(&changed.seen);
    if changed.again {
        said["again"] = true.into();
    }
    Ok(json_answer(200, &said))
}

async fn viewed_by(counter: &Counter, token: &SecretHash) -> Result<Vec<String>, Failure> {
    let viewed = counter.shop.viewed(token).await.map_err(refused)?;
    Ok(viewed.iter().map(ToString::to_string).collect())
}

fn popular_items(counter: &Counter, n: usize) -> Vec<Value> {
    let items = counter.shop.most_popular(n);
    items.iter().map(|popular| json!({ "item": &*popular.item, "views": popular.views })).collect()
}

fn cart_body(seen: &CartSeen) -> Value {
    words::cart_body(&seen.cart, seen.expires, seen.version)
}

fn refused(error: parlor_shop::Error) -> Failure {
    Failure(fault(error))
}
