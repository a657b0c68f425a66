//! The command line. Help teaches; a mistake gets one sentence.

#[cfg(feature = "dynamodb")]
pub mod dynamodb;
pub mod moving;
pub mod terminal;
pub mod why;

use crate::config::{self, Config, StoreChoice};
use crate::{control, host, serve, settings};
use clap::{Arg, ArgMatches, Command};
use parlor_rules::Millis;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

const ABOUT: &str = "\
A room server: people change something together, see each other do it, and lose nothing.

Start here:
  parlor serve                                the server, on http://127.0.0.1:7007
  parlor new                                  a new planning poker room; prints its address and host key
  parlor sit poker/lusab-babad-gutih-tugad Ana   sit down and play in this terminal
  parlor watch poker/lusab-babad-gutih-tugad     see a room live in this terminal
  parlor serve --edge 127.0.0.1:8000 --origin http://127.0.0.1:8080   a shop's edge: visits, carts, cached pages
  parlor why http://127.0.0.1:8000/product/7     why a page is or is not kept there";

pub fn main() -> ExitCode {
    let matches = command().get_matches();
    let done = match matches.subcommand() {
        Some(("serve", flags)) => configured(flags).and_then(|(config, _)| run_server(config)),
        Some(("config", flags)) => configured(flags).map(|(_, texts)| print!("{}", config::explain(&texts))),
        Some(("backup", flags)) => wait_for(backup(flags)),
        Some(("move", flags)) => wait_for(moving::run(flags)),
        #[cfg(feature = "dynamodb")]
        Some(("dynamodb", flags)) => wait_for(dynamodb::run(flags)),
        Some(("why", flags)) => wait_for(why::run(flags)),
        Some(("new", flags)) => wait_for(terminal::new_room(&text(flags, "server"), flags.get_one::<String>("deck").cloned())),
        Some(("watch", flags)) => wait_for(terminal::watch(&text(flags, "server"), &text(flags, "room"))),
        Some(("sit", flags)) => {
            let host_key = flags.get_one::<String>("host-key").cloned();
            wait_for(terminal::sit(&text(flags, "server"), &text(flags, "room"), &text(flags, "name"), host_key))
        }
        Some(_) | None => Err("see `parlor --help`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("parlor: {complaint}");
            ExitCode::FAILURE
        }
    }
}

pub fn command() -> Command {
    let server = || {
        let help = "The server's address";
        Arg::new("server").long("server").value_name("URL").default_value("http://127.0.0.1:7007").env("PARLOR_SERVER").help(help)
    };
    let room = || Arg::new("room").value_name("ROOM").required(true).help("The room, e.g. poker/lusab-babad-gutih-tugad");
    let host_key = Arg::new("host-key").long("host-key").value_name("KEY").env("PARLOR_HOST_KEY").hide_env_values(true);
    let command = Command::new("parlor")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(settings::flags(Command::new("serve").about("Run the server until it is told to stop (Ctrl-C or SIGTERM)")))
        .subcommand(settings::flags(
            Command::new("config")
                .about("Print every setting with its value, where it comes from and what it does, as a TOML file"),
        ))
        .subcommand(
            Command::new("backup")
                .about("Copy an embedded store into a new folder, also while a server is using it")
                .arg(Arg::new("from").long("from").value_name("FOLDER").default_value("./parlor-data").help("The store's folder"))
                .arg(Arg::new("to").value_name("FOLDER").required(true).help("A folder that does not exist yet, or is empty")),
        )
        .subcommand(moving::command())
        .subcommand(why::command(server()))
        .subcommand(
            Command::new("new").about("Make a planning poker room").arg(server()).arg(
                Arg::new("deck")
                    .long("deck")
                    .value_name("CARDS")
                    .help("The cards, with spaces between [default: 1 2 3 5 8 13 20 ? ∞]"),
            ),
        )
        .subcommand(Command::new("watch").about("Show a room live, until Ctrl-C").arg(server()).arg(room()))
        .subcommand(
            Command::new("sit")
                .about(
                    "Sit down at a table and play: type a card, or back, show, reset, timer SECONDS, kick USER_ID, leave, help",
                )
                .arg(server())
                .arg(host_key.help("Be the host with this key"))
                .arg(room())
                .arg(Arg::new("name").value_name("NAME").required(true).help("How others see you")),
        );
    #[cfg(feature = "dynamodb")]
    let command = command.subcommand(dynamodb::command());
    command
}

fn configured(flags: &ArgMatches) -> Result<(Config, settings::Texts), String> {
    let texts = settings::gather(flags, |name| std::env::var(name).ok())?;
    Ok((Config::read(&texts)?, texts))
}

fn run_server(config: Config) -> Result<(), String> {
    let filter = EnvFilter::try_new(&config.log).map_err(|error| format!("--log is {:?}: {error}", config.log))?;
    let to_terminal = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let logger = tracing_subscriber::registry().with(filter);
    if config.log_json {
        logger.with(to_terminal.json().with_filter(filter_fn(says_no_keys))).init();
    } else {
        logger.with(to_terminal.with_filter(filter_fn(says_no_keys))).init();
    }
    wait_for(serve::serve(config))
}

/// The WebSocket library logs whole messages at its finer levels, and there are keys in them: whatever is asked for, only
/// its warnings are written.
fn says_no_keys(event: &Metadata<'_>) -> bool {
    let library = ["tungstenite", "tokio_tungstenite"].iter().any(|name| event.target().starts_with(name));
    !library || *event.level() <= Level::WARN
}

async fn backup(flags: &ArgMatches) -> Result<(), String> {
    let (from, to) = (text(flags, "from"), text(flags, "to"));
    let from = match from.parse::<StoreChoice>() {
        Ok(StoreChoice::Embedded(path)) => path,
        Ok(StoreChoice::Memory) => return Err("the memory: store has nothing to copy".to_owned()),
        Ok(StoreChoice::Redis(address)) => {
            return Err(format!("{address} is backed up by its own means (docs/operations.md), or copied with `parlor move`"));
        }
        #[cfg(feature = "dynamodb")]
        Ok(StoreChoice::DynamoDb(address)) => {
            return Err(format!("{address} is backed up by its own means (docs/dynamodb.md), or copied with `parlor move`"));
        }
        Err(_) => PathBuf::from(from),
    };
    let to = std::path::absolute(&to).map_err(|error| format!("{to}: {error}"))?;
    let mut say = |line: &str| eprintln!("{line}");
    match control::ask_backup(&from, &to, &mut say).await {
        Some(asked) => asked?,
        None => copy_closed(&from, &to)?,
    }
    println!("The backup is complete: parlor serve --store embedded:{}", to.display());
    Ok(())
}

/// No server has the folder open, so it can be opened here.
fn copy_closed(from: &Path, to: &Path) -> Result<(), String> {
    if !from.is_dir() {
        return Err(format!("there is no store in {}; name its folder with --from", from.display()));
    }
    let clock = Arc::new(host::now as fn() -> Millis);
    let store = parlor_store::Embedded::open(from, clock, parlor_store::Options::default()).map_err(|error| error.to_string())?;
    let copied = store.backup(to, &mut |copied| eprintln!("copied {copied} records"));
    copied.map(|_| ()).map_err(|error| error.to_string())
}

fn wait_for(task: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("the runtime cannot start: {error}"))?.block_on(task)
}

fn text(flags: &ArgMatches, name: &str) -> String {
    flags.get_one::<String>(name).cloned().unwrap_or_default()
}
