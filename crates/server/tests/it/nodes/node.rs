//! One node: the real server on a store that others use too.

use crate::support::house::{House, PATIENCE};
use crate::support::player::EAGER;
use parlor_testbed::Sentinels;
use std::io::{Read, Write};
use std::net::TcpStream;

pub(super) fn node(store: &str) -> House {
    node_with(store, &[])
}

pub(super) fn node_with(store: &str, flags: &[&str]) -> House {
    House::start(&[EAGER, &["--logins-per-minute-max", "100000", "--store", store], flags].concat())
}

/// The status and the body of what is at this path.
pub(super) fn get(house: &House, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(house.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: parlor\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// The primary that died comes back, with all it had, and is made the other's replica.
pub(super) fn comes_back(servers: &Sentinels) {
    servers.replica().restart();
    // The sentinels do so too, but take their time.
    servers.replica().ask(&["REPLICAOF", "127.0.0.1", &servers.primary().port().to_string()]);
    servers.wait_for_replica();
}
