//! The words of sessions (document 000): the same on every door. A token is said once, in the answer to the login.

use crate::ask::{Ask, Fault, client, shallow, words};
use crate::secret::Secret;
use parlor_rules::{ClientId, Member, Millis, Name, Session, UserId};
use serde::Deserialize;
use serde_json::{Value, json};

/// Somebody wants to be known by a name.
pub struct Login {
    pub name: Name,
    /// Of the caller's earlier session, which ends with this login.
    pub token: Option<Secret>,
    pub client: Option<ClientId>,
}

/// `{"user_name":"Ana"}`
pub fn login(with: Option<&str>) -> Result<Login, Fault> {
    shallow(with)?;
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        user_name: String,
        token: Option<Secret>,
        #[serde(default, deserialize_with = "client")]
        client: Option<ClientId>,
    }
    let Words { user_name, token, client } = words(with)?;
    Ok(Login { name: user_name.parse().map_err(Fault::bad)?, token, client })
}

/// `{"user_id":"…"}`
pub fn user(with: Option<&str>) -> Result<UserId, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Words {
        user_id: String,
    }
    words::<Words>(with)?.user_id.parse().map_err(Fault::bad)
}

pub(crate) fn nothing(with: Option<&str>, ask: Ask) -> Result<Ask, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let Nothing {} = words(with)?;
    Ok(ask)
}

/// Who somebody is to others.
pub fn user_body(member: &Member) -> Value {
    json!({ "user_id": member.id.as_str(), "user_name": member.name.as_str() })
}

/// Who somebody is to themselves.
pub fn session_body(member: &Member, expires: Millis) -> Value {
    let mut body = user_body(member);
    body["expires_at"] = expires.0.into();
    body
}

/// The answer to a login, the only place a token is ever said.
pub fn login_body(session: &Session, token: &Secret) -> Value {
    let mut body = session_body(&session.member, session.expires);
    body["token"] = token.expose().into();
    body
}
