//! The edge as a service: around any tower service, or in front of an origin by HTTP.

use crate::ask::Asked;
use crate::body::{Body, BoxError};
use crate::edge::Edge;
use crate::origin::{Origin, ServiceOrigin};
use bytes::Bytes;
use http::{Request, Response};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

impl Edge {
    /// A tower layer that caches what the service inside answers. It goes around a whole router: `edge.layer().layer(router)`.
    ///
    /// What layers further out have found out about the asker and put into the request's extensions stays outside, since
    /// the answer may be everybody's. So `Router::layer` of axum, which would put it between the router and its handlers, is
    /// not the place for it: they would miss what the router read from the path.
    pub fn layer(&self) -> EdgeLayer {
        EdgeLayer(self.clone())
    }

    /// A service that answers from memory or asks this origin.
    pub fn in_front_of(&self, origin: Arc<dyn Origin>) -> EdgeService {
        EdgeService { edge: self.clone(), origin }
    }
}

#[derive(Clone)]
pub struct EdgeLayer(Edge);

impl<S> tower_layer::Layer<S> for EdgeLayer
where
    ServiceOrigin<S>: Origin,
{
    type Service = EdgeService;

    fn layer(&self, inside: S) -> EdgeService {
        self.0.in_front_of(Arc::new(ServiceOrigin::new(inside)))
    }
}

/// The edge with its origin. It never fails: a failing origin is an answer too.
#[derive(Clone)]
pub struct EdgeService {
    edge: Edge,
    origin: Arc<dyn Origin>,
}

impl EdgeService {
    pub fn answer(&self, request: Request<Body>) -> Answering {
        match self.edge.at_once(&self.origin, &request) {
            Ok(answer) => Answering::Now(Some(answer)),
            Err(seen) => Answering::Later(self.later(request, seen)),
        }
    }

    fn later(&self, request: Request<Body>, seen: Seen) -> Later {
        Box::pin(self.edge.clone().go(self.origin.clone(), request, seen))
    }
}

type Seen = Option<(Asked, crate::storefront::Visitor)>;
type Later = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// An answer on its way: a hit is there already and costs no task and no box.
pub enum Answering {
    Now(Option<Response<Body>>),
    Later(Later),
}

impl Future for Answering {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(answer) => Poll::Ready(Ok(answer.take().expect("a future is not polled after it is done"))),
            Self::Later(later) => later.as_mut().poll(context).map(Ok),
        }
    }
}

impl<B> tower_service::Service<Request<B>> for EdgeService
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Answering {
        self.answer(request.map(Body::stream))
    }
}

impl<B> hyper::service::Service<Request<B>> for EdgeService
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, request: Request<B>) -> Answering {
        self.answer(request.map(Body::stream))
    }
}
