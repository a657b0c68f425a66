//! The key of a page: scheme, host, path and query in one normal form. GET and HEAD share it; cookies are never part of it.
//!
//! What the key leaves out, the origin does not see either: a request whose answer may be shared goes out with the key's own
//! path and query. So nothing outside the key can change what is stored under it.

use http::header::{HOST, HeaderName};
use http::{HeaderMap, Uri};
use sha2::{Digest, Sha256};
use std::sync::Arc;

pub(crate) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const SCHEMES: [&str; 2] = ["http", "https"];

/// How keys are made.
#[derive(Debug, Clone)]
pub struct KeyRules {
    /// By which the edge is reached, as far as it knows.
    pub scheme: Arc<str>,
    /// Whether the one in front of us may say by which scheme the client came. Then the scheme in a key is that one: an origin that
    /// sends everybody from http to https would else have that answer kept for those who came by https.
    pub believes_proto: bool,
    /// The one host behind the edge; without it, the host that the client names is part of the key and is passed on.
    pub host: Option<Arc<str>>,
    /// Query parameters that tell who sent the visitor, not what they want. A trailing star matches any ending.
    pub tracking: Vec<String>,
    pub sort_query: bool,
}

impl Default for KeyRules {
    fn default() -> Self {
        let tracking = [
            "utm_*",
            "gclid",
            "gclsrc",
            "dclid",
            "gbraid",
            "wbraid",
            "fbclid",
            "msclkid",
            "twclid",
            "ttclid",
            "li_fat_id",
            "igshid",
            "mc_cid",
            "mc_eid",
            "_ga",
            "_gl",
            "yclid",
            "srsltid",
            "_hsenc",
            "_hsmi",
            "mkt_tok",
            "vero_id",
            "epik",
            "pk_campaign",
            "pk_kwd",
            "pk_source",
            "pk_medium",
            "mtm_*",
        ];
        Self {
            scheme: "http".into(),
            believes_proto: false,
            host: None,
            tracking: tracking.map(str::to_owned).to_vec(),
            sort_query: false,
        }
    }
}

/// A key's text, and where its parts begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Key {
    text: String,
    host_at: usize,
    path_at: usize,
}

impl Key {
    pub fn as_str(&self) -> &str {
        &self.text
    }
    pub fn scheme(&self) -> &str {
        self.text[..self.host_at].trim_end_matches("://")
    }
    pub fn host(&self) -> &str {
        &self.text[self.host_at..self.path_at]
    }
    /// The path and query in normal form: what the origin is asked for.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_at..]
    }
    pub fn hash(&self) -> Hash {
        hash(&self.text)
    }
}

/// A page's name in stores below: SHA-256 of its key. Whoever reads by it compares the whole key too.
pub type Hash = [u8; 32];

pub fn hash(key: &str) -> Hash {
    Sha256::digest(key.as_bytes()).into()
}

impl KeyRules {
    pub fn key(&self, uri: &Uri, headers: &HeaderMap) -> Key {
        let mut key = Key::default();
        self.write(uri, headers, &mut key);
        key
    }

    /// The same, into a key that is used again and again.
    pub fn write(&self, uri: &Uri, headers: &HeaderMap, key: &mut Key) {
        let host = match &self.host {
            Some(host) => host,
            None => {
                headers.get(HOST).and_then(|it| it.to_str().ok()).or_else(|| uri.authority().map(|it| it.as_str())).unwrap_or("")
            }
        };
        self.write_parts(self.scheme_of(headers), host, uri.path(), uri.query(), key);
    }

    /// The key of a URL as somebody would type it, for purging.
    pub fn of_url(&self, url: &Uri) -> Key {
        let mut key = Key::default();
        let host = match &self.host {
            Some(host) => host,
            None => url.authority().map_or("", |it| it.as_str()),
        };
        let scheme = url.scheme_str().filter(|_| self.believes_proto).and_then(known_scheme).unwrap_or(&self.scheme);
        self.write_parts(scheme, host, url.path(), url.query(), &mut key);
        key
    }

    /// A key, and that of the same page by the other scheme where schemes are the clients': what changes one may change both.
    pub fn by_every_scheme(&self, key: &Key) -> Vec<String> {
        if !self.believes_proto {
            return vec![key.as_str().to_owned()];
        }
        SCHEMES.map(|scheme| format!("{scheme}://{}{}", key.host(), key.path_and_query())).to_vec()
    }

    /// By which scheme the client came. The last word counts, as with addresses: it is that of the one in front of us.
    pub fn scheme_of(&self, headers: &HeaderMap) -> &str {
        if !self.believes_proto {
            return &self.scheme;
        }
        let said = headers.get_all(X_FORWARDED_PROTO).iter().next_back().and_then(|line| line.to_str().ok());
        said.and_then(|line| known_scheme(line.rsplit(',').next()?.trim())).unwrap_or(&self.scheme)
    }

    fn write_parts(&self, scheme: &str, host: &str, path: &str, query: Option<&str>, key: &mut Key) {
        let text = &mut key.text;
        text.clear();
        text.push_str(scheme);
        text.push_str("://");
        key.host_at = text.len();
        push_host(scheme, host, text);
        key.path_at = text.len();
        if path.is_empty() {
            text.push('/');
        } else {
            push_normal(path, text);
        }
        if let Some(query) = query {
            self.push_query(query, text);
        }
    }

