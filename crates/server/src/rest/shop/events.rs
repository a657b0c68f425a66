//! A visitor's cart, live: each of their tabs hears of every change, whichever tab, device or node made it.
//!
//! What is sent is always the whole cart as it is now, so a tab that missed something has missed nothing.

use super::{Counters, cart_body, refused};
use crate::doors::Connected;
use crate::rest::Failure;
use crate::shop::Counter;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream;
use parlor_rules::SecretHash;
use parlor_rules::shop::Visit;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often a tab is told that there is nothing new, so that proxies keep the line.
const STILL_HERE_EVERY: Duration = Duration::from_secs(20);
/// How often the visit is looked at although nothing was heard: it may have ended by its time, or a word from another node was lost.
const LOOK_EVERY: Duration = Duration::from_secs(10);

struct Tab {
    counter: Arc<Counter>,
    visit: Visit,
    told: Receiver<SecretHash>,
    last: Option<String>,
    over: bool,
    _place: Connected,
}

pub(super) async fn stream(
    State(counter): Counters,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let token = counter.shown(&headers).map_err(Failure)?;
    // Before the look, so that nothing between the two is missed.
    let told = counter.shop.listen();
    let visit = counter.shop.visit(&token).await.map_err(refused)?;
    let place = counter.doors.connect(counter.from(peer, &headers)).map_err(Failure)?;
    let tab = Tab { counter, visit, told, last: None, over: false, _place: place };
    let events = stream::unfold(tab, |mut tab| async move { tab.next().await.map(|event| (Ok(event), tab)) });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(STILL_HERE_EVERY)))
}

impl Tab {
    /// The next thing to say; nothing when there is no more to come.
    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        loop {
            if self.last.is_some() {
                self.something_happened().await?;
            }
            let visit = match self.counter.shop.visit(&self.visit.token).await {
                Ok(visit) => visit,
                Err(parlor_shop::Error::NoVisit) => {
                    self.over = true;
                    return Some(Event::default().event("ended").data("{}"));
                }
                // The client comes back and asks again.
                Err(_) => return None,
            };
            let cart = cart_body(&self.counter.shop.cart(&visit).await.ok()?).to_string();
            self.visit = visit;
            if self.last.as_ref() != Some(&cart) {
                self.last = Some(cart.clone());
                return Some(Event::default().event("cart").data(cart));
            }
        }
    }

    /// Waits until this cart or this visit may be another; nothing when the server goes.
    async fn something_happened(&mut self) -> Option<()> {
        let mut going = self.counter.doors.going.clone();
        let look = tokio::time::sleep(LOOK_EVERY);
        tokio::pin!(look);
        loop {
            let told = tokio::select! {
                biased;
                _ = going.wait_for(|going| *going) => return None,
                () = &mut look => return Some(()),
                told = self.told.recv() => told,
            };
            match told {
                Ok(token) if token == self.visit.cart || token == self.visit.token => return Some(()),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return Some(()),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
