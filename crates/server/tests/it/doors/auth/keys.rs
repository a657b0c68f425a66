//! Keys that the app publishes: fetched when they are needed, not more often, and held while nobody publishes them.

use super::app::{Signer, set};
use super::outside::{Outside, Says};
use super::*;
use crate::doors::http;
use crate::doors::inside::until;
use crate::support::house::{House, Plan};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

async fn server(outside: &Outside) -> Inside {
    Inside::start(Store::Memory, &["--jwt-keys", &outside.url]).await
}

fn said() -> Value {
    claims("ana", json!({}))
}

#[tokio::test]
async fn keys_turn_over_without_a_restart() {
    let (old, new, rsa) = (Signer::ec("old"), Signer::ed("new"), Signer::rsa("rsa"));
    let outside = Outside::start(Says::Answer(200, set(&[&old, &rsa]))).await;
    let server = server(&outside).await;
    assert_eq!(outside.count(), 0, "nobody has shown a token yet");
    for _ in 0..3 {
        assert_eq!(hello(&server, &old.token(&said())).await.0, "ok");
        assert_eq!(hello(&server, &rsa.token(&said())).await.0, "ok");
    }
    assert_eq!(outside.count(), 1);
    outside.answers(200, set(&[&old, &new]));
    // However many name an unknown key: not again before its time.
    for _ in 0..5 {
        assert_eq!(hello(&server, &new.token(&said())).await.0, "unauthenticated");
    }
    assert_eq!(outside.count(), 1);
    server.step(30_000);
    assert_eq!(hello(&server, &new.token(&said())).await.0, "ok");
    assert_eq!(outside.count(), 2);
    // What is no longer published is no longer good.
    assert_eq!(hello(&server, &rsa.token(&said())).await.0, "unauthenticated");
    assert_eq!(hello(&server, &old.token(&said())).await.0, "ok");
}

#[tokio::test]
async fn a_key_that_is_withdrawn_is_not_good_for_long() {
    let (bad, good) = (Signer::ec("bad"), Signer::ec("good"));
    let outside = Outside::start(Says::Answer(200, set(&[&bad, &good]))).await;
    let server = server(&outside).await;
    assert_eq!(hello(&server, &bad.token(&claims("ana", json!({})))).await.0, "ok");
    outside.answers(200, set(&[&good]));
    server.step(300_000);
    // Nobody waits for it: this one is still let in while the keys are looked at.
    assert_eq!(hello(&server, &bad.token(&said())).await.0, "ok");
    until("the keys were looked at", || outside.count() == 2).await;
    let mut answers = Vec::new();
    while answers.last().is_none_or(|code| code == "ok") {
        answers.push(hello(&server, &bad.token(&said())).await.0);
    }
    assert_eq!(answers.last().unwrap(), "unauthenticated");
    assert_eq!(hello(&server, &good.token(&said())).await.0, "ok");
}

