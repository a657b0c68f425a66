use crate::{bulk, ok};
use parlor_testbed::{Connection, Flavour, Reply, Sentinels};

#[test]
fn what_was_replicated_is_on_the_new_primary_and_what_was_not_is_lost() {
    let all = Sentinels::start();
    let url = all.url();
    assert!(url.starts_with("redis-sentinel://127.0.0.1:") && url.ends_with("/parlor"), "{url}");
    assert_eq!(url.matches(':').count(), 4, "{url}");

    let (first, second) = (all.primary().port(), all.replica().port());
    let mut connection = Connection::open(all.primary().addr()).unwrap();
    assert_eq!(connection.ask(&["SET", "kept", "1"]), Ok(ok()));
    assert_eq!(connection.ask(&["WAIT", "1", "5000"]), Ok(Reply::Number(1)));
    all.stop_replication();
    assert_eq!(connection.ask(&["SET", "lost", "1"]), Ok(ok()));
    all.kill_primary();
    all.replica().resume();

    let next = all.wait_for_failover();
    assert_eq!((next.port(), all.replica().port()), (second, first));
    assert_eq!(next.ask(&["GET", "kept"]), bulk("1"));
    assert_eq!(next.ask(&["GET", "lost"]), Reply::Nil);

    all.replica().restart();
    let replica = all.wait_for_replica();
    assert_eq!(replica.port(), first);
    assert_eq!(replica.ask(&["GET", "kept"]), bulk("1"));
}

#[test]
fn sentinels_watch_over_valkey_too() {
    let all = Sentinels::start_as(Flavour::Valkey, &["--appendonly", "yes"]);
    assert_eq!(all.primary().ask(&["SET", "a", "1"]), ok());
    assert!(all.replica().ask(&["INFO", "server"]).text().contains("server_name:valkey"));
}
