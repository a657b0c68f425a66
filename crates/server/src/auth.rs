//! Who may enter a space, where the app around it says so: tokens the app signs itself (JWT), or tokens it is asked about
//! (a webhook). From either comes a `Member` and a `Grant`; a room never sees a token.
//!
//! Parlor's own sessions begin with `tk_` and are `logins`' business. Nothing here is ever printed: a token and what it was
//! signed with have no Debug that shows them, and no complaint repeats them.

pub mod options;
mod keyring;
mod pass;
mod patterns;
pub mod people;
mod published;
pub(crate) mod signatures;
pub mod visits;
pub(crate) mod web;
mod webhook;

use keyring::Keyring;
use options::Options;
use parlor_rules::{Code, Kind, Millis};
use parlor_wire::{Fault, Secret};
pub use pass::Pass;
pub use people::Bearer;
use published::Published;
use std::sync::Arc;
use webhook::Webhook;
pub use webhook::{Granted, Opaque};

/// How Parlor's own tokens begin.
pub const OWN_TOKEN: &str = "tk_";

/// No token is longer; a longer one is not looked at.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

pub struct Auth {
    jwt: Option<Jwt>,
    webhook: Option<Arc<Webhook>>,
    spaces_open: bool,
}

/// Tokens that the app signs.
struct Jwt {
    own: Arc<Keyring>,
    published: Option<Arc<Published>>,
    checks: pass::Checks,
}

/// Why a signed token was not taken.
enum Wrong {
    /// None of our keys signed it; whether it is worth anything, others may know.
    NotOurs,
    /// One of our keys signed it, and still it opens nothing.
    Refused(String),
    /// The keys could not be fetched.
    Unknown,
}

impl Auth {
    pub fn new(options: &Options) -> Auth {
        let published = options.keys_url.clone().map(|(url, web)| Arc::new(Published::new(url, web)));
        let has_keys = !options.keys.is_empty() || published.is_some();
        let checks = pass::Checks { issuer: options.issuer.clone(), audience: options.audience.clone() };
        let jwt = has_keys.then(|| Jwt { own: options.keys.clone(), published, checks });
        let webhook = options.webhook.clone().map(|webhook| Arc::new(Webhook::new(webhook)));
        let spaces_open = options.space_open.unwrap_or(jwt.is_none() && webhook.is_none());
        Auth { jwt, webhook, spaces_open }
    }

    /// Whether there are tokens of the app's own.
    pub fn is_there(&self) -> bool {
        self.jwt.is_some() || self.webhook.is_some()
    }

    /// Whether this token is for us to judge, or a session's.
    pub fn judges(&self, token: &Secret) -> bool {
        self.is_there() && !token.expose().starts_with(OWN_TOKEN)
    }

    /// Whether people without a token of the app's may make and enter rooms of this kind.
    pub fn is_open(&self, kind: Kind) -> bool {
        self.spaces_open || kind != Kind::Space
    }

    /// Who holds this token, as far as can be known before it is known where they go.
    pub async fn bearer(&self, token: Secret, now: Millis) -> Result<Bearer, Fault> {
        if token.expose().len() > TOKEN_BYTES_MAX {
            return Err(refused("this token is too long"));
        }
        let wrong = match &self.jwt {
            Some(jwt) => match jwt.read(token.expose(), now).await {
                Ok(pass) => return Ok(Bearer::Pass(Arc::new(pass))),
                Err(wrong) => wrong,
            },
            None => Wrong::NotOurs,
        };
        match (wrong, &self.webhook) {
            (Wrong::NotOurs, Some(webhook)) => Ok(Bearer::Asked(Arc::new(Opaque::new(token, webhook.clone())))),
            (Wrong::NotOurs, None) => Err(refused("this token is not signed with a key that is known here")),
            (Wrong::Refused(why), _) => Err(refused(&why)),
            (Wrong::Unknown, _) => {
                Err(Fault::new(Code::Unavailable, "the keys that tokens are signed with cannot be fetched now; try again"))
            }
        }
    }
}

impl Jwt {
    async fn read(&self, token: &str, now: Millis) -> Result<Pass, Wrong> {
        let signed = keyring::Signed::read(token).ok_or(Wrong::NotOurs)?;
        if let Some(claims) = self.own.open(&signed) {
            return self.checks.pass(&claims, now).map_err(Wrong::Refused);
        }
        let Some(published) = &self.published else { return Err(Wrong::NotOurs) };
        let mut found = published.keys().open(&signed);
        // A key that is there and did not sign this is not replaced by looking again; a secret is never published.
        let may_come = signed.could_be_published() && !published.keys().names(&signed);
        if found.is_none() && may_come {
            published.look_again(now).await;
            found = published.keys().open(&signed);
        }
        match found {
            Some(claims) => {
                published.refresh_in_time(now);
                self.checks.pass(&claims, now).map_err(Wrong::Refused)
            }
            None if may_come && !published.was_reached() => Err(Wrong::Unknown),
            None => Err(Wrong::NotOurs),
        }
    }
}

fn refused(why: &str) -> Fault {
    Fault::new(Code::Unauthenticated, why)
}
