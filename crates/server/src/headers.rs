//! What the doors read from and put on HTTP headers.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use std::net::{IpAddr, SocketAddr};

/// Whether a browser page of this origin may talk to us. Programs that are no browser send no origin.
pub fn origin_is_welcome(headers: &HeaderMap, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let own = headers.get(HOST).and_then(|host| host.to_str().ok()).is_some_and(|host| {
        let bare = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        bare.is_some_and(|bare| bare.eq_ignore_ascii_case(host))
    });
    own || allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
}

/// Who counts for limits. A forwarded address is only believed when the operator says a proxy sets it; then
/// it is the last one in the list, the one our own proxy saw.
pub fn client_address(headers: &HeaderMap, peer: SocketAddr, trust_forwarded: bool) -> IpAddr {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| trust_forwarded);
    let last = forwarded.and_then(|list| list.to_str().ok()).and_then(|list| list.rsplit(',').next());
    last.and_then(|address| address.trim().parse().ok()).unwrap_or(peer.ip())
}

/// On every answer: nothing is sniffed, framed, or told to other sites.
pub const SAFETY: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    (
        "content-security-policy",
        "default-src 'self'; connect-src 'self' ws: wss:; style-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_our_own_pages_and_the_allowed_ones_are_welcome() {
        let allowed = ["https://friend.example".to_owned()];
        let welcome = |origin| origin_is_welcome(&headers(&[("host", "parlor.example:7007"), ("origin", origin)]), &allowed);
        assert!(welcome("http://parlor.example:7007"));
        assert!(welcome("https://parlor.example:7007"));
        assert!(welcome("https://friend.example"));
        for origin in [
            "https://evil.example",
            "https://parlor.example",
            "null",
            "https://parlor.example:7007.evil.example",
            "parlor.example:7007",
            "",
        ] {
            assert!(!welcome(origin), "{origin:?}");
        }
        assert!(origin_is_welcome(&headers(&[("host", "parlor.example")]), &[]));
    }

    #[test]
    fn a_forwarded_address_is_believed_only_from_a_trusted_proxy() {
        let peer: SocketAddr = "192.0.2.9:1".parse().unwrap();
        let forged = headers(&[("x-forwarded-for", "198.51.100.1, 203.0.113.7")]);
        assert_eq!(client_address(&forged, peer, false).to_string(), "192.0.2.9");
        assert_eq!(client_address(&forged, peer, true).to_string(), "203.0.113.7");
        assert_eq!(client_address(&headers(&[("x-forwarded-for", "rubbish")]), peer, true).to_string(), "192.0.2.9");
    }
}
