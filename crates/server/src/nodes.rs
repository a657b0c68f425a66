//! Nodes that share a table. DynamoDB keeps what happens but tells nobody: so a node that has changed a room writes to the
//! nodes that announced themselves there. What it writes are hints. Each is checked against the table by whoever gets it,
//! and one that is lost is made up for when the room is next looked at, three times a lease.

pub mod desk;
pub mod letter;
pub mod options;
pub mod peers;
pub mod post;

use crate::nodes::options::Options;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::post as posting;
use desk::Desk;
use parlor_layout::items::Documents;
use parlor_store::clock::SharedClock;
use parlor_store::dynamodb::{Address, DynamoDb, Options as StoreOptions};
use post::Post;
use std::sync::Arc;

/// Where letters are taken.
pub const PATH: &str = "/v1/nodes/letters";

/// The table, with rooms as the founding documents have them.
pub async fn open_store(address: &Address, clock: SharedClock, options: StoreOptions) -> Result<DynamoDb, String> {
    DynamoDb::open(address, Arc::new(Documents), clock, options).await
}

/// Lets a node write to others and take their letters; without options it does neither.
pub fn join<S: Clone + Send + Sync + 'static>(store: &DynamoDb, clock: &SharedClock, options: Option<&Options>) -> Router<S> {
    let Some(options) = options else { return Router::new() };
    store.push_through(Arc::new(Post::new(options, clock.clone())));
    let desk = Arc::new(Desk::new(store.clone(), options, clock.clone()));
    Router::new()
        .route(PATH, posting(desk::take))
        .layer(DefaultBodyLimit::max(letter::BYTES_MAX + letter::SLACK))
        .with_state(desk)
}
