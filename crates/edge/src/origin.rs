//! Where pages come from: something that answers a request, now or never.

use crate::body::{Body, BoxError};
use http::{Request, Response};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use tower_service::Service;

pub type Sending = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

/// The origin.
pub trait Origin: Send + Sync + 'static {
    fn send(&self, request: Request<Body>) -> Sending;
}

/// Any tower service as an origin: every request gets a clone of it, as tower asks.
pub struct ServiceOrigin<S>(Mutex<S>);

impl<S> ServiceOrigin<S> {
    pub fn new(service: S) -> Self {
        Self(Mutex::new(service))
    }
}

impl<S, B> Origin for ServiceOrigin<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(&self, request: Request<Body>) -> Sending {
        let mut service = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            std::future::poll_fn(|context| service.poll_ready(context)).await.map_err(Into::into)?;
            let answer = service.call(request).await.map_err(Into::into)?;
            Ok(answer.map(Body::stream))
        })
    }
}
