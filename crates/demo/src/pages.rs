//! The shop's pages, one module for each kind, and the table of where they are.

pub(crate) mod admin;
mod cart;
mod files;
mod login;
mod products;

use crate::{App, page};
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/", get(products::home))
        .route("/category/{name}", get(products::category))
        .route("/product/{id}", get(products::product))
        .route("/search", get(products::search))
        .route("/cards", get(products::some_cards))
        .route("/names", get(products::names))
        .route("/cart", get(cart::show))
        .route("/cart/{verb}", post(cart::change))
        .route("/login", get(login::show).post(login::login))
        .route("/logout", post(login::logout))
        .route("/admin", get(admin::show).post(admin::change))
        .route("/style.css", get(files::style))
        .route("/page.js", get(files::script))
        .route("/parlor-shop.js", get(files::helper))
        .fallback(async || page::problem(StatusCode::NOT_FOUND, "There is no such page here."))
}

/// What went wrong on the way to a page.
type Outcome = Result<Response, Response>;

fn broken(error: &sqlx::Error) -> Response {
    eprintln!("the database failed: {error}");
    page::problem(StatusCode::INTERNAL_SERVER_ERROR, "The shop's books cannot be read just now.")
}

fn refused(why: &str) -> Response {
    page::problem(StatusCode::BAD_GATEWAY, why)
}

/// A form that changes something must come from a page of this shop: a browser says where it comes from.
#[expect(clippy::result_large_err, reason = "an answer is made here and given to the browser at once")]
fn from_our_page(headers: &HeaderMap) -> Result<(), Response> {
    match headers.get("sec-fetch-site").map(|site| site.as_bytes()) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => Err(page::problem(StatusCode::FORBIDDEN, "This form came from another site.")),
    }
}
