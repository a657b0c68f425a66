//! Tokens that the app signs: which open the door, on every door alike, and which do not.

use super::app::{Signer, base64, made_rsa, set};
use super::*;
use crate::doors::sessions::is_sent_away;
use std::io::Write;
use tempfile::NamedTempFile;

/// A file with these keys.
fn file(set: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(set.as_bytes()).unwrap();
    file
}

async fn with_keys(signers: &[&Signer], flags: &[&str]) -> Inside {
    let keys = file(&set(signers));
    Inside::start(Store::Memory, &[&["--jwt-keys", keys.path().to_str().unwrap()], flags].concat()).await
}

/// Refused by every door, and the sentence that says why.
async fn refused(server: &Inside, token: &str) -> String {
    let (code, reply, _) = hello(server, token).await;
    assert_eq!(code, "unauthenticated", "{token} {reply}");
    for path in ["/v1/session", "/v1/rooms/space/some"] {
        let answer = server.ask("GET", path, &[("authorization", &bearer(token))], None).await;
        assert_eq!(answer.code(), "unauthenticated", "{path} {token} {answer:?}");
    }
    let asked = server.grpc().await.ask("Sessions/VerifyUser", &[("authorization", &bearer(token))], json!({})).await;
    assert_eq!(asked.unwrap_err().code(), tonic::Code::Unauthenticated, "{token}");
    assert!(!reply.to_string().contains(token), "{reply}");
    reply["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_algorithm_opens_every_door() {
    let shared = Signer::secret("a secret of the file that is long enough").called("shared");
    let signers = [Signer::rsa("rsa"), Signer::ec("ec"), Signer::ed("ed"), shared];
    let server = with_keys(&signers.each_ref(), &[]).await;
    for signer in signers {
        let mut claims = claims("ana-1", json!({}));
        claims["name"] = "Ana Álvarez".into();
        let nameless = signer.token_with(&json!({ "alg": signer.algorithm() }), &claims.to_string());
        for token in [signer.token(&claims), nameless] {
            let expected = json!({ "user_id": "ana-1", "user_name": "Ana Álvarez", "expires_at": (NOW + 3600) * 1000 });
            let (_, mut reply, mut socket) = hello(&server, &token).await;
            assert_eq!(reply["ok"]["protocol"].take(), 1, "{} {reply}", signer.algorithm());
            reply["ok"].as_object_mut().unwrap().remove("protocol");
            assert_eq!(reply["ok"], expected);
            assert_eq!(socket.ask("verify", None, None, None).await["ok"], expected);
            let headers = [("authorization", &*bearer(&token))];
            assert_eq!(server.ask("GET", "/v1/session", &headers, None).await.json(), expected);
            let asked = server.grpc().await.ask("Sessions/VerifyUser", &headers, json!({})).await.unwrap();
            assert_eq!((&asked["user_id"], &asked["user_name"]), (&expected["user_id"], &expected["user_name"]));
        }
    }
}

#[tokio::test]
async fn who_has_no_name_is_called_by_their_id() {
    let server = guarded(Store::Memory, &[]).await;
    let long = "x".repeat(64);
    for (sub, name) in [("ana", "ana"), (&*long, &long[..40])] {
        let (_, reply, _) = hello(&server, &token(sub, json!({}))).await;
        assert_eq!((reply["ok"]["user_id"].as_str(), reply["ok"]["user_name"].as_str()), (Some(sub), Some(name)), "{reply}");
    }
}

#[tokio::test]
async fn no_algorithm_but_the_keys_own_is_believed() {
    let (rsa, ec, ed) = (Signer::rsa("rsa"), Signer::ec("ec"), Signer::ed("ed"));
    let server = with_keys(&[&rsa, &ec, &ed], &[]).await;
    let said = claims("mallory", json!({ "*": "admin" }));
    let mut forged = Vec::new();
    // No signature at all, in every spelling.
    for alg in ["none", "None", "NONE", "nOnE", ""] {
        let header = base64(json!({ "alg": alg, "typ": "JWT" }).to_string());
        forged.extend([".", ".AAAA", ""].map(|end| format!("{header}.{}{end}", base64(said.to_string()))));
    }
    // A public key as if it were a secret: every form in which somebody could have it.
    for (signer, kid) in [(&rsa, "rsa"), (&ec, "ec"), (&ed, "ed")] {
        let jwk = signer.jwk();
        let field = |name: &str| jwk[name].as_str().unwrap_or_default().to_owned();
        for secret in [jwk.to_string(), set(&[signer]), field("n"), field("x")] {
            let confused = Signer::secret(&secret);
            forged.push(confused.token(&said));
            forged.push(confused.token_with(&json!({ "alg": "HS256", "kid": kid }), &said.to_string()));
            // And with the algorithm's right name over a proof of the wrong kind.
            forged.push(confused.token_with(&json!({ "alg": signer.algorithm(), "kid": kid }), &said.to_string()));
        }
        for alg in ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA", "HS256", "HS384", "HS512"] {
            if alg != signer.algorithm() {
                forged.push(signer.token_with(&json!({ "alg": alg, "kid": kid }), &said.to_string()));
            }
        }
        // A key that comes with the token, or is to be fetched from where the token says.
        let own = Signer::ec("own");
        let header =
            json!({ "alg": "ES256", "kid": kid, "jwk": own.jwk(), "jku": "http://127.0.0.1:1/", "x5u": "http://127.0.0.1:1/" });
        forged.push(own.token_with(&header, &said.to_string()));
        // Something critical that nobody here understands.
        let header = json!({ "alg": signer.algorithm(), "kid": kid, "crit": ["b64"], "b64": false });
        forged.push(signer.token_with(&header, &said.to_string()));
        // The signature of other words.
        let good = signer.token(&claims("ana", json!({})));
        let (head, proof) = (good.split('.').next().unwrap(), good.split('.').nth(2).unwrap());
        forged.push(format!("{head}.{}.{proof}", base64(said.to_string())));
        forged.push(format!("{head}.{}.{}", good.split('.').nth(1).unwrap(), base64([0; 64])));
        forged.push(format!("{good}A"));
        forged.push(good[..good.len() - 4].to_owned());
        forged.push(format!("{good}.{proof}"));
    }
    for token in &forged {
        assert_eq!(refused(&server, token).await, "this token is not signed with a key that is known here", "{token}");
    }
}

