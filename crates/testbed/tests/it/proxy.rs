use crate::{bulk, ok};
use parlor_testbed::{Connection, Proxy, Redis, Reply, until};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const HASTY: Duration = Duration::from_millis(200);

fn open(addr: SocketAddr) -> Connection {
    Connection::open(addr).unwrap()
}

fn both() -> (Redis, Proxy) {
    let redis = Redis::start();
    let proxy = Proxy::before(redis.addr());
    (redis, proxy)
}

#[test]
fn an_honest_proxy_hands_everything_on() {
    let (_redis, proxy) = both();
    let long = "x".repeat(3_000_000);
    let mut connection = open(proxy.addr());
    assert_eq!(connection.ask(&["SET", "a", &long]), Ok(ok()));
    assert_eq!(connection.ask(&["GET", "a"]), Ok(bulk(&long)));
    assert_eq!(proxy.connections(), 1);
    drop(connection);
    until("no connection", || if proxy.connections() == 0 { Ok(()) } else { Err("one is left".into()) });
}

#[test]
fn a_lost_reply_is_an_error_for_a_request_that_got_through() {
    let (redis, proxy) = both();
    let mut connection = open(proxy.addr());
    assert_eq!(connection.ask(&["INCR", "n"]), Ok(Reply::Number(1)));
    proxy.lose_next_reply();
    assert!(connection.ask(&["INCR", "n"]).is_err());
    assert_eq!(redis.ask(&["GET", "n"]), bulk("2"));
    assert_eq!(proxy.lost(), 1);
    assert!(connection.ask(&["PING"]).is_err(), "the connection is closed");
    assert_eq!(open(proxy.addr()).ask(&["INCR", "n"]), Ok(Reply::Number(3)), "only one reply is lost");
}

#[test]
fn only_the_reply_to_the_named_request_is_lost() {
    let (redis, proxy) = both();
    proxy.lose_next_reply_to("incr");
    let mut connection = open(proxy.addr());
    assert_eq!(connection.ask(&["SET", "n", "7"]), Ok(ok()));
    assert!(connection.ask(&["INCR", "n"]).is_err());
    assert_eq!((redis.ask(&["GET", "n"]), proxy.lost()), (bulk("8"), 1));
}

#[test]
fn replies_vanish_while_they_are_dropped_and_never_come_late() {
    let (redis, proxy) = both();
    let mut connection = Connection::open_with(proxy.addr(), HASTY).unwrap();
    proxy.drop_replies(true);
    assert!(connection.ask(&["SET", "a", "1"]).is_err());
    assert_eq!(redis.ask(&["GET", "a"]), bulk("1"));
    assert_eq!(proxy.connections(), 1, "it is not closed yet");
    proxy.drop_replies(false);
    assert!(connection.ask(&["GET", "a"]).is_err());
    assert_eq!(open(proxy.addr()).ask(&["GET", "a"]), Ok(bulk("1")));
}

#[test]
fn a_cut_closes_old_and_new_connections_until_it_is_mended() {
    let (_redis, proxy) = both();
    let mut old = open(proxy.addr());
    assert_eq!(old.ask(&["SET", "a", "1"]), Ok(ok()));
    proxy.cut();
    assert_eq!(proxy.connections(), 0);
    assert!(old.ask(&["PING"]).is_err());
    assert!(Connection::open(proxy.addr()).and_then(|mut new| new.ask(&["PING"])).is_err());
    proxy.mend();
    assert_eq!(open(proxy.addr()).ask(&["GET", "a"]), Ok(bulk("1")));
}

#[test]
fn frost_holds_bytes_and_a_thaw_hands_them_over() {
    let (redis, proxy) = both();
    let mut hasty = Connection::open_with(proxy.addr(), HASTY).unwrap();
    assert_eq!(hasty.ask(&["SET", "n", "1"]), Ok(ok()));
    proxy.freeze();
    assert!(hasty.ask(&["INCR", "n"]).is_err());
    assert_eq!(redis.ask(&["GET", "n"]), bulk("1"), "it was held on the way to the server");
    proxy.thaw();
    until("the held request", || match redis.ask(&["GET", "n"]) {
        held if held == bulk("2") => Ok(()),
        other => Err(other.text()),
    });
}

#[test]
fn a_delay_counts_both_ways() {
    let (_redis, proxy) = both();
    let mut connection = open(proxy.addr());
    proxy.delay(Duration::from_millis(50));
    let began = Instant::now();
    assert_eq!(connection.ask(&["PING"]), Ok(Reply::Simple("PONG".into())));
    assert!(began.elapsed() >= Duration::from_millis(100), "it is never early");
}

#[test]
fn a_proxy_that_holds_bytes_can_be_dropped() {
    let (_redis, proxy) = both();
    let mut hasty = Connection::open_with(proxy.addr(), HASTY).unwrap();
    proxy.freeze();
    assert!(hasty.ask(&["PING"]).is_err());
    drop(proxy);
    assert!(hasty.ask(&["PING"]).is_err());
}
