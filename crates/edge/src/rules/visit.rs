//! What of a request holds the visit. It is the server's own, chooses no page by itself, and is a credential like any other: what the
//! origin answered to one visit is not another's.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, HeaderName};

/// The cookies that hold the visit.
pub const VISIT_COOKIES: [&str; 2] = ["parlor_visit", "__Host-parlor_visit"];
/// The header that holds it, for those who are no browsers.
pub const PARLOR_VISIT: HeaderName = HeaderName::from_static("parlor-visit");

/// Takes away everything that says who asks.
pub fn drop_asker(headers: &mut HeaderMap) {
    for name in [COOKIE, AUTHORIZATION, PARLOR_VISIT] {
        headers.remove(name);
    }
}
