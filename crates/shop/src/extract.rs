//! Who asks, for a shop that is written with axum: `async fn page(Visited(visit): Visited) -> …`.
//!
//! It says whose visit a request carries and nothing more. A handler that changes something must itself see to it that the
//! request comes from a page of the shop: a browser sends a cookie whichever page asked.

use crate::error::Error;
use crate::shop::Shop;
use axum_core::extract::{FromRef, FromRequestParts, OptionalFromRequestParts};
use axum_core::response::{IntoResponse, Response};
use http::header::{COOKIE, HeaderMap};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use parlor_rules::SecretHash;
use parlor_rules::shop::Visit;
use std::sync::Arc;

const HEADER: &str = "parlor-visit";
/// The first is one that no other host can have planted.
const COOKIES: [&str; 2] = ["__Host-parlor_visit", "parlor_visit"];

/// The visit that a request belongs to. `Option<Visited>` where guests without one are welcome.
#[derive(Clone)]
pub struct Visited(pub Visit);

/// Why there is no visit to speak of.
#[derive(Debug)]
pub struct NotVisited(Error);

impl IntoResponse for NotVisited {
    fn into_response(self) -> Response {
        let status = match self.0 {
            Error::NoVisit => StatusCode::UNAUTHORIZED,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut answer = (status, self.0.to_string()).into_response();
        answer.headers_mut().insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        answer
    }
}

impl<S> FromRequestParts<S> for Visited
where
    Arc<Shop>: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = NotVisited;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Visited, NotVisited> {
        let token = token(&parts.headers).ok_or(NotVisited(Error::NoVisit))?;
        let shop = Arc::<Shop>::from_ref(state);
        let visit = shop.visit(&token).await.map_err(NotVisited)?;
        shop.touch(&token, None);
        Ok(Visited(visit))
    }
}

impl<S> OptionalFromRequestParts<S> for Visited
where
    Arc<Shop>: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = NotVisited;

    /// A visit that has ended is none; a store that does not answer is not the same as none.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Visited>, NotVisited> {
        match <Visited as FromRequestParts<S>>::from_request_parts(parts, state).await {
            Ok(visited) => Ok(Some(visited)),
            Err(NotVisited(Error::NoVisit)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The header before the cookies: whoever writes one knows what they mean.
fn token(headers: &HeaderMap) -> Option<SecretHash> {
    let named = headers.get(HEADER).and_then(|value| value.to_str().ok());
    let cookies = || {
        let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='))
    };
    let held = || COOKIES.iter().find_map(|name| cookies().find(|(other, _)| other == name).map(|(_, token)| token));
    named.or_else(held).filter(|token| !token.is_empty()).map(|token| SecretHash::of(token.as_bytes()))
}
