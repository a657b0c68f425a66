use crate::{bulk, ok};
use parlor_testbed::{Cluster, Connection, Flavour, Reply};

#[test]
fn a_cluster_answers_for_every_slot_and_survives_a_primary() {
    let cluster = Cluster::start();
    assert_eq!(cluster.url().matches("127.0.0.1:").count(), 6);
    let keys = ["a", "b", "c", "room:{one}:x", "room:{two}:x"];
    for key in keys {
        assert_eq!(cluster.ask_at(key, &["SET", key, "1", "EX", "100"]), ok());
    }
    let homes: std::collections::BTreeSet<u16> = keys.iter().map(|key| cluster.primary_of(key).port()).collect();
    assert_eq!(homes.len(), 3, "the keys lie on all primaries");
    assert_eq!(cluster.keys_without_deadline(), Vec::<String>::new());
    assert_eq!(cluster.ask_at("b", &["PERSIST", "b"]), Reply::Number(1));
    assert_eq!(cluster.keys_without_deadline(), ["b"]);

    let mut connection = Connection::open(cluster.primary_of("a").addr()).unwrap();
    assert_eq!(connection.ask(&["SET", "a", "2"]), Ok(ok()));
    assert_eq!(connection.ask(&["WAIT", "1", "5000"]), Ok(Reply::Number(1)));
    assert_eq!(cluster.replicas_of("a").len(), 1);
    let old = cluster.kill_primary_of("a");
    cluster.wait_until_ok();
    assert_ne!(cluster.primary_of("a").port(), old.port());
    assert_eq!(cluster.ask_at("a", &["GET", "a"]), bulk("2"));

    old.restart();
    cluster.wait_until_ok();
    cluster.flush();
    for key in keys {
        assert_eq!(cluster.ask_at(key, &["EXISTS", key]), Reply::Number(0));
    }
}

#[test]
fn valkey_makes_a_cluster_too() {
    let cluster = Cluster::start_as(Flavour::Valkey, &[]);
    assert_eq!(cluster.ask_at("a", &["SET", "a", "1"]), ok());
    assert!(cluster.ask_at("a", &["INFO", "server"]).text().contains("server_name:valkey"));
}
