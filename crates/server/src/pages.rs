//! The page at `/`: what this is, what to do next, and a table to try.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const INDEX: &str = include_str!("../pages/index.html");
const STYLE: &str = include_str!("../pages/parlor.css");
const SCRIPT: &str = include_str!("../pages/parlor.js");

pub async fn index() -> Response {
    asset("text/html; charset=utf-8", INDEX)
}

pub async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE)
}

pub async fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text).into_response()
}
