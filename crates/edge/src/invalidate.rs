//! A change at the origin takes away the pages it may have changed (RFC 9111 section 4.4, RFC 9875 section 3).

use crate::edge::{Edge, How};
use crate::key::Key;
use crate::purges::Tag;
use crate::rules::tags::{CACHE_GROUP_INVALIDATION, groups};
use http::Uri;
use http::header::{CONTENT_LOCATION, HeaderMap, LOCATION};

impl Edge {
    /// The page that was changed, those that the answer points to on the same host, and the groups that it names.
    pub(crate) fn invalidate(&self, key: &Key, answer: &HeaderMap) {
        let keys = &self.0.options.keys;
        self.purge_page(key);
        for field in [LOCATION, CONTENT_LOCATION] {
            let Some(target) = answer.get(field).and_then(|it| it.to_str().ok()) else { continue };
            let target = resolve(key, target, keys.believes_proto).and_then(|url| url.parse::<Uri>().ok());
            if let Some(target) = target.map(|url| keys.of_url(&url)).filter(|target| target.host() == key.host()) {
                self.purge_page(&target);
            }
        }
        for group in groups(answer, &CACHE_GROUP_INVALIDATION) {
            let tag = Tag::Group(group);
            self.purge_tag(tag.clone(), Some(key.host()), How::Hard);
            self.telling_below(vec![tag]).map(tokio::spawn);
        }
    }

    /// Of one page the level below needs no record, which anybody's requests could fill: its key says which it is.
    fn purge_page(&self, key: &Key) {
        for url in self.0.options.keys.by_every_scheme(key) {
            self.purge_tag(Tag::Url(url), None, How::Hard);
        }
    }
}

/// The URL that a reference means, seen from this page. Another host's is nobody's business here. With `by_any` http and https of one
/// host are the same shop: the one in front of us speaks both.
fn resolve(key: &Key, reference: &str, by_any: bool) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or(reference);
    if let Some((scheme, rest)) = reference.split_once("://") {
        let host = rest.split(['/', '?']).next().unwrap_or(rest);
        let is_scheme = |ours: &str| scheme.eq_ignore_ascii_case(ours);
        let is_ours = is_scheme(key.scheme()) || (by_any && (is_scheme("http") || is_scheme("https")));
        let ours = is_ours && (host.eq_ignore_ascii_case(key.host()) || key.host().is_empty());
        return ours.then(|| reference.to_owned());
    }
    if reference.starts_with("//") {
        return Some(format!("{}:{reference}", key.scheme()));
    }
    let path = key.path_and_query();
    let path = path.split('?').next().unwrap_or(path);
    let joined = if reference.starts_with('/') {
        reference.to_owned()
    } else if reference.is_empty() || reference.starts_with('?') {
        format!("{path}{reference}")
    } else {
        format!("{}{reference}", &path[..=path.rfind('/')?])
    };
    Some(format!("{}://{}{}", key.scheme(), key.host(), without_dots(&joined)))
}

fn without_dots(path: &str) -> String {
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (at, segment) in segments.iter().enumerate() {
        let last = at + 1 == segments.len();
        match *segment {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                kept.pop();
                if last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}{query}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyRules;

    #[test]
    fn references_are_resolved_and_strangers_left_alone() {
        let key = KeyRules::default().of_url(&"http://shop/a/b?x=1".parse().unwrap());
        let table = [
            ("c", Some("http://shop/a/c")),
            ("/c", Some("http://shop/c")),
            ("../c?y=2", Some("http://shop/c?y=2")),
            ("./", Some("http://shop/a/")),
            ("?z", Some("http://shop/a/b?z")),
            ("", Some("http://shop/a/b")),
            ("http://SHOP/d#e", Some("http://SHOP/d")),
            ("http://other/d", None),
            ("https://shop/d", None),
            ("//shop/d", Some("http://shop/d")),
            ("../../../x", Some("http://shop/x")),
        ];
        for (reference, wanted) in table {
            assert_eq!(resolve(&key, reference, false).as_deref(), wanted, "{reference}");
        }
        assert_eq!(resolve(&key, "https://shop/d", true).as_deref(), Some("https://shop/d"));
        for stranger in ["https://other/d", "ftp://shop/d"] {
            assert_eq!(resolve(&key, stranger, true), None, "{stranger}");
        }
    }
}
