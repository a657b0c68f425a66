//! `Cache-Status` (RFC 9211): what the cache did with a request, on every answer.

use http::HeaderValue;
use std::fmt::Write as _;

/// Why a request went on to the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forward {
    Bypass,
    Method,
    Miss,
    VaryMiss,
    Stale,
    Request,
    Partial,
}

impl Forward {
    fn word(self) -> &'static str {
        match self {
            Self::Bypass => "bypass",
            Self::Method => "method",
            Self::Miss => "uri-miss",
            Self::VaryMiss => "vary-miss",
            Self::Stale => "stale",
            Self::Request => "request",
            Self::Partial => "partial",
        }
    }
}

/// What the cache did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Did {
    /// Answered from memory; the seconds of freshness left, below zero when stale.
    Hit {
        ttl: i64,
    },
    Forwarded {
        why: Forward,
        status: Option<u16>,
        stored: bool,
        collapsed: bool,
    },
    /// Not answered from memory and not allowed to ask.
    Unsatisfiable,
    /// The origin did not answer.
    Failed {
        why: Forward,
    },
}

pub(crate) fn cache_status(name: &str, did: Did) -> HeaderValue {
    let mut text = String::with_capacity(64);
    text.push_str(name);
    let written = match did {
        Did::Hit { ttl } => write!(text, "; hit; ttl={ttl}"),
        Did::Forwarded { why, status, stored, collapsed } => {
            let _ = write!(text, "; fwd={}", why.word());
            if let Some(status) = status {
                let _ = write!(text, "; fwd-status={status}");
            }
            text.push_str(if stored { "; stored" } else { "" });
            text.push_str(if collapsed { "; collapsed" } else { "" });
            Ok(())
        }
        Did::Unsatisfiable => write!(text, "; detail=only-if-cached"),
        Did::Failed { why } => write!(text, "; fwd={}; detail=origin-failed", why.word()),
    };
    debug_assert!(written.is_ok());
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("cache"))
}
