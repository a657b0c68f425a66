//! Why a page is, or is not, answered from memory: the same questions as for a real request, asked without touching anything.

use crate::ask::Asked;
use crate::body::Body;
use crate::edge::Edge;
use crate::rules::reuse::Use;
use crate::rules::storable::Rule;
use http::Request;
use http::request::Parts;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The answer to "why was this page (not) cached?".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Why {
    pub url: String,
    pub decision: Decision,
    pub because: String,
    pub rule: Rule,
    pub key: KeyParts,
    pub hash: String,
    pub age_s: Option<u64>,
    pub fresh_for_s: Option<u64>,
    pub rank: Option<usize>,
    pub groups: Vec<String>,
    pub surrogate_keys: Vec<String>,
    pub rows: Vec<String>,
    pub slots: Vec<String>,
    pub stored_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Hit,
    Stale,
    Miss,
    Pass,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyParts {
    pub method: String,
    pub scheme: String,
    pub host: String,
    pub path: String,
    pub query: Option<String>,
    pub variant: Option<String>,
    pub vary: BTreeMap<String, Option<String>>,
}

impl Edge {
    /// What would happen to this request now, and why.
    pub fn why(&self, parts: &Parts) -> Why {
        let key = self.0.options.keys.key(&parts.uri, &parts.headers);
        let visitor = self.0.shop.visitor(&parts.headers);
        let (path, query) = match key.path_and_query().split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (key.path_and_query().to_owned(), None),
        };
        let mut why = Why {
            url: key.as_str().to_owned(),
            decision: Decision::Pass,
            because: String::new(),
            rule: Rule::None,
            key: KeyParts {
                method: parts.method.to_string(),
                scheme: key.scheme().to_owned(),
                host: key.host().to_owned(),
                path,
                query,
                variant: visitor.variant.as_deref().map(str::to_owned),
                vary: BTreeMap::new(),
            },
            hash: hex(&(self.0.options.hasher)(key.as_str())),
            age_s: None,
            fresh_for_s: None,
            rank: self.rank(&parts.uri),
            groups: Vec::new(),
            surrogate_keys: Vec::new(),
            rows: Vec::new(),
            slots: Vec::new(),
            stored_bytes: None,
        };
        let mut request = Request::new(Body::Empty);
        *request.method_mut() = parts.method.clone();
        *request.headers_mut() = parts.headers.clone();
        let Some(asked) = Asked::read(&request, self.0.options.obeys_client, self.now()) else {
            why.because = format!("{} changes things: it always goes to the origin", parts.method);
            return why;
        };
        if asked.special {
            why.because = "the request has a body, an upgrade, a condition that only the origin can judge, or a Connection that takes headers away".into();
            return why;
        }
        let shelf = self.0.pages.peek(key.as_str());
        let page = shelf.as_ref().and_then(|shelf| shelf.pick(&parts.headers, visitor.variant.as_deref()));
        match page {
            Some(page) => self.why_found(&mut why, page, &asked),
            None => self.why_missing(&mut why, &key, &asked, shelf.map_or(0, |shelf| shelf.pages.len())),
        }
        why
    }

    fn why_found(&self, why: &mut Why, page: &crate::page::Page, asked: &Asked) {
        let now = self.now();
        let held = page.held();
        why.rule = page.policy.rule;
        why.age_s = Some(held.age(now).into());
        why.fresh_for_s = Some(page.policy.fresh_for.into());
        why.groups = page.groups.clone();
        why.surrogate_keys = page.surrogate_keys.clone();
        why.rows = page.rows.clone();
        why.slots = page.slots().map(|slot| slot.name.to_string()).collect();
        why.stored_bytes = Some(page.body.len() as u64);
        let lossy = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
        why.key.vary = page.vary.iter().map(|(name, value)| (name.to_string(), value.as_ref().map(lossy))).collect();
        (why.decision, why.because) = match held.decide(&asked.said, self.0.options.leave, now) {
            Use::Fresh => (Decision::Hit, "it is kept and fresh".into()),
            Use::Stale if held.purged.is_some() => {
                (Decision::Stale, "it was softly purged and is shown while it is fetched anew".into())
            }
            Use::Stale => (Decision::Stale, "it is stale and may be shown while it is fetched anew".into()),
            Use::Validate if asked.said.no_cache => (Decision::Miss, "it is kept, but the request says no-cache".into()),
            Use::Validate if page.policy.no_cache => {
                (Decision::Miss, "it is kept, but the origin wants to be asked each time".into())
            }
            Use::Validate => {
                (Decision::Miss, "it is kept, but too old for this request: the origin is asked whether it changed".into())
            }
        };
    }

    fn why_missing(&self, why: &mut Why, key: &crate::key::Key, asked: &Asked, variants: usize) {
        why.decision = Decision::Miss;
        let refused = self.last_refusal(key, asked);
        why.because = match refused {
            Some(refusal) => {
                why.decision = Decision::Pass;
                format!("it was asked for lately and not kept: {}", refusal.because())
            }
            None if variants > 0 => {
                format!("{variants} other variants are kept, none for what this request says in the headers of Vary")
            }
            None => "nobody has asked for it, or it was evicted or purged".into(),
        };
        if let Some(rank) = why.rank {
            let _ = write!(why.because, "; its item has rank {rank}");
            if rank < self.0.options.popular_rank {
                let _ =
                    write!(why.because, " and will be kept for {} s if the origin says nothing else", self.0.options.popular_for);
            }
        }
    }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::with_capacity(hash.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
