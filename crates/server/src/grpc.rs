//! gRPC and gRPC-web: the same asks as by REST, and streams of what the socket pushes. Keys travel in the metadata.
//!
//! It shares the port, the `Caller`, the throttles and the table of errors with the other doors, and adds nothing of its
//! own that may be done or seen. Reflection and health are open to everyone: they tell what the files in `proto` tell.

mod calls;
mod health;
mod sessions;
mod stream;

pub use calls::CALLS;

use crate::doors::Doors;
use crate::headers::origin_is_welcome;
use crate::limits::CALL_WITHIN;
use axum::Router;
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use parlor_proto::v1::poker_server::PokerServer;
use parlor_proto::v1::sessions_server::SessionsServer;
use parlor_rules::{Address, Code, Kind};
use parlor_wire::{Fault, Status};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::server::Builder;
use tonic_types::{ErrorDetails, StatusExt};
use tonic_web::GrpcWebLayer;
use tower_service::Service;

/// What an error's code and retry are called in the metadata, for clients that do not read details.
pub const CODE: &str = "parlor-code";
pub const RETRY: &str = "parlor-retry";

/// A client that may try again waits this long, as by REST.
const RETRY_AFTER: Duration = Duration::from_secs(1);

type Answer<T> = Result<tonic::Response<T>, tonic::Status>;

pub fn router(doors: &Arc<Doors>) -> Router<Arc<Doors>> {
    let bytes_max = doors.config.doors.frame_bytes_max;
    let desk = || Desk { doors: doors.clone() };
    let mut router = Router::new();
    router = served(router, PokerServer::new(desk()).max_decoding_message_size(bytes_max));
    router = served(router, SessionsServer::new(desk()).max_decoding_message_size(bytes_max));
    router = served(router, HealthServer::new(desk()).max_decoding_message_size(bytes_max));
    let told = || {
        let both = Builder::configure().register_encoded_file_descriptor_set(parlor_proto::DESCRIPTORS);
        both.register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    // Many tools still ask in the words of before.
    let (new, old) = (told().build_v1(), told().build_v1alpha());
    router = served(router, new.expect("the build script made them").max_decoding_message_size(bytes_max));
    router = served(router, old.expect("the build script made them").max_decoding_message_size(bytes_max));
    router.layer(from_fn_with_state(doors.clone(), guard)).layer(GrpcWebLayer::new())
}

fn served<S>(router: Router<Arc<Doors>>, service: S) -> Router<Arc<Doors>>
where
    S: Service<HttpRequest, Error = Infallible, Response: IntoResponse, Future: Send + 'static>,
    S: NamedService + Clone + Send + Sync + 'static,
{
    router.route_service(&format!("/{}/{{call}}", S::NAME), service)
}

/// Whoever serves the calls.
#[derive(Clone)]
struct Desk {
    doors: Arc<Doors>,
}

/// When a caller stops waiting; what it asked for is not begun after that, and its stream ends then.
#[derive(Clone, Copy)]
struct Deadline(Instant);

/// What came around a message.
struct Asked {
    peer: SocketAddr,
    headers: HeaderMap,
    deadline: Option<Instant>,
}

impl Asked {
    fn open<T>(request: tonic::Request<T>) -> Result<(Asked, T), tonic::Status> {
        let (metadata, extensions, message) = request.into_parts();
        let peer = extensions.get::<SocketAddr>().copied();
        let peer = peer.ok_or_else(|| status(&Fault::new(Code::Internal, "the caller's address is not known")))?;
        let deadline = extensions.get::<Deadline>().map(|Deadline(at)| *at);
        Ok((Asked { peer, headers: metadata.into_headers(), deadline }, message))
    }
}

/// Before any call: it is gRPC, no other site's page asks, and somebody still waits for the answer.
async fn guard(State(doors): State<Arc<Doors>>, mut request: HttpRequest, next: Next) -> Response {
    let headers = request.headers();
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes());
    if !matches!(kind, Some(b"application/grpc" | b"application/grpc+proto")) {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "this address speaks gRPC and gRPC-web\n").into_response();
    }
    if !origin_is_welcome(headers, &doors.config.allow_origins) {
        return status(&Fault::new(Code::Forbidden, "this web origin may not use this server")).into_http();
    }
    let now = Instant::now();
    let asked = match headers.get("grpc-timeout").map(|text| text.to_str().ok().and_then(patience)) {
        None => None,
        Some(Some(patience)) => now.checked_add(patience),
        Some(None) => return status(&Fault::bad("grpc-timeout is up to eight digits and one of H M S m u n")).into_http(),
    };
    if let Some(asked) = asked {
        if asked <= now {
            return too_late().into_http();
        }
        request.extensions_mut().insert(Deadline(asked));
    }
    let within = now + CALL_WITHIN;
    // Dropping the call does not undo what is under way; with an idempotency-key asking again tells what came of it.
    match timeout_at(asked.map_or(within, |asked| asked.min(within)), next.run(request)).await {
        Ok(response) => in_our_words(response),
        Err(_) => too_late().into_http(),
    }
}

