//! Abandoned carts are told: to a webhook of the shop's, and to a space where people watch. What nobody has heard of stays kept, and
//! is told again; whoever hears it twice knows it by its id.

use super::Counter;
use crate::auth::signatures::hmac_hex;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, StatusCode};
use parlor_engine::Request as Asked;
use parlor_rules::{Credential, Kind, Millis, SecretHash};
use parlor_shop::{AbandonedCart, Error};
use parlor_wire::{Status, ask, shop};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How often somebody may refuse to hear of a cart before it is told no more: a minute of it.
const REFUSALS_MAX: u32 = 12;
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Until the server goes.
pub async fn tell(counter: Arc<Counter>) {
    let mut going = counter.doors.going.clone();
    let mut heard = HashMap::new();
    loop {
        tokio::select! {
            biased;
            _ = going.wait_for(|going| *going) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        if let Err(error) = tell_all(&counter, &mut heard).await {
            tracing::warn!(%error, "abandoned carts are told later");
        }
    }
}

/// Who has heard of a cart so far.
#[derive(Clone, Copy, Default)]
struct Heard {
    /// As the cart was then.
    changed: Millis,
    webhook: bool,
    space: bool,
    refusals: u32,
}

/// Why somebody has not heard.
enum Unheard {
    /// Nobody answers there now: neither would they for the next cart.
    Away(String),
    Later(String),
    /// Of this cart they do not want to hear.
    Refused(String),
}

async fn tell_all(counter: &Counter, heard: &mut HashMap<SecretHash, Heard>) -> Result<(), Error> {
    let node = counter.doors.engine.house().node.0;
    if !counter.shop.is_teller(node).await? {
        heard.clear();
        return Ok(());
    }
    let carts = counter.shop.abandoned().await?;
    heard.retain(|token, heard| carts.iter().any(|cart| cart.token == *token && cart.what.changed == heard.changed));
    let mut away = false;
    for cart in carts {
        // Telling of many takes longer than one is the teller without saying so.
        if !counter.shop.is_teller(node).await? {
            return Ok(());
        }
        let heard = heard.entry(cart.token).or_insert(Heard { changed: cart.what.changed, ..Heard::default() });
        let told = [tell_webhook(counter, &cart, heard, away).await, tell_space(counter, &cart, heard).await];
        for unheard in told.iter().filter_map(|told| told.as_ref().err()) {
            away |= matches!(unheard, Unheard::Away(_));
            heard.refusals += u32::from(matches!(unheard, Unheard::Refused(_)));
            let (Unheard::Away(why) | Unheard::Later(why) | Unheard::Refused(why)) = unheard;
            tracing::warn!(why, "an abandoned cart is told later");
        }
        let given_up = heard.refusals >= REFUSALS_MAX;
        if given_up {
            tracing::error!(cart = %shop::short_id(&cart.token), "an abandoned cart was refused again and again, and is told no more");
        }
        if given_up || told.iter().all(Result::is_ok) {
            counter.shop.heard_of_abandoned(&cart).await?;
            metrics::counter!("parlor_carts_abandoned_total").increment(u64::from(!given_up));
        }
    }
    Ok(())
}

async fn tell_webhook(counter: &Counter, cart: &AbandonedCart, heard: &mut Heard, away: bool) -> Result<(), Unheard> {
    let Some(webhook) = counter.options.abandoned_webhook.as_ref().filter(|_| !heard.webhook) else { return Ok(()) };
    if away {
        return Err(Unheard::Later("the webhook is not asked again in this round".into()));
    }
    let body = event(cart).to_string();
    let mut request = Request::post(webhook.url.clone()).header(CONTENT_TYPE, "application/json");
    if let Some(secret) = &webhook.secret {
        let proof = hmac_hex(secret.expose().as_bytes(), body.as_bytes());
        request = request.header("parlor-signature", format!("sha256={proof}"));
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| Unheard::Later(error.to_string()))?;
    let (status, _) = webhook.web.ask(request, ANSWER_BYTES_MAX).await.map_err(Unheard::Away)?;
    if status.is_success() {
        heard.webhook = true;
        return Ok(());
    }
    let why = format!("the webhook answered {status}");
    let final_word = status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT && status != StatusCode::TOO_MANY_REQUESTS;
    Err(if final_word { Unheard::Refused(why) } else { Unheard::Later(why) })
}

async fn tell_space(counter: &Counter, cart: &AbandonedCart, heard: &mut Heard) -> Result<(), Unheard> {
    let Some((room, host_key)) = counter.options.abandoned_space.as_ref().filter(|_| !heard.space) else { return Ok(()) };
    let event = event(cart);
    let words = json!({ "map": "abandoned", "key": event["cart"]["id"], "value": event }).to_string();
    let command = ask::act(Kind::Space, "map_set", Some(&words)).map_err(|fault| Unheard::Refused(fault.message))?;
    let credential = Credential { host: Some(*host_key), ..Credential::default() };
    let asked = Asked { credential, ticket: None, command };
    match counter.doors.engine.act(room, asked).await {
        Ok(_) => {
            heard.space = true;
            Ok(())
        }
        Err(error) if Status::from(error.code()).retry => Err(Unheard::Later(error.to_string())),
        Err(error) => Err(Unheard::Refused(error.to_string())),
    }
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
