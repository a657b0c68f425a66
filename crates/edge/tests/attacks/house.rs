//! The house under attack: an origin, the edge before it, and a door to knock on.

use super::client::{Client, Response};
use super::origin::Origin;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use parlor_edge::{Edge, How, NoShop, Options, Purge, proxy};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) origin: Origin,
    pub(crate) edge: Edge,
    listening: tokio::task::JoinHandle<()>,
}

impl House {
    pub(crate) async fn open(origin: Origin) -> House {
        House::with(origin, Options::default()).await
    }

    pub(crate) async fn with(origin: Origin, options: Options) -> House {
        let edge = Edge::new(options, Arc::new(NoShop));
        let service = proxy(&edge, format!("http://{}", origin.address).parse().unwrap()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listening = tokio::spawn(async move {
            let mut lines = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true); // It only would be slower.
                let served =
                    http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service.clone());
                lines.spawn(served.with_upgrades());
            }
        });
        House { address, origin, edge, listening }
    }

    pub(crate) async fn client(&self) -> Client {
        Client::open(self.address).await
    }

    pub(crate) async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
        self.client().await.ask(method, target, headers).await
    }

    pub(crate) async fn get(&self, target: &str, headers: &[(&str, &str)]) -> Response {
        self.ask("GET", target, headers).await
    }

    /// Sends these bytes and waits until everything that comes back has come.
    pub(crate) async fn raw(&self, bytes: impl AsRef<[u8]>) -> Vec<Response> {
        let mut client = self.client().await;
        client.send(bytes).await;
        client.hear_all().await
    }

    pub(crate) fn purge(&self, what: Purge) -> usize {
        self.edge.purge(what, How::Hard)
    }

    pub(crate) fn purge_url(&self, path: &str) -> usize {
        self.purge(Purge::Url(format!("http://shop.test{path}").parse().unwrap()))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// A way to purge, by what it is called, and how many pages it reached.
type Way = (&'static str, fn(&House) -> usize);

/// Every way to purge the page `/page` of the tests.
pub(crate) const PURGES: &[Way] = &[
    ("its address", |house| house.purge_url("/page")),
    ("its path", |house| house.purge(Purge::Path("/page".parse().unwrap()))),
    ("its group", |house| house.purge(Purge::Group("shelf".to_owned()))),
    ("its surrogate key", |house| house.purge(Purge::SurrogateKey("product-7".to_owned()))),
    ("its row", |house| house.purge(Purge::Row("7".to_owned()))),
    ("everything", |house| house.purge(Purge::All)),
];
