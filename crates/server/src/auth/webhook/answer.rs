//! What the app answers: `{"user_id":"ana","name":"Ana","right":"write","expires_in":300}`.

use crate::auth::pass::{info, member};
use crate::auth::patterns::Rights;
use parlor_rules::{Credential, Grant, Json, Member, Millis, Right, SecretHash, Span};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) const ANSWER_BYTES_MAX: usize = 16 * 1024;
const SECONDS_DEFAULT: f64 = 60.0;
const SECONDS_MAX: f64 = 3600.0;

/// What somebody may do in one space, as the app said.
pub struct Granted {
    pub member: Member,
    pub right: Right,
    /// Then the app is asked again.
    pub until: Millis,
    info: Option<Json>,
}

impl Granted {
    pub fn credential(&self, host: Option<SecretHash>) -> Credential {
        let grant = Grant { right: self.right, info: self.info.clone() };
        Credential { session: Some(self.member.clone()), user: None, host, grant: Some(grant) }
    }
}

/// An answer that is not understood is none: what went wrong is the app's to know, not its users'.
pub(super) fn read(answer: &[u8], now: Millis) -> Result<Granted, String> {
    #[derive(Deserialize)]
    struct Words {
        user_id: Option<Value>,
        name: Option<Value>,
        info: Option<Box<RawValue>>,
        right: Option<Rights>,
        rights: Option<Rights>,
        expires_in: Option<f64>,
    }
    let words: Words = serde_json::from_slice(answer).map_err(|_| "the answer is not the JSON that was asked for")?;
    let member = member(words.user_id.as_ref(), words.name.as_ref())?;
    let rights = words.right.or(words.rights).ok_or("the answer says no right")?;
    let right = rights.greatest().ok_or("the answer says a right that is none")?;
    let seconds = words.expires_in.unwrap_or(SECONDS_DEFAULT).clamp(0.0, SECONDS_MAX);
    let info = words.info.as_deref().map(info).transpose()?.flatten();
    Ok(Granted { member, right, until: now + Span((seconds * 1000.0) as u64), info })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str) -> Result<(String, String, Right, u64), String> {
        let granted = read(answer.as_bytes(), Millis(1000))?;
        let Member { id, name } = granted.member;
        Ok((id.to_string(), name.to_string(), granted.right, granted.until.0 - 1000))
    }

    #[test]
    fn an_answer_is_read_with_its_defaults() {
        let said = |id: &str, name: &str, right, millis| Ok((id.to_owned(), name.to_owned(), right, millis));
        assert_eq!(check(r#"{"user_id":"ana","right":"read"}"#), said("ana", "ana", Right::Read, 60_000));
        let long = r#"{"user_id":"ana","name":"Ana","rights":["read","admin"],"expires_in":1e9,"more":{}}"#;
        assert_eq!(check(long), said("ana", "Ana", Right::Admin, 3_600_000));
        assert_eq!(check(r#"{"user_id":"ana","rights":[],"expires_in":-5}"#), said("ana", "ana", Right::None, 0));
    }

    #[test]
    fn what_is_not_understood_is_no_answer() {
        for wrong in [
            "",
            "ok",
            "[]",
            "{}",
            r#"{"user_id":"ana"}"#,
            r#"{"right":"read"}"#,
            r#"{"user_id":7,"right":"read"}"#,
            r#"{"user_id":"a b","right":"read"}"#,
            r#"{"user_id":"ana","right":"own"}"#,
            r#"{"user_id":"ana","right":"read","name":" "}"#,
            r#"{"user_id":"ana","right":"read","expires_in":"soon"}"#,
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
