//! Tables of a server that speaks DynamoDB, made for a test and looked into with the service's own library.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use parlor_store::dynamodb::{Address, Options, client, table};
use parlor_testbed::Ministack;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Table {
    server: Ministack,
    made: AtomicU64,
}

pub(crate) type Item = HashMap<String, AttributeValue>;

/// Any key and secret will do.
pub(crate) const ENVIRONMENT: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")];

pub(crate) fn options() -> Options {
    Options { credentials: Some(("test".into(), "test".into())), ..Options::default() }
}

/// All items there are.
pub(crate) async fn items(url: &str) -> Vec<Item> {
    let address: Address = url.parse().unwrap();
    let client = client(&address, &options()).await;
    let mut pages = client.scan().table_name(&address.table).consistent_read(true).into_paginator().send();
    let mut items = Vec::new();
    while let Some(page) = pages.next().await {
        items.extend(page.unwrap().items.unwrap_or_default());
    }
    items
}

/// The names of those that would stay for ever.
pub(crate) async fn without_deadline(url: &str) -> Vec<String> {
    let name = |item: &Item| format!("{:?} {:?}", item["pk"], item["sk"]);
    items(url).await.iter().filter(|item| !item.contains_key("ttl")).map(name).collect()
}

pub(crate) async fn client_of(url: &str) -> (Client, String) {
    let address: Address = url.parse().unwrap();
    (client(&address, &options()).await, address.table)
}

impl Table {
    pub(crate) fn start() -> Table {
        Table { server: Ministack::start(), made: AtomicU64::new(0) }
    }

    /// A new one; its address.
    pub(crate) async fn fresh(&self) -> String {
        let url = format!("dynamodb://table-{}?endpoint={}", self.made.fetch_add(1, Ordering::Relaxed), self.server.url());
        let (client, name) = client_of(&url).await;
        assert_eq!(table::create_table(&client, &name).await, Ok(true));
        url
    }

    /// As if nothing had ever been written to it.
    pub(crate) async fn empty(&self, url: &str) {
        let (client, name) = client_of(url).await;
        client.delete_table().table_name(&name).send().await.unwrap();
        assert_eq!(table::create_table(&client, &name).await, Ok(true));
    }
}
