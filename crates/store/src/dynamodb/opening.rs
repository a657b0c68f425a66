//! The service's own library, set up for this store.

use super::address::Address;
use super::options::Options;
use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedHttpClient};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

/// Where no region is said anywhere and another server is asked, which has none.
const NO_REGION: &str = "us-east-1";

/// A client for the address, with whatever credentials the environment or the machine has.
pub async fn client(address: &Address, options: &Options) -> Client {
    let http = http();
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http.clone());
    if let Some((key, secret)) = &options.credentials {
        loader = loader.credentials_provider(Credentials::new(key, secret, None, None, "settings"));
    }
    if let Some(region) = &address.region {
        loader = loader.region(Region::new(region.clone()));
    } else if address.endpoint.is_some() {
        loader = loader.region(Region::new(NO_REGION));
    }
    let found = loader.load().await;
    let mut config = aws_sdk_dynamodb::config::Builder::from(&found).http_client(http);
    if let Some(endpoint) = &address.endpoint {
        config = config.endpoint_url(endpoint);
    }
    Client::from_conf(limited(config, options).build())
}

/// Tried once: what comes next is decided in `link`.
pub(super) fn limited(config: aws_sdk_dynamodb::config::Builder, options: &Options) -> aws_sdk_dynamodb::config::Builder {
    let within = options.answer_within;
    let timeouts = TimeoutConfig::builder().connect_timeout(within.min(std::time::Duration::from_secs(2)));
    let timeouts = timeouts.operation_attempt_timeout(within).operation_timeout(within).build();
    config.retry_config(RetryConfig::disabled()).timeout_config(timeouts)
}

pub(super) fn http() -> SharedHttpClient {
    Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
}
