//! Where the servers are: one, one found through sentinels, or a cluster; read from the text of the setting `store`.

use redis::io::tcp::TcpSettings;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion, RedisConnectionInfo, TlsMode};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

#[derive(Clone)]
pub struct Address {
    pub(super) kind: Kind,
    /// Without the password, for people.
    shown: String,
}

#[derive(Clone)]
pub(super) enum Kind {
    Single(Box<ConnectionInfo>),
    Sentinel { sentinels: Vec<ConnectionAddr>, name: String, login: Login },
    Cluster { nodes: Vec<ConnectionInfo> },
}

#[derive(Clone)]
pub(super) struct Login {
    pub(super) tls: bool,
    pub(super) db: i64,
    pub(super) username: Option<String>,
    pub(super) password: Option<String>,
    pub(super) sentinel_password: Option<String>,
}

/// How long what was sent may stay unconfirmed.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(10);

const FORMS: &str = "it is redis://[user:password@]host[:port][/db], rediss://… for TLS, \
    redis-sentinel://[:password@]host:port,host:port/name[/db] or redis-cluster://[user:password@]host:port,host:port";

impl Address {
    /// Whether a text means one of these at all.
    pub fn is_one(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            ["redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster"].contains(&scheme)
        })
    }

    pub fn is_cluster(&self) -> bool {
        matches!(self.kind, Kind::Cluster { .. })
    }

    /// The database's number: publishing knows no databases, so channels bear it.
    pub(super) fn db(&self) -> i64 {
        match &self.kind {
            Kind::Single(info) => info.redis_settings().db(),
            Kind::Sentinel { login, .. } => login.db,
            Kind::Cluster { .. } => 0,
        }
    }
}

impl FromStr for Address {
    type Err = String;
    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |why: &str| format!("{why}; {FORMS}");
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("this is no address of a Redis server"))?;
        // Only the host may hold what a person may see; a password can hold anything but an unescaped @.
        let (user, hosts) = rest.rsplit_once('@').map_or((None, rest), |(user, hosts)| (Some(user), hosts));
        let shown = format!("{scheme}://{hosts}");
        let tls = scheme.starts_with("rediss");
        let kind = match scheme {
            "redis" | "rediss" => {
                let info = text.into_connection_info().map_err(|error| wrong(&error.to_string()))?;
                // Answers are read as the older protocol spells them, whatever the address asks for.
                let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP2);
                Kind::Single(Box::new(info.set_redis_settings(settings).set_tcp_settings(tcp())))
            }
            "redis-sentinel" | "rediss-sentinel" => {
                let (hosts, query) = hosts.split_once('?').unwrap_or((hosts, ""));
                let mut parts = hosts.split('/');
                let sentinels = parts.next().unwrap_or_default();
                let name = parts.next().filter(|name| !name.is_empty()).ok_or_else(|| wrong("the primary's name is missing"))?;
                let db = parts.next().map_or(Ok(0), str::parse).map_err(|_| wrong("the database is a number"))?;
                let sentinel_password = query.strip_prefix("sentinel-password=").map(str::to_owned);
                if !query.is_empty() && sentinel_password.is_none() {
                    return Err(wrong("after the ? only sentinel-password= is known"));
                }
                let sentinels = hosts_of(sentinels).map_err(|why| wrong(&why))?;
                let sentinels = sentinels.into_iter().map(|(host, port)| ConnectionAddr::Tcp(host, port.unwrap_or(26379)));
                let (username, password) = login(user);
                let login = Login { tls, db, username, password, sentinel_password };
                Kind::Sentinel { sentinels: sentinels.collect(), name: name.to_owned(), login }
            }
            "redis-cluster" | "rediss-cluster" => {
                let (username, password) = login(user);
                let node = |(host, port): (String, Option<u16>)| {
                    let port = port.unwrap_or(6379);
                    let addr = if tls {
                        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
                    } else {
                        ConnectionAddr::Tcp(host, port)
                    };
                    let mut settings = RedisConnectionInfo::default();
                    if let Some(username) = &username {
                        settings = settings.set_username(username);
                    }
                    if let Some(password) = &password {
                        settings = settings.set_password(password);
                    }
                    addr.into_connection_info().map(|info| info.set_redis_settings(settings)).map_err(|error| error.to_string())
                };
                let hosts = hosts_of(hosts.trim_end_matches('/')).map_err(|why| wrong(&why))?;
                let nodes = hosts.into_iter().map(node).collect::<Result<_, _>>().map_err(|why| wrong(&why))?;
                Kind::Cluster { nodes }
            }
            _ => return Err(wrong("this is no address of a Redis server")),
        };
        Ok(Address { kind, shown: shown.split('?').next().unwrap_or_default().to_owned() })
    }
}

