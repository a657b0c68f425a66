//! Which addresses are other nodes. Addresses come out of the table, and whoever can write to the table could otherwise
//! have every node write to a server of their choice.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// `http://host:port`, and nothing behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    scheme: &'static str,
    host: String,
    port: u16,
}

#[derive(Debug)]
pub struct Peers(Vec<Peer>);

#[derive(PartialEq, Eq, Debug)]
struct Peer {
    host: Host,
    port: Option<u16>,
}

#[derive(PartialEq, Eq, Debug)]
enum Host {
    Net(IpAddr, u8),
    Named(String),
    /// Everything whose name ends so, with the dot.
    Below(String),
}

pub fn place(text: &str) -> Result<Place, &'static str> {
    const FORM: &str = "it is written http://host:port or https://host:port, with nothing behind it";
    let (scheme, rest, usual) = match text.split_once("://") {
        Some(("http", rest)) => ("http", rest, 80),
        Some(("https", rest)) => ("https", rest, 443),
        _ => return Err(FORM),
    };
    let (host, port) = split(rest).ok_or(FORM)?;
    Ok(Place { scheme, host: host.to_ascii_lowercase(), port: port.unwrap_or(usual) })
}

/// A host, or an address in brackets, and perhaps a port.
fn split(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            rest.split_once(']').map(|(host, rest)| (host, rest.strip_prefix(':').map_or((rest, ""), |port| ("", port))))?
        }
        None => text.split_once(':').map_or((text, ("", "")), |(host, port)| (host, ("", port))),
    };
    let (nothing, port) = port;
    let is_bracketed = text.starts_with('[');
    let is_host = if is_bracketed {
        host.parse::<std::net::Ipv6Addr>().is_ok()
    } else {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
    };
    let port = if port.is_empty() { None } else { Some(port.parse().ok().filter(|port| *port > 0)?) };
    (is_host && nothing.is_empty() && (port.is_some() || !text.ends_with(':'))).then_some((host, port))
}

impl FromStr for Peers {
    type Err = String;
    fn from_str(text: &str) -> Result<Peers, String> {
        let peers = text.split(',').map(str::trim).filter(|peer| !peer.is_empty()).map(|peer| {
            peer.parse()
                .map_err(|()| format!("{peer:?} is no peer; it is written 10.0.0.0/16, host, host:port or *.nodes.internal"))
        });
        let peers = peers.collect::<Result<Vec<Peer>, String>>()?;
        if peers.is_empty() { Err("it names nobody".into()) } else { Ok(Peers(peers)) }
    }
}

impl FromStr for Peer {
    type Err = ();
    fn from_str(text: &str) -> Result<Peer, ()> {
        if let Some((net, bits)) = text.split_once('/') {
            let (net, bits): (IpAddr, u8) = (net.parse().map_err(|_| ())?, bits.parse().map_err(|_| ())?);
            let most = if net.is_ipv4() { 32 } else { 128 };
            return if bits <= most { Ok(Peer { host: Host::Net(net, bits), port: None }) } else { Err(()) };
        }
        let (name, is_below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        let (host, port) = split(name).ok_or(())?;
        let host = match host.parse::<IpAddr>() {
            Ok(_) if is_below => return Err(()),
            Ok(address) => Host::Net(address, if address.is_ipv4() { 32 } else { 128 }),
            Err(_) if is_below => Host::Below(format!(".{}", host.to_ascii_lowercase())),
            Err(_) => Host::Named(host.to_ascii_lowercase()),
        };
        Ok(Peer { host, port })
    }
}

impl Peers {
    pub fn allows(&self, place: &Place) -> bool {
        self.0.iter().any(|peer| peer.port.is_none_or(|port| port == place.port) && peer.host.holds(&place.host))
    }
}

impl Host {
    fn holds(&self, host: &str) -> bool {
        match self {
            Host::Net(net, bits) => host.parse().is_ok_and(|address| is_in(address, *net, *bits)),
            Host::Named(name) => name == host,
            Host::Below(end) => host.len() > end.len() && host.ends_with(&**end),
        }
    }
}

fn is_in(address: IpAddr, net: IpAddr, bits: u8) -> bool {
    let bits = u32::from(bits);
    match (address, net) {
        (IpAddr::V4(address), IpAddr::V4(net)) => (address.to_bits() ^ net.to_bits()).leading_zeros() >= bits,
        (IpAddr::V6(address), IpAddr::V6(net)) => (address.to_bits() ^ net.to_bits()).leading_zeros() >= bits,
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { scheme, host, port } = self;
        if host.contains(':') { write!(f, "{scheme}://[{host}]:{port}") } else { write!(f, "{scheme}://{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port_and_nothing_else() {
        for (text, shown) in [
            ("http://10.0.0.5:7007", "http://10.0.0.5:7007"),
            ("https://Node-1.Internal", "https://node-1.internal:443"),
            ("http://[fd00::1]:7007", "http://[fd00::1]:7007"),
            ("http://[fd00::1]", "http://[fd00::1]:80"),
        ] {
            assert_eq!(place(text).expect(text).to_string(), shown);
        }
        for text in [
            "",
            "10.0.0.5:7007",
            "ftp://host",
            "http://",
            "http://host/",
            "http://host/path",
            "http://me:secret@host",
            "http://host:",
            "http://host:0",
            "http://host:70000",
            "http://[::1",
            "http://[::1]x",
            "http://[host]:1",
            "http://a b",
            "http://host?x",
            "http://host:1:2",
        ] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_peers_are_written_to() {
        let peers: Peers = "10.1.0.0/16, node-a:7007, *.nodes.internal, fd00::/8, [::1]:9, 192.168.0.7".parse().expect("peers");
        let allows = |text: &str| peers.allows(&place(text).expect(text));
        for text in [
            "http://10.1.2.3:1",
            "https://10.1.255.255",
            "http://node-a:7007",
            "http://NODE-A:7007",
            "http://x.nodes.internal:5",
            "http://[fd12::7]:7007",
            "http://[::1]:9",
            "http://192.168.0.7:80",
        ] {
            assert!(allows(text), "{text}");
        }
        for text in [
            "http://10.2.0.1:1",
            "http://node-a:7008",
            "http://node-b:7007",
            "http://nodes.internal:5",
            "http://evilnodes.internal:5",
            "http://x.nodes.internal.evil:5",
            "http://[fe80::1]:7007",
            "http://[::1]:10",
            "http://192.168.0.8:80",
            "http://169.254.169.254",
        ] {
            assert!(!allows(text), "{text}");
        }
        for text in ["", " , ", "10.0.0.0/33", "*", "*.", "http://host", "host:port", "*.10.0.0.1", "a b"] {
            assert!(text.parse::<Peers>().is_err(), "{text}");
        }
    }
}
