//! The configuration, read once at start. Anything wrong stops the start with one sentence.

use crate::auth::options::{Options as AuthOptions, SECRETS};
use crate::cookies::SecureCookies;
use crate::limits::DoorLimits;
#[cfg(feature = "dynamodb")]
use crate::nodes::options::Options as NodeOptions;
use crate::settings::{SETTINGS, Source, Texts, variable};
use crate::shop::options::{Options as ShopOptions, SECRETS as SHOP_SECRETS};
use parlor_engine::Limits;
use parlor_rules::Span;
#[cfg(feature = "dynamodb")]
use parlor_store::dynamodb::{Address as DynamoDbAddress, Options as DynamoDbOptions};
use parlor_store::redis::{Address as RedisAddress, Options as RedisOptions};
use std::fmt::{Display, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// All of the log is read when a folder is opened, and what it holds is in memory too.
const LOG_BYTES_MIN: u64 = 64 * 1024;
const LOG_BYTES_MAX: u64 = 1024 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub store: StoreChoice,
    pub allow_origins: Vec<String>,
    pub trust_forwarded: bool,
    pub secure_cookies: SecureCookies,
    pub log: String,
    pub log_json: bool,
    pub free_bytes_min: u64,
    pub store_log_bytes: u64,
    pub redis: RedisOptions,
    #[cfg(feature = "dynamodb")]
    pub dynamodb: DynamoDbOptions,
    /// How other nodes are told what happens here, where the store cannot.
    #[cfg(feature = "dynamodb")]
    pub nodes: Option<NodeOptions>,
    pub auth: AuthOptions,
    pub shop: ShopOptions,
    pub drain: Duration,
    pub engine: Limits,
    pub doors: DoorLimits,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    Memory,
    Embedded(PathBuf),
    Redis(RedisAddress),
    #[cfg(feature = "dynamodb")]
    DynamoDb(DynamoDbAddress),
}

impl Config {
    pub fn read(texts: &Texts) -> Result<Config, String> {
        let seconds = |name| seconds(texts, name);
        let lease = |name| positive(texts, name).and_then(|_| seconds(name)).map(|lease| Span(lease.as_millis() as u64));
        #[cfg(feature = "dynamodb")]
        let nodes = NodeOptions::read(texts)?;
        Ok(Config {
            listen: value(texts, "listen")?,
            store: value(texts, "store")?,
            allow_origins: origins(texts, "allow-origins")?,
            trust_forwarded: value(texts, "trust-forwarded")?,
            secure_cookies: value(texts, "secure-cookies")?,
            log: value(texts, "log")?,
            log_json: match value::<String>(texts, "log-format")?.as_str() {
                "text" => false,
                "json" => true,
                other => return Err(complaint(texts, "log-format", other, "it is text or json")),
            },
            free_bytes_min: value(texts, "free-bytes-min")?,
            store_log_bytes: match value(texts, "store-log-bytes")? {
                bytes @ LOG_BYTES_MIN..=LOG_BYTES_MAX => bytes,
                other => {
                    let why = format!("it is {LOG_BYTES_MIN} to {LOG_BYTES_MAX}");
                    return Err(complaint(texts, "store-log-bytes", &other.to_string(), &why));
                }
            },
            redis: RedisOptions {
                wait_for_replicas: value(texts, "redis-wait-replicas")?,
                lease: lease("redis-lease-seconds")?,
                allow_eviction: value(texts, "redis-allow-eviction")?,
                ..RedisOptions::default()
            },
            #[cfg(feature = "dynamodb")]
            dynamodb: DynamoDbOptions {
                lease: lease("dynamodb-lease-seconds")?,
                address: nodes.as_ref().map(|nodes| nodes.address.clone()),
                ..DynamoDbOptions::default()
            },
            #[cfg(feature = "dynamodb")]
            nodes,
            auth: AuthOptions::read(texts)?,
            shop: ShopOptions::read(texts)?,
            drain: seconds("drain-seconds-max")?,
            engine: Limits {
                rooms_live_max: positive(texts, "rooms-live-max")?,
                idle_unload_after: seconds("idle-unload-seconds")?,
                away_after: minutes(texts, "away-minutes")?,
                outbox_bytes_max: positive(texts, "outbox-bytes-max")?,
                presence_bytes_per_second: positive(texts, "presence-bytes-per-second")?,
                gather_for: milliseconds(texts, "gather-ms")?,
                ..Limits::default()
            },
            doors: DoorLimits {
                frame_bytes_max: positive(texts, "frame-bytes-max")?,
                message_rate_max: positive(texts, "message-rate-max")? as u64,
                rooms_per_socket_max: positive(texts, "rooms-per-socket-max")?,
                acts_waiting_max: positive(texts, "acts-waiting-max")?,
                connections_max: positive(texts, "connections-max")?,
                connections_per_address_max: positive(texts, "connections-per-address-max")?,
                creates_per_minute_max: positive(texts, "creates-per-minute-max")? as u64,
                bad_keys_per_minute_max: positive(texts, "bad-keys-per-minute-max")? as u64,
                logins_per_minute_max: positive(texts, "logins-per-minute-max")? as u64,
                hello_within: seconds("hello-seconds-max")?,
                ping_every: positive(texts, "ping-seconds").and_then(|_| seconds("ping-seconds"))?,
            },
        })
    }
}

