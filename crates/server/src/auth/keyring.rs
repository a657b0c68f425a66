//! The keys that tokens are signed with. Each has exactly one algorithm, which its own form decides and no token: a public
//! key never serves as a secret, and a token that names no algorithm of ours is opened by no key.

use super::pass::Claims;
use super::signatures;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, Header, Validation, decode, decode_header};
use serde::Deserialize;
use std::fmt;

/// A secret that is shorter could be guessed from one token.
pub(super) const SECRET_BYTES_MIN: usize = 32;
const RSA_BYTES_MIN: usize = 2048 / 8;
const RSA_BYTES_MAX: usize = 8192 / 8;
/// Keys beyond these are not looked at.
const KEYS_MAX: usize = 32;

#[derive(Default)]
pub struct Keyring(Vec<Key>);

struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    opens: DecodingKey,
}

/// Where a set of keys comes from decides whether it may hold secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    File,
    Url,
}

/// A token that has the form of a signed one; nothing in it is believed yet.
pub(super) struct Signed<'a> {
    token: &'a str,
    header: Header,
}

impl Signed<'_> {
    pub(super) fn read(token: &str) -> Option<Signed<'_>> {
        signatures::ready();
        let header = decode_header(token).ok()?;
        // Something that must be understood and is not (RFC 7515, 4.1.11).
        header.crit.is_none().then_some(Signed { token, header })
    }

    /// Whether a key of this kind may come from a URL.
    pub(super) fn could_be_published(&self) -> bool {
        matches!(self.header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA)
    }
}

impl Keyring {
    pub(super) fn add_secret(&mut self, secret: &[u8]) {
        self.0.push(Key { id: None, algorithm: Algorithm::HS256, opens: DecodingKey::from_secret(secret) });
    }

    /// The keys of a JWK Set (RFC 7517) that are for us. Others are passed over, as the RFC wants; a set in which there
    /// is none is no set of ours.
    pub(super) fn add_set(&mut self, text: &[u8], origin: Origin) -> Result<(), &'static str> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<serde_json::Value>,
        }
        let set: Set = serde_json::from_slice(text).map_err(|_| "it is not a JWK Set: {\"keys\":[…]}")?;
        let before = self.0.len();
        for jwk in set.keys.into_iter().take(KEYS_MAX) {
            self.0.extend(serde_json::from_value(jwk).ok().and_then(|jwk| key(&jwk, origin)));
        }
        if self.0.len() > before { Ok(()) } else { Err(NO_KEY) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a key of this token's name and algorithm.
    pub(super) fn names(&self, signed: &Signed<'_>) -> bool {
        signed.header.kid.is_some() && self.suited(signed).any(|key| key.id == signed.header.kid)
    }

    /// What the token claims, if one of these keys signed it.
    pub(super) fn open(&self, signed: &Signed<'_>) -> Option<Claims> {
        let named = self.names(signed);
        let candidates = self.suited(signed).filter(|key| if named { key.id == signed.header.kid } else { true });
        candidates.filter_map(|key| key.open(signed.token)).next()
    }

    /// Keys of the right algorithm: of the token's name or of none.
    fn suited<'a>(&'a self, signed: &'a Signed<'_>) -> impl Iterator<Item = &'a Key> {
        self.0.iter().filter(|key| {
            let (id, named) = (&key.id, &signed.header.kid);
            key.algorithm == signed.header.alg && (id.is_none() || named.is_none() || id == named)
        })
    }
}

impl Key {
    /// Only the signature is looked at here; times go by the house's own clock.
    fn open(&self, token: &str) -> Option<Claims> {
        let mut only = Validation::new(self.algorithm);
        only.required_spec_claims.clear();
        (only.validate_exp, only.validate_nbf, only.validate_aud) = (false, false, false);
        decode::<Claims>(token, &self.opens, &only).ok().map(|opened| opened.claims)
    }
}

const NO_KEY: &str = "there is no key in it that can be used: RSA of 2048 bits or more for RS256, P-256 for ES256, Ed25519 for EdDSA, and in a file also a secret of 32 bytes or more for HS256";

fn key(jwk: &Jwk, origin: Origin) -> Option<Key> {
    let common = &jwk.common;
    let signs = common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
    let verifies = common.key_operations.as_ref().is_none_or(|list| list.contains(&KeyOperations::Verify));
    let algorithm = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => Algorithm::RS256,
        AlgorithmParameters::EllipticCurve(ec) if ec.curve == EllipticCurve::P256 => Algorithm::ES256,
        AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => Algorithm::EdDSA,
        AlgorithmParameters::OctetKey(_) if origin == Origin::File => Algorithm::HS256,
        _ => return None,
    };
    let meant = common.key_algorithm.is_none_or(|meant| meant == KeyAlgorithm::from(algorithm));
    let opens = DecodingKey::from_jwk(jwk).ok()?;
    let whole = match (algorithm, opens.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, .. }) => {
            let bytes = n.iter().skip_while(|byte| **byte == 0).count();
            (RSA_BYTES_MIN..=RSA_BYTES_MAX).contains(&bytes)
        }
        (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => point.len() == 65,
        (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => point.len() == 32,
        (Algorithm::HS256, DecodingKeyKind::SecretOrDer(secret)) => secret.len() >= SECRET_BYTES_MIN,
        _ => false,
    };
    (signs && verifies && meant && whole).then(|| Key { id: common.key_id.clone(), algorithm, opens })
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys", self.0.len())
    }
}
