//! The health service that load balancers ask: the same answer as `/readyz`.

use super::{Answer, Asked, Desk, status, stream};
use crate::doors::Connected;
use crate::health::why_not_ready;
use futures_util::stream::{BoxStream, StreamExt, unfold};
use parlor_proto::v1::poker_server;
use parlor_proto::v1::sessions_server;
use tokio::sync::watch;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

const SERVICES: [&str; 3] = ["", poker_server::SERVICE_NAME, sessions_server::SERVICE_NAME];

#[tonic::async_trait]
impl Health for Desk {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Answer<HealthCheckResponse> {
        known(&request.get_ref().service)?;
        Ok(Response::new(health(why_not_ready(&self.doors).await.is_none())))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Answer<Self::WatchStream> {
        known(&request.get_ref().service)?;
        let (asked, _) = Asked::open(request)?;
        let place = stream::place(&self.doors, &asked).map_err(|fault| status(&fault))?;
        let ready = why_not_ready(&self.doors).await.is_none();
        let first = futures_util::stream::once(async move { Ok(health(ready)) });
        Ok(Response::new(first.chain(until_going(self.doors.going.clone(), place)).boxed()))
    }
}

/// One more word, when the server goes.
fn until_going(
    going: watch::Receiver<bool>,
    place: Connected,
) -> impl futures_util::Stream<Item = Result<HealthCheckResponse, Status>> + Send {
    unfold(Some((going, place)), |waiting| async move {
        let (mut going, _place) = waiting?;
        let _ = going.wait_for(|going| *going).await;
        Some((Ok(health(false)), None))
    })
}

fn known(service: &str) -> Result<(), Status> {
    if SERVICES.contains(&service) { Ok(()) } else { Err(Status::not_found("there is no such service")) }
}

fn health(ready: bool) -> HealthCheckResponse {
    let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
    HealthCheckResponse { status: status.into() }
}