impl FromStr for StoreChoice {
    type Err = String;
    fn from_str(text: &str) -> Result<StoreChoice, String> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(StoreChoice::Memory),
            Some(("embedded", path)) if !path.is_empty() => Ok(StoreChoice::Embedded(path.into())),
            Some(("embedded", _)) => Err("embedded: needs a folder, for example embedded:./parlor-data".into()),
            _ if RedisAddress::is_one(text) => text.parse().map(StoreChoice::Redis),
            #[cfg(feature = "dynamodb")]
            _ if DynamoDbAddress::is_one(text) => text.parse().map(StoreChoice::DynamoDb),
            #[cfg(not(feature = "dynamodb"))]
            Some(("dynamodb", _)) => Err("this program was built without DynamoDB (its feature `dynamodb`)".into()),
            _ => Err(
                "a store is memory:, embedded:PATH, redis://…, rediss://…, redis-sentinel://…, redis-cluster://… or dynamodb://…"
                    .into(),
            ),
        }
    }
}

/// The effective configuration as a TOML file that explains itself.
pub fn explain(texts: &Texts) -> String {
    let mut page = String::from("# Parlor's settings as they are now. Strongest first: flag, environment, file, default.\n");
    for setting in SETTINGS {
        let (text, source) = &texts[setting.name];
        let source = match source {
            Source::Flag => "from a flag".to_owned(),
            Source::Environment => format!("from {}", variable(setting.name)),
            Source::File => "from the file".to_owned(),
            Source::Default => "default".to_owned(),
        };
        let quoted =
            if text.parse::<u64>().is_ok() || text == "true" || text == "false" { text.clone() } else { format!("{text:?}") };
        if is_secret(setting.name) && !text.is_empty() {
            let _ = write!(page, "\n# {}. ({source})\n# {} is set and not shown\n", setting.help, setting.name);
            continue;
        }
        // Writing to a String cannot fail.
        let _ = write!(page, "\n# {}. ({source})\n{} = {quoted}\n", setting.help, setting.name);
    }
    page
}

/// Also where nothing is done with it.
const NODE_SECRET: &str = "node-secret";

fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name) || SHOP_SECRETS.contains(&name) || name == NODE_SECRET
}

fn value<T: FromStr<Err: Display>>(texts: &Texts, name: &str) -> Result<T, String> {
    let (text, _) = &texts[name];
    let must = SETTINGS.iter().find(|setting| setting.name == name).and_then(|setting| must_be(setting.value));
    text.parse().map_err(|error: T::Err| match must {
        // The library knows more, such as that a number is too large.
        Some(must) => complaint(texts, name, text, &format!("{must} ({error})")),
        None => complaint(texts, name, text, &error.to_string()),
    })
}

/// For what a library reads, which complains in words of its own.
fn must_be(sort: &str) -> Option<&'static str> {
    match sort {
        "MS" => Some(MILLISECONDS),
        "N" | "BYTES" | "SECONDS" | "MINUTES" | "DAYS" => Some("it must be a whole number, without a unit"),
        "BOOL" => Some("it must be true or false"),
        "ADDRESS" => Some("it must be an address and a port, for example 127.0.0.1:7007"),
        _ => None, // Others are read here, in sentences.
    }
}

const MILLISECONDS: &str = "it must be a number from 0 to 1000, for example 1.1";

/// A second at most, with decimals: these are waits that nobody should notice.
fn milliseconds(texts: &Texts, name: &str) -> Result<Duration, String> {
    match value::<f64>(texts, name)? {
        number if (0.0..=1000.0).contains(&number) => Ok(Duration::from_secs_f64(number / 1000.0)),
        number => Err(complaint(texts, name, &number.to_string(), MILLISECONDS)),
    }
}

