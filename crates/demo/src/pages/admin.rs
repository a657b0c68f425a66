//! The back office: prices and stock, changed in the database alone. Parlor finds out by its schedule, or is told.

use super::{Outcome, broken, from_our_page, refused};
use crate::App;
use crate::page::{escape, private, problem, see};
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Done {
    done: Option<i64>,
}

pub(crate) async fn show(State(shop): State<App>, Query(Done { done }): Query<Done>) -> Outcome {
    let mut rows = String::new();
    for product in shop.stock.all().await.map_err(|error| broken(&error))? {
        let (id, name, price, stock) = (product.id, escape(&product.name), &product.price, product.stock);
        let mark = if done == Some(id) { " class=\"done\"" } else { "" };
        rows += &format!(
            "<tr id=\"row-{id}\"{mark}><td>{id}</td><td><a href=\"/product/{id}\">{name}</a></td><td colspan=\"3\">\
             <form method=\"post\" action=\"/admin\" data-product=\"{id}\"><input type=\"hidden\" name=\"id\" value=\"{id}\">\
             <input name=\"price\" value=\"{price}\" inputmode=\"decimal\" aria-label=\"Price of {name}\">\
             <input name=\"stock\" type=\"number\" min=\"0\" value=\"{stock}\" aria-label=\"Stock of {name}\">\
             <button>Save</button><button name=\"push\" value=\"yes\" class=\"quiet\">Save and tell Parlor</button></form></td></tr>"
        );
    }
    let main = format!(
        "<h1>Back office</h1><p>“Save” writes to the database only: Parlor reads each row again after its delay, and pages show the new price then. \
         “Save and tell Parlor” makes it read the row at once.</p>\
         <table class=\"lines\"><thead><tr><th>No.</th><th>What</th><th colspan=\"3\">Price and stock</th></tr></thead><tbody>{rows}</tbody></table>"
    );
    Ok(private("Back office", &main))
}

#[derive(Deserialize)]
pub(crate) struct Change {
    id: i64,
    price: String,
    stock: i64,
    push: Option<String>,
}

pub(crate) async fn change(State(shop): State<App>, headers: HeaderMap, Form(change): Form<Change>) -> Outcome {
    from_our_page(&headers)?;
    let cents = cents(&change.price).filter(|_| change.stock >= 0);
    let Some(cents) = cents else {
        return Err(problem(StatusCode::BAD_REQUEST, "A price looks like 19.90, and stock is 0 or more."));
    };
    if !shop.stock.change(change.id, cents, change.stock).await.map_err(|error| broken(&error))? {
        return Err(problem(StatusCode::NOT_FOUND, "We have no such thing."));
    }
    if change.push.is_some() {
        shop.parlor.refresh_row(change.id).await.map_err(|why| refused(&why))?;
    }
    Ok(see(&format!("/admin?done={0}#row-{0}", change.id)))
}

/// `19`, `19.9` or `19.90`, up to a million.
pub(crate) fn cents(price: &str) -> Option<i64> {
    let (whole, part) = price.trim().split_once('.').unwrap_or((price.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 7 || part.len() > 2 || !digits(whole) || !digits(part) {
        return None;
    }
    let part = format!("{part:0<2}");
    Some(whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?)
}
