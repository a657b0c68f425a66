//! A shop in one process: axum, a cache around the pages that are everybody's, and visits with their carts.
//!
//!     cargo run -p parlor-shop --example little_shop
//!     curl -si http://127.0.0.1:7080/product/tea | grep -i cache-status
//!     curl -s -c jar -X POST http://127.0.0.1:7080/visit
//!     curl -s -b jar -X POST http://127.0.0.1:7080/cart/tea
//!     curl -s -b jar http://127.0.0.1:7080/cart

#![allow(clippy::expect_used, reason = "an example that cannot start has nobody to tell")]

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use parlor_edge::{Edge, NoShop, Options};
use parlor_rules::shop::{Change, Item};
use parlor_rules::{Millis, SecretHash};
use parlor_shop::{Shop, Terms, Visited};
use parlor_store::Memory;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tower::Layer;

#[tokio::main]
async fn main() {
    let now = || Millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64);
    // `Embedded` or `Redis` instead, and carts outlive the process.
    let records = Arc::new(Memory::new(Arc::new(now)));
    let shop = Arc::new(Shop::open(records, Arc::new(now), true, Terms::default()).await.expect("memory opens"));
    let (_going, going) = tokio::sync::watch::channel(false);
    let beside = shop.clone();
    tokio::spawn(async move { beside.run(going).await });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:7080").await.expect("nobody else has the port");
    println!("http://127.0.0.1:7080/product/tea");
    axum::serve(listener, router(shop, &Edge::new(Options::default(), Arc::new(NoShop)))).await.expect("it serves");
}

/// Pages for everybody lie behind the cache, a whole router of them; what is about one person goes past it.
pub(crate) fn router(shop: Arc<Shop>, edge: &Edge) -> Router {
    let pages = Router::new().route("/product/{item}", get(product));
    let own = Router::new().route("/visit", post(begin)).route("/cart", get(cart)).route("/cart/{item}", post(add));
    own.with_state(shop).fallback_service(edge.layer().layer(pages))
}

async fn product(Path(item): Path<String>) -> impl IntoResponse {
    let safe: String = item.chars().filter(|char| char.is_alphanumeric()).collect();
    ([(CACHE_CONTROL, "public, max-age=60")], Html(format!("<h1>{safe}</h1>")))
}

async fn begin(State(shop): State<Arc<Shop>>) -> Result<impl IntoResponse, StatusCode> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    shop.begin(SecretHash::of(token.as_bytes())).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok([(SET_COOKIE, format!("parlor_visit={token}; Path=/; HttpOnly; SameSite=Lax"))])
}

/// A status and a sentence.
type Refusal = (StatusCode, String);

fn refused(error: parlor_shop::Error) -> Refusal {
    (StatusCode::CONFLICT, error.to_string())
}

async fn add(Visited(visit): Visited, State(shop): State<Arc<Shop>>, Path(item): Path<String>) -> Result<String, Refusal> {
    let item: Item = item.parse().map_err(|error| (StatusCode::BAD_REQUEST, format!("this is no item: {error}\n")))?;
    let changed = shop.change(&visit.token, &Change::Add(item, 1), None).await.map_err(refused)?;
    Ok(format!("{} in your cart\n", changed.seen.cart.count()))
}

async fn cart(visited: Option<Visited>, State(shop): State<Arc<Shop>>) -> Result<String, Refusal> {
    let Some(Visited(visit)) = visited else { return Ok("nobody has a cart here\n".into()) };
    let cart = shop.cart(&visit).await.map_err(refused)?.cart;
    Ok(cart.lines.iter().map(|(item, count)| format!("{item} {}\n", count.get())).collect())
}
