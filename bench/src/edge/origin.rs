//! The shop behind the caches: pages of ten kilobytes that may be kept, made once, and a count of who came for them.

use crate::Result;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const PAGE_BYTES: usize = 10 * 1024;
/// A page of the flood: small, so that there is room for many and none for all.
pub const SMALL_BYTES: usize = 512;
/// How long a cold page takes to render: long enough for everybody to have asked.
const RENDER: Duration = Duration::from_millis(200);

pub struct Origin {
    pub address: SocketAddr,
    hits: Arc<AtomicU64>,
}

impl Origin {
    /// On a thread of its own, for as long as the process lives.
    pub fn start() -> Result<Origin> {
        let failed = |error: std::io::Error| format!("the origin does not start: {error}");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let origin = Origin { address: listener.local_addr().map_err(failed)?, hits: Arc::default() };
        let hits = Arc::clone(&origin.hits);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        std::thread::spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                let pages = Arc::new(Pages::make());
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, Arc::clone(&pages), Arc::clone(&hits)));
                }
            });
        });
        Ok(origin)
    }

    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
}

struct Pages {
    plain: Vec<u8>,
    slots: Vec<u8>,
    small: Vec<u8>,
}

impl Pages {
    fn make() -> Pages {
        let fill = |start: &str, bytes: usize| {
            let line = "<p>Something to read about the things on this shelf.</p>\n";
            let mut page = start.to_owned();
            while page.len() + line.len() < bytes {
                page += line;
            }
            page += &" ".repeat(bytes.saturating_sub(page.len()));
            page
        };
        let slots = r#"<p>Cart: <parlor-slot name="cart-count">0</parlor-slot></p>
            <p>Seen: <parlor-slot name="viewed"></parlor-slot></p>
            <p>Price: <parlor-slot name="row" row="7" field="price">?</parlor-slot></p>"#;
        Pages {
            plain: answer("", &fill("<!doctype html><title>Lamp</title>\n", PAGE_BYTES)),
            slots: answer("Parlor-Slots: on\r\n", &fill(&format!("<!doctype html><title>Lamp</title>\n{slots}\n"), PAGE_BYTES)),
            small: answer("", &fill("<!doctype html>", SMALL_BYTES)),
        }
    }
}

fn answer(head: &str, body: &str) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: public, max-age=600\r\n{head}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

async fn serve(mut stream: TcpStream, pages: Arc<Pages>, hits: Arc<AtomicU64>) {
    let _ = stream.set_nodelay(true); // It only would be slower.
    let mut waiting = Vec::with_capacity(4096);
    loop {
        while let Some(end) = memchr::memmem::find(&waiting, b"\r\n\r\n") {
            hits.fetch_add(1, Ordering::Relaxed);
            let path = waiting.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let page = match path {
                path if path.starts_with(b"/product/") => &pages.slots,
                path if path.starts_with(b"/url/") => &pages.small,
                path if path.starts_with(b"/cold/") => {
                    tokio::time::sleep(RENDER).await;
                    &pages.plain
                }
                _ => &pages.plain,
            };
            waiting.drain(..end + 4);
            if stream.write_all(page).await.is_err() {
                return;
            }
        }
        if !matches!(stream.read_buf(&mut waiting).await, Ok(1..)) {
            return;
        }
    }
}
