//! What the settings say about tokens, read once at start. A secret that is wrong is complained about without being shown.

use super::keyring::{Keyring, Origin, SECRET_BYTES_MIN};
use super::web::{self, Web};
use crate::settings::{Source, Texts, variable};
use hyper::Uri;
use parlor_wire::Secret;
use std::fmt;
use std::sync::Arc;

/// Settings whose value is nobody's to read: `parlor config` does not print them.
pub const SECRETS: [&str; 2] = ["jwt-secret", "auth-webhook-secret"];

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub keys: Arc<Keyring>,
    pub keys_url: Option<(Uri, Web)>,
    pub issuer: Option<String>,
    pub audience: Option<String>,
    pub webhook: Option<WebhookOptions>,
    /// Nothing: as long as there are no tokens of the app's.
    pub space_open: Option<bool>,
}

#[derive(Clone)]
pub struct WebhookOptions {
    pub url: Uri,
    pub secret: Option<Arc<Secret>>,
    pub web: Web,
}

impl Options {
    pub fn read(texts: &Texts) -> Result<Options, String> {
        let mut keys = Keyring::default();
        if let Some(secret) = jwt_secret(texts)? {
            keys.add_secret(secret.expose().as_bytes());
        }
        let keys_url = match said(texts, "jwt-keys") {
            Some(text) if text.contains("://") => Some((url(texts, "jwt-keys")?, web(texts, "jwt-keys")?)),
            Some(path) => {
                let file = std::fs::read(path)
                    .map_err(|error| complaint(texts, "jwt-keys", &format!("the file {path} cannot be read: {error}")))?;
                keys.add_set(&file, Origin::File)
                    .map_err(|why| complaint(texts, "jwt-keys", &format!("the file {path}: {why}")))?;
                None
            }
            None => None,
        };
        let webhook = match said(texts, "auth-webhook") {
            Some(_) => Some(WebhookOptions {
                url: url(texts, "auth-webhook")?,
                secret: said(texts, "auth-webhook-secret").map(|secret| Arc::new(Secret::new(secret.to_owned()))),
                web: web(texts, "auth-webhook")?,
            }),
            None => None,
        };
        let owned = |name| said(texts, name).map(str::to_owned);
        let space_open = match said(texts, "space-open") {
            None | Some("auto") => None,
            Some("always") => Some(true),
            Some("never") => Some(false),
            Some(_) => return Err(complaint(texts, "space-open", "it is auto, always or never")),
        };
        let (issuer, audience) = (owned("jwt-issuer"), owned("jwt-audience"));
        if (issuer.is_some() || audience.is_some()) && keys.is_empty() && keys_url.is_none() {
            let name = if issuer.is_some() { "jwt-issuer" } else { "jwt-audience" };
            return Err(complaint(texts, name, "it checks nothing without jwt-secret or jwt-keys"));
        }
        Ok(Options { keys: Arc::new(keys), keys_url, issuer, audience, webhook, space_open })
    }
}

fn jwt_secret(texts: &Texts) -> Result<Option<Secret>, String> {
    let (name, secret) = match (said(texts, "jwt-secret"), said(texts, "jwt-secret-file")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(complaint(texts, "jwt-secret-file", "jwt-secret is set too; only one of them can count"));
        }
        (Some(secret), None) => ("jwt-secret", Secret::new(secret.to_owned())),
        (None, Some(path)) => {
            let file = std::fs::read_to_string(path);
            let file = file.map_err(|error| complaint(texts, "jwt-secret-file", &format!("{path} cannot be read: {error}")))?;
            // Editors end a file with a line break; nobody means it.
            ("jwt-secret-file", Secret::new(file.trim_end_matches(['\r', '\n']).to_owned()))
        }
    };
    if secret.expose().len() < SECRET_BYTES_MIN {
        return Err(complaint(
            texts,
            name,
            &format!("the secret has fewer than {SECRET_BYTES_MIN} bytes and could be guessed; `openssl rand -hex 32` makes one"),
        ));
    }
    Ok(Some(secret))
}

fn said<'a>(texts: &'a Texts, name: &str) -> Option<&'a str> {
    Some(texts[name].0.as_str()).filter(|text| !text.is_empty())
}

fn url(texts: &Texts, name: &str) -> Result<Uri, String> {
    web::url(&texts[name].0).map_err(|why| complaint(texts, name, why))
}

fn web(texts: &Texts, name: &str) -> Result<Web, String> {
    Web::new().map_err(|why| complaint(texts, name, &why))
}

/// It names the setting and never its value.
fn complaint(texts: &Texts, name: &str, why: &str) -> String {
    let place = match texts[name].1 {
        Source::Flag => format!("--{name}"),
        Source::Environment => variable(name),
        Source::File => format!("{name} in the configuration file"),
        Source::Default => name.to_owned(),
    };
    format!("{place}: {why}")
}

impl fmt::Debug for WebhookOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "asking {}", self.url.host().unwrap_or_default())
    }
}
