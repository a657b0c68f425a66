//! What a server must be like before rooms are entrusted to it.

use super::link::{Link, said};
use super::options::Options;
use super::values::words;
use std::collections::HashMap;

/// The first version that has all that is asked of it; every Valkey is newer.
const VERSION_MIN: u32 = 7;

/// One sentence when the server will not do.
pub(super) async fn check(link: &Link, options: &Options) -> Result<(), String> {
    let mut info = redis::cmd("INFO");
    info.arg("server").arg("memory").arg("persistence");
    let answers = link.everywhere(&info).await.map_err(|error| said(&error))?;
    for answer in answers {
        let text = words(answer).map_err(|error| error.to_string())?;
        check_one(&text.lines().filter_map(|line| line.split_once(':')).collect(), options)?;
    }
    Ok(())
}

fn check_one(info: &HashMap<&str, &str>, options: &Options) -> Result<(), String> {
    let told = |name: &str| info.get(name).copied().unwrap_or_default();
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
        assert!(check_one(&told("7.0.15", "noeviction", "1000"), &options).is_ok());
        assert!(check_one(&told("7.0.15", "allkeys-lru", "0"), &options).is_ok(), "nothing is thrown away yet");
        for policy in ["allkeys-lru", "volatile-ttl"] {
            let refused = check_one(&told("7.0.15", policy, "1000"), &options).unwrap_err();
            assert!(refused.contains("noeviction") && refused.contains(policy), "{refused}");
        }
        let allowed = Options { allow_eviction: true, ..options };
        assert!(check_one(&told("7.0.15", "allkeys-lru", "1000"), &allowed).is_ok());
    }

    #[test]
    fn an_old_server_is_refused_with_what_is_needed() {
        let refused = check_one(&told("6.2.1", "noeviction", "0"), &Options::default()).unwrap_err();
        assert_eq!(refused, "it is version 6.2.1, and Parlor needs Redis 7.0 or Valkey");
    }
}
