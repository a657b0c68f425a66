//! What a signed token says of its holder: who they are, until when, and what they may do in which space.

use super::patterns::Spaces;
use parlor_rules::ids::NotAnId;
use parlor_rules::json::NotJson;
use parlor_rules::names::{NAME_CHARS_MAX, NotAName};
use parlor_rules::{Address, Credential, Grant, Json, Kind, Member, Millis, Name, Right, SecretHash, Span, UserId};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// How far the app's clock may be from ours.
pub(super) const LEEWAY: Span = Span::seconds(10);

pub(super) const INFO_BYTES_MAX: usize = 1024;

/// Somebody whose token was verified.
pub struct Pass {
    pub member: Member,
    /// As the token says it.
    pub expires: Millis,
    info: Option<Json>,
    spaces: Spaces,
}

impl Pass {
    /// When its holder is sent away.
    pub fn ends(&self) -> Millis {
        self.expires + LEEWAY
    }

    pub fn is_over(&self, now: Millis) -> bool {
        now >= self.ends()
    }

    /// Whether its holder may make spaces: nobody else could say yet what they may do there.
    pub fn may_make_spaces(&self) -> bool {
        self.spaces.right_everywhere() == Right::Admin
    }

    pub fn credential(&self, room: &Address, host: Option<SecretHash>) -> Credential {
        let grant = (room.kind == Kind::Space).then(|| Grant { right: self.spaces.right_in(&room.id), info: self.info.clone() });
        Credential { session: Some(self.member.clone()), user: None, host, grant }
    }
}

/// The words of a token, as far as they concern us; what else stands there is the app's.
#[derive(Deserialize)]
pub(super) struct Claims {
    sub: Option<Value>,
    exp: Option<Value>,
    nbf: Option<Value>,
    iss: Option<Value>,
    aud: Option<Value>,
    name: Option<Value>,
    info: Option<Box<RawValue>>,
    spaces: Option<Box<RawValue>>,
}

/// What the operator wants to be said in every token.
pub(super) struct Checks {
    pub(super) issuer: Option<String>,
    pub(super) audience: Option<String>,
}

impl Checks {
    /// The signature has been verified; why it is refused may be told, because whoever holds it could read it anyway.
    pub(super) fn pass(&self, claims: &Claims, now: Millis) -> Result<Pass, String> {
        let expires = match &claims.exp {
            None => return Err("this token has no end: it needs the claim exp".to_owned()),
            Some(exp) => moment(exp).ok_or("the claim exp of this token is not a number of seconds")?,
        };
        if now >= expires + LEEWAY {
            return Err("this token has expired; get a new one".to_owned());
        }
        if let Some(nbf) = &claims.nbf {
            let begins = moment(nbf).ok_or("the claim nbf of this token is not a number of seconds")?;
            if begins > now + LEEWAY {
                return Err("this token is not valid yet".to_owned());
            }
        }
        if self.issuer.as_deref().is_some_and(|wanted| claims.iss.as_ref().and_then(Value::as_str) != Some(wanted)) {
            return Err("this token is from another issuer".to_owned());
        }
        if self.audience.as_deref().is_some_and(|wanted| !is_for(claims.aud.as_ref(), wanted)) {
            return Err("this token is for another audience".to_owned());
        }
        let member = member(claims.sub.as_ref(), claims.name.as_ref()).map_err(|why| format!("this token says no one: {why}"))?;
        let info = claims.info.as_deref().map(info).transpose().map_err(|why| format!("the claim info of this token: {why}"))?;
        let spaces = claims.spaces.as_deref().map_or_else(|| Ok(Spaces::default()), |raw| serde_json::from_str(raw.get()));
        let spaces = spaces.map_err(|error| format!("the claim spaces of this token: {}", said(&error)))?;
        Ok(Pass { member, expires, info: info.flatten(), spaces })
    }
}

/// Who somebody is: an id, and a name to be called by, which is the id where there is none.
pub(super) fn member(id: Option<&Value>, name: Option<&Value>) -> Result<Member, String> {
    let id = id.and_then(Value::as_str).ok_or("the user id is missing, or no text")?;
    let parsed: UserId = id.parse().map_err(|error: NotAnId| error.to_string())?;
    let name: Name = match name {
        None | Some(Value::Null) => id.chars().take(NAME_CHARS_MAX).collect::<String>().parse(),
        Some(Value::String(name)) => name.parse(),
        Some(_) => return Err("the name is no text".to_owned()),
    }
    .map_err(|error: NotAName| error.to_string())?;
    Ok(Member { id: parsed, name })
}

/// What is said of somebody to others.
pub(super) fn info(raw: &RawValue) -> Result<Option<Json>, String> {
    if raw.get() == "null" {
        return Ok(None);
    }
    let info = Json::read(raw.get(), INFO_BYTES_MAX).map_err(|error| match error {
        NotJson::TooLarge => format!("it has more than {INFO_BYTES_MAX} bytes"),
        other => other.to_string(),
    })?;
    Ok(Some(info))
}

/// Seconds since 1970, which may have a fraction (RFC 7519, 2).
fn moment(seconds: &Value) -> Option<Millis> {
    let seconds = seconds.as_f64().filter(|seconds| seconds.is_finite())?;
    // Beyond these it is as good as never, and adding to it must not overflow.
    Some(Millis((seconds.clamp(0.0, 1e12) * 1000.0) as u64))
}

fn is_for(audience: Option<&Value>, wanted: &str) -> bool {
    match audience {
        Some(Value::String(one)) => one == wanted,
        Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
        _ => false,
    }
}

/// Without the place in the text, which is nobody's business.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
