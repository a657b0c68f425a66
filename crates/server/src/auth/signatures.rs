//! The arithmetic of signatures, by the library that TLS uses here anyway: so there is one in the house, and none that
//! could also sign. Four algorithms, each for one family of keys.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::hmac;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};
use signature::Verifier;

static VERIFYING: CryptoProvider =
    CryptoProvider { signer_factory: no_signer, verifier_factory: verifier, key_utils: KeyUtils::new_unimplemented() };

/// Once in a process, before the first token is read; again is harmless.
pub(super) fn ready() {
    let _ = VERIFYING.install_default();
}

/// The proof that whoever wrote these bytes knows the secret, in hexadecimal.
/// Whether this is what `hmac_hex` says, found out in the same time wherever it differs.
#[cfg(feature = "dynamodb")]
pub(crate) fn is_hmac_hex(secret: &[u8], bytes: &[u8], hex: &str) -> bool {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let tag: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(digits).collect();
    tag.is_some_and(|tag| hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, secret), bytes, &tag).is_ok())
}

pub(crate) fn hmac_hex(secret: &[u8], bytes: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), bytes);
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.family()) {
        (Algorithm::HS256, AlgorithmFamily::Hmac)
        | (Algorithm::RS256, AlgorithmFamily::Rsa)
        | (Algorithm::ES256, AlgorithmFamily::Ec)
        | (Algorithm::EdDSA, AlgorithmFamily::Ed) => Ok(Box::new(Verifies { algorithm: *algorithm, key: key.clone() })),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Verifies {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for Verifies {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Verifies {
    fn verify(&self, message: &[u8], proof: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let verified = match (self.algorithm, self.key.kind()) {
            (Algorithm::HS256, DecodingKeyKind::SecretOrDer(secret)) => {
                hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, secret), message, proof)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, proof)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, proof)
            }
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, proof)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_message_has_the_known_proof() {
        // RFC 4231, test case 2.
        let proof = hmac_hex(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(proof, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
