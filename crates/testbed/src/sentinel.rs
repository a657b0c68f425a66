//! A primary, its replica, and three sentinels that make the replica primary when the primary is gone.
//!
//! To lose for certain what was acknowledged: `stop_replication`, write, `kill_primary`, `replica().resume()`. Nothing here
//! changes who is primary but the sentinels themselves.

use crate::resp::Reply;
use crate::{Flavour, Redis, until};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const NAME: &str = "parlor";
const SENTINELS: usize = 3;

pub struct Sentinels {
    sentinels: Vec<Redis>,
    /// The two data nodes, in the order they were started.
    nodes: [Redis; 2],
    /// Which of them was primary when we last looked.
    primary: AtomicUsize,
}

impl Sentinels {
    /// All five of them, when each knows the others and the replica is in sync.
    pub fn start() -> Sentinels {
        Sentinels::start_with(&[])
    }

    /// The same with arguments for the data nodes, such as `["--appendonly", "yes"]`.
    pub fn start_with(args: &[&str]) -> Sentinels {
        Sentinels::start_as(Flavour::Redis, args)
    }

    /// The same of another flavour.
    pub fn start_as(flavour: Flavour, args: &[&str]) -> Sentinels {
        // A primary usually waits five seconds for more replicas before it sends itself to the first.
        let args = [args, &["--repl-diskless-sync-delay", "0"]].concat();
        let first = Redis::start_as(flavour, &args);
        let port = first.port().to_string();
        let second = Redis::start_as(flavour, &[&args[..], &["--replicaof", "127.0.0.1", &port]].concat());
        second.wait_until_in_sync();
        let sentinels = thread::scope(|scope| {
            let started: Vec<_> = (0..SENTINELS).map(|_| scope.spawn(|| sentinel(flavour, first.port()))).collect();
            started.into_iter().map(|one| one.join().expect("a sentinel starts")).collect()
        });
        let all = Sentinels { sentinels, nodes: [first, second], primary: AtomicUsize::new(0) };
        all.sentinels.iter().for_each(|one| until("sentinels that know each other", || all.known_to(one)));
        all
    }

    pub fn url(&self) -> String {
        let addresses: Vec<String> = self.sentinels.iter().map(|one| one.addr().to_string()).collect();
        format!("redis-sentinel://{}/{NAME}", addresses.join(","))
    }

    /// The primary, as of the start or the last failover that was waited for; it may be dead.
    pub fn primary(&self) -> &Redis {
        &self.nodes[self.primary.load(Ordering::SeqCst)]
    }

    /// The other one; after a failover this is the old primary, dead until it is restarted.
    pub fn replica(&self) -> &Redis {
        &self.nodes[1 - self.primary.load(Ordering::SeqCst)]
    }

    /// The sentinels themselves, for tests that take one away.
    pub fn sentinels(&self) -> &[Redis] {
        &self.sentinels
    }

    /// Pauses the replica and takes its connection away: no later write reaches it before it is resumed. An earlier one may
    /// not reach it either; `WAIT` tells.
    pub fn stop_replication(&self) {
        self.replica().pause();
        // A pause alone loses nothing: what the primary still sends waits in the socket and is read on resuming.
        let closed = self.primary().ask(&["CLIENT", "KILL", "TYPE", "REPLICA"]);
        assert_eq!(closed, Reply::Number(1), "the primary has one replica");
    }

    /// SIGKILL for the primary; a failover follows a second or two later.
    pub fn kill_primary(&self) {
        self.primary().kill();
    }

    /// Waits until all sentinels name the node that was not primary, and it has taken the part; returns that node.
    pub fn wait_for_failover(&self) -> &Redis {
        let next = self.replica();
        until("a failover", || {
            for sentinel in self.sentinels.iter().filter(|one| one.is_awake()) {
                let named = sentinel.try_ask(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME])?.accepted()?;
                let port = named.many().get(1).map(Reply::text).unwrap_or_default();
                if port != next.port().to_string() {
                    return Err(format!("a sentinel still names port {port}\n{}", sentinel.log_end()));
                }
            }
            match next.role()?.as_str() {
                "master" => Ok(()),
                role => Err(format!("the next primary is still {role}")),
            }
        });
        self.primary.fetch_xor(1, Ordering::SeqCst);
        self.primary()
    }

    /// Waits until the node that is not primary, restarted perhaps, follows the one that is.
    pub fn wait_for_replica(&self) -> &Redis {
        let (primary, replica) = (self.primary().port().to_string(), self.replica());
        until("a replica", || {
            let follows = replica.info("replication", "master_port")?;
            if follows == primary { replica.in_sync() } else { Err(format!("it follows {follows:?}")) }
        });
        replica
    }

    fn known_to(&self, sentinel: &Redis) -> Result<(), String> {
        let reply = sentinel.try_ask(&["SENTINEL", "MASTER", NAME])?.accepted()?;
        let facts: Vec<String> = reply.many().iter().map(Reply::text).collect();
        let fact = |name: &str| facts.chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1].as_str());
        let knows = (fact("num-slaves"), fact("num-other-sentinels"), fact("flags"));
        let others = (SENTINELS - 1).to_string();
        if knows == (Some("1"), Some(&others), Some("master")) { Ok(()) } else { Err(format!("one knows {knows:?}")) }
    }
}

fn sentinel(flavour: Flavour, primary: u16) -> Redis {
    let redis = Redis::launch(flavour, |port, dir| {
        let file = dir.join("sentinel.conf");
        let lines = [
            format!("port {port}\nbind 127.0.0.1\nlogfile log\ndir {}", dir.display()),
            format!("sentinel monitor {NAME} 127.0.0.1 {primary} 2"),
            format!("sentinel down-after-milliseconds {NAME} 1000\nsentinel failover-timeout {NAME} 3000\n"),
        ];
        std::fs::write(&file, lines.join("\n")).expect("a temporary folder can be written to");
        vec![file.display().to_string(), "--sentinel".into()]
    });
    // Sentinels say hello every two seconds and look at a node every ten; whoever tests them has less time.
    let hurry = redis.ask(&["SENTINEL", "DEBUG", "PUBLISH-PERIOD", "200", "INFO-PERIOD", "500"]);
    assert_eq!(hurry, Reply::Simple("OK".into()), "a sentinel cannot be hurried");
    redis
}