/// What the library refuses before it reaches us (too large, not protobuf, no such call) is said with our codes.
fn in_our_words(response: Response) -> Response {
    let headers = response.headers();
    if headers.contains_key(CODE) {
        return response;
    }
    let Some(refused) = tonic::Status::from_header_map(headers) else { return response };
    let fault = match refused.code() {
        tonic::Code::OutOfRange => Fault::new(Code::TooLarge, "the message is larger than frame-bytes-max"),
        tonic::Code::Unimplemented => Fault::new(Code::Unsupported, "there is no such call, or not in this encoding"),
        tonic::Code::Internal | tonic::Code::Unknown => Fault::bad("this is not a message of the right form"),
        _ => return response,
    };
    status(&fault).into_http()
}

/// A fault as a gRPC status: the table's code, and in its details and metadata the name and whether to try again.
fn status(fault: &Fault) -> tonic::Status {
    status_after(fault, RETRY_AFTER)
}

fn status_after(fault: &Fault, retry_after: Duration) -> tonic::Status {
    let Status { name, grpc, retry, .. } = fault.code.into();
    let mut details = ErrorDetails::with_error_info(name, "parlor", []);
    let mut metadata = MetadataMap::new();
    metadata.insert(CODE, MetadataValue::from_static(name));
    metadata.insert(RETRY, MetadataValue::from_static(if retry { "true" } else { "false" }));
    if retry {
        details.set_retry_info(Some(retry_after));
    }
    let code = tonic::Code::from_i32(i32::from(grpc));
    tonic::Status::with_error_details_and_metadata(code, &fault.message, details, metadata)
}

fn too_late() -> tonic::Status {
    tonic::Status::deadline_exceeded("the deadline of the call is over")
}

/// `100m` is a tenth of a second (the gRPC protocol over HTTP/2, Timeout).
fn patience(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

fn room(id: &str) -> Result<Address, Fault> {
    // An id that cannot be one is a room that is not there.
    let id = id.parse().map_err(|error| Fault::new(Code::RoomNotFound, error))?;
    Ok(Address { kind: Kind::Poker, id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_read_as_the_protocol_writes_it() {
        assert_eq!(patience("100m"), Some(Duration::from_millis(100)));
        assert_eq!(patience("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        assert_eq!(patience("0n"), Some(Duration::ZERO));
        for wrong in ["", "m", "100", "123456789S", "-1S", "1 S", "1é", "+1S"] {
            assert_eq!(patience(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn every_error_has_the_status_of_the_table_and_says_its_name_twice() {
        for code in Code::ALL {
            let (row, said) = (Status::from(code), status(&Fault::new(code, "a sentence")));
            assert_eq!(said.code() as i32, i32::from(row.grpc));
            let details = said.get_error_details();
            assert_eq!(details.error_info().unwrap().reason, row.name);
            assert_eq!(details.retry_info().is_some(), row.retry);
            assert_eq!(said.metadata().get(CODE).unwrap(), row.name);
            assert_eq!(said.metadata().get(RETRY).unwrap(), if row.retry { "true" } else { "false" });
        }
    }
}
