//! The request as the origin sees it: without the hop's headers, without a client's words in a proxy's name, and, when its answer
//! may be shared, with nothing that the key leaves out.

use crate::edge::Options;
use crate::key::{Key, X_FORWARDED_PROTO};
use crate::page::text;
use crate::rules::conditional::drop_conditions;
use crate::rules::hops::{add_via, drop_hops, drop_unkeyed};
use crate::rules::vary::accepts_gzip;
use crate::rules::visit::drop_asker;
use http::header::{ACCEPT_ENCODING, CONNECTION, HOST, HeaderName, HeaderValue, RANGE, UPGRADE};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Uri};
use std::net::IpAddr;

/// The client's address, set by whoever listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// For whom the origin is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// For everybody: the answer is meant to be kept. Nothing tells who asks.
    All,
    /// For the asker, but the answer may turn out to be everybody's.
    AskerFirst,
    /// For the asker alone, as it was asked.
    Asker,
}

/// Makes a client's request the origin's.
pub(crate) fn prepare(parts: &mut Parts, key: Option<&Key>, whom: For, options: &Options) {
    let upgrade = parts.headers.get(UPGRADE).cloned().filter(|_| whom == For::Asker && key.is_none());
    let forwarded = options.trusts_forwarded.then(|| parts.headers.get(X_FORWARDED_FOR).cloned()).flatten();
    let scheme = text(options.keys.scheme_of(&parts.headers));
    let headers = &mut parts.headers;
    drop_hops(headers);
    drop_unkeyed(headers, parts.method.is_safe());
    if let Some(upgrade) = upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, upgrade);
    }
    if whom == For::All {
        drop_asker(headers);
        headers.remove(RANGE);
    }
    if whom != For::Asker {
        drop_conditions(headers);
    }
    if key.is_some() {
        // Two variants are enough, and both are ones that we can read.
        let gzip = accepts_gzip(headers);
        headers.remove(ACCEPT_ENCODING);
        if gzip {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    if let Some(key) = key {
        parts.uri = with_path(&parts.uri, key.path_and_query());
    }
    let host = host(headers, &parts.uri, key, options);
    tell_of_client(headers, host, scheme, forwarded, parts.extensions.get::<Peer>());
    add_via(headers, parts.version, &options.name);
}

/// The host that the key holds is the host that the origin hears.
fn host(headers: &mut HeaderMap, uri: &Uri, key: Option<&Key>, options: &Options) -> Option<HeaderValue> {
    let named = match (&options.keys.host, key) {
        (Some(host), _) => Some(text(host)),
        (None, Some(key)) if !key.host().is_empty() => Some(text(key.host())),
        _ => headers.get(HOST).cloned().or_else(|| uri.authority().map(|it| text(it.as_str()))),
    };
    if let Some(host) = &named {
        headers.insert(HOST, host.clone());
    }
    named
}

fn tell_of_client(
    headers: &mut HeaderMap,
    host: Option<HeaderValue>,
    scheme: HeaderValue,
    before: Option<HeaderValue>,
    peer: Option<&Peer>,
) {
    if let Some(host) = host {
        headers.insert(X_FORWARDED_HOST, host);
    }
    headers.insert(X_FORWARDED_PROTO, scheme);
    if let Some(Peer(address)) = peer {
        let chain = match before.as_ref().and_then(|it| it.to_str().ok()) {
            Some(before) => format!("{before}, {address}"),
            None => address.to_string(),
        };
        headers.insert(X_FORWARDED_FOR, text(&chain));
    }
}

fn with_path(uri: &Uri, path: &str) -> Uri {
    let Ok(path) = PathAndQuery::try_from(path) else { return uri.clone() };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// A copy of a request's head, for an errand that may outlive the request.
pub(crate) fn head_of(parts: &Parts) -> Parts {
    let (mut copy, ()) = http::Request::new(()).into_parts();
    copy.method = parts.method.clone();
    copy.uri = parts.uri.clone();
    copy.version = parts.version;
    copy.headers = parts.headers.clone();
    if let Some(peer) = parts.extensions.get::<Peer>() {
        copy.extensions.insert(*peer);
    }
    if copy.method == Method::HEAD {
        copy.method = Method::GET;
    }
    copy
}
