//! The one port: accepts connections and gives each to the router. Nothing a client does can stop the loop.

use crate::doors::Doors;
use crate::headers::SAFETY;
use crate::limits::REQUEST_HEAD_WITHIN;
use crate::{attendance, health, openapi, pages, rest, ws};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::HeaderValue;
use axum::http::header::HeaderName;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{get, post};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_service::Service;

/// A peer of HTTP/2 that does not answer this is gone.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(30);

pub fn router(doors: Arc<Doors>) -> Router {
    let bytes_max = doors.config.doors.frame_bytes_max;
    let cors = cors(&doors);
    Router::new()
        .route("/", get(pages::index))
        .route("/poker/{id}", get(pages::room))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::page))
        .route("/v1/ws", get(ws::upgrade))
        .route("/v1/login", post(rest::session::login))
        .route("/v1/logout", post(rest::session::logout))
        .route("/v1/session", get(rest::session::verify))
        .route("/v1/users", post(rest::new_user))
        .route("/v1/users/{user_id}", get(rest::session::user))
        .route("/v1/decks", get(rest::decks))
        .route("/v1/rooms", post(rest::create))
        .route("/v1/rooms/{kind}/{id}", get(rest::look).delete(rest::delete))
        .route("/v1/rooms/{kind}/{id}/export.csv", get(rest::export_csv))
        .route("/v1/rooms/{kind}/{id}/export.json", get(rest::export_json))
        .route("/v1/rooms/{kind}/{id}/{verb}", post(rest::act))
        .fallback(rest::nowhere)
        .method_not_allowed_fallback(rest::not_that_way)
        .layer(DefaultBodyLimit::max(bytes_max))
        .layer(cors)
        .layer(from_fn(safety))
        .with_state(doors)
}

/// Serves until told to go; connections that are open then finish by themselves.
pub async fn serve(listener: TcpListener, doors: Arc<Doors>) {
    let router = router(doors.clone());
    let mut going = doors.going.clone();
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(REQUEST_HEAD_WITHIN);
    server.http2().timer(TokioTimer::new()).max_concurrent_streams(128).keep_alive_interval(KEEP_ALIVE_EVERY);
    tokio::spawn(attendance::keep(doors.clone()));
    let places = Arc::new(Semaphore::new(doors.config.doors.connections_max.min(Semaphore::MAX_PERMITS)));
    loop {
        let accepted = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: wait for some to come back instead of spinning.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Sockets are counted by themselves; here the requests' connections are, however little they ask.
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        // Small frames are the rule here; waiting to fill a packet only delays them.
        if stream.set_nodelay(true).is_err() {
            continue; // It is gone already.
        }
        let router = router.clone();
        let asked = Arc::new(AtomicBool::new(false));
        let asks = asked.clone();
        let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
            asks.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(peer);
            router.clone().call(request)
        });
        let connection = server.clone();
        tokio::spawn(async move {
            let _place = place;
            let serving = connection.serve_connection_with_upgrades(TokioIo::new(stream), service);
            tokio::pin!(serving);
            // The library's own limit begins when it knows which HTTP is spoken, that is with the first bytes.
            let ended = match timeout(REQUEST_HEAD_WITHIN, &mut serving).await {
                Err(_) if !asked.load(Ordering::Relaxed) => return,
                Err(_) => serving.await,
                Ok(ended) => ended,
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
}

async fn safety(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in SAFETY {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Pages of the allowed origins may call us from the browser; no others, and never with cookies.
fn cors(doors: &Doors) -> CorsLayer {
    let origins = doors.config.allow_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let header = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([axum::http::Method::GET, axum::http::Method::POST, axum::http::Method::DELETE])
        .allow_headers(["content-type", "authorization", rest::USER_KEY, rest::HOST_KEY, rest::IDEMPOTENCY_KEY].map(header))
}
