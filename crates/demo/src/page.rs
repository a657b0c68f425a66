//! What all pages share: the frame around them, and text that means itself.

use crate::catalogue::CATEGORIES;
use crate::picture::picture;
use crate::stock::Product;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

pub(crate) const SLOTS: HeaderName = HeaderName::from_static("parlor-slots");

/// Text as HTML, also inside an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A whole page. Nothing in it is about the visitor, except through slots; so it may be the same for everybody.
pub(crate) fn frame(title: &str, main: &str) -> String {
    let title = escape(title);
    let mut categories = String::new();
    for (path, name, _) in CATEGORIES {
        categories += &format!("<a href=\"/category/{path}\">{name}</a>");
    }
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · The Quiet Lantern</title>\
         <link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"/style.css\">\
         <script type=\"module\" src=\"/page.js\"></script></head><body>\
         <header><a class=\"brand\" href=\"/\">The Quiet Lantern</a>\
         <form class=\"search\" action=\"/search\" role=\"search\"><input type=\"search\" name=\"q\" aria-label=\"Search\" placeholder=\"Search\"></form>\
         <nav aria-label=\"You\"><a id=\"who\" href=\"/login\">Log in</a>\
         <a class=\"cart\" href=\"/cart\">Cart <span class=\"count\" data-testid=\"cart-count\"><parlor-cart-count><parlor-slot name=\"cart-count\">0</parlor-slot></parlor-cart-count></span></a></nav>\
         <nav class=\"categories\" aria-label=\"Categories\">{categories}</nav></header>\
         <main>{main}</main>\
         <footer><p>A demo shop. Nothing is sold and nothing is sent. <a href=\"/admin\">Back office</a></p></footer></body></html>"
    )
}

/// A page that is the same for everybody: kept for a few seconds, its slots filled for each.
pub(crate) fn shared(title: &str, main: &str) -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "public, max-age=10"), (SLOTS, "on")];
    (headers, frame(title, main)).into_response()
}

/// A page for the one who asked.
pub(crate) fn private(title: &str, main: &str) -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "private, no-store"), (SLOTS, "on")];
    (headers, frame(title, main)).into_response()
}

pub(crate) fn problem(status: StatusCode, what: &str) -> Response {
    let main = format!("<h1>Sorry</h1><p>{}</p><p><a href=\"/\">Back to the shop</a></p>", escape(what));
    (status, private("Sorry", &main)).into_response()
}

/// After a form: look at this page.
pub(crate) fn see(path: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, path), (CACHE_CONTROL, "no-store")]).into_response()
}

/// A product among others. Price and stock come from its row, wherever the page itself was kept.
pub(crate) fn card(product: &Product) -> String {
    let Product { id, name, .. } = product;
    format!(
        "<li class=\"card\" data-item=\"{id}\"><a href=\"/product/{id}\">{}<strong>{}</strong></a><span class=\"price\">€ {}</span></li>",
        picture(*id, name),
        escape(name),
        price(product)
    )
}

pub(crate) fn cards(products: &[Product]) -> String {
    format!("<ul class=\"cards\">{}</ul>", products.iter().map(card).collect::<String>())
}

pub(crate) fn price(product: &Product) -> String {
    let Product { id, price, .. } = product;
    format!("<parlor-slot name=\"row\" row=\"{id}\" field=\"price\">{}</parlor-slot>", escape(price))
}

pub(crate) fn stock(product: &Product) -> String {
    let Product { id, stock, .. } = product;
    format!("<parlor-slot name=\"row\" row=\"{id}\" field=\"stock\">{stock}</parlor-slot>")
}
