//! A cluster of three primaries with a replica each, put together by hand in a few seconds.
//!
//! Which node is primary for a key is asked of the nodes each time, because elections change it; nothing is remembered here.

use crate::redis::field_of;
use crate::resp::Reply;
use crate::wait::until;
use crate::{Flavour, Redis, ports};
use std::thread;

const PRIMARIES: usize = 3;
const NODES: usize = 2 * PRIMARIES;
const SLOTS: usize = 16_384;

pub struct Cluster {
    nodes: Vec<Redis>,
}

impl Cluster {
    /// Six nodes, when each says that all is well and each replica is in sync.
    pub fn start() -> Cluster {
        Cluster::start_with(&[])
    }

    /// The same with arguments for all nodes, such as `["--appendonly", "yes"]`.
    pub fn start_with(args: &[&str]) -> Cluster {
        Cluster::start_as(Flavour::Redis, args)
    }

    /// The same of another flavour.
    pub fn start_as(flavour: Flavour, args: &[&str]) -> Cluster {
        let nodes = thread::scope(|scope| {
            let started: Vec<_> = (0..NODES).map(|_| scope.spawn(|| node(flavour, args))).collect();
            started.into_iter().map(|one| one.join().expect("a node starts")).collect()
        });
        let cluster = Cluster { nodes };
        cluster.join();
        until("a cluster that is whole", || {
            cluster.well()?;
            cluster.nodes.iter().try_for_each(knows_all)
        });
        cluster
    }

    pub fn url(&self) -> String {
        let addresses: Vec<String> = self.nodes.iter().map(|node| node.addr().to_string()).collect();
        format!("redis-cluster://{}", addresses.join(","))
    }

    /// All nodes; the first three were primaries at the start.
    pub fn nodes(&self) -> &[Redis] {
        &self.nodes
    }

    /// The awake node that is primary for this key, after an election if one is needed.
    pub fn primary_of(&self, key: &str) -> &Redis {
        until("a primary", || {
            let slot = self.slot(key)?;
            // An old primary that has just come back may not know yet that it is none; the later epoch is right.
            let claims = self.awake().filter_map(|node| Claim::of(node).ok().map(|claim| (claim, node)));
            let mine = claims.filter(|(claim, _)| claim.slots.iter().any(|(first, last)| (*first..=*last).contains(&slot)));
            mine.max_by_key(|(claim, _)| claim.epoch).map(|(_, node)| node).ok_or_else(|| format!("nobody has slot {slot}"))
        })
    }

    /// The awake nodes that are replicas of the primary of this key.
    pub fn replicas_of(&self, key: &str) -> Vec<&Redis> {
        let primary = self.primary_of(key).port().to_string();
        self.awake().filter(|node| node.info("replication", "master_port").is_ok_and(|port| port == primary)).collect()
    }

    /// SIGKILL for the primary of this key, which is returned so that it can be restarted.
    pub fn kill_primary_of(&self, key: &str) -> &Redis {
        let primary = self.primary_of(key);
        primary.kill();
        primary
    }

    /// Waits until all awake nodes agree that every slot has an awake primary, and all awake replicas are in sync.
    pub fn wait_until_ok(&self) {
        until("a cluster that is well", || self.well());
    }

    /// Deletes all keys of all primaries.
    pub fn flush(&self) {
        self.primaries().for_each(Redis::flush);
    }

    /// The keys that would stay for ever, on all primaries.
    pub fn keys_without_deadline(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.primaries().flat_map(Redis::keys_without_deadline).collect();
        keys.sort();
        keys
    }

    /// One command at the primary of this key.
    #[track_caller]
    pub fn ask_at(&self, key: &str, words: &[&str]) -> Reply {
        self.primary_of(key).ask(words)
    }

    fn awake(&self) -> impl Iterator<Item = &Redis> {
        self.nodes.iter().filter(|node| node.is_awake())
    }

    fn primaries(&self) -> impl Iterator<Item = &Redis> {
        self.awake().filter(|node| node.role().is_ok_and(|role| role == "master"))
    }

    fn slot(&self, key: &str) -> Result<usize, String> {
        let node = self.awake().next().ok_or("no node is awake")?;
        node.try_ask(&["CLUSTER", "KEYSLOT", key])?.text().parse().map_err(|_| "a slot is a number".into())
    }

