//! The proxy over real sockets: broken lengths, upgrades, streams.

use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use parlor_edge::{Body, Edge, NoShop, Options, proxy};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// An origin that answers each connection's first request with these bytes and hangs up, or echoes after an upgrade.
async fn origin(answer: &'static [u8]) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let count = count.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                        return;
                    }
                    head.push(byte[0]);
                }
                count.fetch_add(1, Ordering::SeqCst);
                stream.write_all(answer).await.unwrap();
                if answer.starts_with(b"HTTP/1.1 101") {
                    let mut word = [0; 4];
                    stream.read_exact(&mut word).await.unwrap();
                    stream.write_all(&word).await.unwrap();
                }
            });
        }
    });
    (address, asked)
}

/// The edge on a socket of its own.
async fn edge(origin: SocketAddr) -> (SocketAddr, Edge) {
    let edge = Edge::new(Options::default(), Arc::new(NoShop));
    let service = proxy(&edge, format!("http://{origin}").parse().unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = service.clone();
            let serving =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
            tokio::spawn(serving);
        }
    });
    (address, edge)
}

async fn get(edge: SocketAddr) -> (u16, Result<Vec<u8>, ()>) {
    let stream = TcpStream::connect(edge).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::builder().uri("/a").header("host", "shop").body(Body::Empty).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.into_body().collect().await.map(|it| it.to_bytes().to_vec()).map_err(drop))
}

#[tokio::test]
async fn h166_bodies_cut_short_or_lying_are_never_kept() {
    let lies: [&'static [u8]; 5] = [
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 100000\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n",
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\n\r\nwho knows whether this is all",
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ntransfer-encoding: gzip\r\n\r\nshort",
    ];
    for lie in lies {
        let (origin, asked) = origin(lie).await;
        let (address, edge) = edge(origin).await;
        for _ in 0..2 {
            let (status, body) = get(address).await;
            let whole = lie.windows(4).any(|it| it == b"who ") || lie.windows(6).any(|it| it == b": gzip");
            assert!(status == 502 || body.is_err() || whole, "{status} {body:?}");
        }
        assert_eq!(edge.counts().entries, 0, "{:?}", String::from_utf8_lossy(lie));
        assert!(asked.load(Ordering::SeqCst) >= 2);
    }
}

#[tokio::test]
async fn an_honest_answer_is_kept() {
    for honest in [
        &b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 4\r\n\r\npage"[..],
        b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ntransfer-encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
    ] {
        let (origin, asked) = origin(honest).await;
        let (address, _) = edge(origin).await;
        for _ in 0..3 {
            assert_eq!(get(address).await, (200, Ok(b"page".to_vec())));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn an_origin_that_is_down_is_said_to_be_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let (address, edge) = edge(nobody).await;
    let (status, body) = get(address).await;
    assert_eq!(status, 502);
    assert!(String::from_utf8(body.unwrap()).unwrap().contains("could not be reached"));
    assert_eq!(edge.counts().entries, 0);
}

#[tokio::test]
async fn an_upgrade_becomes_a_tunnel() {
    let (origin, _) = origin(b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n").await;
    let (address, _) = edge(origin).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /live HTTP/1.1\r\nhost: shop\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n").await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    stream.write_all(b"ping").await.unwrap();
    let mut echo = [0; 4];
    stream.read_exact(&mut echo).await.unwrap();
    assert_eq!(&echo, b"ping");
}
