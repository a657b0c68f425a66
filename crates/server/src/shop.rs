//! The shop's counter: visits and carts as the doors need them. The routes under `/v1/shop` lead here.
//!
//! A visit's token comes in a header or a cookie and goes no further than its hash. The origin proves itself by the shop's key,
//! an operator by the admin key; without a key in the settings nobody can.

pub mod abandoned;
pub mod edge;
pub mod front;
pub mod nodes;
pub mod options;
pub mod pages;
pub mod rows;

use crate::cookies;
use crate::doors::Doors;
use crate::headers::client_address;
use crate::throttle::{Pace, Throttle};
use crate::{caller, keys};
use axum::http::{HeaderMap, HeaderValue, Uri};
use options::Options;
use parlor_edge::{Edge, How, Purge};
use parlor_rows::Rows;
use parlor_rules::shop::Visit;
use parlor_rules::{Code, SecretHash, Span};
use parlor_shop::{Error, Shop};
use parlor_wire::shop::Purged;
use parlor_wire::{Fault, Secret};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};

pub const VISIT: &str = "parlor-visit";
pub const SHOP_KEY: &str = "parlor-shop-key";
pub const ADMIN_KEY: &str = "parlor-admin-key";

pub struct Counter {
    pub doors: Arc<Doors>,
    pub shop: Arc<Shop>,
    pub options: Options,
    /// Set once, when there is an edge.
    pub edge: OnceLock<Edge>,
    /// Rows of the shop's database, if one is set.
    pub rows: Option<Rows>,
    begins: Throttle,
}

impl Counter {
    pub fn new(doors: Arc<Doors>, shop: Arc<Shop>, rows: Option<Rows>, options: Options) -> Counter {
        let pace = Pace::per(Span::minutes(1), options.visits_per_minute_max, options.visits_per_minute_max);
        Counter { doors, shop, options, edge: OnceLock::new(), rows, begins: Throttle::new(pace) }
    }

    /// A new guest, known to the store before this returns.
    pub async fn begin(&self, from: IpAddr) -> Result<(Visit, Secret), Fault> {
        if !self.begins.take(from, self.doors.now()) {
            return Err(Fault::new(Code::TooFast, "too many new visits from your address; wait a minute"));
        }
        let token = self.new_token();
        let visit = self.shop.begin(token.hash()).await.map_err(fault)?;
        Ok((visit, token))
    }

    /// The same for somebody who only looks at a page: kept a moment later. Nothing when there were too many from there.
    pub fn begin_soon(&self, from: IpAddr) -> Option<Secret> {
        self.begins.take(from, self.doors.now()).then(|| {
            let token = self.new_token();
            self.shop.begin_soon(token.hash());
            token
        })
    }

    /// Whose token a request carries that changes nothing.
    pub fn shown(&self, headers: &HeaderMap) -> Result<SecretHash, Fault> {
        let token = by_header(headers)?.or_else(|| self.by_cookie(headers));
        token.map(|token| token.hash()).ok_or_else(no_visit)
    }

    /// The same of a request that changes something: a cookie proves it only together with a page of ours.
    pub fn acting(&self, headers: &HeaderMap) -> Result<SecretHash, Fault> {
        if let Some(token) = by_header(headers)? {
            return Ok(token.hash());
        }
        let token = self.by_cookie(headers).ok_or_else(no_visit)?;
        if !cookies::is_from_our_page(headers, &self.doors.config.allow_origins) {
            let why = "a request that changes something needs more than a cookie: an Origin that is allowed here, or the token in Parlor-Visit";
            return Err(Fault::new(Code::Forbidden, why));
        }
        Ok(token.hash())
    }

    /// Whether the origin asks, or an operator.
    pub fn is_origin(&self, peer: SocketAddr, headers: &HeaderMap) -> Result<(), Fault> {
        self.is_key(peer, headers, SHOP_KEY, "shop-key", self.options.shop_key.as_ref())
    }

    pub fn is_admin(&self, peer: SocketAddr, headers: &HeaderMap) -> Result<(), Fault> {
        self.is_key(peer, headers, ADMIN_KEY, "admin-key", self.options.admin_key.as_ref())
    }

    /// A token for a shopper's visit, drawn so that it lies where the shopper's things lie.
    pub fn token_for(&self, shopper: &str) -> Secret {
        loop {
            let token = self.new_token();
            if self.shop.is_place_of(shopper, &token.hash()) {
                return token;
            }
        }
    }

