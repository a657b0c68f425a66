//! Somebody in the shop, through the REST door of a real server.

use crate::doors::http::{Answer, ask};
use crate::support::house::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) const SHOP_KEY: &str = "the-shops-own-key-0123456789";
pub(crate) const ADMIN_KEY: &str = "the-operators-key-0123456789";
pub(crate) const KEYS: &[&str] = &["--shop-key", SHOP_KEY, "--admin-key", ADMIN_KEY, "--visits-per-minute-max", "1000000"];

#[derive(Clone)]
pub(crate) struct Shopper {
    pub(crate) at: SocketAddr,
    pub(crate) token: String,
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn asks(at: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
    let body = body.map(Value::to_string);
    wait(ask(at, method, path, headers, body.as_deref()))
}

impl Shopper {
    pub(crate) fn new(house: &House) -> Shopper {
        let begun = asks(house.address(), "POST", "/v1/shop/visits", &[], None);
        assert_eq!(begun.status, 201, "{begun:?}");
        Shopper { at: house.address(), token: begun.json()["token"].as_str().unwrap().to_owned() }
    }

    /// The same visit through another node.
    pub(crate) fn at(&self, house: &House) -> Shopper {
        Shopper { at: house.address(), token: self.token.clone() }
    }

    pub(crate) fn hash(&self) -> String {
        parlor_rules::SecretHash::of(self.token.as_bytes()).hex()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        asks(self.at, "GET", path, &[("parlor-visit", &self.token)], None)
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Answer {
        asks(self.at, "POST", path, &[("parlor-visit", &self.token)], Some(&body))
    }

    pub(crate) fn add(&self, item: &str, quantity: i64, id: &str) -> Answer {
        self.post("/v1/shop/cart/add", json!({ "item": item, "quantity": quantity, "id": id }))
    }

    /// `jam=1 tea=2`
    pub(crate) fn cart(&self) -> String {
        lines(&self.get("/v1/shop/cart").json())
    }

    pub(crate) fn logs_in(&self, user: &str, merge: &str) -> Shopper {
        let headers = [("parlor-visit", self.token.as_str()), ("parlor-shop-key", SHOP_KEY)];
        let body = json!({ "user": user, "merge": merge });
        let answer = asks(self.at, "POST", "/v1/shop/visit/login", &headers, Some(&body));
        assert_eq!(answer.status, 201, "{answer:?}");
        Shopper { at: self.at, token: answer.json()["token"].as_str().unwrap().to_owned() }
    }

    pub(crate) fn listens(&self) -> Tab {
        let mut stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(crate::support::house::PATIENCE)).unwrap();
        let request = format!("GET /v1/shop/cart/events HTTP/1.1\r\nhost: shop\r\nparlor-visit: {}\r\n\r\n", self.token);
        stream.write_all(request.as_bytes()).unwrap();
        Tab(BufReader::new(stream))
    }
}

pub(crate) fn lines(cart: &Value) -> String {
    let lines = cart["lines"].as_array().unwrap_or_else(|| panic!("{cart}")).iter();
    lines.map(|line| format!("{}={}", line["item"].as_str().unwrap(), line["quantity"])).collect::<Vec<_>>().join(" ")
}

/// A tab that hears of its cart.
pub(crate) struct Tab(BufReader<TcpStream>);

impl Tab {
    /// The next event and what it says.
    pub(crate) fn hears(&mut self) -> (String, Value) {
        let mut event = String::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the line ended");
            if let Some(name) = line.strip_prefix("event: ") {
                event = name.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (event, serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Hears until the cart is this.
    pub(crate) fn hears_cart(&mut self, expected: &str) {
        loop {
            let (event, cart) = self.hears();
            assert_eq!(event, "cart", "{cart}");
            if lines(&cart) == expected {
                return;
            }
        }
    }
}
