//! An app as Parlor meets it: it signs tokens with keys made for this run, and serves HTTP the way it is told to.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rsa::pkcs8::EncodePrivateKey;
use rsa::traits::PublicKeyParts;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// One key, and what is needed to sign with it and to publish it.
pub(super) struct Signer {
    pub(super) kid: Option<String>,
    key: Key,
}

enum Key {
    Secret(Vec<u8>),
    Rsa(RsaKeyPair, Value),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    pub(super) fn secret(secret: &str) -> Signer {
        Signer { kid: None, key: Key::Secret(secret.as_bytes().to_vec()) }
    }

    /// Finding two primes takes a while, so all share one.
    pub(super) fn rsa(kid: &str) -> Signer {
        static MADE: OnceLock<(Vec<u8>, Value)> = OnceLock::new();
        let (pkcs8, jwk) = MADE.get_or_init(|| made_rsa(2048));
        Signer { kid: Some(kid.to_owned()), key: Key::Rsa(RsaKeyPair::from_pkcs8(pkcs8).unwrap(), jwk.clone()) }
    }

    pub(super) fn ec(kid: &str) -> Signer {
        let dice = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &dice).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &dice).unwrap();
        Signer { kid: Some(kid.to_owned()), key: Key::Ec(pair) }
    }

    pub(super) fn ed(kid: &str) -> Signer {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Signer { kid: Some(kid.to_owned()), key: Key::Ed(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap()) }
    }

    pub(super) fn called(self, kid: &str) -> Signer {
        Signer { kid: Some(kid.to_owned()), ..self }
    }

    pub(super) fn nameless(self) -> Signer {
        Signer { kid: None, ..self }
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self.key {
            Key::Secret(_) => "HS256",
            Key::Rsa(..) => "RS256",
            Key::Ec(_) => "ES256",
            Key::Ed(_) => "EdDSA",
        }
    }

    pub(super) fn token(&self, claims: &Value) -> String {
        let mut header = json!({ "alg": self.algorithm(), "typ": "JWT" });
        if let Some(kid) = &self.kid {
            header["kid"] = kid.as_str().into();
        }
        self.token_with(&header, &claims.to_string())
    }

    /// With a header and a payload of the caller's making, well signed.
    pub(super) fn token_with(&self, header: &Value, claims: &str) -> String {
        let message = format!("{}.{}", base64(header.to_string()), base64(claims));
        let signature = self.sign(message.as_bytes());
        format!("{message}.{}", base64(signature))
    }

    /// The public half, or for a secret the whole, as a JWK.
    pub(super) fn jwk(&self) -> Value {
        let mut jwk = match &self.key {
            Key::Secret(secret) => json!({ "kty": "oct", "k": base64(secret) }),
            Key::Rsa(_, jwk) => jwk.clone(),
            Key::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": base64(x), "y": base64(y) })
            }
            Key::Ed(pair) => json!({ "kty": "OKP", "crv": "Ed25519", "x": base64(pair.public_key()) }),
        };
        if let Some(kid) = &self.kid {
            jwk["kid"] = kid.as_str().into();
        }
        jwk
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let dice = SystemRandom::new();
        match &self.key {
            Key::Secret(secret) => {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
                ring::hmac::sign(&key, message).as_ref().to_vec()
            }
            Key::Rsa(pair, _) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &dice, message, &mut signature).unwrap();
                signature
            }
            Key::Ec(pair) => pair.sign(&dice, message).unwrap().as_ref().to_vec(),
            Key::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// A new RSA key: its private half as PKCS #8, its public half as a JWK.
pub(super) fn made_rsa(bits: usize) -> (Vec<u8>, Value) {
    let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).unwrap();
    let jwk = json!({ "kty": "RSA", "n": base64(key.n().to_bytes_be()), "e": base64(key.e().to_bytes_be()) });
    (key.to_pkcs8_der().unwrap().as_bytes().to_vec(), jwk)
}

pub(super) fn set(signers: &[&Signer]) -> String {
    json!({ "keys": signers.iter().map(|signer| signer.jwk()).collect::<Vec<_>>() }).to_string()
}

pub(super) fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
