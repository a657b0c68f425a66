//! What keeps a held page true without anybody waiting for a new one: a refresh behind the clients' backs, and what a HEAD tells.

use crate::ask::Asked;
use crate::body::Body;
use crate::edge::Edge;
use crate::errand::Errand;
use crate::flights::Place;
use crate::origin::Origin;
use crate::outgoing::{For, prepare};
use crate::page::{CACHE_STATUS, Page};
use crate::rules::merge::{head_confirms, renewed};
use crate::rules::storable::judge;
use crate::storefront::Visitor;
use http::{Method, Request, Response};
use std::sync::Arc;

impl Edge {
    /// Asks anew behind a client's back, once for all who see the stale page. Nobody's credentials go along.
    pub(crate) fn refresh_behind<B>(&self, origin: &Arc<dyn Origin>, request: &Request<B>, page: &Arc<Page>, visitor: &Visitor) {
        let key = self.0.options.keys.key(request.uri(), request.headers());
        let name = self.flight_name(&key, request.headers(), visitor.variant.as_deref());
        let Place::Leader(leader) = self.0.flights.join(&name) else { return };
        let asked = Asked { arrived: self.now(), ..Default::default() };
        let visitor = Visitor { id: None, variant: visitor.variant.clone() };
        let mut errand = Errand::new(self, origin, request, key, &asked, &visitor, Some(page.clone()));
        errand.whom = For::All;
        errand.parts.method = Method::GET;
        let edge = self.clone();
        tokio::spawn(async move {
            edge.fetch(errand, Some(leader)).await;
        });
    }

    /// HEAD goes to the origin as it is; what it says about the page we hold is taken in.
    pub(crate) async fn head(&self, errand: Errand) -> Response<Body> {
        let asked_at = self.now();
        let generation = self.0.pages.generation();
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.headers = errand.parts.headers.clone();
        parts.uri = errand.parts.uri.clone();
        parts.version = errand.parts.version;
        parts.method = Method::HEAD;
        parts.extensions = errand.parts.extensions.clone();
        prepare(&mut parts, Some(&errand.key), For::Asker, &self.0.options);
        let sent = errand.origin.send(Request::from_parts(parts, Body::Empty));
        let answer = match tokio::time::timeout(self.0.options.origin_timeout, sent).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => return self.without_answer(&errand, None, false),
            Err(_) => return self.without_answer(&errand, None, true),
        };
        let mut answer = self.passed(answer, errand.why);
        self.date(answer.headers_mut());
        if let Some(page) = errand.found.as_ref().filter(|page| page.status == answer.status() && !errand.asked.has_credentials())
        {
            let headers = renewed(&page.headers, answer.headers());
            let received = self.now();
            match judge(errand.asker(self), page.status, &headers, asked_at, received) {
                Ok(policy) if head_confirms(&page.headers, answer.headers()) => {
                    let mut headers = headers;
                    headers.remove(CACHE_STATUS);
                    let new = self.page(&errand, page.status, headers, page.body.clone(), policy, received);
                    let _ = self.keep(new, generation);
                }
                _ => self.0.pages.forget(page),
            }
        }
        answer
    }
}
