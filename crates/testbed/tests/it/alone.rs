use crate::{bulk, ok};
use parlor_testbed::{Connection, Flavour, Redis, Reply};
use std::time::Duration;

#[test]
fn a_server_answers_every_kind_of_reply() {
    let redis = Redis::start();
    assert_eq!(redis.url(), format!("redis://127.0.0.1:{}", redis.port()));
    assert_eq!(redis.ask(&["SET", "a", "1"]), ok());
    assert_eq!(redis.ask(&["GET", "a"]), bulk("1"));
    assert_eq!(redis.ask(&["GET", "b"]), Reply::Nil);
    assert_eq!(redis.ask(&["INCR", "a"]), Reply::Number(2));
    assert_eq!(redis.ask(&["MGET", "a", "b"]), Reply::Many(vec![bulk("2"), Reply::Nil]));
    assert!(matches!(redis.ask(&["NONSENSE"]), Reply::Error(why) if why.starts_with("ERR unknown command")));
}

#[test]
fn keys_that_would_stay_for_ever_are_found() {
    let redis = Redis::start();
    redis.ask(&["SET", "ends", "1", "EX", "100"]);
    assert_eq!(redis.keys_without_deadline(), Vec::<String>::new());
    redis.ask(&["SET", "stays", "1"]);
    assert_eq!(redis.keys_without_deadline(), ["stays"]);
    redis.flush();
    assert_eq!(redis.ask(&["DBSIZE"]), Reply::Number(0));
}

#[test]
fn a_killed_server_comes_back_with_what_it_had_on_disk() {
    let redis = Redis::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let port = redis.port();
    redis.ask(&["SET", "a", "kept"]);
    redis.kill();
    assert!(!redis.is_awake());
    assert!(redis.try_ask(&["PING"]).is_err());
    redis.restart();
    assert_eq!(redis.port(), port);
    assert_eq!(redis.ask(&["GET", "a"]), bulk("kept"));
}

#[test]
fn a_paused_server_keeps_the_request_and_answers_when_resumed() {
    let redis = Redis::start();
    redis.pause();
    assert!(!redis.is_awake());
    let mut hasty = Connection::open_with(redis.addr(), Duration::from_millis(200)).unwrap();
    assert!(hasty.ask(&["INCR", "n"]).is_err());
    redis.resume();
    let mut patient = Connection::open(redis.addr()).unwrap();
    assert_eq!(patient.ask(&["PING"]), Ok(Reply::Simple("PONG".into())));
    assert_eq!(patient.ask(&["GET", "n"]), Ok(bulk("1")));
}

#[test]
fn valkey_says_that_it_is_valkey() {
    let valkey = Redis::start_as(Flavour::Valkey, &[]);
    let info = valkey.ask(&["INFO", "server"]).text();
    assert!(info.contains("server_name:valkey") && info.contains("valkey_version:9."), "{info}");
}

#[test]
fn folder_and_process_go_with_their_owner() {
    let redis = Redis::start();
    let (dir, addr) = (redis.dir().to_path_buf(), redis.addr());
    assert!(dir.exists());
    drop(redis);
    assert!(!dir.exists());
    assert!(Connection::open(addr).is_err());
}
