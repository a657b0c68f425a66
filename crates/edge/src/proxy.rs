//! An origin by HTTP or HTTPS: pooled connections, and tunnels for what is no longer HTTP.

use crate::body::{Body, BoxError};
use crate::edge::Edge;
use crate::fetch::Unframed;
use crate::layer::EdgeService;
use crate::origin::{Origin, Sending};
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE};
use http::uri::{Authority, Scheme};
use http::{Request, Response, StatusCode, Uri, Version};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How long a connection to the origin may take to open, and how long an idle one is kept: shorter than common origins keep it,
/// so that it is rarely they who hang up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(4);

/// The edge in front of an origin: a service for hyper and for tower.
pub fn proxy(edge: &Edge, origin: Uri) -> io::Result<EdgeService> {
    Ok(edge.in_front_of(Arc::new(Remote::new(origin)?)))
}

/// An origin somewhere else.
pub struct Remote {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    scheme: Scheme,
    authority: Authority,
}

impl Remote {
    pub fn new(origin: Uri) -> io::Result<Self> {
        let (Some(scheme), Some(authority)) = (origin.scheme().cloned(), origin.authority().cloned()) else {
            return Err(io::Error::other("an origin needs a scheme and a host, as in http://127.0.0.1:8080"));
        };
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let builder = hyper_rustls::HttpsConnectorBuilder::new();
        let connector = builder.with_native_roots()?.https_or_http().enable_http1().wrap_connector(http);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(64)
            .pool_timer(TokioTimer::new())
            .set_host(false)
            .build(connector);
        Ok(Self { client, scheme, authority })
    }

    fn address(&self, uri: &Uri) -> Result<Uri, http::Error> {
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone()).path_and_query(path).build()
    }
}

impl Origin for Remote {
    fn send(&self, mut request: Request<Body>) -> Sending {
        let client = self.client.clone();
        let address = self.address(request.uri());
        let authority = self.authority.clone();
        Box::pin(async move {
            *request.uri_mut() = address?;
            *request.version_mut() = Version::HTTP_11;
            if !request.headers().contains_key(http::header::HOST) {
                request.headers_mut().insert(http::header::HOST, authority.as_str().parse()?);
            }
            let is_head = request.method() == http::Method::HEAD;
            let below = request.headers().contains_key(UPGRADE).then(|| hyper::upgrade::on(&mut request));
            let again = again(&request);
            let mut answer = match (client.request(request).await, again) {
                (Ok(answer), _) => answer,
                // The origin hung up on an idle connection in the very moment we used it: a new one will do.
                (Err(error), Some(request)) if hung_up(&error) => client.request(request).await?,
                (Err(error), _) => return Err(error.into()),
            };
            if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
                let above = hyper::upgrade::on(&mut answer);
                if let Some(below) = below {
                    tokio::spawn(tunnel(below, above));
                }
                return Ok(answer.map(|_| Body::Empty));
            }
            if !is_head && is_unframed(&answer) {
                answer.extensions_mut().insert(Unframed);
            }
            Ok(answer.map(Body::stream))
        })
    }
}

/// The same request once more, if asking twice changes nothing.
fn again(request: &Request<Body>) -> Option<Request<Body>> {
    if !request.method().is_safe() || !http_body::Body::is_end_stream(request.body()) || request.headers().contains_key(UPGRADE) {
        return None;
    }
    let mut copy = Request::new(Body::Empty);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

fn hung_up(error: &hyper_util::client::legacy::Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<hyper::Error>());
    source.is_some_and(|error| error.is_incomplete_message() || error.is_closed() || error.is_canceled())
}

/// Neither a length nor plain chunks: the body ends when the connection does, cut short or not. Both at once, or any other
/// coding, is a quarrel about where it ends.
fn is_unframed<B: http_body::Body>(answer: &Response<B>) -> bool {
    let headers = answer.headers();
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next(), headers.contains_key(CONTENT_LENGTH)) {
        (None, _, known) => !known && !answer.body().is_end_stream(),
        (Some(only), None, false) => !only.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (Some(_), _, _) => true,
    }
}

/// Both sides have agreed to speak something else: bytes go both ways until one of them ends.
async fn tunnel(below: hyper::upgrade::OnUpgrade, above: hyper::upgrade::OnUpgrade) -> Result<(), BoxError> {
    let (below, above) = (below.await?, above.await?);
    tokio::io::copy_bidirectional(&mut TokioIo::new(below), &mut TokioIo::new(above)).await?;
    Ok(())
}
