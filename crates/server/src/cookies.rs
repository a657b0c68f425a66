//! Cookies: the session's and the visit's, which name each has, when it is secure, and who may act with it.
//!
//! A browser sends a cookie by itself, whichever page asked. So a request that changes something and proves itself
//! by cookie must also come from a page of ours; a token in a header needs no such proof, no page can make one up.

use crate::headers::origin_is_welcome;
use axum::http::header::{AUTHORIZATION, COOKIE, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use parlor_rules::Span;
use parlor_wire::Secret;
use std::str::FromStr;

/// One cookie that holds a token.
pub struct Cookie {
    plain: &'static str,
    /// Browsers take a cookie with this prefix only from a secure page of this very host, so no other host can plant one.
    secure: &'static str,
}

/// Of somebody who is logged in to rooms.
pub const SESSION: Cookie = Cookie { plain: "parlor_session", secure: "__Host-parlor_session" };
/// Of somebody who is in the shop.
pub const VISIT: Cookie = Cookie { plain: "parlor_visit", secure: "__Host-parlor_visit" };

/// When cookies are marked as secure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecureCookies {
    /// When a trusted proxy says that the request came by https.
    Auto,
    Always,
    Never,
}

impl FromStr for SecureCookies {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<SecureCookies, &'static str> {
        match text {
            "auto" => Ok(SecureCookies::Auto),
            "always" => Ok(SecureCookies::Always),
            "never" => Ok(SecureCookies::Never),
            _ => Err("it is auto, always or never"),
        }
    }
}

impl SecureCookies {
    pub fn apply_to(self, headers: &HeaderMap, trust_forwarded: bool) -> bool {
        match self {
            SecureCookies::Always => true,
            SecureCookies::Never => false,
            SecureCookies::Auto => {
                let forwarded = headers.get_all("x-forwarded-proto").iter().next_back().filter(|_| trust_forwarded);
                let last = forwarded.and_then(|list| list.to_str().ok()).and_then(|list| list.rsplit(',').next());
                last.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
            }
        }
    }
}

impl Cookie {
    /// The token, if the request carries one. Where cookies are secure, one that is not is not looked at.
    pub fn token(&self, headers: &HeaderMap, secure: bool) -> Option<Secret> {
        let name = self.name(secure);
        let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(other, _)| *other == name).map(|(_, token)| Secret::new(token.to_owned()))
    }

    /// Whether a cookie of ours is all that says who asks.
    pub fn alone(&self, headers: &HeaderMap) -> bool {
        !headers.contains_key(AUTHORIZATION) && (self.token(headers, true).is_some() || self.token(headers, false).is_some())
    }

    /// Without a lifetime the browser keeps it until it is closed; the server decides how long it opens something.
    pub fn set(&self, token: &Secret, secure: bool, keep: Option<Span>) -> Option<HeaderValue> {
        let mut text = format!("{}={}; {}", self.name(secure), token.expose(), attributes(secure));
        if let Some(keep) = keep {
            text.push_str(&format!("; Max-Age={}", keep.0 / 1000));
        }
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Takes back both, whichever there is.
    pub fn forget(&self) -> impl Iterator<Item = HeaderValue> {
        let forgotten = [false, true].map(|secure| format!("{}=; {}; Max-Age=0", self.name(secure), attributes(secure)));
        forgotten.into_iter().filter_map(|text| HeaderValue::from_str(&text).ok())
    }

    fn name(&self, secure: bool) -> &'static str {
        if secure { self.secure } else { self.plain }
    }
}

/// Whether a change that is proved by cookie comes from a page of ours.
pub fn is_from_our_page(headers: &HeaderMap, allowed: &[String]) -> bool {
    if headers.contains_key(ORIGIN) {
        return origin_is_welcome(headers, allowed);
    }
    headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin" || site == "none")
}

fn attributes(secure: bool) -> &'static str {
    if secure { "Path=/; Secure; HttpOnly; SameSite=Lax" } else { "Path=/; HttpOnly; SameSite=Lax" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_cookie_is_secure_when_it_must_be() {
        let https = headers(&[("x-forwarded-proto", "http, https")]);
        assert!(SecureCookies::Auto.apply_to(&https, true));
        assert!(!SecureCookies::Auto.apply_to(&https, false), "anybody can say so");
        assert!(!SecureCookies::Auto.apply_to(&headers(&[("x-forwarded-proto", "https, http")]), true));
        assert!(!SecureCookies::Auto.apply_to(&headers(&[]), true));
        assert!(SecureCookies::Always.apply_to(&headers(&[]), false) && !SecureCookies::Never.apply_to(&https, true));
        let text = |secure| SESSION.set(&Secret::new("t".repeat(30)), secure, None).unwrap().to_str().unwrap().to_owned();
        assert_eq!(text(true), format!("__Host-parlor_session={}; Path=/; Secure; HttpOnly; SameSite=Lax", "t".repeat(30)));
        assert_eq!(text(false), format!("parlor_session={}; Path=/; HttpOnly; SameSite=Lax", "t".repeat(30)));
    }

    #[test]
    fn where_cookies_are_secure_a_planted_one_is_not_looked_at() {
        let both = headers(&[("cookie", "a=b; parlor_session=planted; __Host-parlor_session=mine")]);
        assert_eq!(SESSION.token(&both, true).unwrap().expose(), "mine");
        assert_eq!(SESSION.token(&both, false).unwrap().expose(), "planted");
        assert!(SESSION.token(&headers(&[("cookie", "parlor_session=planted")]), true).is_none());
        assert!(SESSION.token(&headers(&[("cookie", "xparlor_session=a; parlor_session")]), false).is_none());
    }

    #[test]
    fn x20_another_sites_page_may_not_act_with_a_cookie() {
        let ours = |pairs: &[(&'static str, &'static str)]| {
            let mut all = headers(pairs);
            all.insert("host", HeaderValue::from_static("parlor.example"));
            is_from_our_page(&all, &["https://friend.example".to_owned()])
        };
        assert!(ours(&[("origin", "https://parlor.example")]) && ours(&[("origin", "https://friend.example")]));
        assert!(ours(&[("sec-fetch-site", "same-origin")]) && ours(&[("sec-fetch-site", "none")]));
        for wrong in [&[][..], &[("origin", "null")], &[("origin", "https://evil.example")], &[("sec-fetch-site", "cross-site")]]
        {
            assert!(!ours(wrong), "{wrong:?}");
        }
        assert!(!ours(&[("sec-fetch-site", "same-site")]), "a neighbour under the same domain is another site to us");
        assert!(!ours(&[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")]));
    }
}
