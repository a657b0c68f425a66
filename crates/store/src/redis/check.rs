//! What a server must be like before rooms are entrusted to it.

use super::link::{Link, said};
use super::options::Options;
use super::values::words;
use std::collections::HashMap;

/// The first version that has all that is asked of it; every Valkey is newer.
const VERSION_MIN: u32 = 7;

/// One sentence when the server will not do.
pub(super) async fn check(link: &Link, is_cluster: bool, options: &Options) -> Result<(), String> {
    let mut info = redis::cmd("INFO");
    info.arg("server").arg("memory").arg("persistence");
    let answers = link.everywhere(&info).await.map_err(|error| said(&error))?;
    for answer in answers {
        let text = words(answer).map_err(|error| error.to_string())?;
        check_one(&text.lines().filter_map(|line| line.split_once(':')).collect(), is_cluster, options)?;
    }
    Ok(())
}

fn check_one(info: &HashMap<&str, &str>, is_cluster: bool, options: &Options) -> Result<(), String> {
    let told = |name: &str| info.get(name).copied().unwrap_or_default();
    match told("redis_mode") {
        "cluster" if !is_cluster => {
            return Err("it is a node of a cluster; write redis-cluster:// instead of redis://".to_owned());
        }
        "sentinel" => return Err("it is a sentinel; write redis-sentinel://host:port/name instead".to_owned()),
        _ => {}
    }
    let version = told("redis_version");
    let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default();
    if !info.contains_key("valkey_version") && major < VERSION_MIN {
        return Err(format!("it is version {version}, and Parlor needs Redis {VERSION_MIN}.0 or Valkey"));
    }
    let policy = told("maxmemory_policy");
    if policy != "noeviction" && !policy.is_empty() {
        let limited = told("maxmemory") != "0";
        let danger = format!("its maxmemory-policy is {policy}, so it throws rooms away when its memory is full");
        if limited && !options.allow_eviction {
            return Err(format!(
                "{danger}; set it to noeviction (CONFIG SET maxmemory-policy noeviction), or start with --redis-allow-eviction true"
            ));
        }
        tracing::warn!("{danger}{}", if limited { "" } else { "; it has no maxmemory yet, so this does not happen yet" });
    }
    if told("aof_enabled") == "0" {
        tracing::warn!(
            "the server has no append-only file: a crash of it loses what came after its last snapshot; see docs/operations.md"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told<'a>(version: &'a str, policy: &'a str, maxmemory: &'a str) -> HashMap<&'a str, &'a str> {
        [("redis_version", version), ("maxmemory_policy", policy), ("maxmemory", maxmemory)].into()
    }

    #[test]
    fn a_server_that_throws_keys_away_is_refused_unless_allowed() {
        let options = Options::default();
        assert!(check_one(&told("7.0.15", "noeviction", "1000"), false, &options).is_ok());
        assert!(check_one(&told("7.0.15", "allkeys-lru", "0"), false, &options).is_ok(), "nothing is thrown away yet");
        for policy in ["allkeys-lru", "volatile-ttl"] {
            let refused = check_one(&told("7.0.15", policy, "1000"), false, &options).unwrap_err();
            assert!(refused.contains("noeviction") && refused.contains(policy), "{refused}");
        }
        let allowed = Options { allow_eviction: true, ..options };
        assert!(check_one(&told("7.0.15", "allkeys-lru", "1000"), false, &allowed).is_ok());
    }

    #[test]
    fn a_server_of_another_kind_is_refused_with_what_to_write() {
        let info = |mode| [("redis_version", "7.0.15"), ("redis_mode", mode)].into();
        assert!(check_one(&info("standalone"), false, &Options::default()).is_ok());
        assert!(check_one(&info("cluster"), true, &Options::default()).is_ok());
        assert!(check_one(&info("cluster"), false, &Options::default()).unwrap_err().contains("redis-cluster://"));
        assert!(check_one(&info("sentinel"), false, &Options::default()).unwrap_err().contains("redis-sentinel://"));
    }

    #[test]
    fn an_old_server_is_refused_with_what_is_needed() {
        let refused = check_one(&told("6.2.1", "noeviction", "0"), false, &Options::default()).unwrap_err();
        assert_eq!(refused, "it is version 6.2.1, and Parlor needs Redis 7.0 or Valkey");
    }
}
