//! A DEMO SHOP: a small shop of its own, with its own database and pages, as Parlor finds shops in the world.
//!
//! It knows Parlor by its REST words alone. Every page works without JavaScript; what Parlor adds comes through slots in the pages
//! and the browser helper.

mod catalogue;
mod page;
mod pages;
mod parlor;
mod picture;
mod stock;
#[cfg(test)]
mod tests;

use axum::Router;
use clap::Parser;
use parlor::Parlor;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use stock::Stock;

/// The Quiet Lantern: a demo shop for Parlor to stand in front of.
#[derive(Parser)]
struct Flags {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Where Parlor's REST doors are.
    #[arg(long, default_value = "http://127.0.0.1:7007")]
    parlor: String,
    /// What this shop proves itself with when it logs somebody in.
    #[arg(long, env = "PARLOR_SHOP_KEY", hide_env_values = true, default_value = "")]
    shop_key: String,
    /// What the back office proves itself with.
    #[arg(long, env = "PARLOR_ADMIN_KEY", hide_env_values = true, default_value = "")]
    admin_key: String,
    /// The database; it is made and filled when it is not there.
    #[arg(long, default_value = "lantern.db")]
    database: PathBuf,
    /// The browser helper, parlor-shop.js.
    #[arg(long)]
    helper: Option<PathBuf>,
}

/// What every page needs.
struct Shop {
    stock: Stock,
    parlor: Parlor,
    helper: Option<PathBuf>,
}

type App = Arc<Shop>;

#[tokio::main]
async fn main() -> Result<(), String> {
    let flags = Flags::parse();
    let stock = Stock::open(&flags.database).await.map_err(|error| format!("the database cannot be opened: {error}"))?;
    let listener = tokio::net::TcpListener::bind(flags.listen).await;
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", flags.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let parlor = Parlor::new(&flags.parlor, &flags.shop_key, &flags.admin_key);
    let shop = Arc::new(Shop { stock, parlor, helper: flags.helper });
    println!("The Quiet Lantern is open on http://{address}");
    tokio::spawn(keep_rows(shop.clone()));
    let served = axum::serve(listener, router(shop)).with_graceful_shutdown(async {
        // Without signals it runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    served.await.map_err(|error| error.to_string())
}

fn router(shop: App) -> Router {
    pages::router().with_state(shop)
}

/// Gives every product's row to Parlor's schedule, as soon as Parlor is there.
async fn keep_rows(shop: App) {
    const DELAY_S: f64 = 5.0;
    const PAUSE: std::time::Duration = std::time::Duration::from_secs(1);
    const TRIES_MAX: usize = 120;
    let products = match shop.stock.all().await {
        Ok(products) => products,
        Err(error) => return eprintln!("the products cannot be read: {error}"),
    };
    for product in &products {
        let mut tries = 0;
        while let Err(error) = shop.parlor.keep_row(product.id, DELAY_S).await {
            tries += 1;
            if tries == TRIES_MAX {
                return eprintln!("Parlor does not keep the rows: {error}");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    println!("Parlor keeps {} rows, read every {DELAY_S} s", products.len());
}
