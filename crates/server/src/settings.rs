//! Every setting there is, each known in one place: its name, its default and what it does.
//!
//! A flag is stronger than the environment (`PARLOR_…`), which is stronger than the file, which is stronger
//! than the default. Values are text until `config` reads them, so each has one parser and one complaint.

use clap::{Arg, ArgMatches, Command};
use std::collections::BTreeMap;
use std::path::Path;

pub struct Setting {
    pub name: &'static str,
    pub value: &'static str,
    pub default: &'static str,
    pub help: &'static str,
}

#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    Setting { name: "listen", value: "ADDRESS", default: "127.0.0.1:7007", help: "Where to listen for HTTP and WebSocket" },
    Setting { name: "store", value: "STORE", default: "embedded:./parlor-data", help: "Where rooms rest: embedded:PATH (durable, one machine), memory: (forgets), or a server that several nodes share: redis://[user:password@]host[:port][/db], rediss://… (TLS), redis-sentinel://host:port,…/name, redis-cluster://host:port,…, dynamodb://TABLE[?region=…][&endpoint=…]" },
    Setting { name: "allow-origins", value: "LIST", default: "", help: "Web origins, comma-separated, that may use this server besides its own, e.g. https://example.org" },
    Setting { name: "trust-forwarded", value: "BOOL", default: "false", help: "Take the client's address from X-Forwarded-For, and at the edge the scheme from X-Forwarded-Proto; only behind a proxy that sets them" },
    Setting { name: "secure-cookies", value: "WHEN", default: "auto", help: "Whether session cookies are Secure (and named __Host-…): always, never, or auto: when trust-forwarded is on and X-Forwarded-Proto says https" },
    Setting { name: "log", value: "FILTER", default: "info,fjall=warn,lsm_tree=warn", help: "What to log: error, warn, info, debug, or a filter such as parlor=debug" },
    Setting { name: "log-format", value: "FORM", default: "text", help: "How to log: text or json" },
    Setting { name: "frame-bytes-max", value: "BYTES", default: "65536", help: "The largest WebSocket message or request body taken" },
    Setting { name: "message-rate-max", value: "N", default: "200", help: "Messages a second one connection may send, with a burst of twice that" },
    Setting { name: "rooms-per-socket-max", value: "N", default: "64", help: "Rooms one socket may listen to" },
    Setting { name: "acts-waiting-max", value: "N", default: "64", help: "Commands of one socket that may wait for their answers" },
    Setting { name: "connections-max", value: "N", default: "50000", help: "Connections at once, all together" },
    Setting { name: "connections-per-address-max", value: "N", default: "2000", help: "Connections at once from one address (IPv6: one /64)" },
    Setting { name: "creates-per-minute-max", value: "N", default: "120", help: "Rooms one address may open in a minute" },
    Setting { name: "bad-keys-per-minute-max", value: "N", default: "20", help: "Wrong keys one address may try in a minute" },
    Setting { name: "logins-per-minute-max", value: "N", default: "60", help: "Logins one address may try in a minute" },
    Setting { name: "hello-seconds-max", value: "SECONDS", default: "10", help: "How long a new socket may take to say hello" },
    Setting { name: "ping-seconds", value: "SECONDS", default: "25", help: "How often a silent socket is asked whether it is there; after twice that it is closed" },
    Setting { name: "drain-seconds-max", value: "SECONDS", default: "10", help: "How long a stopping server waits for what is under way" },
    Setting { name: "away-minutes", value: "MINUTES", default: "10", help: "Who sits at a table and has been away for so long has left it; 0: nobody ever has" },
    Setting { name: "rooms-live-max", value: "N", default: "50000", help: "Rooms kept in memory before the longest unused are unloaded" },
    Setting { name: "idle-unload-seconds", value: "SECONDS", default: "60", help: "When a room that nobody uses is unloaded from memory" },
    Setting { name: "outbox-bytes-max", value: "BYTES", default: "1048576", help: "Bytes that may wait for one slow connection before it is closed" },
    Setting { name: "gather-ms", value: "MS", default: "1.1", help: "Messages for those here now, and what is told of a space, share a write when they follow each other within this time (0 to 1000); more saves processor time, 0 waits for nobody" },
    Setting { name: "presence-bytes-per-second", value: "BYTES", default: "32768", help: "What each listener of a space is told a second of what others show of themselves; beyond that everybody is told of in turn" },
    Setting { name: "store-log-bytes", value: "BYTES", default: "33554432", help: "How long the embedded store's log is made in a new folder; what it holds moves to the tables in the background" },
    Setting { name: "redis-wait-replicas", value: "N", default: "0", help: "Replicas of a Redis server that must have confirmed a change before it is acknowledged" },
    Setting { name: "redis-allow-eviction", value: "BOOL", default: "false", help: "Start on a Redis server although it may throw rooms away when its memory is full" },
    Setting { name: "redis-lease-seconds", value: "SECONDS", default: "30", help: "On a Redis store: how long after a node's death those who were here through it are still shown as here" },
    Setting { name: "dynamodb-lease-seconds", value: "SECONDS", default: "60", help: "On a DynamoDB store: the same; each room with people costs a write and a read three times in this span" },
    Setting { name: "node-address", value: "URL", default: "", help: "On a DynamoDB store with several nodes: where the others reach this one, for example http://10.0.0.5:7007; they tell each other at once what happens, and without it they find out within the lease" },
    Setting { name: "node-peers", value: "LIST", default: "", help: "The only addresses that other nodes may have, comma-separated: 10.0.0.0/16, host, host:port, *.nodes.internal" },
    Setting { name: "node-secret", value: "SECRET", default: "", help: "A secret of at least 32 bytes, the same at every node, that signs what nodes tell each other; never printed" },
    Setting { name: "jwt-secret", value: "SECRET", default: "", help: "A secret of at least 32 bytes that your app signs its people's tokens with (HS256); better in the environment or a file than in a flag; never printed" },
    Setting { name: "jwt-secret-file", value: "FILE", default: "", help: "A file with that secret" },
    Setting { name: "jwt-keys", value: "FILE or URL", default: "", help: "The public keys that your app signs its people's tokens with (RS256, ES256, EdDSA), as a JWK Set: a file, or an http(s) URL that is asked again for keys it did not have" },
    Setting { name: "jwt-issuer", value: "TEXT", default: "", help: "What the claim iss of every token must be" },
    Setting { name: "jwt-audience", value: "TEXT", default: "", help: "What the claim aud of every token must be, or contain" },
    Setting { name: "auth-webhook", value: "URL", default: "", help: "Where your app is asked who holds a token that is not one of the above, and what they may do in a space" },
    Setting { name: "auth-webhook-secret", value: "SECRET", default: "", help: "Signs what the webhook is asked, in the header Parlor-Signature; never printed" },
    Setting { name: "space-open", value: "WHEN", default: "auto", help: "Whether people without a token of your app may make spaces and enter them as each space's own settings say: always, never, or auto: unless tokens are set up above" },
    Setting { name: "edge", value: "ADDRESS", default: "", help: "Where to listen as a caching proxy in front of your shop" },
    Setting { name: "origin", value: "URL", default: "", help: "The shop that the edge stands in front of, for example http://127.0.0.1:8080" },
    Setting { name: "edge-threads", value: "N", default: "1", help: "Threads that serve the edge; each hit stays on one" },
    Setting { name: "edge-bytes-max", value: "BYTES", default: "268435456", help: "Bytes of pages kept in memory" },
    Setting { name: "edge-keeps-pages", value: "BOOL", default: "true", help: "Whether pages are kept in the store too, for a restart and for other nodes" },
    Setting { name: "edge-visits", value: "BOOL", default: "true", help: "Whether somebody who opens a page without a visit is given one" },
    Setting { name: "item-path", value: "PATH", default: "", help: "Where item pages are, for example /product/{item}: they count as views, and popular ones are kept for 300 s though your shop does not say so. Such pages are fetched without the visitor's cookies" },
    Setting { name: "rows-source", value: "DATABASE", default: "", help: "The database whose rows are kept fresh: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE; never printed" },
    Setting { name: "rows-query", value: "SQL", default: "", help: "Gives one row by its id, ?1 for SQLite and $1 for PostgreSQL; if nothing is said, all columns of inventory by id" },
    Setting { name: "shop-key", value: "KEY", default: "", help: "What your shop's own server proves itself with when it logs a visit in (header Parlor-Shop-Key); at least 22 characters; never printed" },
    Setting { name: "admin-key", value: "KEY", default: "", help: "What an operator proves themselves with: ending visits, purging, rows, why (header Parlor-Admin-Key); at least 22 characters; never printed" },
    Setting { name: "visits-max", value: "N", default: "10000000", help: "Visits to the shop kept at once; beyond that the longest unused end, guests first" },
    Setting { name: "visits-known-max", value: "N", default: "200000", help: "Visits kept in memory; the others are read when they come" },
    Setting { name: "visits-per-minute-max", value: "N", default: "600", help: "Visits one address may begin in a minute" },
    Setting { name: "guest-idle-days", value: "DAYS", default: "14", help: "A guest's visit ends when it was not used for so long" },
    Setting { name: "visit-idle-days", value: "DAYS", default: "30", help: "A logged-in visit ends when it was not used for so long" },
    Setting { name: "visit-days-max", value: "DAYS", default: "180", help: "A visit ends after so long, however much it is used" },
    Setting { name: "guest-cart-days", value: "DAYS", default: "14", help: "A guest's cart goes when nobody has changed it for so long" },
    Setting { name: "cart-days", value: "DAYS", default: "90", help: "A shopper's cart goes when nobody has changed it for so long" },
    Setting { name: "abandoned-minutes", value: "MINUTES", default: "60", help: "A cart with something in it that nobody has changed for so long is abandoned, and told of" },
    Setting { name: "abandoned-webhook", value: "URL", default: "", help: "Where abandoned carts are told, as a POST of JSON" },
    Setting { name: "abandoned-webhook-secret", value: "SECRET", default: "", help: "Signs what that webhook is told, in the header Parlor-Signature; never printed" },
    Setting { name: "abandoned-space", value: "SPACE", default: "", help: "A space, space/ID, where abandoned carts are put into the map abandoned, for people who watch" },
    Setting { name: "abandoned-space-key", value: "KEY", default: "", help: "That space's host key; never printed" },
    Setting { name: "free-bytes-min", value: "BYTES", default: "268435456", help: "Below this free disk space the embedded store takes no changes" },
];

