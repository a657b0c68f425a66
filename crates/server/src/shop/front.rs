//! The shop as the edge sees it: who asks, what a path sells, how popular that is, and what goes into a page's slots. All of it from
//! memory; what is not there yet is fetched before the edge is asked (`prepare`).

use super::{Counter, VISIT};
use crate::{caller, cookies};
use axum::http::{HeaderMap, Uri};
use bytes::Bytes;
use parlor_edge::{Slot, Storefront, Visitor};
use parlor_rules::SecretHash;
use parlor_rules::shop::{Item, Visit};
use parlor_shop::Error;
use std::fmt::Write;
use std::sync::Arc;

pub struct Front(pub Arc<Counter>);

/// Where item pages are: `/product/{item}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemPath {
    before: String,
    after: String,
}

impl ItemPath {
    pub fn read(text: &str) -> Result<ItemPath, &'static str> {
        let (before, after) = text.split_once("{item}").ok_or("it says where the item is, for example /product/{item}")?;
        if !before.starts_with('/') || after.contains("{item}") || text.contains('?') {
            return Err("it is a path with one {item} in it, for example /product/{item}");
        }
        Ok(ItemPath { before: before.to_owned(), after: after.to_owned() })
    }

    /// The item that a path names, if it is one's.
    pub fn item_in(&self, path: &str) -> Option<Item> {
        let named = path.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        if named.is_empty() || named.contains('/') {
            return None;
        }
        decoded(named)?.parse().ok()
    }

    pub fn path_of(&self, item: &Item) -> String {
        let mut path = self.before.clone();
        for byte in item.as_str().bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                path.push(char::from(byte));
            } else {
                let _ = write!(path, "%{byte:02X}"); // Writing to a String cannot fail.
            }
        }
        path + &self.after
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

impl Front {
    /// Brings what a page may show of this visit into memory; nothing when the token opens none. A store that is away is not that, and
    /// neither is a reason not to serve a page.
    pub async fn prepare(&self, token: &SecretHash) -> Result<Option<Visit>, Error> {
        let shop = &self.0.shop;
        let visit = match shop.known(token) {
            Some(visit) => visit,
            None => match shop.visit(token).await {
                Ok(visit) => visit,
                Err(Error::NoVisit) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        if (shop.held_count(&visit).is_none() || shop.held_viewed(&visit).is_none())
            && let Err(error) = shop.hold(&visit).await
        {
            tracing::debug!(%error, "a page goes out with its slots unfilled");
        }
        Ok(Some(visit))
    }

    /// Whether a browser with this token needs a new visit. Not when the store does not say: the old one may hold a cart.
    pub async fn is_stranger(&self, token: &SecretHash) -> bool {
        let is_stranger = match self.prepare(token).await {
            Ok(Some(_)) => Ok(false),
            // Who has just logged in still asks with the old token while the new one is on its way.
            Ok(None) => self.0.shop.has_left(token).await.map(|has_left| !has_left),
            Err(error) => Err(error),
        };
        is_stranger.unwrap_or_else(|error| {
            tracing::debug!(%error, "a page goes out for a visit that may be one");
            false
        })
    }

    /// A page is looked at: the visit is used. Once a second is enough, that is how exactly it is kept.
    pub fn used(&self, visit: &Visit) {
        let shop = &self.0.shop;
        if shop.now().0 / 1000 != visit.last_used.0 / 1000 {
            shop.touch(&visit.token, None);
        }
    }

    /// Whose visit a request shows: the header before the cookie, as on the shop's own routes. A header that cannot be a token is
    /// nobody's, whatever the cookie says.
    pub fn token(&self, headers: &HeaderMap) -> Option<SecretHash> {
        let token = match caller::secret(headers, VISIT).ok()? {
            Some(token) => token,
            None => cookies::VISIT.token(headers, caller::secure(&self.0.doors, headers))?,
        };
        token.is_plausible().then(|| token.hash())
    }

    fn visit(&self, visitor: &Visitor) -> Option<Visit> {
        self.0.shop.known(&SecretHash::from_bytes(visitor.id?))
    }
}

impl Storefront for Front {
    fn visitor(&self, headers: &HeaderMap) -> Visitor {
        let known = self.token(headers).filter(|token| self.0.shop.known(token).is_some());
        Visitor { id: known.map(|token| *token.bytes()), variant: None }
    }

    fn item_of(&self, uri: &Uri) -> Option<Arc<str>> {
        let item = self.0.options.item_path.as_ref()?.item_in(uri.path())?;
        Some(item.shared().clone())
    }

    fn rank(&self, item: &str) -> Option<usize> {
        self.0.shop.popular().rank(item)
    }

    fn viewed(&self, visitor: &Visitor, item: &str) {
        // Who came without a visit counts from the second page on: a cookie that comes back is more than a request.
        if let (Some(id), Ok(item)) = (visitor.id, item.parse()) {
            self.0.shop.touch(&SecretHash::from_bytes(id), Some(&item));
        }
    }

    fn fill(&self, visitor: &Visitor, slot: &Slot) -> Option<Bytes> {
        match &*slot.name {
            "cart-count" => {
                let count = self.visit(visitor).map_or(Some(0), |visit| self.0.shop.held_count(&visit))?;
                Some(count.to_string().into())
            }
            "viewed" => {
                let viewed = self.visit(visitor).map_or(Some(Vec::new()), |visit| self.0.shop.held_viewed(&visit))?;
                Some(links(&viewed, self.0.options.item_path.as_ref()?).into())
            }
            "row" => {
                let row = self.0.rows.as_ref()?.held(slot.row.as_deref()?)?;
                let text = match row.columns.get(slot.field.as_deref()?)? {
                    serde_json::Value::String(text) => text.clone(),
                    serde_json::Value::Null => String::new(),
                    other => other.to_string(),
                };
                Some(escaped(&text).into())
            }
            _ => None,
        }
    }
}

fn links(items: &[Item], at: &ItemPath) -> String {
    let mut list = String::from("<ul class=\"parlor-viewed\">");
    for item in items {
        // Writing to a String cannot fail.
        let _ = write!(list, "<li><a href=\"{}\">{}</a></li>", escaped(&at.path_of(item)), escaped(item.as_str()));
    }
    list + "</ul>"
}

/// Text that means itself in HTML, also inside an attribute.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_an_item_and_an_item_its_path() {
        let at = ItemPath::read("/product/{item}.html").unwrap();
        for name in ["7", "GTab 7inch", "a/b", "é", "100%"] {
            let item: Item = name.parse().unwrap();
            assert_eq!(at.item_in(&at.path_of(&item)), Some(item), "{name}");
        }
        for other in
            ["/product/.html", "/product/7", "/product/a/b.html", "/products/7.html", "/product/%zz.html", "/product/%0a.html"]
        {
            assert_eq!(at.item_in(other), None, "{other}");
        }
        for wrong in ["/product", "product/{item}", "/p?id={item}", "/{item}/{item}"] {
            assert!(ItemPath::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_goes_into_a_page_stays_text() {
        let at = ItemPath::read("/p/{item}").unwrap();
        let shown = links(&["<script>'\"&".parse().unwrap()], &at);
        assert_eq!(
            shown,
            r#"<ul class="parlor-viewed"><li><a href="/p/%3Cscript%3E%27%22%26">&lt;script&gt;&#39;&quot;&amp;</a></li></ul>"#
        );
    }
}
