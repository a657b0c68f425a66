//! An origin that does what a test says and counts, and an edge around it.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Request, Response, StatusCode};
use http_body_util::BodyExt;
use parlor_edge::clock::HandClock;
use parlor_edge::{Body, Edge, EdgeService, Options, Slot, Storefront, Visitor};
use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tower::ServiceExt;

type Reply = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
type Script = Arc<dyn Fn(usize, HeaderMap) -> Reply + Send + Sync>;

pub(crate) const START: u64 = 1_800_000_000_000;

/// What came back, read to its end.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Shown {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
    pub(crate) fn is_hit(&self) -> bool {
        self.header("cache-status").contains("; hit")
    }
}

/// An edge, its origin, its clock.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) edge: Edge,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) shop: Arc<Shop>,
    service: EdgeService,
    asked: Arc<AtomicUsize>,
}

impl House {
    /// The script gets the request's number, from 1, and its headers.
    pub(crate) fn new(script: impl Fn(usize, HeaderMap) -> Reply + Send + Sync + 'static) -> Self {
        Self::with(Options::default(), script)
    }

    pub(crate) fn with(options: Options, script: impl Fn(usize, HeaderMap) -> Reply + Send + Sync + 'static) -> Self {
        let clock = Arc::new(HandClock::at(START));
        let shop = Arc::new(Shop::default());
        let options = Options { clock: Arc::new(clock.clone()), ..options };
        let edge = Edge::new(options, shop.clone());
        let asked = Arc::new(AtomicUsize::new(0));
        let script: Script = Arc::new(script);
        let counter = asked.clone();
        let origin = tower::service_fn(move |request: Request<Body>| {
            let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
            let reply = script(number, request.headers().clone());
            async move { Ok::<_, Infallible>(reply.await) }
        });
        let service = tower_layer(&edge, origin);
        Self { edge, clock, shop, service, asked }
    }

    /// How often the origin was asked.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    pub(crate) async fn get(&self, uri: &str, headers: &[(&str, &str)]) -> Shown {
        self.send("GET", uri, headers).await
    }

    pub(crate) async fn send(&self, method: &str, uri: &str, headers: &[(&str, &str)]) -> Shown {
        self.send_at("shop", method, uri, headers).await
    }

    pub(crate) async fn get_at(&self, host: &str, uri: &str) -> Shown {
        self.send_at(host, "GET", uri, &[]).await
    }

    async fn send_at(&self, host: &str, method: &str, uri: &str, headers: &[(&str, &str)]) -> Shown {
        let mut request = Request::builder().method(method).uri(uri).header("host", host);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = self.service.clone().oneshot(request.body(Body::Empty).unwrap()).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body =
            body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_else(|_| Bytes::from_static(b"<broken>"));
        Shown { status: parts.status, headers: parts.headers, body }
    }

    /// Lets everything that was started behind our back come to its end.
    pub(crate) async fn settle(&self) {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
}

fn tower_layer<S>(edge: &Edge, origin: S) -> EdgeService
where
    parlor_edge::origin::ServiceOrigin<S>: parlor_edge::Origin,
{
    edge.in_front_of(Arc::new(parlor_edge::origin::ServiceOrigin::new(origin)))
}

/// An answer at once.
pub(crate) fn reply(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Reply {
    let answer = answer(status, headers, Body::from(body.into()));
    Box::pin(async move { answer })
}

pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        answer.headers_mut().append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    answer
}

/// A shop whose every word a test can set.
#[derive(Default)]
pub(crate) struct Shop {
    pub(crate) ranks: Mutex<HashMap<String, usize>>,
    pub(crate) fills: Mutex<HashMap<String, String>>,
    pub(crate) views: Mutex<Vec<String>>,
}

impl Storefront for Shop {
    fn visitor(&self, headers: &HeaderMap) -> Visitor {
        let cookies = headers.get("cookie").and_then(|it| it.to_str().ok()).unwrap_or("");
        let token = cookies.split(';').find_map(|it| it.trim().strip_prefix("parlor_visit="));
        let id = token.map(|token| {
            let mut id = [0; 32];
            id.iter_mut().zip(token.bytes()).for_each(|(to, from)| *to = from);
            id
        });
        Visitor { id, variant: headers.get("x-test-variant").map(|it| it.to_str().unwrap().into()) }
    }
    fn item_of(&self, uri: &http::Uri) -> Option<Arc<str>> {
        uri.path().strip_prefix("/product/").map(Arc::from)
    }
    fn rank(&self, item: &str) -> Option<usize> {
        self.ranks.lock().unwrap().get(item).copied()
    }
    fn viewed(&self, _: &Visitor, item: &str) {
        self.views.lock().unwrap().push(item.to_owned());
    }
    fn fill(&self, visitor: &Visitor, slot: &Slot) -> Option<Bytes> {
        let name = match &slot.row {
            Some(row) => format!("row {row}"),
            None => format!("{} {}", slot.name, char::from(visitor.id?[0])),
        };
        self.fills.lock().unwrap().get(&name).map(|it| Bytes::from(it.clone()))
    }
}
