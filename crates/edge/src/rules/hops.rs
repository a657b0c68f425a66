//! What belongs to one connection and not to the message (RFC 9110 section 7.6.1), and what the origin is told of the client.

use http::header::{
    CONNECTION, COOKIE, FORWARDED, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
};
use http::header::{TRANSFER_ENCODING, UPGRADE, VIA};
use http::{HeaderMap, Version};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const PROXY_AUTHENTICATION_INFO: HeaderName = HeaderName::from_static("proxy-authentication-info");

/// Takes away what the last hop said about itself, and whatever it listed in `Connection`.
pub fn drop_hops(headers: &mut HeaderMap) {
    if headers.contains_key(CONNECTION) {
        let listed: Vec<HeaderName> = headers
            .get_all(CONNECTION)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','))
            .filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok())
            .collect();
        for name in listed {
            headers.remove(name);
        }
        headers.remove(CONNECTION);
    }
    for name in [KEEP_ALIVE, PROXY_CONNECTION, PROXY_AUTHENTICATION_INFO, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION] {
        headers.remove(name);
    }
    for name in [TE, TRAILER, TRANSFER_ENCODING, UPGRADE] {
        headers.remove(name);
    }
}

/// Whether this line of `Connection` names a header that chooses pages. The origin would answer as if it had not been said, and the
/// page would be kept under what was said.
pub fn takes_away(line: &[u8]) -> bool {
    let plain = ["", "close", "keep-alive", "upgrade", "te"];
    let is_plain = |name: &[u8]| plain.iter().any(|it| it.as_bytes().eq_ignore_ascii_case(name.trim_ascii()));
    !line.split(|byte| *byte == b',').all(is_plain)
}

/// Headers that make many origins answer for another host, path, method or address than the one asked for. No key holds them, so
/// no origin may see a client's.
pub const UNKEYED: &[&str] = &[
    "x-forwarded-host",
    "x-forwarded-server",
    "x-forwarded-proto",
    "x-forwarded-protocol",
    "x-forwarded-scheme",
    "x-forwarded-ssl",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-path",
    "x-forwarded-uri",
    "x-forwarded-for",
    "x-forwarded",
    "forwarded-for",
    "x-host",
    "x-http-host-override",
    "x-original-host",
    "x-original-url",
    "x-original-uri",
    "x-rewrite-url",
    "x-override-url",
    "x-proxy-url",
    "x-real-ip",
    "x-client-ip",
    "client-ip",
    "true-client-ip",
    "x-cluster-client-ip",
    "x-originating-ip",
    "x-remote-ip",
    "x-remote-addr",
    "x-url-scheme",
    "front-end-https",
    "x-scheme",
    "destination",
    "proxy",
    "proxy-host",
    "proxy-url",
    "cf-connecting-ip",
    "fastly-client-ip",
    "x-azure-clientip",
    "x-proxyuser-ip",
    "x-custom-ip-authorization",
    "x-wap-profile",
    "base-url",
    "request-uri",
    "x-envoy-original-path",
    "x-ms-original-url",
    "surrogate-capability",
];

/// Headers that turn a GET into something else.
const OVERRIDES: &[&str] = &["x-http-method-override", "x-http-method", "x-method-override"];

/// Takes away everything by which a client could speak in a proxy's name; a GET also loses what would make it another method.
pub fn drop_unkeyed(headers: &mut HeaderMap, is_safe: bool) {
    headers.remove(FORWARDED);
    for name in UNKEYED {
        headers.remove(*name);
    }
    // Servers of the CGI kind take `_` for `-`, so such a name could stand for any of the above.
    let folded: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().contains('_')).cloned().collect();
    for name in folded {
        headers.remove(name);
    }
    if is_safe {
        for name in OVERRIDES {
            headers.remove(*name);
        }
    }
}

/// `Via`, one more hop. The version is the one in which the message came.
pub fn add_via(headers: &mut HeaderMap, version: Version, by: &str) {
    let number = match version {
        Version::HTTP_09 => "0.9",
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        Version::HTTP_3 => "3",
        _ => "1.1",
    };
    if let Ok(hop) = HeaderValue::from_str(&format!("{number} {by}")) {
        headers.append(VIA, hop);
    }
}

/// Whether the request came through this very cache before: a loop.
pub fn is_loop(headers: &HeaderMap, by: &str) -> bool {
    headers
        .get_all(VIA)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|hop| hop.split_ascii_whitespace().nth(1) == Some(by))
}

/// The names of the cookies in a request.
pub fn cookie_names(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    headers.get_all(COOKIE).iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b';')).map(|pair| {
        let name = pair.split(|byte| *byte == b'=').next().unwrap_or(pair);
        name.trim_ascii()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_takes_what_it_lists() {
        let mut headers = HeaderMap::new();
        for (name, value) in
            [("connection", "a, Keep-Alive"), ("a", "1"), ("b", "2"), ("keep-alive", "5"), ("te", "trailers"), ("upgrade", "x")]
        {
            headers.append(name, value.parse().unwrap());
        }
        drop_hops(&mut headers);
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn a_loop_is_seen() {
        let mut headers = HeaderMap::new();
        add_via(&mut headers, Version::HTTP_11, "one");
        assert!(!is_loop(&headers, "two"));
        add_via(&mut headers, Version::HTTP_2, "two");
        assert!(is_loop(&headers, "two"));
        assert_eq!(headers.get_all(VIA).iter().collect::<Vec<_>>(), ["1.1 one", "2 two"]);
    }

    #[test]
    fn cookies_by_name() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=2;c".parse().unwrap());
        headers.append(COOKIE, "d=4".parse().unwrap());
        assert_eq!(cookie_names(&headers).collect::<Vec<_>>(), [b"a", b"b", b"c", b"d"]);
    }
}
