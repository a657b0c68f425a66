//! The stylesheet, the page's script, and Parlor's helper beside it.

use crate::App;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(crate) async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=60")], include_str!("../style.css"))
        .into_response()
}

pub(crate) async fn script() -> Response {
    ([(CONTENT_TYPE, SCRIPT), (CACHE_CONTROL, "public, max-age=60")], include_str!("../page.js")).into_response()
}

/// The file that was given at the start; without one the pages do without.
pub(crate) async fn helper(State(shop): State<App>) -> Response {
    let read = match &shop.helper {
        Some(path) => tokio::fs::read(path).await.ok(),
        None => None,
    };
    match read {
        Some(helper) => ([(CONTENT_TYPE, SCRIPT), (CACHE_CONTROL, "public, max-age=60")], helper).into_response(),
        None => (StatusCode::NOT_FOUND, [(CACHE_CONTROL, "no-store")], "// no helper was given").into_response(),
    }
}
