//! The pages, from a list made when the server was built, and nothing from the disk.

use axum::extract::Path;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

struct Page {
    path: &'static str,
    tag: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

mod built {
    use super::Page;
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

const INDEX: &str = "/index.html";
/// What stands there when the server was built without them.
const UNBUILT: &str = include_str!("../pages/unbuilt.html");

/// The page at `/` and at a room's address; what it shows is its script's affair.
pub async fn index(headers: HeaderMap) -> Response {
    match find(INDEX) {
        Some(page) => page.answer(&headers),
        None => ([(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")], UNBUILT).into_response(),
    }
}

pub async fn room(Path(_id): Path<String>, headers: HeaderMap) -> Response {
    index(headers).await
}

/// One of the files that the index asks for; nothing when there is none of that name.
pub fn file(uri: &Uri, headers: &HeaderMap) -> Option<Response> {
    find(uri.path()).map(|page| page.answer(headers))
}

fn find(path: &str) -> Option<&'static Page> {
    built::BUILT.iter().find(|page| page.path == path)
}

impl Page {
    fn answer(&self, headers: &HeaderMap) -> Response {
        // A name in assets/ has the digest of its content in it, so it never changes.
        let lasting = self.path.starts_with("/assets/");
        let keep = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
        let tag = HeaderValue::from_static(self.tag);
        let common = [(CACHE_CONTROL, HeaderValue::from_static(keep)), (VARY, HeaderValue::from_static("accept-encoding"))];
        if headers.get(IF_NONE_MATCH).is_some_and(|known| *known == tag) {
            return (StatusCode::NOT_MODIFIED, common, [(ETAG, tag)]).into_response();
        }
        let kind = [(CONTENT_TYPE, self.kind()), (ETAG, tag)];
        let accepted = headers.get(ACCEPT_ENCODING).and_then(|list| list.to_str().ok()).unwrap_or_default();
        let unpack = accepted.split(',').any(|word| word.trim().split(';').next() == Some("gzip"));
        if unpack && self.gzip.len() < self.plain.len() {
            return (common, kind, [(CONTENT_ENCODING, "gzip")], self.gzip).into_response();
        }
        (common, kind, self.plain).into_response()
    }

    fn kind(&self) -> HeaderValue {
        let ending = self.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        HeaderValue::from_static(match ending {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "json" | "webmanifest" => "application/json",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "woff2" => "font/woff2",
            _ => "application/octet-stream",
        })
    }
}