/// The settings as flags of a command.
pub fn flags(mut command: Command) -> Command {
    command = command.arg(
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .help("A TOML file with these settings, without the dashes before them"),
    );
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { "none" } else { setting.default };
        let help = format!("{} [default: {default}] [env: {}]", setting.help, variable(setting.name));
        command = command.arg(Arg::new(setting.name).long(setting.name).value_name(setting.value).help(help));
    }
    command
}

/// Each setting's text and where it came from.
pub type Texts = BTreeMap<&'static str, (String, Source)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Flag,
    Environment,
    File,
    Default,
}

pub fn gather(flags: &ArgMatches, environment: impl Fn(&str) -> Option<String>) -> Result<Texts, String> {
    let named = flags.get_one::<String>("config").cloned().or_else(|| environment("PARLOR_CONFIG"));
    let file = named.map_or_else(|| Ok(BTreeMap::new()), |path| read_file(Path::new(&path)))?;
    let pick = |setting: &Setting| {
        let flag = flags.get_one::<String>(setting.name).cloned().map(|text| (text, Source::Flag));
        flag.or_else(|| environment(&variable(setting.name)).map(|text| (text, Source::Environment)))
            .or_else(|| file.get(setting.name).cloned().map(|text| (text, Source::File)))
            .unwrap_or_else(|| (setting.default.to_owned(), Source::Default))
    };
    Ok(SETTINGS.iter().map(|setting| (setting.name, pick(setting))).collect())
}

pub fn variable(name: &str) -> String {
    format!("PARLOR_{}", name.to_uppercase().replace('-', "_"))
}

fn read_file(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("the configuration file {} cannot be read: {error}", path.display()))?;
    let table: toml::Table =
        text.parse().map_err(|error| format!("the configuration file {} is not TOML: {error}", path.display()))?;
    let mut texts = BTreeMap::new();
    for (name, value) in table {
        let name = name.replace('_', "-");
        if !SETTINGS.iter().any(|setting| setting.name == name) {
            return Err(format!(
                "the configuration file {} sets {name:?}, which is no setting; `parlor config` lists them",
                path.display()
            ));
        }
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Array(items) => items.iter().map(|item| item.as_str().unwrap_or_default()).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        };
        texts.insert(name, text);
    }
    Ok(texts)
}
