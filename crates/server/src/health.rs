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
    if doors.is_going() {
        return (StatusCode::SERVICE_UNAVAILABLE, "going\n").into_response();
    }
    let probe = Address { kind: Kind::Poker, id: "readyz".parse().expect("letters only") };
    let key = parlor_layout::room_key(&probe);
    match tokio::time::timeout(STORE_ANSWERS_WITHIN, doors.engine.house().rooms.load(&key)).await {
        Ok(Ok(_)) => "ready\n".into_response(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the store does not answer as it should");
            (StatusCode::SERVICE_UNAVAILABLE, "the store fails\n").into_response()
        }
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n").into_response(),
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
