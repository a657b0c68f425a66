//! The one port: accepts connections and gives each to the router. Nothing a client does can stop the loop.

use crate::auth::visits;
use crate::caller::{HOST_KEY, IDEMPOTENCY_KEY, USER_KEY};
use crate::doors::Doors;
use crate::headers::SAFETY;
use crate::limits::*;
use crate::shop::VISIT;
use crate::{attendance, bulletin, cookies, grpc, health, openapi, pages, rest, ws};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{HOST, HeaderName, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
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
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_service::Service;

/// A peer of HTTP/2 that does not answer this is gone.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(30);
const KEEP_ALIVE_WITHIN: Duration = Duration::from_secs(20);

pub fn router(doors: Arc<Doors>) -> Router {
    router_with(doors, Router::new())
}

/// The same with more behind it.
pub fn router_with(doors: Arc<Doors>, more: Router<Arc<Doors>>) -> Router {
    let bytes_max = doors.config.doors.frame_bytes_max;
    let cors = cors(&doors);
    Router::new()
        .route("/", get(pages::index))
        .route("/poker/{id}", get(pages::room))
        .route("/space/{id}", get(pages::room))
        .route("/reels", get(pages::index))
        .route("/reels/{id}", get(pages::room))
        .route("/reels/{id}/tv", get(pages::room))
        .route("/reels/demo/{id}", get(pages::room))
        .route("/r/{id}", get(pages::room))
        .route("/shop", get(pages::index))
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
        .route("/v1/rooms", post(rest::create).layer(DefaultBodyLimit::max(bytes_max.max(WISH_BYTES_MAX))))
        .route("/v1/rooms/{kind}/{id}", get(rest::look).delete(rest::delete))
        .route("/v1/rooms/{kind}/{id}/export.csv", get(rest::export_csv))
        .route("/v1/rooms/{kind}/{id}/export.json", get(rest::export_json))
        .route("/v1/rooms/space/{id}/maps/{map}", get(rest::parts::map))
        .route("/v1/rooms/space/{id}/maps/{map}/{key}", get(rest::parts::entry))
        .route("/v1/rooms/space/{id}/lists/{list}", get(rest::parts::list))
        .route("/v1/rooms/space/{id}/presences/{presence}", get(rest::parts::presence))
        .route("/v1/rooms/reels/{id}/avatars/{player}", get(rest::avatars::avatar))
        .route("/v1/rooms/{kind}/{id}/{verb}", post(rest::act))
        .merge(grpc::router(&doors))
        .merge(more)
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
    serve_router(listener, doors, router).await;
}

/// The same with other doors behind the port.
pub async fn serve_router(listener: TcpListener, doors: Arc<Doors>, router: Router) {
    let mut going = doors.going.clone();
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(REQUEST_HEAD_WITHIN);
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_pending_accept_reset_streams(RESET_STREAMS_MAX)
        .max_local_error_reset_streams(WRONG_STREAMS_MAX)
        .max_header_list_size(HEADER_BYTES_MAX)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(STREAM_SEND_BYTES_MAX)
        .keep_alive_interval(KEEP_ALIVE_EVERY)
        .keep_alive_timeout(KEEP_ALIVE_WITHIN);
    tokio::spawn(attendance::keep(doors.clone()));
    tokio::spawn(bulletin::read(doors.clone()));
    tokio::spawn(visits::keep(doors.clone()));
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
            own_host(&mut request);
            router.clone().call(request)
        });
        let connection = server.clone();
        let mut going = going.clone();
        tokio::spawn(async move {
            let _place = place;
            let serving = connection.serve_connection_with_upgrades(TokioIo::new(stream), service);
            tokio::pin!(serving);
            // The library's own limit begins when it knows which HTTP is spoken, that is with the first bytes.
            let head = tokio::time::sleep(REQUEST_HEAD_WITHIN);
            tokio::pin!(head);
            let (mut looked, mut told) = (false, false);
            let ended = loop {
                tokio::select! {
                    biased;
                    ended = &mut serving => break ended,
                    () = &mut head, if !looked => {
                        if !asked.load(Ordering::Relaxed) {
                            return;
                        }
                        looked = true;
                    }
                    // What is under way is still answered; a peer of HTTP/2 is told to open no more streams here.
                    _ = going.wait_for(|going| *going), if !told => {
                        told = true;
                        serving.as_mut().graceful_shutdown();
                    }
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
}

/// HTTP/2 names the host beside the headers; who asks which page's origin looks for it among them.
fn own_host<B>(request: &mut hyper::Request<B>) {
    if !request.headers().contains_key(HOST)
        && let Some(authority) = request.uri().authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(HOST, host);
    }
}

async fn safety(request: Request, next: Next) -> Response {
    // A visit to the shop is something else: that it is over says nothing of a session.
    let by_cookie = cookies::SESSION.alone(request.headers()) && !request.uri().path().starts_with("/v1/shop/");
    let mut response = next.run(request).await;
    // A cookie that opens nothing any more would come with every request, and no page can take it away. One that was not
    // sent, or not what was refused, stays: another site's form must not log anybody out.
    if by_cookie && response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().extend(cookies::SESSION.forget().map(|cookie| (SET_COOKIE, cookie)));
    }
    for (name, value) in SAFETY {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What gRPC-web's libraries send, and what they must be able to read.
const GRPC_WEB: [&str; 3] = ["x-grpc-web", "x-user-agent", "grpc-timeout"];
const SAID_BY_GRPC: [&str; 5] = ["grpc-status", "grpc-message", "grpc-status-details-bin", grpc::CODE, grpc::RETRY];

/// Pages of the allowed origins may call us from the browser; no others, and never with cookies.
fn cors(doors: &Doors) -> CorsLayer {
    let origins = doors.config.allow_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let header = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([axum::http::Method::GET, axum::http::Method::POST, axum::http::Method::PUT, axum::http::Method::DELETE])
        .allow_headers(
            ["content-type", "authorization", USER_KEY, HOST_KEY, IDEMPOTENCY_KEY, VISIT]
                .map(header)
                .into_iter()
                .chain(GRPC_WEB.map(header))
                .collect::<Vec<_>>(),
        )
        .expose_headers(SAID_BY_GRPC.map(header))
}