/// More than a year is a mistake, and would overflow where it is added to the time.
fn seconds(texts: &Texts, name: &str) -> Result<Duration, String> {
    match value::<u64>(texts, name)? {
        number @ 0..=31_536_000 => Ok(Duration::from_secs(number)),
        number => Err(complaint(texts, name, &number.to_string(), "it must be at most a year, 31536000")),
    }
}

fn minutes(texts: &Texts, name: &str) -> Result<Duration, String> {
    match value::<u64>(texts, name)? {
        number @ 0..=525_600 => Ok(Duration::from_secs(number * 60)),
        number => Err(complaint(texts, name, &number.to_string(), "it must be at most a year, 525600")),
    }
}

fn origins(texts: &Texts, name: &str) -> Result<Vec<String>, String> {
    let list: String = value(texts, name)?;
    let origins = list.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let is_origin = |origin: &str| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| {
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
        })
    };
    origins
        .map(|origin| {
            let why = "an origin is written https://example.org or http://example.org:8080, each by itself; there is no *";
            if is_origin(origin) { Ok(origin.to_owned()) } else { Err(complaint(texts, name, origin, why)) }
        })
        .collect()
}

fn positive(texts: &Texts, name: &str) -> Result<usize, String> {
    match value::<usize>(texts, name)? {
        0 => Err(complaint(texts, name, "0", "it must be at least 1")),
        number => Ok(number),
    }
}

fn complaint(texts: &Texts, name: &str, text: &str, why: &str) -> String {
    let place = match texts[name].1 {
        Source::Flag => format!("--{name}"),
        Source::Environment => variable(name),
        Source::File => format!("{name} in the configuration file"),
        Source::Default => name.to_owned(),
    };
    format!("{place} is {:?}: {why}", without_password(text))
}

