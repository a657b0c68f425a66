//! What is sold: home, categories, search, and each product's page.

use super::{Outcome, broken};
use crate::catalogue::CATEGORIES;
use crate::page::{cards, escape, frame, price, problem, shared, stock};
use crate::picture::picture;
use crate::stock::Product;
use crate::{App, page};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One of each category, until it is known what is popular.
const PICKS: [i64; 6] = [1, 15, 21, 31, 43, 55];
const IDS_MAX: usize = 30;

pub(crate) async fn home(State(shop): State<App>) -> Outcome {
    let picks = shop.stock.these(&PICKS).await.map_err(|error| broken(&error))?;
    let main = format!(
        "<section class=\"hero\"><h1>Things for slow evenings</h1><p>Light, tea, wool, games, paper and a garden that opens at dusk.</p></section>\
         <section><h2>Tonight's picks</h2>{}</section>\
         <section id=\"popular\" hidden><h2>What others look at</h2></section>",
        cards(&picks)
    );
    Ok(shared("Things for slow evenings", &main))
}

pub(crate) async fn category(State(shop): State<App>, Path(path): Path<String>) -> Outcome {
    let Some((_, name, _)) = CATEGORIES.iter().find(|(category, _, _)| *category == path) else {
        return Err(problem(StatusCode::NOT_FOUND, "There is no such category."));
    };
    let products = shop.stock.in_category(&path).await.map_err(|error| broken(&error))?;
    Ok(shared(name, &format!("<h1>{name}</h1>{}", cards(&products))))
}

/// The page that Parlor keeps because it is popular: it says nothing about how long, and has places for all that changes.
pub(crate) async fn product(State(shop): State<App>, Path(id): Path<String>) -> Outcome {
    let found = match id.parse() {
        Ok(id) => shop.stock.find(id).await.map_err(|error| broken(&error))?,
        Err(_) => None,
    };
    let Some(product) = found else { return Err(problem(StatusCode::NOT_FOUND, "We have no such thing.")) };
    let Product { id, name, description, category, .. } = &product;
    let main = format!(
        "<article class=\"product\">{}<div><p class=\"crumb\"><a href=\"/category/{category}\">{category}</a></p><h1>{}</h1>\
         <p class=\"price\" data-testid=\"price\">€ {}</p><p>{}</p><p class=\"stock\" data-testid=\"stock\">{} in the drawer</p>\
         <form method=\"post\" action=\"/cart/add\" data-cart=\"add\" data-testid=\"add-to-cart\"><input type=\"hidden\" name=\"item\" value=\"{id}\">\
         <label>How many <input type=\"number\" name=\"quantity\" value=\"1\" min=\"1\" max=\"99\"></label>\
         <button>Add to cart</button></form></div></article>\
         <section class=\"seen\"><h2>You looked at</h2><parlor-slot name=\"viewed\"></parlor-slot></section>",
        picture(*id, name),
        escape(name),
        price(&product),
        escape(description),
        stock(&product)
    );
    let id = id.to_string();
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (page::SLOTS, "on")];
    Ok((headers, [("parlor-rows", id)], frame(name, &main)).into_response())
}

#[derive(Deserialize)]
pub(crate) struct Search {
    #[serde(default)]
    q: String,
}

pub(crate) async fn search(State(shop): State<App>, Query(search): Query<Search>) -> Outcome {
    let words = search.q.trim();
    let found = if words.is_empty() { Vec::new() } else { shop.stock.search(words).await.map_err(|error| broken(&error))? };
    let main = format!("<h1>“{}”: {} found</h1>{}", escape(words), found.len(), cards(&found));
    Ok(shared("Search", &main))
}

#[derive(Deserialize)]
pub(crate) struct Ids {
    #[serde(default)]
    ids: String,
}

impl Ids {
    fn list(&self) -> Vec<i64> {
        self.ids.split(',').filter_map(|id| id.parse().ok()).take(IDS_MAX).collect()
    }
}

/// Cards for the page's script.
pub(crate) async fn some_cards(State(shop): State<App>, Query(ids): Query<Ids>) -> Outcome {
    let products = shop.stock.these(&ids.list()).await.map_err(|error| broken(&error))?;
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "public, max-age=10"), (page::SLOTS, "on")];
    Ok((headers, cards(&products)).into_response())
}

/// Names for lists of numbers.
pub(crate) async fn names(State(shop): State<App>, Query(ids): Query<Ids>) -> Result<Response, Response> {
    let products = shop.stock.these(&ids.list()).await.map_err(|error| broken(&error))?;
    let names: BTreeMap<String, String> = products.into_iter().map(|product| (product.id.to_string(), product.name)).collect();
    Ok(([(CACHE_CONTROL, "public, max-age=60")], Json(names)).into_response())
}
