//! Parlor as this shop's server knows it: a few REST calls.

use axum::http::{HeaderMap, HeaderValue, Method, Request};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use std::time::Duration;

const ANSWER_BYTES_MAX: usize = 1024 * 1024;
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

pub(crate) struct Parlor {
    client: Client<HttpConnector, Full<Bytes>>,
    url: String,
    shop_key: String,
    admin_key: String,
}

/// Who is in front of the shop: the token from their cookie.
#[derive(Clone, Debug)]
pub(crate) struct Token(String);

impl Token {
    /// Parlor's cookie, by either of its names.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Token> {
        let cookies = headers.get_all("cookie").iter().filter_map(|cookie| cookie.to_str().ok());
        let named = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        let mut ours = named.filter(|(name, _)| matches!(*name, "parlor_visit" | "__Host-parlor_visit"));
        ours.next().map(|(_, token)| Token(token.to_owned()))
    }
}

/// What Parlor answered: JSON, and cookies for the visitor.
pub(crate) struct Answer {
    pub(crate) json: Value,
    pub(crate) cookies: Vec<HeaderValue>,
}

impl Parlor {
    pub(crate) fn new(url: &str, shop_key: &str, admin_key: &str) -> Parlor {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let url = url.trim_end_matches('/').to_owned();
        Parlor { client, url, shop_key: shop_key.to_owned(), admin_key: admin_key.to_owned() }
    }

    pub(crate) async fn cart(&self, visitor: &Token) -> Result<Value, String> {
        Ok(self.ask(Method::GET, "/v1/shop/cart", Some(visitor), None, None).await?.json)
    }

    pub(crate) async fn visit(&self, visitor: &Token) -> Result<Value, String> {
        Ok(self.ask(Method::GET, "/v1/shop/visit", Some(visitor), None, None).await?.json)
    }

    /// One of add, set, remove and clear.
    pub(crate) async fn change_cart(&self, visitor: &Token, verb: &str, item: &str, quantity: Option<i64>) -> Result<(), String> {
        let mut body = json!({ "item": item });
        if let Some(quantity) = quantity {
            body["quantity"] = quantity.into();
        }
        self.ask(Method::POST, &format!("/v1/shop/cart/{verb}"), Some(visitor), None, Some(body)).await.map(drop)
    }

    pub(crate) async fn login(&self, visitor: &Token, user: &str, merge: &str) -> Result<Answer, String> {
        let key = ("parlor-shop-key", self.shop_key.as_str());
        let body = json!({ "user": user, "merge": merge });
        self.ask(Method::POST, "/v1/shop/visit/login", Some(visitor), Some(key), Some(body)).await
    }

    pub(crate) async fn logout(&self, visitor: &Token) -> Result<Answer, String> {
        self.ask(Method::POST, "/v1/shop/visit/logout", Some(visitor), None, Some(json!({}))).await
    }

    pub(crate) async fn keep_row(&self, id: i64, delay_s: f64) -> Result<(), String> {
        let body = Some(json!({ "delay": delay_s }));
        self.ask(Method::PUT, &format!("/v1/shop/rows/{id}"), None, Some(self.admin()), body).await.map(drop)
    }

    /// The row has changed: it is read now and not when its delay is over.
    pub(crate) async fn refresh_row(&self, id: i64) -> Result<(), String> {
        let path = format!("/v1/shop/rows/{id}/refresh");
        self.ask(Method::POST, &path, None, Some(self.admin()), Some(json!({}))).await.map(drop)
    }

    fn admin(&self) -> (&'static str, &str) {
        ("parlor-admin-key", &self.admin_key)
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        visitor: Option<&Token>,
        key: Option<(&'static str, &str)>,
        body: Option<Value>,
    ) -> Result<Answer, String> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(Token(token)) = visitor {
            request = request.header("parlor-visit", token);
        }
        if let Some((name, key)) = key {
            request = request.header(name, key);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = request.body(Full::from(body)).map_err(|error| error.to_string())?;
        let answered = async {
            let answer = self.client.request(request).await.map_err(|_| "Parlor does not answer".to_owned())?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(|error| error.to_string())?.to_bytes();
            let json: Value = serde_json::from_slice(&body).unwrap_or_default();
            if !head.status.is_success() {
                let why = json["error"]["message"].as_str().unwrap_or("no reason given");
                return Err(format!("Parlor refused ({}): {why}", head.status));
            }
            Ok(Answer { json, cookies: head.headers.get_all("set-cookie").iter().cloned().collect() })
        };
        tokio::time::timeout(ANSWER_WITHIN, answered).await.unwrap_or_else(|_| Err("Parlor takes too long".to_owned()))
    }
}