/// What stands between `://` and `@` is nobody's to read in a log.
fn without_password(text: &str) -> String {
    match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 <= at => format!("{}://…{}", &text[..scheme], &text[at..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;

    fn read(flags: &[&str], environment: &[(&str, &str)]) -> Result<Config, String> {
        let command = settings::flags(clap::Command::new("test"));
        let matches = command.get_matches_from(std::iter::once("test").chain(flags.iter().copied()));
        let look = |name: &str| environment.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
        Config::read(&settings::gather(&matches, look)?)
    }

    #[test]
    fn the_defaults_are_a_configuration() {
        let config = read(&[], &[]).unwrap();
        assert_eq!(config.store, StoreChoice::Embedded("./parlor-data".into()));
        assert_eq!(config.listen.to_string(), "127.0.0.1:7007");
    }

    #[test]
    fn a_flag_is_stronger_than_the_environment() {
        let environment = [("PARLOR_STORE", "memory:"), ("PARLOR_LISTEN", "127.0.0.1:1")];
        let config = read(&["--listen", "127.0.0.1:2"], &environment).unwrap();
        assert_eq!(config.store, StoreChoice::Memory);
        assert_eq!(config.listen.port(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        assert_eq!(
            read(&["--store", "redsi:"], &[]).unwrap_err(),
            r#"--store is "redsi:": a store is memory:, embedded:PATH, redis://…, rediss://…, redis-sentinel://…, redis-cluster://… or dynamodb://…"#
        );
        let complaint = read(&["--store", "redis-sentinel://:s3cret@host"], &[]).unwrap_err();
        assert!(complaint.contains("name is missing") && !complaint.contains("s3cret"), "{complaint}");
        assert!(read(&[], &[("PARLOR_CONNECTIONS_MAX", "0")]).unwrap_err().starts_with("PARLOR_CONNECTIONS_MAX is \"0\""));
        assert!(read(&["--config", "no/such/file"], &[]).unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn origins_are_named_one_by_one() {
        let config = read(&["--allow-origins", "https://a.example, http://b.example:8080"], &[]).unwrap();
        assert_eq!(config.allow_origins, ["https://a.example", "http://b.example:8080"]);
        for wrong in ["*", "a.example", "https://", "https://a.example/", "https://*.a.example", "https://a.example,*", "null"] {
            let complaint = read(&["--allow-origins", wrong], &[]).unwrap_err();
            assert!(complaint.starts_with("--allow-origins is "), "{wrong}: {complaint}");
        }
    }

    #[test]
    fn a_file_may_say_parts_of_a_millisecond() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("parlor.toml");
        for (text, micros) in [("1.5", 1500), ("0", 0), ("\"0.25\"", 250)] {
            std::fs::write(&file, format!("gather-ms = {text}\n")).unwrap();
            let config = read(&["--config", file.to_str().unwrap()], &[]).unwrap();
            assert_eq!(config.engine.gather_for, Duration::from_micros(micros));
        }
    }

    #[test]
    fn a_value_that_cannot_be_read_is_told_what_it_must_be() {
        for (name, wrong, must) in [
            ("gather-ms", "abc", "a number"),
            ("rooms-live-max", "many", "a whole number"),
            ("idle-unload-seconds", "1.5", "a whole number"),
            ("free-bytes-min", "64MB", "a whole number"),
            ("away-minutes", "", "a whole number"),
            ("listen", "7", "127.0.0.1:7007"),
            ("trust-forwarded", "yes", "true or false"),
        ] {
            let complaint = read(&[&format!("--{name}"), wrong], &[]).unwrap_err();
            assert!(complaint.starts_with(&format!("--{name} is {wrong:?}: it must be ")), "{complaint}");
            assert!(complaint.contains(must), "{complaint}");
        }
    }

    #[test]
    fn no_length_of_time_is_beyond_counting() {
        for name in ["away-minutes", "idle-unload-seconds", "hello-seconds-max", "drain-seconds-max", "ping-seconds"] {
            let complaint = read(&[&format!("--{name}"), "18446744073709551615"], &[]).unwrap_err();
            assert!(complaint.starts_with(&format!("--{name} is ")), "{complaint}");
        }
    }

    #[test]
    fn x29_a_secret_is_taken_and_never_said() {
        let secret = "a-secret-that-has-at-least-32-bytes!";
        let flags = ["test", "--jwt-secret", secret, "--auth-webhook", "http://127.0.0.1:1/", "--auth-webhook-secret", secret];
        let matches = settings::flags(clap::Command::new("test")).get_matches_from(flags);
        let texts = settings::gather(&matches, |_| None).unwrap();
        let config = Config::read(&texts).unwrap();
        for said in [explain(&texts), format!("{config:?}")] {
            assert!(!said.contains(secret), "{said}");
        }
        assert!(explain(&texts).contains("# jwt-secret is set and not shown"));
        let short = read(&["--jwt-secret", "much-too-short"], &[]).unwrap_err();
        assert!(short.starts_with("--jwt-secret: the secret has fewer than 32 bytes") && !short.contains("much"), "{short}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "short\n").unwrap();
        let path = file.path().to_str().unwrap();
        assert!(read(&["--jwt-secret-file", path], &[]).unwrap_err().contains("fewer than 32"));
        std::fs::write(file.path(), format!("{secret}\n")).unwrap();
        assert!(read(&["--jwt-secret-file", path], &[]).is_ok());
        assert!(read(&["--jwt-secret-file", path, "--jwt-secret", secret], &[]).unwrap_err().contains("only one of them"));
    }

    #[test]
    fn what_is_wrong_with_keys_and_webhooks_stops_the_start() {
        for (flags, why) in [
            (["--jwt-keys", "/no/such/file"], "cannot be read"),
            (["--jwt-keys", "ftp://host/keys"], "http:// or https://"),
            (["--jwt-keys", "/dev/null"], "not a JWK Set"),
            (["--auth-webhook", "host/path"], "http:// or https://"),
            (["--auth-webhook", "https://me:s3cret@host/"], "with a password"),
            (["--space-open", "sometimes"], "auto, always or never"),
            (["--gather-ms", "NaN"], "from 0 to 1000"),
            (["--gather-ms", "1001"], "from 0 to 1000"),
            (["--gather-ms", "soon"], "float"),
            (["--jwt-audience", "parlor"], "checks nothing without"),
        ] {
            let complaint = read(&flags, &[]).unwrap_err();
            assert!(complaint.starts_with(flags[0]) && complaint.contains(why) && !complaint.contains("s3cret"), "{complaint}");
        }
    }

    #[test]
    fn what_config_prints_can_be_read_back() {
        let matches = settings::flags(clap::Command::new("test")).get_matches_from(["test", "--gather-ms", "9"]);
        let page = explain(&settings::gather(&matches, |_| None).unwrap());
        let table: toml::Table = page.parse().unwrap();
        assert_eq!(table.len(), SETTINGS.len());
        assert_eq!(table["gather-ms"].as_integer(), Some(9));
    }
}