    fn push_query(&self, query: &str, text: &mut String) {
        let mut kept: Vec<String> = Vec::new();
        let mut mark = '?';
        for pair in query.split('&') {
            let start = text.len();
            text.push(mark);
            push_normal(pair, text);
            let pair = &text[start + 1..];
            let name = pair.split('=').next().unwrap_or(pair);
            if pair.is_empty() || self.is_tracking(name) {
                text.truncate(start);
            } else if self.sort_query {
                kept.push(pair.to_owned());
                text.truncate(start);
            } else {
                mark = '&';
            }
        }
        // Parameters of one name keep their order: the first or the last of them may be the one that counts.
        kept.sort_by(|one, other| one.split('=').next().cmp(&other.split('=').next()));
        for pair in kept {
            text.push(mark);
            text.push_str(&pair);
            mark = '&';
        }
    }

    fn is_tracking(&self, name: &str) -> bool {
        self.tracking.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == known,
        })
    }
}

fn known_scheme(scheme: &str) -> Option<&'static str> {
    SCHEMES.into_iter().find(|known| known.eq_ignore_ascii_case(scheme))
}

fn push_host(scheme: &str, host: &str, text: &mut String) {
    let start = text.len();
    text.push_str(host);
    text[start..].make_ascii_lowercase();
    let default = if scheme == "https" { ":443" } else { ":80" };
    for ending in [default, "."] {
        if text[start..].ends_with(ending) {
            text.truncate(text.len() - ending.len());
        }
    }
}

/// `%41` is `A` and `%2f` is `%2F`; nothing else changes, so that `%2F` never becomes a slash.
fn push_normal(part: &str, text: &mut String) {
    let Some(first) = memchr::memchr(b'%', part.as_bytes()) else {
        text.push_str(part);
        return;
    };
    text.push_str(&part[..first]);
    let mut rest = &part[first..];
    while let Some(next) = rest.chars().next() {
        if next == '%' {
            let code = rest.get(1..3).filter(|code| code.bytes().all(|it| it.is_ascii_hexdigit()));
            if let Some(code) = code {
                match u8::from_str_radix(code, 16) {
                    Ok(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => text.push(char::from(byte)),
                    _ => {
                        text.push('%');
                        text.push_str(&code.to_ascii_uppercase());
                    }
                }
                rest = &rest[3..];
                continue;
            }
        }
        text.push(next);
        rest = &rest[next.len_utf8()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(rules: &KeyRules, host: &str, uri: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        rules.key(&uri.parse().unwrap(), &headers).as_str().to_owned()
    }

    #[test]
    fn one_page_one_key() {
        let rules = KeyRules::default();
        let table = [
            ("Shop.Example:80", "/a", "http://shop.example/a"),
            ("shop.example.", "/a", "http://shop.example/a"),
            ("shop.example:8080", "/a", "http://shop.example:8080/a"),
            ("h", "/%7euser/%41", "http://h/~user/A"),
            ("h", "/a%2fb", "http://h/a%2Fb"),
            ("h", "/a%zz%", "http://h/a%zz%"),
            ("h", "/a?x=1&utm_source=n&y=2", "http://h/a?x=1&y=2"),
            ("h", "/a?utm_source=n", "http://h/a"),
            ("h", "/a?u%74m_source=n&gclid=1&fbclid", "http://h/a"),
            ("h", "/a?b=2&a=1&b=1", "http://h/a?b=2&a=1&b=1"),
            ("h", "/a?&&x=1", "http://h/a?x=1"),
            ("h", "/a?", "http://h/a"),
            ("h", "/A", "http://h/A"),
        ];
        for (host, uri, wanted) in table {
            assert_eq!(key(&rules, host, uri), wanted, "{host} {uri}");
        }
        let sorted = KeyRules { sort_query: true, ..rules };
        assert_eq!(key(&sorted, "h", "/a?b=2&a=1&b=1"), "http://h/a?a=1&b=2&b=1");
        let one = KeyRules { host: Some("shop.example".into()), ..KeyRules::default() };
        assert_eq!(key(&one, "evil.example", "/a"), "http://shop.example/a");
    }

    #[test]
    fn h162_a_cloaked_parameter_is_either_in_the_key_or_not_sent() {
        // Some origins end a parameter at `;`: what hides behind a tracking parameter must not reach them unkeyed.
        let rules = KeyRules::default();
        for (uri, wanted) in [
            ("/a?utm_content=1;id=2", "/a"),
            ("/a?id=1;utm_content=x", "/a?id=1;utm_content=x"),
            ("/a?id=1&utm_x=%26id=2", "/a"),
            ("/a?id=1&id=2", "/a?id=1&id=2"),
        ] {
            let key = rules.key(&uri.parse().unwrap(), &HeaderMap::new());
            let wanted = if uri.contains("%26") { "/a?id=1" } else { wanted };
            assert_eq!(key.path_and_query(), wanted, "{uri}");
        }
    }
}
