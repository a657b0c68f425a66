//! What the settings say about the shop, read once at start.

use super::front::ItemPath;
use crate::auth::web::{self, Web};
use crate::settings::Texts;
use hyper::Uri;
use parlor_rules::shop::Lifetimes;
use parlor_rules::{Address, Kind, SecretHash, Span};
use parlor_shop::Terms;
use parlor_wire::Secret;
use std::net::SocketAddr;
use std::sync::Arc;

/// Settings whose value is nobody's to read.
pub const SECRETS: [&str; 5] = ["rows-source", "shop-key", "admin-key", "abandoned-webhook-secret", "abandoned-space-key"];

#[derive(Clone)]
pub struct Options {
    pub terms: Terms,
    pub shop_key: Option<SecretHash>,
    pub admin_key: Option<SecretHash>,
    pub visits_per_minute_max: u64,
    pub item_path: Option<ItemPath>,
    pub edge: Option<EdgeOptions>,
    pub rows: Option<RowsOptions>,
    pub abandoned_webhook: Option<Webhook>,
    /// A space where abandoned carts are shown, and its host key.
    pub abandoned_space: Option<(Address, SecretHash)>,
}

/// The database that rows are read from. The source may have a password in it.
#[derive(Clone)]
pub struct RowsOptions {
    pub source: String,
    pub query: Option<String>,
}

/// A port in front of an origin.
#[derive(Clone)]
pub struct EdgeOptions {
    pub listen: SocketAddr,
    pub origin: Uri,
    pub threads: usize,
    pub bytes_max: u64,
    /// Whether pages are kept in the store too.
    pub keeps_pages: bool,
    /// Whether whoever opens a page without a visit is given one.
    pub begins_visits: bool,
}

#[derive(Clone)]
pub struct Webhook {
    pub url: Uri,
    pub secret: Option<Arc<Secret>>,
    pub web: Web,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            terms: Terms::default(),
            shop_key: None,
            admin_key: None,
            visits_per_minute_max: 600,
            item_path: None,
            edge: None,
            rows: None,
            abandoned_webhook: None,
            abandoned_space: None,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("terms", &self.terms).finish_non_exhaustive()
    }
}

impl Options {
    pub fn read(texts: &Texts) -> Result<Options, String> {
        let lifetimes = Lifetimes {
            guest_idle: days(texts, "guest-idle-days")?,
            shopper_idle: days(texts, "visit-idle-days")?,
            longest: days(texts, "visit-days-max")?,
            guest_cart: days(texts, "guest-cart-days")?,
            shopper_cart: days(texts, "cart-days")?,
        };
        let terms = Terms {
            lifetimes,
            visits_max: number(texts, "visits-max", 0, u64::MAX)?,
            known_max: number(texts, "visits-known-max", 1, 100_000_000)? as usize,
            abandoned_after: Span::minutes(number(texts, "abandoned-minutes", 1, 525_600)?),
            ..Terms::default()
        };
        let abandoned_webhook = match said(texts, "abandoned-webhook") {
            Some(text) => Some(Webhook {
                url: web::url(text).map_err(|why| format!("abandoned-webhook: {why}"))?,
                secret: said(texts, "abandoned-webhook-secret").map(|secret| Arc::new(Secret::new(secret.to_owned()))),
                web: Web::new().map_err(|why| format!("abandoned-webhook: {why}"))?,
            }),
            None => None,
        };
        let abandoned_space = match said(texts, "abandoned-space") {
            Some(text) => {
                let room: Address = text.parse().map_err(|why| format!("abandoned-space is {text:?}: {why}"))?;
                if room.kind != Kind::Space {
                    return Err(format!("abandoned-space is {text:?}: it is a space, written space/ID"));
                }
                let key = said(texts, "abandoned-space-key")
                    .ok_or("abandoned-space needs the space's host key: set abandoned-space-key")?;
                Some((room, SecretHash::of(key.as_bytes())))
            }
            None => None,
        };
        Ok(Options {
            terms,
            shop_key: key(texts, "shop-key")?,
            admin_key: key(texts, "admin-key")?,
            item_path: match said(texts, "item-path") {
                Some(text) => Some(ItemPath::read(text).map_err(|why| format!("item-path is {text:?}: {why}"))?),
                None => None,
            },
            edge: edge(texts)?,
            rows: said(texts, "rows-source")
                .map(|source| RowsOptions { source: source.to_owned(), query: said(texts, "rows-query").map(str::to_owned) }),
            visits_per_minute_max: number(texts, "visits-per-minute-max", 1, u64::from(u32::MAX))?,
            abandoned_webhook,
            abandoned_space,
        })
    }
}

fn edge(texts: &Texts) -> Result<Option<EdgeOptions>, String> {
    let (listen, origin) = match (said(texts, "edge"), said(texts, "origin")) {
        (Some(listen), Some(origin)) => (listen, origin),
        (None, None) => return Ok(None),
        (Some(_), None) => {
            return Err("edge needs an origin to stand in front of: set origin, for example http://127.0.0.1:8080".into());
        }
        (None, Some(_)) => return Err("origin needs a port to be served at: set edge, for example 127.0.0.1:8000".into()),
    };
    Ok(Some(EdgeOptions {
        listen: listen.parse().map_err(|_| format!("edge is {listen:?}: it is an address, for example 127.0.0.1:8000"))?,
        origin: web::url(origin).map_err(|why| format!("origin: {why}"))?,
        threads: number(texts, "edge-threads", 1, 64)? as usize,
        bytes_max: number(texts, "edge-bytes-max", 1 << 20, 1 << 40)?,
        keeps_pages: flag(texts, "edge-keeps-pages")?,
        begins_visits: flag(texts, "edge-visits")?,
    }))
}

fn flag(texts: &Texts, name: &str) -> Result<bool, String> {
    texts[name].0.parse().map_err(|_| format!("{name} is {:?}: it is true or false", texts[name].0))
}

fn said<'a>(texts: &'a Texts, name: &str) -> Option<&'a str> {
    Some(texts[name].0.as_str()).filter(|text| !text.is_empty())
}

/// What can be guessed is no key.
fn key(texts: &Texts, name: &str) -> Result<Option<SecretHash>, String> {
    let Some(text) = said(texts, name) else { return Ok(None) };
    let key = Secret::new(text.to_owned());
    if !key.is_plausible() {
        return Err(format!("{name}: it must have 22 to 128 visible characters, for example from `openssl rand -hex 32`"));
    }
    Ok(Some(key.hash()))
}

fn number(texts: &Texts, name: &str, min: u64, max: u64) -> Result<u64, String> {
    let text = &texts[name].0;
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("{name} is {text:?}: it is a whole number, at least {min} and at most {max}"))
}

fn days(texts: &Texts, name: &str) -> Result<Span, String> {
    number(texts, name, 1, 3650).map(|days| Span::minutes(days * 24 * 60))
}
