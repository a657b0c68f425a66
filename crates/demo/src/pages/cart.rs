//! The visitor's cart, which is Parlor's; this shop adds names and prices.

use super::{Outcome, broken, from_our_page, refused};
use crate::App;
use crate::page::{escape, private, problem, see};
use crate::parlor::Token;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;

const NO_VISIT: &str = "We do not know you yet. Open the shop's first page with cookies allowed, then try again.";

pub(crate) async fn show(State(shop): State<App>, headers: HeaderMap) -> Outcome {
    let Some(visitor) = Token::of(&headers) else {
        return Ok(private("Cart", "<h1>Your cart</h1><p>It is empty.</p>"));
    };
    let cart = shop.parlor.cart(&visitor).await.map_err(|why| refused(&why))?;
    let mut lines = String::new();
    let mut total = 0;
    for line in cart["lines"].as_array().into_iter().flatten() {
        let (item, quantity) = (line["item"].as_str().unwrap_or_default(), line["quantity"].as_i64().unwrap_or(0));
        let found = match item.parse() {
            Ok(id) => shop.stock.find(id).await.map_err(|error| broken(&error))?,
            Err(_) => None,
        };
        let (name, cents) = found.map_or((format!("something we no longer have ({item})"), 0), |found| (found.name, found.cents));
        total += cents * quantity;
        let (item, name) = (escape(item), escape(&name));
        lines += &format!(
            "<tr data-cart-item=\"{item}\"><td><a href=\"/product/{item}\">{name}</a></td><td>\
             <form method=\"post\" action=\"/cart/set\" data-cart=\"set\"><input type=\"hidden\" name=\"item\" value=\"{item}\">\
             <input type=\"number\" name=\"quantity\" data-testid=\"quantity\" value=\"{quantity}\" min=\"0\" max=\"99\" aria-label=\"How many: {name}\"><button>Set</button></form></td>\
             <td class=\"price\">€ {}</td><td><form method=\"post\" action=\"/cart/remove\" data-cart=\"remove\">\
             <input type=\"hidden\" name=\"item\" value=\"{item}\"><button aria-label=\"Remove {name}\">Remove</button></form></td></tr>",
            euros(cents * quantity)
        );
    }
    if lines.is_empty() {
        return Ok(private("Cart", "<h1>Your cart</h1><p>It is empty.</p>"));
    }
    let main = format!(
        "<h1>Your cart</h1><table class=\"lines\"><thead><tr><th>What</th><th>How many</th><th>Price</th><td></td></tr></thead><tbody>{lines}</tbody>\
         <tfoot><tr><th colspan=\"2\">Together</th><td class=\"price\">€ {}</td><td></td></tr></tfoot></table>\
         <form method=\"post\" action=\"/cart/clear\" data-cart=\"clear\"><button class=\"quiet\">Empty the cart</button></form>",
        euros(total)
    );
    Ok(private("Cart", &main))
}

#[derive(Deserialize)]
pub(crate) struct Change {
    #[serde(default)]
    item: String,
    quantity: Option<i64>,
}

pub(crate) async fn change(
    State(shop): State<App>,
    Path(verb): Path<String>,
    headers: HeaderMap,
    Form(change): Form<Change>,
) -> Outcome {
    from_our_page(&headers)?;
    if !matches!(&*verb, "add" | "set" | "remove" | "clear") {
        return Err(problem(StatusCode::NOT_FOUND, "There is no such page here."));
    }
    let Some(visitor) = Token::of(&headers) else { return Err(problem(StatusCode::BAD_REQUEST, NO_VISIT)) };
    let quantity = change.quantity.filter(|_| matches!(&*verb, "add" | "set"));
    shop.parlor.change_cart(&visitor, &verb, &change.item, quantity).await.map_err(|why| refused(&why))?;
    Ok(see("/cart"))
}

fn euros(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
