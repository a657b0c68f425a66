//! Abandoned carts are told: to a webhook of the shop's, and to a space where people watch. What nobody has heard of stays kept, and
//! is told again; whoever hears it twice knows it by its id.

use super::Counter;
use crate::auth::signatures::hmac_hex;
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::CONTENT_TYPE;
use parlor_engine::Request as Asked;
use parlor_rules::{Credential, Kind};
use parlor_shop::AbandonedCart;
use parlor_wire::{ask, shop};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(5);
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Until the server goes.
pub async fn tell(counter: Arc<Counter>) {
    let mut going = counter.doors.going.clone();
    loop {
        tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        match counter.shop.abandoned().await {
            Ok(carts) => tell_all(&counter, carts).await,
            Err(error) => tracing::warn!(%error, "abandoned carts are told later"),
        }
    }
}

async fn tell_all(counter: &Counter, carts: Vec<AbandonedCart>) {
    for cart in carts {
        let told = match tell_one(counter, &cart).await {
            Ok(()) => counter.shop.heard_of_abandoned(&cart).await.map_err(|error| error.to_string()),
            Err(why) => Err(why),
        };
        if let Err(why) = told {
            tracing::warn!(why, "an abandoned cart is told later");
            return; // The next would fail like it.
        }
        metrics::counter!("parlor_carts_abandoned_total").increment(1);
    }
}

async fn tell_one(counter: &Counter, cart: &AbandonedCart) -> Result<(), String> {
    let event = event(cart);
    if let Some(webhook) = &counter.options.abandoned_webhook {
        let body = event.to_string();
        let mut request = Request::post(webhook.url.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(secret) = &webhook.secret {
            let proof = hmac_hex(secret.expose().as_bytes(), body.as_bytes());
            request = request.header("parlor-signature", format!("sha256={proof}"));
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        let (status, _) = webhook.web.ask(request, ANSWER_BYTES_MAX).await?;
        if !status.is_success() {
            return Err(format!("the webhook answered {status}"));
        }
    }
    if let Some((room, host_key)) = &counter.options.abandoned_space {
        let words = json!({ "map": "abandoned", "key": event["cart"]["id"], "value": event }).to_string();
        let command = ask::act(Kind::Space, "map_set", Some(&words)).map_err(|fault| fault.message)?;
        let credential = Credential { host: Some(*host_key), ..Credential::default() };
        let asked = Asked { credential, ticket: None, command };
        counter.doors.engine.act(room, asked).await.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// `{"event":"cart_abandoned","cart":{"id":"…","user":null,"lines":[…],"count":3,"changed":ms}}`
fn event(cart: &AbandonedCart) -> Value {
    let mut body = shop::cart_body(&cart.what.cart, None, 0);
    if let Some(members) = body.as_object_mut() {
        members.remove("expires_at");
        members.remove("version");
    }
    body["id"] = shop::short_id(&cart.token).into();
    body["user"] = cart.what.shopper.as_ref().map(|shopper| shopper.as_str()).into();
    body["changed"] = cart.what.changed.0.into();
    json!({ "event": "cart_abandoned", "cart": body })
}