/// Small questions leave at once, and a connection on which nothing is confirmed is given up.
pub(super) fn tcp() -> TcpSettings {
    TcpSettings::default().set_nodelay(true).set_user_timeout(UNCONFIRMED_MAX)
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.shown)
    }
}

/// An address may hold a password, which is nobody's to read in a log.
impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Address({})", self.shown)
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Address) -> bool {
        self.shown == other.shown
    }
}

impl Eq for Address {}

impl Login {
    pub(super) fn tls_mode(&self) -> Option<TlsMode> {
        self.tls.then_some(TlsMode::Secure)
    }
}

fn login(user: Option<&str>) -> (Option<String>, Option<String>) {
    let Some(user) = user else { return (None, None) };
    let (name, password) = user.split_once(':').map_or((user, None), |(name, password)| (name, Some(password)));
    (Some(unescaped(name)).filter(|name| !name.is_empty()), password.map(unescaped))
}

/// `%40` and the like, as in every URL.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `host[:port],…`; an IPv6 address stands in square brackets.
fn hosts_of(text: &str) -> Result<Vec<(String, Option<u16>)>, String> {
    let one = |text: &str| -> Result<(String, Option<u16>), String> {
        let (host, port) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
        };
        let port = port.map(|port| port.parse().map_err(|_| format!("{port:?} is no port"))).transpose()?;
        if host.is_empty() { Err("a host is missing".to_owned()) } else { Ok((host.to_owned(), port)) }
    };
    text.split(',').map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_no_password_is_shown() {
        for (text, shown) in [
            ("redis://127.0.0.1:6379/3", "redis://127.0.0.1:6379/3"),
            ("redis://ana:s3cret@host", "redis://host"),
            ("rediss://:s3cret@host:1/0", "rediss://host:1/0"),
            (
                "redis-sentinel://:s3cret@a:1,b:2,[::1]:3/parlor/2?sentinel-password=s3cret",
                "redis-sentinel://a:1,b:2,[::1]:3/parlor/2",
            ),
            ("redis-cluster://ana:s3c%40ret@a,b:7001", "redis-cluster://a,b:7001"),
            ("rediss-cluster://a/", "rediss-cluster://a/"),
        ] {
            let address: Address = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("cret"));
        }
        let sentinel: Address = "redis-sentinel://a/parlor/2".parse().unwrap();
        assert_eq!(sentinel.db(), 2);
        assert_eq!(login(Some("ana:s3c%40ret")), (Some("ana".into()), Some("s3c@ret".into())));
    }

    #[test]
    fn what_is_wrong_is_said_with_the_forms_there_are() {
        for wrong in [
            "redis-sentinel://a:1",
            "redis-cluster://",
            "redis-cluster://a:x",
            "redis://a:b:c",
            "http://a",
            "redis-sentinel://a/b/c",
            "redis-sentinel://a/b?x=1",
        ] {
            let complaint = wrong.parse::<Address>().unwrap_err();
            assert!(complaint.contains("redis-cluster://"), "{wrong}: {complaint}");
        }
    }
}