    /// Gives slots to the first three, makes all acquainted, and the rest replicas.
    fn join(&self) {
        let done = |node: &Redis, words: &[&str]| assert_eq!(node.ask(words), Reply::Simple("OK".into()), "{words:?}");
        for (index, node) in self.nodes.iter().enumerate() {
            // Epochs of their own from the start: otherwise the nodes first quarrel about who is older.
            done(node, &["CLUSTER", "SET-CONFIG-EPOCH", &(index + 1).to_string()]);
            if index < PRIMARIES {
                let (first, end) = (SLOTS * index / PRIMARIES, SLOTS * (index + 1) / PRIMARIES);
                done(node, &["CLUSTER", "ADDSLOTSRANGE", &first.to_string(), &(end - 1).to_string()]);
            }
        }
        let (first, rest) = self.nodes.split_first().expect("there are six");
        for node in rest {
            let bus = node.ask(&["CONFIG", "GET", "cluster-port"]);
            let bus = bus.many().get(1).map(Reply::text).expect("a cluster's node has a port for the others");
            done(first, &["CLUSTER", "MEET", "127.0.0.1", &node.port().to_string(), &bus]);
        }
        for (replica, primary) in self.nodes[PRIMARIES..].iter().zip(&self.nodes) {
            let id = primary.ask(&["CLUSTER", "MYID"]).text();
            // Refused until the replica has heard of its primary.
            until("nodes that know each other", || replica.try_ask(&["CLUSTER", "REPLICATE", &id])?.accepted());
        }
    }

    fn well(&self) -> Result<(), String> {
        let primaries: Vec<u16> = self.primaries().map(Redis::port).collect();
        let mut agreed = None;
        for node in self.awake() {
            let info = node.try_ask(&["CLUSTER", "INFO"])?.text();
            if field_of(&info, "cluster_state") != "ok" || field_of(&info, "cluster_slots_ok") != SLOTS.to_string() {
                return Err(format!("port {} says {info}", node.port()));
            }
            // A node that has not noticed a death says ok as well, and so may one that has not noticed its own replacement.
            let homes = homes(node)?;
            if let Some(dead) = homes.iter().find(|(_, port)| primaries.iter().all(|primary| primary.to_string() != *port)) {
                return Err(format!("port {} still counts on {}", node.port(), dead.1));
            }
            if *agreed.get_or_insert_with(|| homes.clone()) != homes {
                return Err(format!("port {} thinks otherwise: {homes:?}", node.port()));
            }
            if !primaries.contains(&node.port()) {
                node.in_sync()?;
            }
        }
        Ok(())
    }
}

/// Each range's first slot and its primary's port, as this node sees them.
fn homes(node: &Redis) -> Result<Vec<(String, String)>, String> {
    let ranges = node.try_ask(&["CLUSTER", "SLOTS"])?.accepted()?;
    let home = |range: &Reply| {
        let [first, _, primary, ..] = range.many() else { return Err(format!("a range of slots is {range:?}")) };
        Ok((first.text(), primary.many().get(1).map(Reply::text).unwrap_or_default()))
    };
    let mut homes = ranges.many().iter().map(home).collect::<Result<Vec<_>, _>>()?;
    homes.sort();
    Ok(homes)
}

/// Clients learn the topology from any node, so each must know every primary with its replica.
fn knows_all(node: &Redis) -> Result<(), String> {
    let ranges = node.try_ask(&["CLUSTER", "SLOTS"])?.accepted()?;
    let with_replica = ranges.many().iter().filter(|range| range.many().len() == 4).count();
    if with_replica == PRIMARIES { Ok(()) } else { Err(format!("port {} knows {with_replica} replicas", node.port())) }
}

fn node(flavour: Flavour, args: &[&str]) -> Redis {
    Redis::launch(flavour, |port, dir| {
        // The port for the other nodes is said explicitly: the usual one, ten thousand higher, may be taken or past the end.
        let bus = ports::free().to_string();
        let own = ["--cluster-enabled", "yes", "--cluster-port", &bus, "--cluster-node-timeout", "1500"];
        // A primary usually waits five seconds for more replicas before it sends itself to the first, and a replica is not
        // shown to clients before it has heard something, be it only a ping, which usually comes after ten.
        let quick = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"];
        crate::redis::args(port, dir, &[&own[..], &quick, args].concat())
    })
}

/// What a node says it is primary for.
struct Claim {
    epoch: u64,
    slots: Vec<(usize, usize)>,
}

impl Claim {
    fn of(node: &Redis) -> Result<Claim, String> {
        let nodes = node.try_ask(&["CLUSTER", "NODES"])?.accepted()?.text();
        let myself = nodes.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        // id, address, flags, primary, ping, pong, epoch, link, and then the slots.
        let myself =
            myself.into_iter().find(|words| words.len() >= 8 && words[2].contains("myself")).ok_or("it does not know itself")?;
        let range = |words: &&str| {
            let (first, last) = words.split_once('-').unwrap_or((words, words));
            Some((first.parse().ok()?, last.parse().ok()?))
        };
        Ok(Claim { epoch: myself[6].parse().unwrap_or_default(), slots: myself[8..].iter().filter_map(range).collect() })
    }
}
