//! Where something is found on the web: an address a browser may open, never a script. Nobody here follows it.

use crate::names::hides;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub const LINK_CHARS_MAX: usize = 500;

/// An address of the web.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link(Arc<str>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a link starts with http:// or https:// and has at most {LINK_CHARS_MAX} visible characters")]
pub struct NotALink;

impl Link {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Link {
    /// `https://www.instagram.com@elsewhere.example/` leads elsewhere.
    pub fn names_a_user(&self) -> bool {
        let after = self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest);
        after.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@'))
    }
}

impl FromStr for Link {
    type Err = NotALink;
    fn from_str(text: &str) -> Result<Link, NotALink> {
        let (scheme, rest) = text.split_once("://").ok_or(NotALink)?;
        let web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let odd = |c: char| c.is_whitespace() || hides(c) || matches!(c, '"' | '<' | '>' | '\\' | '`');
        let host = !rest.is_empty() && !rest.starts_with(['/', '?', '#']);
        if !web || !host || text.chars().any(odd) || text.chars().count() > LINK_CHARS_MAX {
            return Err(NotALink);
        }
        Ok(Link(text.into()))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_web_and_nowhere_else() {
        for text in ["https://jira.example/browse/A-1?x=1#y", "HTTP://a", "https://例え.jp/ストーリー"] {
            assert_eq!(text.parse::<Link>().map(|link| link.to_string()), Ok(text.to_owned()));
        }
        let long = format!("https://a/{}", "x".repeat(LINK_CHARS_MAX));
        let refused =
            ["", "a", "javascript:alert(1)", "javascript://a%0aalert(1)", "data:text/html,x", "ftp://a", "//a", "https://"];
        let odd = ["https:///a", "https://a b", "https://a\n", "https://\u{202e}a", "https://a\"onclick=", " https://a", &long];
        for text in refused.into_iter().chain(odd) {
            assert_eq!(text.parse::<Link>(), Err(NotALink), "{text:?}");
        }
    }
}
