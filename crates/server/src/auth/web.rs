//! Asking other servers: the app's webhook and its published keys. Whatever they do, an answer is small and comes soon,
//! or there is none; nobody is sent elsewhere.

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;

/// From the question to the last byte of the answer.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// A connection that was not used for so long is closed.
const IDLE_MAX: Duration = Duration::from_secs(30);
const IDLE_CONNECTIONS_MAX: usize = 8;

#[derive(Clone)]
pub struct Web(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Web {
    /// Goes by the certificates the system trusts.
    pub(crate) fn new() -> Result<Web, String> {
        let tls = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| format!("the system's certificates cannot be read: {error}"))?;
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_MAX).pool_max_idle_per_host(IDLE_CONNECTIONS_MAX);
        Ok(Web(client.build(tls.https_or_http().enable_http1().build())))
    }

    /// The status and body; the error says what went wrong and repeats nothing that was sent.
    pub(crate) async fn ask(&self, request: Request<Full<Bytes>>, bytes_max: usize) -> Result<(StatusCode, Bytes), String> {
        let asking = async {
            let response = self.0.request(request).await.map_err(|error| innermost(&error))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), bytes_max).collect().await;
            let body = body.map_err(|_| format!("the answer broke off, or has more than {bytes_max} bytes"))?;
            Ok((status, body.to_bytes()))
        };
        in_time(asking).await
    }
}

pub(super) async fn in_time<T>(asking: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let answered = timeout(ANSWER_WITHIN, asking).await;
    answered.unwrap_or_else(|_| Err(format!("there was no answer within {} s", ANSWER_WITHIN.as_secs())))
}

/// An address of a server to ask. Who may ask is not written into it: it would stand in logs.
pub(crate) fn url(text: &str) -> Result<Uri, &'static str> {
    let url: Uri = text.parse().map_err(|_| "it is not a URL that begins with http:// or https://")?;
    let host = url.authority().map(|authority| authority.as_str()).unwrap_or_default();
    match url.scheme_str() {
        Some("http" | "https") if host.contains('@') => Err("a URL with a password in it is not taken"),
        Some("http" | "https") if !host.is_empty() => Ok(url),
        _ => Err("it is not a URL that begins with http:// or https://"),
    }
}

/// Libraries wrap what happened in what they were doing.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Web")
    }
}
