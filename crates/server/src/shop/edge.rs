//! The edge's port: pages of the origin, from memory where they may be, and the shop's own routes beside them, so that a shop's page
//! and its visit are of one origin to the browser.
//!
//! Each thread has a loop and a pool of connections of its own: a hit never leaves the thread that read the request.

use super::Counter;
use super::front::Front;
use super::options::EdgeOptions;
use super::pages::StoredPages;
use crate::limits::REQUEST_HEAD_WITHIN;
use axum::Router;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use parlor_edge::{Answering, Body, Edge, EdgeService, Options, Peer, Storefront, proxy};
use parlor_store::Records;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service as _;

/// What the shop's routes begin with, and its helper for pages; the origin cannot have pages there.
const OWN: &str = "/v1/shop/";
const HELPER: &str = "/parlor-shop.js";

/// The edge of a shop, with its pages in memory and below that in the store.
pub fn edge(counter: &Arc<Counter>, options: &EdgeOptions, records: Arc<dyn Records>, trusts_forwarded: bool) -> Edge {
    let below: Option<Arc<dyn parlor_edge::below::Below>> =
        if options.keeps_pages { Some(Arc::new(StoredPages(records))) } else { None };
    let options = Options { bytes_max: options.bytes_max, below, trusts_forwarded, ..Options::default() };
    Edge::new(options, Arc::new(Front(counter.clone())) as Arc<dyn Storefront>)
}

/// Opens the port; the address is known when this returns.
pub fn listen(address: SocketAddr) -> Result<std::net::TcpListener, String> {
    let open = || {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    open().map_err(|error: std::io::Error| format!("the edge cannot listen on {address}: {error}"))
}

/// Serves on threads of its own until the server goes.
pub fn serve(
    listener: std::net::TcpListener,
    threads: usize,
    edge: &Edge,
    origin: &Uri,
    counter: &Arc<Counter>,
    router: &Router,
) -> Result<(), String> {
    for _ in 0..threads {
        let listener = listener.try_clone().map_err(|error| format!("the edge's port cannot be shared: {error}"))?;
        let service = proxy(edge, origin.clone()).map_err(|error| format!("origin: {error}"))?;
        let door = Door { service, front: Arc::new(Front(counter.clone())), router: router.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the edge's thread cannot start: {error}"))?;
        let thread = std::thread::Builder::new().name("edge".into());
        thread
            .spawn(move || runtime.block_on(accept(listener, door)))
            .map_err(|error| format!("the edge's thread cannot start: {error}"))?;
    }
    Ok(())
}

async fn accept(listener: std::net::TcpListener, door: Door) {
    let mut going = door.front.0.doors.going.clone();
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        let accepted = tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => None,
            accepted = listener.accept() => Some(accepted),
        };
        match accepted {
            None => break,
            Some(Ok((stream, peer))) => drop(tokio::spawn(connection(stream, peer, door.clone()))),
            Some(Err(error)) => {
                tracing::warn!(%error, "a connection to the edge could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    // What is under way is finished within the time that all of the server has.
    tokio::time::sleep(door.front.0.doors.config.drain.min(Duration::from_secs(2))).await;
}

async fn connection(stream: TcpStream, peer: SocketAddr, door: Door) {
    let Ok(_place) = door.front.0.doors.connect(peer.ip()) else { return };
    if stream.set_nodelay(true).is_err() {
        return; // It is gone already.
    }
    let mut going = door.front.0.doors.going.clone();
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_HEAD_WITHIN)
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), At { peer, door })
        .with_upgrades();
    tokio::pin!(serving);
    let mut told = false;
    let ended = loop {
        tokio::select! {
            biased;
            ended = &mut serving => break ended,
            _ = going.wait_for(|going| *going), if !told => {
                told = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the edge ended badly");
    }
}

/// What every connection of a thread shares.
#[derive(Clone)]
struct Door {
    service: EdgeService,
    front: Arc<Front>,
    router: Router,
}

/// One connection.
struct At {
    peer: SocketAddr,
    door: Door,
}

/// A hit for somebody who is known costs no task and no box.
enum Serving {
    Page(Answering),
    Other(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

impl Future for Serving {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Serving::Page(answering) => Pin::new(answering).poll(context),
            Serving::Other(other) => other.as_mut().poll(context).map(Ok),
        }
    }
}

impl Service<Request<Incoming>> for At {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Serving;

    fn call(&self, mut request: Request<Incoming>) -> Serving {
        request.extensions_mut().insert(Peer(self.peer.ip()));
        if request.uri().path().starts_with(OWN) || request.uri().path() == HELPER {
            request.extensions_mut().insert(self.peer);
            let mut router = self.door.router.clone();
            return Serving::Other(Box::pin(async move {
                let answer = router.call(request.map(axum::body::Body::new)).await;
                answer.unwrap_or_else(|never| match never {}).map(Body::stream)
            }));
        }
        let front = &self.door.front;
        let token = front.token(request.headers());
        let counter = &front.0;
        let known = token.and_then(|token| counter.shop.known(&token));
        let is_ready = known
            .as_ref()
            .is_some_and(|visit| counter.shop.held_count(visit).is_some() && counter.shop.held_viewed(visit).is_some());
        let is_navigation = is_navigation(&request);
        if let Some(visit) = known.filter(|_| is_navigation) {
            front.used(&visit);
        }
        let begins = !is_ready && is_navigation && counter.options.edge.as_ref().is_some_and(|edge| edge.begins_visits);
        if is_ready || (token.is_none() && !begins) {
            return Serving::Page(Service::call(&self.door.service, request));
        }
        let (door, peer) = (self.door.clone(), self.peer);
        Serving::Other(Box::pin(async move {
            let is_stranger = match &token {
                Some(token) => door.front.is_stranger(token).await,
                None => true,
            };
            if let Some(visit) = token.and_then(|token| door.front.0.shop.known(&token)).filter(|_| is_navigation) {
                door.front.used(&visit);
            }
            let headers = (is_stranger && begins).then(|| request.headers().clone());
            let Ok(mut answer) = Service::call(&door.service, request).await;
            if let Some(headers) = headers {
                welcome(&door.front, peer, &headers, &mut answer);
            }
            answer
        }))
    }
}

/// Whether a browser asks for a page to show.
fn is_navigation(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    let mode = headers.get("sec-fetch-mode");
    request.method() == Method::GET
        && mode.is_none_or(|mode| mode == "navigate")
        && headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
}

/// A page for somebody who has no visit yet brings one along. The page with the cookie is theirs alone, whoever else keeps pages on
/// the way.
fn welcome(front: &Front, peer: SocketAddr, headers: &HeaderMap, answer: &mut Response<Body>) {
    let is_page = answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let sets_one = answer.headers().get_all(SET_COOKIE).iter().any(|cookie| {
        let cookie = cookie.as_bytes();
        cookie.starts_with(b"parlor_visit=") || cookie.starts_with(b"__Host-parlor_visit=")
    });
    if !is_page || !answer.status().is_success() || sets_one {
        return;
    }
    let Some(token) = front.0.begin_soon(front.0.from(peer, headers)) else { return };
    if let Some(cookie) = front.0.cookie(&token, headers) {
        answer.headers_mut().append(SET_COOKIE, cookie);
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
}