#[tokio::test]
async fn while_nobody_publishes_the_keys_that_are_held_go_on() {
    let (old, new) = (Signer::ec("old"), Signer::ec("new"));
    let outside = Outside::start(Says::Down).await;
    let server = server(&outside).await;
    // Never reached: nobody can say whether this is a good token, so come again.
    let (code, reply, _) = hello(&server, &old.token(&said())).await;
    assert_eq!((&*code, &reply["error"]["retry"]), ("unavailable", &json!(true)), "{reply}");
    outside.answers(200, set(&[&old]));
    server.step(30_000);
    assert_eq!(hello(&server, &old.token(&said())).await.0, "ok");
    let outages = [
        Says::Down,
        Says::Answer(500, String::new()),
        Says::Answer(302, set(&[&new])),
        Says::Answer(200, "<html>".to_owned()),
        Says::Answer(200, r#"{"keys":[]}"#.to_owned()),
        Says::Answer(200, json!({ "keys": [new.jwk()], "padding": "x".repeat(300_000) }).to_string()),
        Says::Raw(b"\0\x01\x02 rubbish \r\n\r\n".to_vec()),
        Says::Nothing,
    ];
    for outage in outages {
        outside.says(outage);
        server.step(30_000);
        assert_eq!(hello(&server, &new.token(&said())).await.0, "unavailable");
        assert_eq!(hello(&server, &old.token(&said())).await.0, "ok");
        // What none of its keys could have signed is wrong, whoever is down.
        assert_eq!(hello(&server, &Signer::secret(SECRET).token(&said())).await.0, "unauthenticated");
        assert_eq!(hello(&server, &Signer::ec("old").token(&said())).await.0, "unauthenticated");
    }
    outside.answers(200, set(&[&old, &new]));
    server.step(30_000);
    assert_eq!(hello(&server, &new.token(&said())).await.0, "ok");
}

#[tokio::test]
async fn a_secret_is_not_published() {
    let (shared, good) = (Signer::secret(SECRET).called("shared"), Signer::ec("good"));
    let outside = Outside::start(Says::Answer(200, set(&[&shared, &good]))).await;
    let server = server(&outside).await;
    assert_eq!(hello(&server, &good.token(&said())).await.0, "ok");
    assert_eq!(hello(&server, &shared.token(&said())).await.0, "unauthenticated");
}

#[tokio::test]
async fn many_who_come_at_once_fetch_once() {
    let signer = Signer::ed("key");
    let outside = Outside::start(Says::Answer(200, set(&[&signer]))).await;
    let server = server(&outside).await;
    let token = signer.token(&said());
    let all = (0..20).map(|_| hello(&server, &token));
    for (code, reply, _) in futures_util::future::join_all(all).await {
        assert_eq!(code, "ok", "{reply}");
    }
    assert_eq!(outside.count(), 1);
}

#[tokio::test]
async fn who_goes_while_the_keys_are_fetched_keeps_them_from_nobody() {
    let signer = Signer::ed("key");
    let outside = Outside::start(Says::Wait).await;
    let server = server(&outside).await;
    let (grpc, token) = (server.grpc().await, signer.token(&said()));
    let headers = [("authorization", &*bearer(&token)), ("grpc-timeout", "100m")];
    // A call is dropped at its deadline, and with it whatever was part of it.
    while outside.count() == 0 {
        let late = grpc.ask("Sessions/VerifyUser", &headers, json!({})).await.unwrap_err();
        // Both ends look at the deadline; whichever is first says so.
        assert!(matches!(late.code(), tonic::Code::DeadlineExceeded | tonic::Code::Cancelled), "{late:?}");
    }
    outside.answers(200, set(&[&signer]));
    // The clock stands still, so nothing is fetched again: what was under way must have come.
    assert_eq!(hello(&server, &signer.token(&said())).await.0, "ok");
    assert_eq!(outside.count(), 1);
}

/// A certificate that nobody has signed but its owner: its text, and a server that shows it.
fn certificate() -> (String, TlsAcceptor) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let ring = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(ring).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key.into()).unwrap();
    (made.cert.pem(), TlsAcceptor::from(Arc::new(config)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_safe_line_goes_only_to_whom_the_system_trusts() {
    let signer = Signer::ec("key");
    let (pem, tls) = certificate();
    let outside = Outside::start_safe(Says::Answer(200, set(&[&signer])), tls).await;
    let (trusted, other) = (tempfile::NamedTempFile::new().unwrap(), tempfile::NamedTempFile::new().unwrap());
    std::fs::write(trusted.path(), pem).unwrap();
    std::fs::write(other.path(), certificate().0).unwrap();
    for (roots, expected) in [(&trusted, "ok"), (&other, "unavailable")] {
        let flags = ["--store", "memory:", "--jwt-keys", &outside.url].map(str::to_owned).to_vec();
        // The usual way to name other roots than the system's own.
        let under = vec!["env".to_owned(), format!("SSL_CERT_FILE={}", roots.path().display())];
        let house = House::open(Plan { flags, under, ..Plan::default() });
        let headers = [("authorization", &*bearer(&signer.token(&said())))];
        let answer = http::ask(house.address(), "GET", "/v1/session", &headers, None).await;
        assert_eq!(answer.code(), expected, "{answer:?} {}", house.logs());
    }
}
