//! Whether the process lives, whether it should get work, and its numbers.

use crate::doors::Doors;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use parlor_rules::{Address, Kind};
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

const STORE_ANSWERS_WITHIN: Duration = Duration::from_secs(2);

pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: not going, and the store answers.
pub async fn readyz(State(doors): State<Arc<Doors>>) -> Response {
    match why_not_ready(&doors).await {
        None => "ready\n".into_response(),
        Some(why) => (StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}

/// What keeps the server from taking work, if something does.
pub async fn why_not_ready(doors: &Doors) -> Option<&'static str> {
    if doors.is_going() {
        return Some("going\n");
    }
    let probe = Address { kind: Kind::Poker, id: "readyz".parse().expect("letters only") };
    let key = parlor_layout::room_key(&probe);
    match tokio::time::timeout(STORE_ANSWERS_WITHIN, doors.engine.house().rooms.load(&key)).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the store does not answer as it should");
            Some("the store fails\n")
        }
        Err(_) => Some("the store does not answer\n"),
    }
}

pub async fn metrics() -> String {
    recorder().map_or_else(String::new, PrometheusHandle::render)
}

/// Installed once for the process; without it numbers go nowhere.
pub fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER.get_or_init(|| PrometheusBuilder::new().install_recorder().ok()).as_ref()
}