    /// Takes pages out of this node's memory, and tells how many.
    pub fn purge(&self, edge: &Edge, what: &Purged, soft: bool) -> Result<usize, Fault> {
        let (what, how) = meant(what, soft)?;
        Ok(edge.purge(what, how))
    }

    /// The same, and the store knows it when this returns: what rests there does not come back.
    pub async fn purge_for_good(&self, edge: &Edge, what: &Purged, soft: bool) -> Result<usize, Fault> {
        let (what, how) = meant(what, soft)?;
        Ok(edge.purge_for_good(what, how).await)
    }

    /// A page's whole address; of a path, where the edge listens.
    pub fn page(&self, url: &str) -> Result<Uri, Fault> {
        let uri = address(url)?;
        if uri.authority().is_some() {
            return Ok(uri);
        }
        // An address that stands for every address, or a port that was found at the start, is no page's.
        let at = self.options.edge.as_ref().map(|edge| edge.listen).filter(|at| !at.ip().is_unspecified() && at.port() != 0);
        let unknown = || Fault::bad("a path alone does not say which host's page is meant; write the whole URL, as in a browser");
        format!("http://{}{uri}", at.ok_or_else(unknown)?).parse().map_err(|_| unknown())
    }

    /// The cookie that carries a visit's token: the browser keeps it as long as a visit can last.
    pub fn cookie(&self, token: &Secret, headers: &HeaderMap) -> Option<HeaderValue> {
        let keep = self.shop.terms().lifetimes.longest;
        cookies::VISIT.set(token, caller::secure(&self.doors, headers), Some(keep))
    }

    pub fn from(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        client_address(headers, peer, self.doors.config.trust_forwarded)
    }

    fn new_token(&self) -> Secret {
        keys::visit(&*self.doors.engine.house().dice)
    }

    fn by_cookie(&self, headers: &HeaderMap) -> Option<Secret> {
        cookies::VISIT.token(headers, caller::secure(&self.doors, headers)).filter(Secret::is_plausible)
    }

    fn is_key(
        &self,
        peer: SocketAddr,
        headers: &HeaderMap,
        header: &str,
        setting: &str,
        key: Option<&SecretHash>,
    ) -> Result<(), Fault> {
        let from = self.from(peer, headers);
        let Some(key) = key else {
            return Err(Fault::new(Code::Forbidden, format!("this needs a key, and the server has none: set {setting}")));
        };
        let Some(shown) = caller::secret(headers, header)? else {
            return Err(Fault::new(Code::BadKey, format!("this needs the key in the header {header}")));
        };
        self.doors.may_try_key(from)?;
        if shown.hash() == *key { Ok(()) } else { Err(self.doors.wrong_key(from)) }
    }
}

fn by_header(headers: &HeaderMap) -> Result<Option<Secret>, Fault> {
    let token = caller::secret(headers, VISIT)?;
    if token.as_ref().is_some_and(|token| !token.is_plausible()) { Err(no_visit()) } else { Ok(token) }
}

/// A URL, or a path alone.
fn address(url: &str) -> Result<Uri, Fault> {
    let bad = || Fault::bad("this is not a URL; write it as in a browser, or a path that begins with /");
    url.parse::<Uri>().ok().filter(|uri| uri.authority().is_some() || uri.path().starts_with('/')).ok_or_else(bad)
}

fn meant(what: &Purged, soft: bool) -> Result<(Purge, How), Fault> {
    let what = match what {
        Purged::Url(url) => purge_of(&address(url)?),
        Purged::Group(name) => Purge::Group(name.clone()),
        Purged::SurrogateKey(name) => Purge::SurrogateKey(name.clone()),
        Purged::Row(row) => Purge::Row(row.clone()),
        Purged::All => Purge::All,
    };
    Ok((what, if soft { How::Soft } else { How::Hard }))
}

/// A path alone means that page on every host: the server does not know by which its shop goes.
fn purge_of(uri: &Uri) -> Purge {
    match uri.path_and_query().filter(|_| uri.authority().is_none()) {
        Some(path) => Purge::Path(path.clone()),
        None => Purge::Url(uri.clone()),
    }
}

pub fn no_visit() -> Fault {
    fault(Error::NoVisit)
}

/// Detail that is not for the client is logged here, once.
pub fn fault(error: Error) -> Fault {
    match &error {
        Error::Store(inner) => tracing::error!(error = %inner, "the store refused"),
        Error::Damaged(inner) => tracing::error!(error = %inner, "something of the shop is damaged"),
        Error::NoVisit | Error::CartFull | Error::Contended => {}
    }
    Fault::new(error.code(), error)
}