#[tokio::test]
async fn a_token_is_good_from_its_beginning_to_its_end_by_the_houses_clock() {
    let server = guarded(Store::Memory, &[]).await;
    let signer = Signer::secret(SECRET);
    let check = |more: Value| {
        let mut all = json!({ "sub": "ana", "exp": NOW + 3600 });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        signer.token_with(&json!({ "alg": "HS256" }), &all.to_string())
    };
    for good in [
        json!({}),
        json!({ "exp": NOW - 9 }),
        json!({ "exp": NOW as f64 + 0.5 }),
        json!({ "exp": 1e300 }),
        json!({ "nbf": NOW }),
        json!({ "nbf": NOW + 10 }),
        json!({ "iss": "anybody", "aud": ["anything"], "iat": NOW + 99_999, "jti": "1", "scope": {} }),
    ] {
        assert_eq!(hello(&server, &check(good.clone())).await.0, "ok", "{good}");
    }
    for (wrong, why) in [
        (json!({ "exp": NOW - 10 }), "expired"),
        (json!({ "exp": NOW - 99_999 }), "expired"),
        (json!({ "exp": 0 }), "expired"),
        (json!({ "exp": -5 }), "expired"),
        (json!({ "exp": null }), "no end"),
        (json!({ "exp": format!("{}", NOW + 3600) }), "not a number"),
        (json!({ "nbf": NOW + 11 }), "not valid yet"),
        (json!({ "nbf": "tomorrow" }), "not a number"),
    ] {
        let said = refused(&server, &check(wrong.clone())).await;
        assert!(said.contains(why), "{wrong}: {said}");
    }
    let unending = signer.token_with(&json!({ "alg": "HS256" }), r#"{"sub":"ana"}"#);
    assert!(refused(&server, &unending).await.contains("no end"));
}

#[tokio::test]
async fn issuer_and_audience_are_checked_where_they_are_set() {
    let server = guarded(Store::Memory, &["--jwt-issuer", "https://app.example", "--jwt-audience", "parlor"]).await;
    let check = |more: Value| {
        let mut all = claims("ana", json!({}));
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Signer::secret(SECRET).token(&all)
    };
    for good in [
        json!({ "iss": "https://app.example", "aud": "parlor" }),
        json!({ "iss": "https://app.example", "aud": ["other", "parlor"] }),
    ] {
        assert_eq!(hello(&server, &check(good.clone())).await.0, "ok", "{good}");
    }
    for (wrong, why) in [
        (json!({}), "issuer"),
        (json!({ "aud": "parlor" }), "issuer"),
        (json!({ "iss": "https://app.example/", "aud": "parlor" }), "issuer"),
        (json!({ "iss": ["https://app.example"], "aud": "parlor" }), "issuer"),
        (json!({ "iss": "https://app.example" }), "audience"),
        (json!({ "iss": "https://app.example", "aud": "parlour" }), "audience"),
        (json!({ "iss": "https://app.example", "aud": [] }), "audience"),
        (json!({ "iss": "https://app.example", "aud": { "parlor": 1 } }), "audience"),
    ] {
        let said = refused(&server, &check(wrong.clone())).await;
        assert!(said.contains(why), "{wrong}: {said}");
    }
}

#[tokio::test]
async fn a_token_that_says_no_one_is_refused_with_a_reason() {
    let server = guarded(Store::Memory, &[]).await;
    for (wrong, why) in [
        (json!({ "sub": null }), "user id is missing"),
        (json!({ "sub": 7 }), "user id is missing"),
        (json!({ "sub": "" }), "1 to 64 letters"),
        (json!({ "sub": "a/b" }), "1 to 64 letters"),
        (json!({ "sub": "ana@app.example" }), "1 to 64 letters"),
        (json!({ "sub": "x".repeat(65) }), "1 to 64 letters"),
        (json!({ "name": " " }), "visible"),
        (json!({ "name": "x".repeat(41) }), "at most 40"),
        (json!({ "name": ["Ana"] }), "no text"),
        (json!({ "name": "An\u{202e}a" }), "invisible"),
        (json!({ "info": "x".repeat(1023) }), "info"),
        (json!({ "spaces": "*" }), "spaces"),
        (json!({ "spaces": { "a*b": "read" } }), "a pattern is"),
        (json!({ "spaces": { "*": "root" } }), "a right is"),
        (json!({ "spaces": { "*": ["read", 1] } }), "spaces"),
    ] {
        let mut all = claims("ana", json!({}));
        all.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let said = refused(&server, &Signer::secret(SECRET).token(&all)).await;
        assert!(said.contains(why), "{wrong}: {said}");
    }
    let twice = format!(r#"{{"sub":"ana","sub":"root","exp":{}}}"#, NOW + 60);
    refused(&server, &Signer::secret(SECRET).token_with(&json!({ "alg": "HS256" }), &twice)).await;
    let endless = format!("a.b.{}", "c".repeat(20_000));
    assert_eq!(hello(&server, &endless).await.1["error"]["message"], "this token is too long");
}

#[tokio::test]
async fn a_name_of_a_key_picks_the_key() {
    let (first, second) = (Signer::ec("first"), Signer::ec("second"));
    let server = with_keys(&[&first, &second], &[]).await;
    let said = claims("ana", json!({}));
    assert_eq!(hello(&server, &first.token(&said)).await.0, "ok");
    for kid in ["second", "third", ""] {
        let header = json!({ "alg": "ES256", "kid": kid });
        refused(&server, &first.token_with(&header, &said.to_string())).await;
    }
    // Where a token names none, each is tried.
    assert_eq!(hello(&server, &second.nameless().token(&said)).await.0, "ok");
}

#[tokio::test]
async fn keys_that_are_too_weak_or_for_something_else_are_not_taken() {
    let good = Signer::ed("good");
    let ec = Signer::ec("ec");
    let with = |more: Value| {
        let mut jwk = ec.jwk();
        jwk.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        jwk
    };
    let mut weak = made_rsa(1024).1;
    weak["kid"] = "weak".into();
    let keys = [
        good.jwk(),
        weak,
        with(json!({ "use": "enc" })),
        with(json!({ "alg": "ES384" })),
        with(json!({ "alg": "ECDH-ES" })),
        with(json!({ "key_ops": ["sign"] })),
        with(json!({ "crv": "P-384" })),
        with(json!({ "x": "AAAA" })),
        with(json!({ "kty": "XX" })),
        json!({ "kty": "oct", "kid": "short", "k": base64("a short secret") }),
        json!("rubbish"),
    ];
    let keys = file(&json!({ "keys": keys }).to_string());
    let server = Inside::start(Store::Memory, &["--jwt-keys", keys.path().to_str().unwrap()]).await;
    let said = claims("ana", json!({}));
    assert_eq!(hello(&server, &good.token(&said)).await.0, "ok");
    refused(&server, &ec.token(&said)).await;
    refused(&server, &Signer::secret("a short secret").called("short").token(&said)).await;
}

#[tokio::test]
async fn x05_the_end_of_a_token_closes_its_sockets_and_no_others() {
    for store in [Store::Memory, Store::Embedded] {
        let server = guarded(store, &[]).await;
        let (room, _) = space(&server, json!({})).await;
        let mut short = claims("ana", json!({ "*": "read" }));
        short["exp"] = (NOW + 60).into();
        let short = Signer::secret(SECRET).token(&short);
        let mut ana = visitor(&server, &short).await;
        let mut idle = visitor(&server, &short).await;
        let mut bo = visitor(&server, &token("bo", json!({ "*": "read" }))).await;
        for socket in [&mut ana, &mut bo] {
            assert_eq!(code(&socket.ask("enter", Some(&room), None, None).await), "ok");
        }
        assert_eq!(server.doors.visits.count(), 3);
        server.step(69_999);
        assert_eq!(code(&ana.ask("look", Some(&room), None, None).await), "ok");
        server.step(1);
        is_sent_away(&mut ana).await;
        is_sent_away(&mut idle).await;
        assert_eq!(code(&bo.ask("look", Some(&room), None, None).await), "ok");
        assert_eq!(server.doors.visits.count(), 1);
        assert!(refused(&server, &short).await.contains("expired"));
        drop(bo);
        crate::doors::inside::until("the last visit is over", || server.doors.visits.count() == 0).await;
    }
}

#[tokio::test]
async fn x05_a_stream_ends_with_its_token() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = server.room("stream").await;
    let ana = Signer::secret(SECRET).token(&json!({ "sub": "ana", "exp": NOW + 60 }));
    let grpc = server.grpc().await;
    let room_id = room.strip_prefix("poker/").unwrap();
    let mut heard =
        grpc.hear("Poker/Subscribe", &[("authorization", &bearer(&ana))], json!({ "room_id": room_id })).await.unwrap();
    server.step(70_000);
    let last = loop {
        if let Err(last) = heard.next().await {
            break last;
        }
    };
    assert_eq!(last.code(), tonic::Code::Unauthenticated, "{last:?}");
}

#[tokio::test]
async fn somebody_with_a_token_plays_poker_under_the_name_it_says() {
    let server = guarded(Store::Memory, &[]).await;
    let (room, _) = server.room("poker").await;
    let mut said = claims("ana-1", json!({}));
    said["name"] = "Ana".into();
    let token = Signer::secret(SECRET).token(&said);
    let mut ana = visitor(&server, &token).await;
    for (verb, with) in [("enter", json!({})), ("join", json!({})), ("vote", json!({ "card": "5" }))] {
        assert_eq!(code(&ana.ask(verb, Some(&room), None, Some(with)).await), "ok", "{verb}");
    }
    let seen = server.ask("GET", &format!("/v1/rooms/{room}"), &[("authorization", &bearer(&token))], None).await.json();
    assert_eq!((&seen["me"]["user_id"], &seen["me"]["vote"]), (&json!("ana-1"), &json!("5")), "{seen}");
    assert_eq!(seen["view"]["users"][0]["user_name"], "Ana", "{seen}");
}
