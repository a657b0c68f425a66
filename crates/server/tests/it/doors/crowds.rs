//! Many at once: a turn takes them together, and no store's largest commit keeps anybody out.

use super::inside::{Inside, user_key};
use super::shelves::Shelves;
use serde_json::json;

/// More than DynamoDB takes in one transaction.
const PEOPLE: usize = 150;

#[tokio::test]
async fn h41_a_hundred_and_fifty_who_come_at_once_all_sit_and_all_vote() {
    let shelves = Shelves::new().await;
    for store in shelves.all() {
        let server = Inside::start(store, &["--acts-waiting-max", "1000"]).await;
        let (room, host_key) = server.room("crowd").await;
        for (verb, with) in [("join", json!({ "user_name": "Somebody" })), ("vote", json!({ "card": "5" }))] {
            let (path, body) = (format!("/v1/rooms/{room}/{verb}"), with.to_string());
            let acts = (0..PEOPLE).map(|number| {
                let (server, path, body) = (&server, &path, &body);
                async move {
                    let key = user_key(&format!("person-{number}"));
                    server.ask("POST", path, &[("parlor-user-key", &key)], Some(body)).await
                }
            });
            for done in futures_util::future::join_all(acts).await {
                assert_eq!(done.status, 200, "{verb} on {store:?}: {done:?}");
            }
        }
        let view = server.look(&room, &host_key).await;
        let users = view["view"]["users"].as_array().unwrap();
        assert!(users.len() == PEOPLE && users.iter().all(|user| user["has_vote"] == true), "{store:?}: {}", users.len());
        let server = server.restart().await;
        assert_eq!(server.look(&room, &host_key).await["view"]["users"], view["view"]["users"], "{store:?}");
        shelves.clear().await;
    }
}
