//! What the settings say about other nodes.

use super::peers::Peers;
use crate::auth::web::Web;
use crate::settings::Texts;
use parlor_wire::Secret;
use std::fmt;
use std::sync::Arc;

/// Shorter ones can be found by trying.
const SECRET_BYTES_MIN: usize = 32;

#[derive(Clone)]
pub struct Options {
    /// Where the others reach this one.
    pub address: String,
    pub peers: Arc<Peers>,
    pub secret: Arc<Secret>,
    pub web: Web,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("address", &self.address).field("peers", &self.peers).finish_non_exhaustive()
    }
}

impl Options {
    /// All three or none: half of it would be silence, or a door for everybody.
    pub fn read(texts: &Texts) -> Result<Option<Options>, String> {
        let said = |name: &str| Some(texts[name].0.as_str()).filter(|text| !text.is_empty());
        let (address, peers, secret) = match (said("node-address"), said("node-peers"), said("node-secret")) {
            (None, None, None) => return Ok(None),
            (Some(address), Some(peers), Some(secret)) => (address, peers, secret),
            _ => return Err("--node-address, --node-peers and --node-secret belong together: give all three, or none".into()),
        };
        let peers: Peers = peers.parse().map_err(|why: String| format!("--node-peers: {why}"))?;
        let address = super::peers::place(address).map_err(|why| format!("--node-address: {why}"))?;
        if !peers.allows(&address) {
            return Err(
                "--node-address is none of --node-peers: the other nodes, which have the same list, would not write there".into(),
            );
        }
        if secret.len() < SECRET_BYTES_MIN {
            return Err(format!("--node-secret has fewer than {SECRET_BYTES_MIN} bytes"));
        }
        let (secret, web) = (Arc::new(Secret::new(secret.to_owned())), Web::new()?);
        Ok(Some(Options { address: address.to_string(), peers: Arc::new(peers), secret, web }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;

    fn read(flags: &[&str]) -> Result<Option<Options>, String> {
        let matches = settings::flags(clap::Command::new("test")).get_matches_from(std::iter::once(&"test").chain(flags));
        Options::read(&settings::gather(&matches, |_| None)?)
    }

    #[test]
    fn nodes_are_set_up_whole_or_not_at_all() {
        const SECRET: &str = "0123456789abcdef0123456789abcdef";
        let [address, peers, secret] = ["--node-address", "--node-peers", "--node-secret"];
        assert!(read(&[]).expect("nothing").is_none());
        let whole = read(&[address, "http://10.0.0.5:7007", peers, "10.0.0.0/8", secret, SECRET]).expect("whole").expect("some");
        assert_eq!(whole.address, "http://10.0.0.5:7007");
        assert!(!format!("{whole:?}").contains(SECRET));
        for (flags, why) in [
            (vec![address, "http://10.0.0.5:7007"], "belong together"),
            (vec![peers, "10.0.0.0/8", secret, SECRET], "belong together"),
            (vec![address, "http://10.0.0.5:7007", peers, "10.0.0.0/8", secret, "short"], "fewer than 32"),
            (vec![address, "http://11.0.0.5:7007", peers, "10.0.0.0/8", secret, SECRET], "none of --node-peers"),
            (vec![address, "10.0.0.5:7007", peers, "10.0.0.0/8", secret, SECRET], "http://"),
            (vec![address, "http://10.0.0.5:7007", peers, "10.0.0.0/99", secret, SECRET], "--node-peers"),
        ] {
            let complaint = read(&flags).expect_err(why);
            assert!(complaint.contains(why) && !complaint.contains("0123456789abcdef"), "{complaint}");
        }
    }
}
