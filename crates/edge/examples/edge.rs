//! The edge alone, as a plain caching proxy: `edge --listen 127.0.0.1:8080 --origin http://127.0.0.1:8000 [--bytes N] [--threads N] [--slots]`.
//! With `--slots` a small shop in memory fills the slots of pages: a cart by visit, a list of items, the price of a row.

use bytes::Bytes;
use http::{HeaderMap, Uri};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use parlor_edge::{Edge, NoShop, Options, Peer, Slot, Storefront, Visitor, proxy};
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let said = |name: &str| arguments.iter().position(|it| it == name).and_then(|at| arguments.get(at + 1)).cloned();
    let listen = said("--listen").unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let origin: http::Uri = said("--origin").ok_or("--origin http://HOST:PORT is missing")?.parse()?;
    let mut options = Options::default();
    if let Some(bytes) = said("--bytes") {
        options.bytes_max = bytes.parse()?;
    }
    let threads: usize = said("--threads").map_or(Ok(1), |it| it.parse())?;
    let shop: Arc<dyn Storefront> =
        if arguments.iter().any(|it| it == "--slots") { Arc::new(LittleShop::open()) } else { Arc::new(NoShop) };
    let edge = Edge::new(options, shop);
    let listener = std::net::TcpListener::bind(&listen)?;
    listener.set_nonblocking(true)?;
    println!("listening on http://{}", listener.local_addr()?);
    let mut others = Vec::new();
    for _ in 1..threads {
        let (edge, origin, listener) = (edge.clone(), origin.clone(), listener.try_clone()?);
        others.push(std::thread::spawn(move || serve(&edge, origin, listener).map_err(|error| error.to_string())));
    }
    serve(&edge, origin, listener)
}

/// One thread with a loop of its own: a hit never leaves the thread that read the request.
fn serve(edge: &Edge, origin: http::Uri, listener: std::net::TcpListener) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = proxy(edge, origin)?;
        let listener = TcpListener::from_std(listener)?;
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let service = service.clone();
            tokio::spawn(async move {
                if let Err(error) = connection(stream, service).await {
                    tracing::debug!(%error, "a connection ended badly");
                }
            });
        }
    })
}

async fn connection(stream: TcpStream, service: parlor_edge::EdgeService) -> Result<(), Box<dyn Error>> {
    stream.set_nodelay(true)?;
    let peer = Peer(stream.peer_addr()?.ip());
    let service = hyper::service::service_fn(move |mut request: http::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        hyper::service::Service::call(&service, request)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(60))
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await?;
    Ok(())
}

/// A shop of a thousand rows, as much of one as a measurement needs.
struct LittleShop {
    carts: RwLock<HashMap<[u8; 32], u32>>,
    prices: RwLock<HashMap<String, Bytes>>,
}

impl LittleShop {
    fn open() -> Self {
        let prices = (0..1000).map(|row| (row.to_string(), Bytes::from(format!("{}.{:02}", row, row % 100)))).collect();
        Self { carts: RwLock::default(), prices: RwLock::new(prices) }
    }
}

impl Storefront for LittleShop {
    fn visitor(&self, headers: &HeaderMap) -> Visitor {
        let cookies = headers.get("cookie").and_then(|it| it.to_str().ok()).unwrap_or("");
        let token = cookies.split(';').find_map(|it| it.trim().strip_prefix("parlor_visit="));
        let id = token.map(|token| {
            let mut id = [0; 32];
            id.iter_mut().zip(token.bytes()).for_each(|(to, from)| *to = from);
            id
        });
        Visitor { id, variant: None }
    }
    fn item_of(&self, uri: &Uri) -> Option<Arc<str>> {
        uri.path().strip_prefix("/product/").map(Arc::from)
    }
    fn rank(&self, _: &str) -> Option<usize> {
        Some(0)
    }
    fn viewed(&self, visitor: &Visitor, _: &str) {
        if let (Some(id), Ok(mut carts)) = (visitor.id, self.carts.write()) {
            *carts.entry(id).or_default() += 1;
        }
    }
    fn fill(&self, visitor: &Visitor, slot: &Slot) -> Option<Bytes> {
        match &*slot.name {
            "cart-count" => {
                let count = self.carts.read().ok()?.get(visitor.id.as_ref()?).copied()?;
                Some(Bytes::from(count.to_string()))
            }
            "viewed" => visitor.id.map(|_| Bytes::from_static(b"<ul><li><a href=\"/product/7\">7</a></li></ul>")),
            "row" => self.prices.read().ok()?.get(slot.row.as_deref()?).cloned(),
            _ => None,
        }
    }
}
