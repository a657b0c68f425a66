//! The WebSocket at `/v1/ws`: who may open one, and the handshake. What is said on it is `line`'s business.

use crate::conversation::Conversation;
use crate::cookies;
use crate::doors::Doors;
use crate::headers::{client_address, origin_is_welcome};
use crate::line;
use crate::rest::Failure;
use crate::talk::Talk;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto::upgrade::downcast;
use parlor_engine::Outbox;
use parlor_rules::{Code, SecretHash};
use parlor_wire::Fault;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

pub async fn upgrade(State(doors): State<Arc<Doors>>, Extension(peer): Extension<SocketAddr>, request: Request) -> Response {
    let converse = |comer: Comer| Conversation::new(comer.doors, comer.outbox, comer.from).with_cookie(comer.cookie);
    open(doors, peer, request, converse).unwrap_or_else(|fault| Failure(fault).into_response())
}

/// Who is at a new line, and where what is said to them goes.
pub struct Comer {
    pub doors: Arc<Doors>,
    pub outbox: Arc<Outbox>,
    pub from: IpAddr,
    /// Of the session whose cookie came with the handshake.
    pub cookie: Option<SecretHash>,
}

/// Answers the handshake; when the line is open, it talks to whom `talker` makes.
pub fn open<T: Talk>(
    doors: Arc<Doors>,
    peer: SocketAddr,
    mut request: Request,
    talker: impl FnOnce(Comer) -> T + Send + 'static,
) -> Result<Response, Fault> {
    let headers = request.headers();
    if !origin_is_welcome(headers, &doors.config.allow_origins) {
        let message = "this web origin may not use this server; its operator can add it to allow-origins";
        return Err(Fault::new(Code::Forbidden, message));
    }
    let accept = accept_key(request.method(), headers)
        .ok_or_else(|| Fault::bad("this address speaks WebSocket (version 13); open it with ws:// or wss://"))?;
    let secure = doors.config.secure_cookies.apply_to(headers, doors.config.trust_forwarded);
    let cookie = cookies::SESSION.token(headers, secure).map(|token| token.hash());
    let from = client_address(headers, peer, doors.config.trust_forwarded);
    let connected = doors.connect(from)?;
    let bytes_max = doors.config.doors.frame_bytes_max;
    let upgrading = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrading.await else { return };
        let Ok(parts) = downcast::<TokioIo<TcpStream>>(upgraded) else { return };
        // Small buffers: most connections are idle most of the time.
        let config = WebSocketConfig::default()
            .read_buffer_size(512)
            .write_buffer_size(0)
            .max_message_size(Some(bytes_max))
            .max_frame_size(Some(bytes_max));
        // Copied out and let go: what was read early is a slice of a buffer that would live as long as the connection.
        let early = parts.read_buf.to_vec();
        drop(parts.read_buf);
        let socket = WebSocketStream::from_partially_read(parts.io.into_inner(), early, Role::Server, Some(config)).await;
        // A task of its own, so that what the handshake needed is let go.
        let house = doors.clone();
        tokio::spawn(line::serve(socket, doors, connected, move |outbox| talker(Comer { doors: house, outbox, from, cookie })));
    });
    let response = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(CONNECTION, "upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_ACCEPT, accept);
    response.body(Body::empty()).map_err(Fault::bad)
}

/// What the handshake must answer, if the request asks for one (RFC 6455, 4.2.1).
fn accept_key(method: &Method, headers: &HeaderMap) -> Option<String> {
    let lists = |name, wanted: &str| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(wanted))
    };
    let asks = method == Method::GET && lists(CONNECTION, "upgrade") && lists(UPGRADE, "websocket");
    let version = headers.get(SEC_WEBSOCKET_VERSION).is_some_and(|version| version == "13");
    let key = headers.get(SEC_WEBSOCKET_KEY)?;
    (asks && version).then(|| derive_accept_key(key.as_bytes()))
}
